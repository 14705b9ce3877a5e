/* Messages as bytes. See message.h. */
#include "runner/remote/message.h"

enum field_type {
	FIELD_END,
	FIELD_INT, /* int, 4 bytes */
	FIELD_NUMBER, /* uint64_t or int64_t, 8 bytes */
	FIELD_BOOL, /* bool, 1 byte */
	FIELD_BYTES, /* struct str: 4 bytes with its length, then its bytes */
	FIELD_TEXT, /* const char *, as FIELD_BYTES, without a NUL */
	FIELD_WORDS, /* NULL-ended: 4 bytes with their number, then each as FIELD_TEXT */
	FIELD_PROTOCOL /* FIELD_INT; where it is not ours, one FIELD_TEXT follows */
};
struct field {
	enum field_type type;
	size_t offset;
};

#define FIELD(type, member)                                                              \
	{                                                                                \
		FIELD_##type, offsetof(struct message, member)                           \
	}

enum { MOST_FIELDS = 14, SMALL_FRAME = 1 << 17, LAUNCH_FRAME = 1 << 26 };

static const struct kind {
	uint32_t most_bytes;
	struct field fields[MOST_FIELDS];
} kinds[MESSAGES] = {
	[MESSAGE_GREETING] = {LAUNCH_FRAME,
		{FIELD(PROTOCOL, greeting.protocol), FIELD(TEXT, greeting.program),
			FIELD(NUMBER, greeting.silence_ns),
			FIELD(NUMBER, greeting.doubt_ns),
			FIELD(BOOL, greeting.is_compact), FIELD(TEXT, greeting.witness),
			FIELD(WORDS, greeting.environment)}},
	[MESSAGE_LAUNCH] = {LAUNCH_FRAME,
		{FIELD(INT, task), FIELD(TEXT, launch.path), FIELD(WORDS, launch.argv),
			FIELD(WORDS, launch.environment), FIELD(TEXT, launch.directory),
			FIELD(NUMBER, launch.timeout_ns),
			FIELD(INT, launch.timeout_signal),
			FIELD(NUMBER, launch.timeout_grace_ns), FIELD(INT, launch.pinned),
			FIELD(TEXT, launch.temporary_mark)}},
	[MESSAGE_LIMIT] = {SMALL_FRAME,
		{FIELD(INT, task), FIELD(NUMBER, timeout_ns), FIELD(BOOL, restarts)}},
	[MESSAGE_SIGNAL] = {SMALL_FRAME, {FIELD(INT, task), FIELD(INT, signal)}},
	[MESSAGE_INTERRUPT] = {SMALL_FRAME, {FIELD(INT, signal)}},
	[MESSAGE_HELLO] = {SMALL_FRAME,
		{FIELD(PROTOCOL, hello.protocol), FIELD(TEXT, hello.program),
			FIELD(TEXT, hello.host), FIELD(INT, hello.processors),
			FIELD(NUMBER, hello.memory_bytes), FIELD(BYTES, hello.witness),
			FIELD(INT, hello.witness_error)}},
	[MESSAGE_OUTPUT] = {SMALL_FRAME, {FIELD(INT, task), FIELD(BYTES, text)}},
	[MESSAGE_OUTCOME] = {SMALL_FRAME,
		{FIELD(INT, task), FIELD(INT, outcome.ending),
			FIELD(INT, outcome.exit_code), FIELD(INT, outcome.signal),
			FIELD(NUMBER, age_us), FIELD(NUMBER, outcome.duration_ns),
			FIELD(NUMBER, outcome.user_ns), FIELD(NUMBER, outcome.system_ns),
			FIELD(NUMBER, outcome.peak_rss_bytes),
			FIELD(BOOL, outcome.signal_sufficed),
			FIELD(INT, outcome.timeout_signal),
			FIELD(INT, outcome.lost_output), FIELD(BOOL, outcome.is_cut)}},
	[MESSAGE_NOT_STARTED] = {SMALL_FRAME, {FIELD(INT, task), FIELD(INT, error)}},
	[MESSAGE_LEFT] = {SMALL_FRAME, {FIELD(INT, pid), FIELD(BYTES, text)}},
	[MESSAGE_HEARTBEAT] = {SMALL_FRAME, {{FIELD_END, 0}}},
	[MESSAGE_GOODBYE] = {SMALL_FRAME, {FIELD(BYTES, text)}},
	[MESSAGE_WARNING] = {SMALL_FRAME, {FIELD(BYTES, text)}},
	[MESSAGE_WAITS] = {SMALL_FRAME, {FIELD(BYTES, text)}},
	[MESSAGE_PLACE] = {SMALL_FRAME, {FIELD(BYTES, text)}},
	[MESSAGE_FATE] = {SMALL_FRAME, {FIELD(BYTES, text), FIELD(BOOL, is_limit)}},
};

/* ---- writing --------------------------------------------------------------------- */

static void
put_number(struct buf *b, uint64_t value, int bytes)
{
	for (int i = bytes - 1; i >= 0; i--)
		buf_char(b, (char)(value >> (8 * i) & 0xff));
}

static void
put_bytes(struct buf *b, struct str s)
{
	put_number(b, s.n, 4);
	buf_str(b, s);
}

static void
put_words(struct buf *b, const char *const *words)
{
	size_t n = 0;

	while (words[n])
		n++;
	put_number(b, n, 4);
	for (size_t i = 0; i < n; i++)
		put_bytes(b, str_of(words[i]));
}

static void
put_field(struct buf *b, enum field_type type, const void *p)
{
	switch (type) {
	case FIELD_INT:
	case FIELD_PROTOCOL:
		put_number(b, (uint32_t) * (const int *)p, 4);
		return;
	case FIELD_NUMBER:
		put_number(b, *(const uint64_t *)p, 8);
		return;
	case FIELD_BOOL:
		put_number(b, *(const bool *)p, 1);
		return;
	case FIELD_BYTES:
		put_bytes(b, *(const struct str *)p);
		return;
	case FIELD_TEXT:
		put_bytes(b, str_of(*(const char *const *)p));
		return;
	case FIELD_WORDS:
		put_words(b, *(const char *const *const *)p);
		return;
	case FIELD_END:
		break;
	}
	BUG("a field without a type");
}

void
message_write(struct buf *b, const struct message *m)
{
	const struct kind *k = &kinds[m->kind];
	size_t at = b->n, length;

	put_number(b, 0, 4);
	put_number(b, m->kind, 1);
	for (const struct field *f = k->fields; f->type != FIELD_END; f++)
		put_field(b, f->type, (const char *)m + f->offset);
	length = b->n - at - MESSAGE_HEAD;
	for (int i = 0; i < 4; i++)
		b->p[at + (size_t)i] = (char)(length >> (8 * (3 - i)) & 0xff);
	buf_char(b, '\n');
}

/* ---- reading --------------------------------------------------------------------- */

/* The fields of one frame that are not read yet. */
struct reader {
	struct arena *arena;
	struct str rest;
	const char *why; /* NULL: nothing is wrong so far */
};

static uint64_t
number_at(const char *p, int bytes)
{
	uint64_t value = 0;

	for (int i = 0; i < bytes; i++)
		value = value << 8 | (unsigned char)p[i];
	return value;
}

static bool
refuse_message(struct reader *r, const char *why)
{
	r->why = why;
	return false;
}

static bool
get_number(struct reader *r, int bytes, uint64_t *value)
{
	if (r->rest.n < (size_t)bytes)
		return refuse_message(r, "a message is too short");
	*value = number_at(r->rest.p, bytes);
	r->rest = str_from(r->rest, (size_t)bytes);
	return true;
}

static bool
get_int(struct reader *r, int *value)
{
	uint64_t n;

	if (!get_number(r, 4, &n))
		return false;
	*value = (int)(uint32_t)n;
	return true;
}

static bool
get_bool(struct reader *r, bool *value)
{
	uint64_t n;

	if (!get_number(r, 1, &n))
		return false;
	*value = n == 1;
	return n <= 1 || refuse_message(r, "a truth value is neither 0 nor 1");
}

static bool
get_bytes(struct reader *r, struct str *s)
{
	uint64_t n;

	if (!get_number(r, 4, &n))
		return false;
	if (n > r->rest.n)
		return refuse_message(r, "a text is longer than its message");
	*s = str_cut(r->rest.p, (size_t)n);
	r->rest = str_from(r->rest, (size_t)n);
	return true;
}

static bool
get_text(struct reader *r, const char **text)
{
	struct str s;

	if (!get_bytes(r, &s))
		return false;
	if (str_find(s, '\0') < s.n)
		return refuse_message(r, "a text contains NUL");
	*text = str_z(r->arena, s);
	return true;
}

/* The number of entries of a list of which each has at least least bytes: an invented
 * number must not cost memory. */
static bool
get_count(struct reader *r, size_t least, uint64_t *n)
{
	if (!get_number(r, 4, n))
		return false;
	return *n <= r->rest.n / least ||
	       refuse_message(r, "a list is longer than its message");
}

static bool
get_words(struct reader *r, const char *const **words)
{
	const char **v;
	uint64_t n;

	if (!get_count(r, 4, &n))
		return false;
	v = NEW_ARRAY(r->arena, const char *, (size_t)n + 1);
	for (size_t i = 0; i < n; i++)
		if (!get_text(r, &v[i]))
			return false;
	*words = v;
	return true;
}

/* What another protocol says after its number and its program is not read. */
static bool
get_protocol(struct reader *r, int *protocol, const char **program)
{
	if (!get_int(r, protocol))
		return false;
	if (*protocol == MESSAGE_PROTOCOL)
		return true;
	if (!get_text(r, program))
		return false;
	r->rest = STR_NONE;
	return true;
}

static bool
get_field(struct reader *r, enum field_type type, void *p)
{
	switch (type) {
	case FIELD_INT:
		return get_int(r, p);
	case FIELD_NUMBER:
		return get_number(r, 8, p);
	case FIELD_BOOL:
		return get_bool(r, p);
	case FIELD_BYTES:
		return get_bytes(r, p);
	case FIELD_TEXT:
		return get_text(r, p);
	case FIELD_WORDS:
		return get_words(r, p);
	case FIELD_PROTOCOL:
	case FIELD_END:
		break;
	}
	BUG("a field without a type");
}

static bool
get_fields(struct reader *r, struct message *m)
{
	for (const struct field *f = kinds[m->kind].fields; f->type != FIELD_END; f++) {
		void *p = (char *)m + f->offset;

		if (f->type != FIELD_PROTOCOL) {
			if (!get_field(r, f->type, p))
				return false;
			continue;
		}
		if (!get_protocol(r, p, (const char **)((char *)m + f[1].offset)))
			return false;
		if (*(int *)p != MESSAGE_PROTOCOL)
			return true;
	}
	return r->rest.n == 0 || refuse_message(r, "a message is too long");
}

/* Values that the types of the fields cannot exclude. */
static bool
check_values(struct reader *r, const struct message *m)
{
	int ending = (int)m->outcome.ending;

	if (m->kind == MESSAGE_OUTCOME &&
		(ending <= END_NOT_STARTED || ending >= ENDINGS))
		return refuse_message(r, "an outcome has an unknown ending");
	if (m->kind == MESSAGE_LAUNCH && !m->launch.argv[0])
		return refuse_message(r, "a command has no words");
	return true;
}

enum message_reading
message_read(struct arena *a, struct str *bytes, struct message *m, const char **why)
{
	struct reader r = {.arena = a};
	uint64_t length;
	unsigned kind;

	if (bytes->n < MESSAGE_HEAD)
		return MESSAGE_INCOMPLETE;
	length = number_at(bytes->p, 4);
	kind = (unsigned char)bytes->p[4];
	*why = "a message has an unknown kind";
	if (kind >= MESSAGES || !kinds[kind].most_bytes)
		return MESSAGE_BAD;
	*why = "a message is too long";
	if (length > kinds[kind].most_bytes)
		return MESSAGE_BAD;
	if (bytes->n - MESSAGE_HEAD <= length)
		return MESSAGE_INCOMPLETE;
	*why = "a message does not end where its length says";
	if (bytes->p[MESSAGE_HEAD + length] != '\n')
		return MESSAGE_BAD;
	r.rest = str_cut(bytes->p + MESSAGE_HEAD, (size_t)length);
	*m = (struct message){.kind = (enum message_kind)kind};
	if (!get_fields(&r, m) || !check_values(&r, m)) {
		*why = r.why;
		return MESSAGE_BAD;
	}
	*bytes = str_from(*bytes, MESSAGE_HEAD + (size_t)length + 1);
	return MESSAGE_WHOLE;
}

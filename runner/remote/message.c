/* Messages as bytes. See message.h. */
#include "runner/remote/message.h"

#include "runner/process/processors.h"

#define FIELD(type, member) FIELD_OF(struct message, type, member)

enum {
	MOST_FIELDS = 14,
	SMALL_FRAME = 1 << 17,
	HELLO_FRAME = 1 << 20,
	LAUNCH_FRAME = 1 << 26
};

static const struct kind {
	uint32_t most_bytes;
	struct field fields[MOST_FIELDS];
} kinds[MESSAGES] = {
	[MESSAGE_GREETING] = {LAUNCH_FRAME,
		{FIELD(SPECIAL, greeting.protocol), FIELD(TEXT, greeting.program),
			FIELD(NUMBER, greeting.silence_ns),
			FIELD(NUMBER, greeting.doubt_ns),
			FIELD(BOOL, greeting.wants_topology),
			FIELD(BOOL, greeting.wants_gpus), FIELD(TEXT, greeting.witness),
			FIELD(WORDS, greeting.environment)}},
	[MESSAGE_LAUNCH] = {LAUNCH_FRAME,
		{FIELD(INT, task), FIELD(TEXT, launch.path), FIELD(WORDS, launch.argv),
			FIELD(WORDS, launch.environment), FIELD(TEXT, launch.directory),
			FIELD(NUMBER, launch.timeout_ns),
			FIELD(INT, launch.timeout_signal),
			FIELD(NUMBER, launch.timeout_grace_ns),
			FIELD(NUMBERS, processors), FIELD(TEXT, launch.temporary_mark),
			FIELD(BOOL, launch.keeps_failed_temporary),
			FIELD(BOOL, launch.reports_hang), FIELD(INT, launch.pmix_ranks)}},
	[MESSAGE_LIMIT] = {SMALL_FRAME,
		{FIELD(INT, task), FIELD(NUMBER, timeout_ns), FIELD(BOOL, restarts)}},
	[MESSAGE_SIGNAL] = {SMALL_FRAME, {FIELD(INT, task), FIELD(INT, signal)}},
	[MESSAGE_INTERRUPT] = {SMALL_FRAME, {FIELD(INT, signal)}},
	[MESSAGE_HELLO] = {HELLO_FRAME,
		{FIELD(SPECIAL, hello.protocol), FIELD(TEXT, hello.program),
			FIELD(TEXT, hello.host), FIELD(INT, hello.processors),
			FIELD(INT, hello.confined), FIELD(NUMBERS, hello.places),
			FIELD(TEXTS, hello.gpus), FIELD(NUMBER, hello.memory_bytes),
			FIELD(BYTES, hello.witness), FIELD(INT, hello.witness_error)}},
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
	[MESSAGE_NOT_STARTED] = {SMALL_FRAME,
		{FIELD(INT, task), FIELD(INT, error), FIELD(BYTES, text)}},
	[MESSAGE_LEFT] = {SMALL_FRAME, {FIELD(INT, pid), FIELD(BYTES, text)}},
	[MESSAGE_HEARTBEAT] = {SMALL_FRAME, {FIELD(NUMBER, beat)}},
	[MESSAGE_GOODBYE] = {SMALL_FRAME, {FIELD(BYTES, text)}},
	[MESSAGE_WARNING] = {SMALL_FRAME, {FIELD(BYTES, text)}},
	[MESSAGE_WAITS] = {SMALL_FRAME, {FIELD(BYTES, text)}},
	[MESSAGE_PLACE] = {SMALL_FRAME, {FIELD(BYTES, text)}},
	[MESSAGE_FATE] = {SMALL_FRAME, {FIELD(BYTES, text), FIELD(BOOL, is_limit)}},
	[MESSAGE_VERDICT] = {LAUNCH_FRAME,
		{FIELD(INT, task), FIELD(BYTES, text), FIELD(BOOL, is_failed)}},
	[MESSAGE_HANG] = {SMALL_FRAME, {FIELD(INT, task), FIELD(BYTES, text)}},
	[MESSAGE_NUDGE] = {SMALL_FRAME, {{FIELD_END, 0}}},
	[MESSAGE_TALK] = {LAUNCH_FRAME,
		{FIELD(INT, task), FIELD(INT, talk), FIELD(BYTES, text)}},
};

/* ---- writing --------------------------------------------------------------------- */

void
message_write(struct buf *b, const struct message *m)
{
	const struct kind *k = &kinds[m->kind];
	size_t at = b->n, length;

	field_put_number(b, 0, 4);
	field_put_number(b, m->kind, 1);
	fields_write(b, k->fields, m);
	length = b->n - at - MESSAGE_HEAD;
	field_set_number(b, at, length, 4);
	buf_char(b, '\n');
}

/* ---- reading --------------------------------------------------------------------- */

/* What another protocol says after its number and its program is not read. */
static bool
get_protocol(struct field_reader *r, int *protocol, const char **program)
{
	if (!field_read(r, FIELD_INT, protocol))
		return false;
	if (*protocol == MESSAGE_PROTOCOL)
		return true;
	if (!field_read(r, FIELD_TEXT, program))
		return false;
	r->rest = STR_NONE;
	return true;
}

static bool
get_fields(struct field_reader *r, struct message *m)
{
	for (const struct field *f = kinds[m->kind].fields; f->type != FIELD_END; f++) {
		void *p = (char *)m + f->offset;

		if (f->type != FIELD_SPECIAL) {
			if (!field_read(r, f->type, p))
				return false;
			continue;
		}
		if (!get_protocol(r, p, (const char **)((char *)m + f[1].offset)))
			return false;
		if (*(int *)p != MESSAGE_PROTOCOL)
			return true;
	}
	return r->rest.n == 0 || field_refuse(r, "a message is too long");
}

static bool
check_processors(struct field_reader *r, struct field_numbers p)
{
	for (size_t i = 0; i < p.n; i++)
		if (p.v[i] >= PROCESSORS_MOST || (i && p.v[i] <= p.v[i - 1]))
			return field_refuse(r, "processors are not ascending numbers");
	return true;
}

/* Values that the types of the fields cannot exclude. */
static bool
check_values(struct field_reader *r, const struct message *m)
{
	int ending = (int)m->outcome.ending;

	if (m->kind == MESSAGE_OUTCOME &&
		(ending <= END_NOT_STARTED || ending >= ENDINGS))
		return field_refuse(r, "an outcome has an unknown ending");
	if (m->kind == MESSAGE_LAUNCH && !m->launch.argv[0])
		return field_refuse(r, "a command has no words");
	if (m->launch.pmix_ranks < 0)
		return field_refuse(r, "a test has less than no processes");
	return check_processors(r, m->processors);
}

enum message_reading
message_read(struct arena *a, struct str *bytes, struct message *m, const char **why)
{
	struct field_reader r = {.arena = a};
	uint64_t length;
	unsigned kind;

	if (bytes->n < MESSAGE_HEAD)
		return MESSAGE_INCOMPLETE;
	length = field_number_at(bytes->p, 4);
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

/* Members of a struct as bytes. See fields.h. */
#include "runner/base/fields.h"

void
field_put_number(struct buf *b, uint64_t value, int bytes)
{
	for (int i = bytes - 1; i >= 0; i--)
		buf_char(b, (char)(value >> (8 * i) & 0xff));
}

void
field_set_number(struct buf *b, size_t at, uint64_t value, int bytes)
{
	for (int i = bytes - 1; i >= 0; i--)
		b->p[at++] = (char)(value >> (8 * i) & 0xff);
}

static void
put_bytes(struct buf *b, struct str s)
{
	field_put_number(b, s.n, 4);
	buf_str(b, s);
}

static void
put_words(struct buf *b, const char *const *words)
{
	size_t n = 0;

	while (words[n])
		n++;
	field_put_number(b, n, 4);
	for (size_t i = 0; i < n; i++)
		put_bytes(b, str_of(words[i]));
}

static void
put_texts(struct buf *b, struct str_list l)
{
	field_put_number(b, l.n, 4);
	for (size_t i = 0; i < l.n; i++)
		put_bytes(b, l.v[i]);
}

static void
put_numbers(struct buf *b, struct field_numbers l)
{
	field_put_number(b, l.n, 4);
	for (size_t i = 0; i < l.n; i++)
		field_put_number(b, l.v[i], 4);
}

static void
put_field(struct buf *b, enum field_type type, const void *p)
{
	switch (type) {
	case FIELD_INT:
	case FIELD_SPECIAL:
		field_put_number(b, (uint32_t) * (const int *)p, 4);
		return;
	case FIELD_NUMBER:
		field_put_number(b, *(const uint64_t *)p, 8);
		return;
	case FIELD_BOOL:
		field_put_number(b, *(const bool *)p, 1);
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
	case FIELD_TEXTS:
		put_texts(b, *(const struct str_list *)p);
		return;
	case FIELD_NUMBERS:
		put_numbers(b, *(const struct field_numbers *)p);
		return;
	case FIELD_END:
		break;
	}
	BUG("a field without a type");
}

void
fields_write(struct buf *b, const struct field *fields, const void *object)
{
	for (const struct field *f = fields; f->type != FIELD_END; f++)
		put_field(b, f->type, (const char *)object + f->offset);
}

/* ---- reading --------------------------------------------------------------------- */

uint64_t
field_number_at(const char *p, int bytes)
{
	uint64_t value = 0;

	for (int i = 0; i < bytes; i++)
		value = value << 8 | (unsigned char)p[i];
	return value;
}

bool
field_refuse(struct field_reader *r, const char *why)
{
	r->why = why;
	return false;
}

static bool
get_number(struct field_reader *r, int bytes, uint64_t *value)
{
	if (r->rest.n < (size_t)bytes)
		return field_refuse(r, "a message is too short");
	*value = field_number_at(r->rest.p, bytes);
	r->rest = str_from(r->rest, (size_t)bytes);
	return true;
}

static bool
get_int(struct field_reader *r, int *value)
{
	uint64_t n;

	if (!get_number(r, 4, &n))
		return false;
	*value = (int)(uint32_t)n;
	return true;
}

static bool
get_bool(struct field_reader *r, bool *value)
{
	uint64_t n;

	if (!get_number(r, 1, &n))
		return false;
	*value = n == 1;
	return n <= 1 || field_refuse(r, "a truth value is neither 0 nor 1");
}

static bool
get_bytes(struct field_reader *r, struct str *s)
{
	uint64_t n;

	if (!get_number(r, 4, &n))
		return false;
	if (n > r->rest.n)
		return field_refuse(r, "a text is longer than its message");
	*s = str_cut(r->rest.p, (size_t)n);
	r->rest = str_from(r->rest, (size_t)n);
	return true;
}

static bool
get_text(struct field_reader *r, const char **text)
{
	struct str s;

	if (!get_bytes(r, &s))
		return false;
	if (str_find(s, '\0') < s.n)
		return field_refuse(r, "a text contains NUL");
	*text = str_z(r->arena, s);
	return true;
}

/* The number of entries of a list, each of which has at least the bytes of its length: an
 * invented number must not cost memory. */
static bool
get_count(struct field_reader *r, uint64_t *n)
{
	if (!get_number(r, 4, n))
		return false;
	return *n <= r->rest.n / 4 ||
	       field_refuse(r, "a list is longer than its message");
}

static bool
get_words(struct field_reader *r, const char *const **words)
{
	const char **v;
	uint64_t n;

	if (!get_count(r, &n))
		return false;
	v = NEW_ARRAY(r->arena, const char *, (size_t)n + 1);
	for (size_t i = 0; i < n; i++)
		if (!get_text(r, &v[i]))
			return false;
	*words = v;
	return true;
}

static bool
get_texts(struct field_reader *r, struct str_list *l)
{
	uint64_t n;

	if (!get_count(r, &n))
		return false;
	*l = (struct str_list){NEW_ARRAY(r->arena, struct str, (size_t)n), (size_t)n};
	for (size_t i = 0; i < n; i++)
		if (!get_bytes(r, &l->v[i]))
			return false;
	return true;
}

static bool
get_numbers(struct field_reader *r, struct field_numbers *l)
{
	uint64_t n, value;

	if (!get_count(r, &n))
		return false;
	*l = (struct field_numbers){NEW_ARRAY(r->arena, unsigned, (size_t)n), (size_t)n};
	for (size_t i = 0; i < n; i++) {
		if (!get_number(r, 4, &value))
			return false;
		l->v[i] = (unsigned)value;
	}
	return true;
}

bool
field_read(struct field_reader *r, enum field_type type, void *p)
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
	case FIELD_TEXTS:
		return get_texts(r, p);
	case FIELD_NUMBERS:
		return get_numbers(r, p);
	case FIELD_SPECIAL:
	case FIELD_END:
		break;
	}
	BUG("a field without a type");
}

bool
fields_read(struct field_reader *r, const struct field *fields, void *object)
{
	for (const struct field *f = fields; f->type != FIELD_END; f++)
		if (!field_read(r, f->type, (char *)object + f->offset))
			return false;
	return r->rest.n == 0 || field_refuse(r, "a message is too long");
}

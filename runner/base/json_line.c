/* Lines of JSON. See json_line.h. */
#include "runner/base/json_line.h"

#include "runner/base/utf8.h"

static void
put_text(struct buf *b, struct str s)
{
	uint32_t code;
	size_t size;

	buf_char(b, '"');
	for (size_t i = 0; i < s.n; i += size ? size : 1) {
		unsigned char c = (unsigned char)s.p[i];

		size = utf8_next(str_from(s, i), &code);
		if (!size)
			buf_z(b, "\xef\xbf\xbd");
		else if (c == '"' || c == '\\')
			buf_fmt(b, "\\%c", c);
		else if (c < ' ' || c == 127)
			buf_fmt(b, "\\u%04x", c);
		else
			buf_add(b, s.p + i, size);
	}
	buf_char(b, '"');
}

/* The comma and the key of the next member. */
static void
put_key(struct buf *b, const char *key)
{
	char last = b->n ? b->p[b->n - 1] : '\n';

	if (last != '{' && last != '[' && last != '\n')
		buf_char(b, ',');
	if (!key)
		return;
	put_text(b, str_of(key));
	buf_char(b, ':');
}

void
json_line_open(struct buf *b, const char *key, char bracket)
{
	put_key(b, key);
	buf_char(b, bracket);
}

void
json_line_close(struct buf *b, char bracket)
{
	buf_char(b, bracket);
}

void
json_line_text(struct buf *b, const char *key, struct str s)
{
	put_key(b, key);
	put_text(b, s);
}

void
json_line_count(struct buf *b, const char *key, uint64_t n)
{
	put_key(b, key);
	buf_number(b, n, 0);
}

void
json_line_seconds(struct buf *b, const char *key, double seconds)
{
	put_key(b, key);
	buf_fmt(b, "%.3f", seconds);
}

void
json_line_number(struct buf *b, const char *key, double value)
{
	put_key(b, key);
	buf_fmt(b, "%.6g", value);
}

void
json_line_bool(struct buf *b, const char *key, bool value)
{
	put_key(b, key);
	buf_z(b, value ? "true" : "false");
}

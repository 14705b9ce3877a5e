/*
 * JSON as ctest prints it. See json_styled.h.
 *
 * A container is written when its first member comes, since its form is known only then.
 * Text that is not UTF-8 becomes U+FFFD where jsoncpp replaces it, which is not
 * everywhere: a lead byte takes the bytes that it announces, whatever they are.
 */
#include "compat/format/json_styled.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { REPLACEMENT = 0xfffd };

/* ---- layout ---------------------------------------------------------------------- */

static void
new_line(struct json *j)
{
	buf_char(j->out, '\n');
	for (unsigned i = 0; i < j->depth; i++)
		buf_z(j->out, j->indent ? j->indent : "  ");
}

/* Before a key or an element. */
static void
begin_member(struct json *j)
{
	if (!j->empty) {
		buf_char(j->out, ',');
		new_line(j);
		return;
	}
	if (j->empty_has_key)
		new_line(j);
	buf_char(j->out, j->empty);
	j->empty = 0;
	j->depth++;
	new_line(j);
}

/* Before any value. */
static void
begin_value(struct json *j)
{
	if (!j->has_key && (j->depth || j->empty))
		begin_member(j);
	j->has_key = false;
}

void
json_open(struct json *j, char bracket)
{
	bool has_key = j->has_key;

	INVARIANT(bracket == '{' || bracket == '[');
	begin_value(j);
	j->empty = bracket;
	j->empty_has_key = has_key;
}

void
json_close(struct json *j, char bracket)
{
	INVARIANT(bracket == '}' || bracket == ']');
	if (j->empty) {
		buf_char(j->out, j->empty);
		j->empty = 0;
	} else {
		j->depth--;
		new_line(j);
	}
	buf_char(j->out, bracket);
}

void
json_key(struct json *j, const char *key)
{
	INVARIANT(key);
	begin_member(j);
	buf_char(j->out, '"');
	buf_z(j->out, key);
	buf_z(j->out, "\" : ");
	j->has_key = true;
}

/* ---- text ------------------------------------------------------------------------ */

/* How many bytes a lead byte announces; 0 if it is not a lead byte. */
static size_t
bytes_announced(unsigned char lead)
{
	return lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf8 ? 4 : 0;
}

/* The code point at *at, which moves on. */
static unsigned
next_code(struct str s, size_t *at)
{
	static const unsigned lead_mask[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
	static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t n = bytes_announced((unsigned char)s.p[*at]);
	unsigned code;

	if (n == 0 || n > s.n - *at) {
		++*at;
		return REPLACEMENT;
	}
	code = (unsigned char)s.p[*at] & lead_mask[n];
	for (size_t i = 1; i < n; i++)
		code = code << 6 | ((unsigned char)s.p[*at + i] & 0x3f);
	*at += n;
	return code < least[n] || (code >= 0xd800 && code <= 0xdfff) ? REPLACEMENT : code;
}

static void
put_code(struct buf *out, unsigned code)
{
	static const char named[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
	const char *at = code && code < 0x80 ? strchr(named, (int)code) : NULL;

	if (at)
		buf_fmt(out, "\\%c", letters[at - named]);
	else if (code >= 0x20 && code < 0x80)
		buf_char(out, (char)code);
	else if (code < 0x10000)
		buf_fmt(out, "\\u%04x", code);
	else
		buf_fmt(out, "\\u%04x\\u%04x", 0xd800 + ((code - 0x10000) >> 10 & 0x3ff),
			0xdc00 + (code & 0x3ff));
}

static bool
is_plain(char c)
{
	return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

void
json_string(struct json *j, struct str s)
{
	begin_value(j);
	buf_char(j->out, '"');
	for (size_t at = 0, n; at < s.n;) {
		for (n = 0; at + n < s.n && is_plain(s.p[at + n]);)
			n++;
		buf_add(j->out, s.p + at, n);
		at += n;
		if (at < s.n)
			put_code(j->out, next_code(s, &at));
	}
	buf_char(j->out, '"');
}

/* ---- numbers --------------------------------------------------------------------- */

void
json_int(struct json *j, long long n)
{
	begin_value(j);
	buf_fmt(j->out, "%lld", n);
}

void
json_version(struct json *j, int major, int minor)
{
	json_key(j, "version");
	json_open(j, '{');
	json_key(j, "major");
	json_int(j, major);
	json_key(j, "minor");
	json_int(j, minor);
	json_close(j, '}');
}

void
json_double(struct json *j, double n)
{
	char text[40];

	begin_value(j);
	if (isnan(n)) {
		buf_z(j->out, "null");
	} else if (isinf(n)) {
		buf_z(j->out, n < 0 ? "-1e+9999" : "1e+9999");
	} else {
		snprintf(text, sizeof text, "%.17g", n);
		buf_z(j->out, text);
		if (!strpbrk(text, ".e"))
			buf_z(j->out, ".0");
	}
}

void
json_bool(struct json *j, bool is)
{
	begin_value(j);
	buf_z(j->out, is ? "true" : "false");
}

void
json_null(struct json *j)
{
	begin_value(j);
	buf_z(j->out, "null");
}

void
json_raw(struct json *j, struct str text)
{
	begin_value(j);
	buf_str(j->out, text);
}

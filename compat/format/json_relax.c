/*
 * Turns ctest's JSON into plain JSON. See json_relax.h.
 *
 * Each token is represented by one character: brackets, comma, colon, '"' for a string,
 * and the last character of anything else. The parser that follows checks whether they
 * make sense.
 */
#include "compat/format/json_relax.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct relaxer {
	struct str in;
	char *out;
	size_t at;
	/* The two last tokens (0: none), and where the last one is. */
	char before, last;
	size_t last_at;
	bool has_comment; /* since the last token */
	bool takes_infinity;
	size_t depth;
};

static bool
is_one_of(char c, const char *set)
{
	return c && strchr(set, c);
}

/* Replaces n bytes by blanks, except for line ends, so that places do not move. */
static void
blank(struct relaxer *r, size_t at, size_t n)
{
	for (size_t i = at; i < at + n; i++)
		if (r->out[i] != '\n' && r->out[i] != '\r')
			r->out[i] = ' ';
}

size_t
json_comment(struct str text)
{
	size_t n = 2;

	if (str_begins(text, STR("//"))) {
		while (n < text.n && text.p[n] != '\n' && text.p[n] != '\r')
			n++;
		return n;
	}
	if (!str_begins(text, STR("/*")))
		return 0;
	n += str_search(str_from(text, 2), STR("*/"));
	return n < text.n ? n + 2 : 0;
}

static bool
skip_comment(struct relaxer *r)
{
	size_t n = json_comment(str_from(r->in, r->at));

	if (!n)
		return false;
	blank(r, r->at, n);
	r->at += n;
	r->has_comment = true;
	return true;
}

static void
token(struct relaxer *r, char c, size_t at)
{
	r->before = r->last;
	r->last = c;
	r->last_at = at;
	r->has_comment = false;
}

/* The end of the string that begins at at. */
static size_t
string_end(struct str text, size_t at)
{
	for (at++; at < text.n && text.p[at] != '"'; at++)
		at += text.p[at] == '\\';
	return at < text.n ? at + 1 : text.n;
}

enum { HIGH = 0xd800, LOW = 0xdc00, NO_SURROGATE = 0xe000 };

/* The number in "\\u1234"; -1: it is malformed. */
static long
code_of(const char *p, size_t n)
{
	char hex[5] = "";

	if (n < 6 || p[0] != '\\' || p[1] != 'u')
		return -1;
	for (size_t i = 0; i < 4; i++) {
		if (!is_one_of(p[i + 2], "0123456789abcdefABCDEF"))
			return -1;
		hex[i] = p[i + 2];
	}
	return strtol(hex, NULL, 16);
}

bool
json_pair_surrogates(char *inside, size_t n)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < n; i++) {
		long code = code_of(inside + i, n - i);

		if (inside[i] != '\\')
			continue;
		i++;
		if (code < 0 && i < n && inside[i] == 'u')
			return false;
		if (code >= LOW && code < NO_SURROGATE)
			memcpy(inside + i + 1, "fffd", 4);
		if (code < HIGH || code >= LOW)
			continue;
		code = n - i > 5 ? code_of(inside + i + 5, n - i - 5) : -1;
		if (code < 0)
			continue;
		i += 6;
		inside[i + 1] = 'd';
		inside[i + 2] = digits[0xc + (code >> 8 & 3)];
	}
	return true;
}

static bool
skip_string(struct relaxer *r)
{
	size_t from = r->at;

	r->at = string_end(r->in, from);
	token(r, '"', from);
	return json_pair_surrogates(r->out + from + 1, r->at - from - 1);
}

/* Removes a comma before the bracket if there is a value before the comma. A comment may
 * replace a missing member, but not a missing element. */
static bool
close_bracket(struct relaxer *r, char c)
{
	if (c == ']' && r->has_comment && is_one_of(r->last, "[,"))
		return false;
	if (r->last == ',' && r->before && !is_one_of(r->before, "[{,:"))
		blank(r, r->last_at, 1);
	if (r->depth)
		r->depth--;
	token(r, c, r->at++);
	return true;
}

static bool
is_too_large(const struct relaxer *r)
{
	const char *z = r->out + r->at;

	return is_one_of(*z, "-0123456789") && is_one_of(r->last, "[,:+") &&
	       !r->takes_infinity && !isfinite(strtod(z, NULL));
}

static bool
step(struct relaxer *r)
{
	char c = r->in.p[r->at];

	if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
		r->at++;
		return true;
	}
	if (c == '/')
		return skip_comment(r);
	if (c == '"')
		return skip_string(r);
	if (c == ']' || c == '}')
		return close_bracket(r, c);
	if ((c >= 0 && c < ' ') || (c == ':' && r->has_comment))
		return false;
	if (c == '[' || c == '{')
		r->depth++;
	if (c == '+' && is_one_of(r->last, "[,:") && r->at + 1 < r->in.n &&
		is_one_of(r->in.p[r->at + 1], "0123456789"))
		blank(r, r->at, 1);
	if (is_too_large(r))
		return false;
	token(r, c, r->at++);
	return true;
}

static size_t
blanks_end(struct str text, size_t at)
{
	while (at < text.n && is_one_of(text.p[at], " \t\r\n"))
		at++;
	return at;
}

/* A string before a colon is a key. */
size_t
json_value_at(struct str strict, size_t *from)
{
	for (size_t at = *from; at < strict.n; at = *from) {
		char c = strict.p[at];
		bool is_value = true;

		*from = at + 1;
		if (is_one_of(c, " \t\r\n,:]}")) {
			is_value = false;
		} else if (c == '"') {
			*from = string_end(strict, at);
			is_value = !str_begins(
				str_from(strict, blanks_end(strict, *from)), STR(":"));
		} else if (c != '[' && c != '{') {
			while (*from < strict.n &&
				!is_one_of(strict.p[*from], " \t\r\n,:]}"))
				++*from;
		}
		if (is_value)
			return at;
	}
	return strict.n;
}

bool
json_relax(struct arena *a, struct str text, bool takes_infinity, struct str *strict)
{
	struct str in = str_begins(text, STR("\xef\xbb\xbf")) ? str_from(text, 3) : text;
	struct relaxer r = {.in = in,
		.out = drop_const(str_z(a, in)),
		.takes_infinity = takes_infinity};

	memcpy(r.out, in.p ? in.p : "", in.n);
	while (r.at < in.n) {
		if (!step(&r))
			return false;
		if (r.depth == 0 && is_one_of(r.last, "]}"))
			break;
	}
	*strict = str_cut(r.out, r.at);
	return true;
}

/*
 * One pass over the text with a stack of open brackets; no recursion. What plain JSON
 * does not allow is replaced by blanks in the copy, so that places do not move. See
 * json_strict.h.
 *
 * After a fault ctest looks for the end of every open value, ignores everything between,
 * and then checks whether the document ends there.
 */
#include "compat/format/json_strict.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compat/format/json_relax.h"

enum { DEEPEST = 999 };
/* What may come next. */
enum state { WANT_VALUE, WANT_FIRST_VALUE, WANT_KEY, WANT_FIRST_KEY, WANT_COMMA, DONE };

struct checker {
	struct arena *a;
	struct str in;
	char *out;
	size_t at;
	enum state state;
	size_t depth;
	bool is_container; /* the document */
	bool takes_comments, takes_infinity;
	char open[DEEPEST + 1]; /* '[' or '{' */
	struct map keys[DEEPEST + 1]; /* of the open objects, by depth */
	bool is_unnamed[DEEPEST + 1]; /* the last member of each has an empty name */
	size_t comma; /* where the last comma is */
	VEC(struct json_fault) faults;
};

static bool
refuse(struct checker *c, size_t at, const char *why)
{
	struct json_fault f = {at, str_of(why), SIZE_MAX};

	VEC_PUSH(c->a, &c->faults, f);
	return false;
}

/* Refuses a string. detail: the exact place within it. */
static bool
refuse_string(struct checker *c, size_t at, const char *detail, const char *why)
{
	(void)refuse(c, at, why);
	c->faults.v[c->faults.n - 1].detail = (size_t)(detail - c->in.p);
	return false;
}

/* The current byte. 0 after the last byte; a NUL also ends the text. */
static char
here(const struct checker *c)
{
	return c->at < c->in.n ? c->in.p[c->at] : '\0';
}

static void
skip_blanks(struct checker *c)
{
	while (here(c) && strchr(" \t\r\n", here(c)))
		c->at++;
}

static void
blank(struct checker *c, size_t from)
{
	for (size_t i = from; i < c->at; i++)
		if (c->out[i] != '\n' && c->out[i] != '\r')
			c->out[i] = ' ';
}

/* true: there was a comment. */
static bool
skip_comment(struct checker *c)
{
	size_t from = c->at, n = json_comment(str_from(c->in, c->at));

	if (!n)
		return false;
	c->at += n;
	blank(c, from);
	return true;
}

/* Comments are allowed only after a value and before a key. */
static void
skip_space(struct checker *c)
{
	bool may_comment = c->takes_comments && c->depth && c->state != WANT_VALUE &&
			   c->state != WANT_FIRST_VALUE;

	do
		skip_blanks(c);
	while (may_comment && skip_comment(c));
}

static size_t
hex_digits(const char *p, size_t most)
{
	size_t i = 0;

	while (i < most && p[i] && strchr("0123456789abcdefABCDEF", p[i]))
		i++;
	return i;
}

static unsigned
hex(const char *p)
{
	char digits[5] = {p[0], p[1], p[2], p[3], '\0'};

	return (unsigned)strtoul(digits, NULL, 16);
}

enum { HIGH = 0xd800, LOW = 0xdc00 };

/* Reads the four digits after the "u" at *i; *i moves to the last of them. */
static bool
take_code(struct checker *c, struct str s, size_t *i, size_t at, unsigned *code)
{
	const char *digits = s.p + *i + 1;
	size_t n;

	if (s.n - *i < 5)
		return refuse_string(c, at, digits,
			"Bad unicode escape sequence in string: four digits expected.");
	n = hex_digits(digits, 4);
	if (n < 4)
		return refuse_string(c, at, digits + n + 1,
			"Bad unicode escape sequence in string: hexadecimal digit "
			"expected.");
	*code = hex(digits);
	*i += 4;
	return true;
}

static bool
check_unicode(struct checker *c, struct str s, size_t *i, size_t at)
{
	unsigned code;

	if (!take_code(c, s, i, at, &code))
		return false;
	if (code < HIGH || code >= LOW)
		return true;
	if (s.n - *i - 1 < 6)
		return refuse_string(c, at, s.p + *i + 1,
			"additional six characters expected to parse unicode surrogate "
			"pair.");
	if (s.p[*i + 1] != '\\' || s.p[*i + 2] != 'u')
		return refuse_string(c, at, s.p + *i + (s.p[*i + 1] == '\\' ? 3 : 2),
			"expecting another \\u token to begin the second half of a "
			"unicode surrogate pair");
	*i += 2;
	return take_code(c, s, i, at, &code);
}

static bool
check_escapes(struct checker *c, struct str s, size_t at)
{
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] != '\\')
			continue;
		i++;
		if (s.p[i] == 'u') {
			if (!check_unicode(c, s, &i, at))
				return false;
		} else if (!s.p[i] || !strchr("\"\\/bfnrt", s.p[i])) {
			return refuse_string(
				c, at, s.p + i + 1, "Bad escape sequence in string");
		}
	}
	(void)json_pair_surrogates(c->out + (s.p - c->in.p), s.n);
	return true;
}

/* Starts after the opening quote. false: the string has no end. */
static bool
skip_string(struct checker *c)
{
	while (c->at < c->in.n && c->in.p[c->at] != '"')
		c->at += c->in.p[c->at] == '\\' ? 2 : 1;
	if (c->at >= c->in.n) {
		c->at = c->in.n;
		return false;
	}
	c->at++;
	return true;
}

static const char no_value[] = "Syntax error: value, object or array expected.";
static const char no_key[] = "Missing '}' or object member name";

/* *inside: the text between the quotes. expected: the message if the string has no
 * end. */
static bool
take_string(struct checker *c, struct str *inside, const char *expected)
{
	size_t from = c->at++;

	if (!skip_string(c))
		return refuse(c, from, expected);
	*inside = str_cut(c->in.p + from + 1, c->at - from - 2);
	return check_escapes(c, *inside, from);
}

/* An infinity after a sign: the reader knows it and refuses it. */
static bool
is_infinity(const struct checker *c, char sign)
{
	return (sign == '+' || sign == '-') && here(c) == 'I';
}

static void
skip_digits(struct checker *c)
{
	while (here(c) >= '0' && here(c) <= '9')
		c->at++;
}

/* Starts after the first byte. */
static void
skip_number(struct checker *c)
{
	skip_digits(c);
	if (here(c) == '.') {
		c->at++;
		skip_digits(c);
	}
	if (here(c) == 'e' || here(c) == 'E') {
		c->at++;
		if (here(c) == '+' || here(c) == '-')
			c->at++;
		skip_digits(c);
	}
}

static bool
is_number(struct checker *c, struct str digits)
{
	const char *z = str_z(c->a, digits);
	char *end;
	double v = strtod(z, &end);

	return *end == '\0' && (c->takes_infinity || isfinite(v));
}

/* "-" alone is 0. A plus sign, which cJSON does not know, is replaced by a zero. */
static bool
take_number(struct checker *c)
{
	size_t from = c->at;
	struct str digits;

	c->at++;
	if (is_infinity(c, c->in.p[from]))
		return refuse(c, from, no_value);
	skip_number(c);
	digits = str_cut(c->in.p + from, c->at - from);
	if (str_is(digits, "-"))
		c->out[from] = '0';
	else if (!is_number(c, digits))
		return refuse(c, from,
			str_fmt(c->a, "'%.*s' is not a number.", STR_ARG(digits)).p);
	else if (digits.p[0] == '+')
		c->out[from] = '0';
	return true;
}

static bool
take_word(struct checker *c)
{
	static const char *const words[] = {"true", "false", "null"};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (str_begins(str_from(c->in, c->at), str_of(words[i]))) {
			c->at += strlen(words[i]);
			return true;
		}
	return refuse(c, c->at, no_value);
}

static bool
open_bracket(struct checker *c, char bracket)
{
	if (c->depth == DEEPEST)
		return refuse(c, c->at, "Exceeded stackLimit in readValue().");
	c->is_container = true;
	c->open[++c->depth] = bracket;
	c->keys[c->depth] = map_in(c->a);
	c->is_unnamed[c->depth] = false;
	c->state = bracket == '[' ? WANT_FIRST_VALUE : WANT_FIRST_KEY;
	c->at++;
	return true;
}

static bool
close_bracket(struct checker *c)
{
	c->at++;
	c->state = --c->depth ? WANT_COMMA : DONE;
	return true;
}

static bool
value(struct checker *c)
{
	struct str inside;
	char first = here(c);
	bool taken;

	if (first == ']' && c->state == WANT_FIRST_VALUE)
		return close_bracket(c);
	if (first == '[' || first == '{')
		return open_bracket(c, first);
	if (first == '"')
		taken = take_string(c, &inside, no_value);
	else if (first && strchr("+-0123456789", first))
		taken = take_number(c);
	else
		taken = take_word(c);
	c->state = c->depth ? WANT_COMMA : DONE;
	return taken;
}

/* cJSON's names end at a NUL, which would make them different names. */
static void
replace_nul(char *name, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!name[i])
			name[i] = '\x1a';
		if (name[i] == '\\' && !strncmp(&name[++i], "u0000", 5))
			memcpy(&name[i + 1], "fffd", 4);
	}
}

/* Decodes a text between quotes that has been checked. */
static struct str
decoded(struct checker *c, struct str inside)
{
	char *copy = c->out + (inside.p - c->in.p);
	struct str name = inside;
	cJSON *value;

	replace_nul(copy, inside.n);
	if (str_find(inside, '\\') == inside.n)
		return name;
	value = cJSON_ParseWithLength(copy - 1, inside.n + 2);
	if (value && value->valuestring)
		name = str_dup(c->a, str_of(value->valuestring));
	cJSON_Delete(value);
	return name;
}

static bool
key(struct checker *c)
{
	size_t from = c->at;
	struct str name;
	uint32_t *seen;

	if (here(c) == '}' && c->state == WANT_FIRST_KEY)
		return close_bracket(c);
	if (here(c) == '}' && c->is_unnamed[c->depth]) {
		c->out[c->comma] = ' ';
		return close_bracket(c);
	}
	if (here(c) != '"')
		return refuse(c, from, no_key);
	if (!take_string(c, &name, no_key))
		return false;
	name = decoded(c, name);
	seen = map_at(&c->keys[c->depth], name);
	if (*seen != MAP_NONE)
		return refuse(
			c, from, str_fmt(c->a, "Duplicate key: '%.*s'", STR_ARG(name)).p);
	*seen = 0;
	c->is_unnamed[c->depth] = !name.n;
	skip_blanks(c);
	if (here(c) != ':')
		return refuse(c, c->at, "Missing ':' after object member name");
	c->at++;
	c->state = WANT_VALUE;
	return true;
}

static bool
comma(struct checker *c)
{
	char open = c->open[c->depth];

	if (here(c) == (open == '[' ? ']' : '}'))
		return close_bracket(c);
	if (here(c) != ',')
		return refuse(c, c->at,
			open == '[' ? "Missing ',' or ']' in array declaration"
				    : "Missing ',' or '}' in object declaration");
	c->comma = c->at++;
	c->state = open == '[' ? WANT_VALUE : WANT_KEY;
	return true;
}

static bool
step(struct checker *c)
{
	switch (c->state) {
	case WANT_VALUE:
	case WANT_FIRST_VALUE:
		return value(c);
	case WANT_KEY:
	case WANT_FIRST_KEY:
		return key(c);
	case WANT_COMMA:
		return comma(c);
	case DONE:
		break;
	}
	BUG("a step behind the end");
}

/* ---- after a fault --------------------------------------------------------------- */

static bool
skip_text(struct checker *c, const char *text)
{
	if (!str_begins(str_from(c->in, c->at), str_of(text)))
		return false;
	c->at += strlen(text);
	return true;
}

/* Skips what begins like a comment but is none: two bytes, or the rest of the text. */
static void
skip_no_comment(struct checker *c)
{
	bool has_no_end = str_begins(str_from(c->in, c->at), STR("/*"));

	c->at = has_no_end || c->in.n - c->at < 2 ? c->in.n : c->at + 2;
}

/* Skips the rest of a token after its first byte. */
static void
skip_token_rest(struct checker *c, char first)
{
	if (first == '"')
		skip_string(c);
	else if (is_infinity(c, first))
		c->at++;
	else if (strchr("+-0123456789", first))
		skip_number(c);
	else if (first == 't')
		skip_text(c, "rue");
	else if (first == 'f')
		skip_text(c, "alse");
	else if (first == 'n')
		skip_text(c, "ull");
}

/* Returns the token's first byte; 0 at the end, and for a NUL. An unknown word is skipped
 * byte by byte. */
static char
skip_token(struct checker *c)
{
	char first;

	skip_blanks(c);
	first = here(c);
	if (first == '/') {
		if (!skip_comment(c))
			skip_no_comment(c);
	} else if (c->at < c->in.n) {
		c->at++;
		if (first)
			skip_token_rest(c, first);
	}
	return first;
}

static void
skip_to_close(struct checker *c, char open)
{
	char close = open == '[' ? ']' : '}', first;

	do
		first = skip_token(c);
	while (first && first != close);
}

static const char extra[] = "Extra non-whitespace after JSON value.";
static const char no_container[] =
	"A valid JSON document must be either an array or an object value.";

static bool
check_end(struct checker *c, bool is_container)
{
	skip_blanks(c);
	if (here(c))
		return refuse(c, c->at, extra);
	return is_container || refuse(c, 0, no_container);
}

/* Reports the further faults of a document that has one. */
static void
tell_rest(struct checker *c)
{
	c->at = c->faults.v[0].at;
	skip_token(c);
	for (size_t i = c->depth; i; i--)
		skip_to_close(c, c->open[i]);
	check_end(c, c->depth > 0);
}

/* ---- the whole document ---------------------------------------------------------- */

static bool
check(struct checker *c)
{
	while (c->state != DONE) {
		skip_space(c);
		if (!step(c)) {
			if (c->depth < DEEPEST)
				tell_rest(c);
			return false;
		}
	}
	return true;
}

bool
json_strict_check(struct arena *a, const struct dialect *dialect, struct str text,
	struct json_strict *s)
{
	struct checker *c = NEW(a, struct checker);
	bool is_good;

	*c = (struct checker){.a = a,
		.in = text,
		.out = str_own(str_dup(a, text)),
		.takes_comments = dialect->has[DIALECT_JSON_COMMENTS],
		.takes_infinity = dialect->has[DIALECT_JSON_INFINITY]};
	*s = (struct json_strict){.faults_n = 0};
	if (!text.n)
		return false;
	if (str_begins(text, STR("\xef\xbb\xbf"))) {
		c->at = 3;
		blank(c, 0);
	}
	is_good = check(c);
	s->strict = str_cut(c->out, c->at);
	is_good = is_good && check_end(c, c->is_container);
	s->faults = c->faults.v;
	s->faults_n = c->faults.n;
	return is_good;
}

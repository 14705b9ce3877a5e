/*
 * One pass over the text with a stack of open brackets; no recursion. See json_read.h.
 *
 * After a fault ctest looks for the end of every open value, ignores everything between,
 * and then checks whether the document ends there.
 */
#include "compat/format/json_read.h"

#include <math.h>
#include <stdlib.h>

#include "compat/format/json_styled.h"
#include "runner/base/utf8.h"

enum { DEEPEST = 999 };
/* What may come next. */
enum state { WANT_VALUE, WANT_FIRST_VALUE, WANT_KEY, WANT_FIRST_KEY, WANT_COMMA, DONE };

/* An open bracket; the outermost level has the document's root. */
struct level {
	struct json_value *value, *last; /* last: its last child */
	struct map names; /* only for the strict reader */
};

struct reader {
	struct arena *a;
	struct str in;
	size_t at;
	enum state state;
	bool is_strict;
	bool takes_comments, takes_infinity;
	bool had_comment; /* directly before at */
	struct str name; /* of the value that comes next */
	size_t depth;
	struct level levels[DEEPEST + 1];
	VEC(struct json_fault) faults;
};

static bool
refuse_at(struct reader *r, size_t at, const char *why)
{
	struct json_fault f = {at, str_of(why), SIZE_MAX};

	VEC_PUSH(r->a, &r->faults, f);
	return false;
}

/* Refuses a string. detail: the exact place within it. */
static bool
refuse_string(struct reader *r, size_t at, const char *detail, const char *why)
{
	(void)refuse_at(r, at, why);
	r->faults.v[r->faults.n - 1].detail = (size_t)(detail - r->in.p);
	return false;
}

/* The current byte. 0 after the last byte; a NUL also ends the text. */
static char
peek_byte(const struct reader *r)
{
	return r->at < r->in.n ? r->in.p[r->at] : '\0';
}

static bool
is_in_array(const struct reader *r)
{
	return r->depth && r->levels[r->depth].value->kind == JSON_ARRAY;
}

/* ---- what is between tokens ------------------------------------------------------ */

static void
skip_blanks(struct reader *r)
{
	while (peek_byte(r) && strchr(" \t\r\n", peek_byte(r)))
		r->at++;
}

/* false: no comment begins here, or it has no end. */
static bool
skip_comment(struct reader *r)
{
	struct str text = str_from(r->in, r->at);
	size_t n = 2;

	if (str_begins(text, STR("//"))) {
		while (n < text.n && text.p[n] != '\n' && text.p[n] != '\r')
			n++;
		r->at += n;
		return true;
	}
	if (!str_begins(text, STR("/*")))
		return false;
	n += str_search(str_from(text, 2), STR("*/"));
	if (n == text.n)
		return false;
	r->at += n + 2;
	return true;
}

static bool
may_comment(const struct reader *r)
{
	if (!r->is_strict)
		return true;
	return r->takes_comments && r->depth && r->state != WANT_VALUE &&
	       r->state != WANT_FIRST_VALUE;
}

static void
skip_space(struct reader *r)
{
	r->had_comment = false;
	for (skip_blanks(r); may_comment(r) && skip_comment(r); skip_blanks(r))
		r->had_comment = true;
}

/* ---- the tree -------------------------------------------------------------------- */

static struct json_value *
add_value(struct reader *r, enum json_kind kind, size_t at)
{
	struct level *in = &r->levels[r->depth];
	struct json_value *v = NEW(r->a, struct json_value);

	*v = (struct json_value){.kind = kind, .at = at, .name = r->name};
	r->name = STR("");
	if (in->last)
		in->last->next = v;
	else
		in->value->first = v;
	in->last = v;
	in->value->n++;
	return v;
}

/* ---- strings --------------------------------------------------------------------- */

static size_t
hex_digits(const char *p, size_t most)
{
	size_t i = 0;

	while (i < most && p[i] && strchr("0123456789abcdefABCDEF", p[i]))
		i++;
	return i;
}

/* Reads the four digits after the "u" at *i; *i moves to the last of them. */
static bool
take_code(struct reader *r, struct str s, size_t *i, size_t at, unsigned *code)
{
	const char *digits = s.p + *i + 1;
	size_t n;

	if (s.n - *i < 5)
		return refuse_string(r, at, digits,
			"Bad unicode escape sequence in string: four digits expected.");
	n = hex_digits(digits, 4);
	if (n < 4)
		return refuse_string(r, at, digits + n + 1,
			"Bad unicode escape sequence in string: hexadecimal digit "
			"expected.");
	*code = (unsigned)strtoul(
		(char[]){digits[0], digits[1], digits[2], digits[3], 0}, NULL, 16);
	*i += 4;
	return true;
}

enum { HIGH = 0xd800, LOW = 0xdc00, NO_SURROGATE = 0xe000, REPLACEMENT = 0xfffd };

/* Any second half makes a pair. A lone one becomes U+FFFD. */
static bool
take_unicode(struct reader *r, struct str s, size_t *i, size_t at, unsigned *code)
{
	unsigned second;

	if (!take_code(r, s, i, at, code))
		return false;
	if (*code >= LOW && *code < NO_SURROGATE)
		*code = REPLACEMENT;
	if (*code < HIGH || *code >= LOW)
		return true;
	if (s.n - *i - 1 < 6)
		return refuse_string(r, at, s.p + *i + 1,
			"additional six characters expected to parse unicode surrogate "
			"pair.");
	if (s.p[*i + 1] != '\\' || s.p[*i + 2] != 'u')
		return refuse_string(r, at, s.p + *i + (s.p[*i + 1] == '\\' ? 3 : 2),
			"expecting another \\u token to begin the second half of a "
			"unicode surrogate pair");
	*i += 2;
	if (!take_code(r, s, i, at, &second))
		return false;
	*code = 0x10000 + ((*code & 0x3ff) << 10) + (second & 0x3ff);
	return true;
}

/* *i: at the character after the backslash; it moves to the last one of the escape. */
static bool
take_escape(struct reader *r, struct str s, size_t *i, size_t at, struct buf *out)
{
	static const char letters[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
	const char *letter = s.p[*i] ? strchr(letters, s.p[*i]) : NULL;
	unsigned code;

	if (letter) {
		buf_char(out, meant[letter - letters]);
		return true;
	}
	if (s.p[*i] != 'u')
		return refuse_string(
			r, at, s.p + *i + 1, "Bad escape sequence in string");
	if (!take_unicode(r, s, i, at, &code))
		return false;
	utf8_put(out, code);
	return true;
}

/* s: the text between the quotes, of which the first one is at at. */
static bool
decode_string(struct reader *r, struct str s, size_t at, struct str *decoded)
{
	struct buf b = {.arena = r->a};

	*decoded = s;
	if (str_find(s, '\\') == s.n)
		return true;
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] != '\\')
			buf_char(&b, s.p[i]);
		else if (i++, !take_escape(r, s, &i, at, &b))
			return false;
	*decoded = buf_as_str(&b);
	return true;
}

/* Starts after the opening quote. false: the string has no end. */
static bool
skip_string(struct reader *r)
{
	while (r->at < r->in.n && r->in.p[r->at] != '"')
		r->at += r->in.p[r->at] == '\\' ? 2 : 1;
	if (r->at >= r->in.n) {
		r->at = r->in.n;
		return false;
	}
	r->at++;
	return true;
}

static const char no_value[] = "Syntax error: value, object or array expected.";
static const char no_key[] = "Missing '}' or object member name";

/* expected: the message if the string has no end. */
static bool
take_string(struct reader *r, const char *expected, struct str *decoded)
{
	size_t from = r->at++;

	if (!skip_string(r))
		return refuse_at(r, from, expected);
	return decode_string(
		r, str_cut(r->in.p + from + 1, r->at - from - 2), from, decoded);
}

/* The texts of cctr end at a NUL. */
static bool
take_text(struct reader *r)
{
	struct json_value *v = add_value(r, JSON_STRING, r->at);

	if (!take_string(r, no_value, &v->text))
		return false;
	v->text.n = str_find(v->text, '\0');
	return true;
}

/* ---- numbers and words ----------------------------------------------------------- */

/* An infinity after a sign: the reader knows it and refuses it. */
static bool
is_infinity(const struct reader *r, char sign)
{
	return (sign == '+' || sign == '-') && peek_byte(r) == 'I';
}

static void
skip_digits(struct reader *r)
{
	while (peek_byte(r) >= '0' && peek_byte(r) <= '9')
		r->at++;
}

/* Starts after the first byte. */
static void
skip_number(struct reader *r)
{
	skip_digits(r);
	if (peek_byte(r) == '.') {
		r->at++;
		skip_digits(r);
	}
	if (peek_byte(r) == 'e' || peek_byte(r) == 'E') {
		r->at++;
		if (peek_byte(r) == '+' || peek_byte(r) == '-')
			r->at++;
		skip_digits(r);
	}
}

/* "-" alone is 0. */
static bool
take_number(struct reader *r)
{
	struct json_value *v = add_value(r, JSON_NUMBER, r->at);
	char *end;

	r->at++;
	if (is_infinity(r, r->in.p[v->at]))
		return refuse_at(r, v->at, no_value);
	skip_number(r);
	v->text = str_cut(r->in.p + v->at, r->at - v->at);
	v->number = strtod(str_z(r->a, v->text), &end);
	if (str_is(v->text, "-") ||
		(*end == '\0' && (r->takes_infinity || isfinite(v->number))))
		return true;
	return refuse_at(
		r, v->at, str_fmt_z(r->a, "'%.*s' is not a number.", STR_ARG(v->text)));
}

static bool
take_word(struct reader *r)
{
	static const struct {
		const char *word;
		enum json_kind kind;
	} words[] = {{"true", JSON_TRUE}, {"false", JSON_FALSE}, {"null", JSON_NULL}};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (str_begins(str_from(r->in, r->at), str_of(words[i].word))) {
			add_value(r, words[i].kind, r->at);
			r->at += strlen(words[i].word);
			return true;
		}
	return refuse_at(r, r->at, no_value);
}

/* ---- the states ------------------------------------------------------------------ */

static bool
open_bracket(struct reader *r, char bracket)
{
	enum json_kind kind = bracket == '[' ? JSON_ARRAY : JSON_OBJECT;
	struct json_value *v;

	if (r->depth == DEEPEST)
		return refuse_at(r, r->at, "Exceeded stackLimit in readValue().");
	v = add_value(r, kind, r->at++);
	r->levels[++r->depth] = (struct level){.value = v, .names = map_in(r->a)};
	r->state = bracket == '[' ? WANT_FIRST_VALUE : WANT_FIRST_KEY;
	return true;
}

static bool
close_bracket(struct reader *r)
{
	r->at++;
	r->state = --r->depth ? WANT_COMMA : DONE;
	return true;
}

/* A comment may stand for a missing member, but not for a missing element. */
static bool
is_array_end(const struct reader *r)
{
	return peek_byte(r) == ']' && is_in_array(r) && !r->had_comment &&
	       (r->state == WANT_FIRST_VALUE || !r->is_strict);
}

static bool
take_value(struct reader *r)
{
	char first = peek_byte(r);
	bool taken;

	if (is_array_end(r))
		return close_bracket(r);
	if (first == '[' || first == '{')
		return open_bracket(r, first);
	if (first == '"')
		taken = take_text(r);
	else if (first && strchr("+-0123456789", first))
		taken = take_number(r);
	else
		taken = take_word(r);
	r->state = r->depth ? WANT_COMMA : DONE;
	return taken;
}

static bool
is_object_end(const struct reader *r)
{
	const struct json_value *last = r->levels[r->depth].last;

	return peek_byte(r) == '}' &&
	       (r->state == WANT_FIRST_KEY || !r->is_strict || (last && !last->name.n));
}

/* Only the strict reader refuses a name that occurs twice. */
static bool
note_name(struct reader *r, size_t at, struct str name)
{
	if (!r->is_strict || map_add(&r->levels[r->depth].names, name))
		return true;
	return refuse_at(r, at, str_fmt_z(r->a, "Duplicate key: '%.*s'", STR_ARG(name)));
}

static bool
take_key(struct reader *r)
{
	size_t from = r->at;

	if (is_object_end(r))
		return close_bracket(r);
	if (peek_byte(r) != '"')
		return refuse_at(r, from, no_key);
	if (!take_string(r, no_key, &r->name) || !note_name(r, from, r->name))
		return false;
	skip_blanks(r);
	if (peek_byte(r) != ':')
		return refuse_at(r, r->at, "Missing ':' after object member name");
	r->at++;
	r->state = WANT_VALUE;
	return true;
}

static bool
take_comma(struct reader *r)
{
	bool is_array = is_in_array(r);

	if (peek_byte(r) == (is_array ? ']' : '}'))
		return close_bracket(r);
	if (peek_byte(r) != ',')
		return refuse_at(r, r->at,
			is_array ? "Missing ',' or ']' in array declaration"
				 : "Missing ',' or '}' in object declaration");
	r->at++;
	r->state = is_array ? WANT_VALUE : WANT_KEY;
	return true;
}

static bool
take_step(struct reader *r)
{
	skip_space(r);
	switch (r->state) {
	case WANT_VALUE:
	case WANT_FIRST_VALUE:
		return take_value(r);
	case WANT_KEY:
	case WANT_FIRST_KEY:
		return take_key(r);
	case WANT_COMMA:
		return take_comma(r);
	case DONE:
		break;
	}
	BUG("a step after the end");
}

/* ---- after a fault --------------------------------------------------------------- */

static void
skip_text(struct reader *r, struct str text)
{
	if (str_begins(str_from(r->in, r->at), text))
		r->at += text.n;
}

/* Skips what begins like a comment but is none: two bytes, or the rest of the text. */
static void
skip_no_comment(struct reader *r)
{
	bool has_no_end = str_begins(str_from(r->in, r->at), STR("/*"));

	r->at = has_no_end || r->in.n - r->at < 2 ? r->in.n : r->at + 2;
}

/* Skips the rest of a token after its first byte. */
static void
skip_token_rest(struct reader *r, char first)
{
	if (first == '"')
		skip_string(r);
	else if (is_infinity(r, first))
		r->at++;
	else if (strchr("+-0123456789", first))
		skip_number(r);
	else if (first == 't')
		skip_text(r, STR("rue"));
	else if (first == 'f')
		skip_text(r, STR("alse"));
	else if (first == 'n')
		skip_text(r, STR("ull"));
}

/* Returns the token's first byte; 0 at the end, and for a NUL. An unknown word is skipped
 * byte by byte. */
static char
skip_token(struct reader *r)
{
	char first;

	skip_blanks(r);
	first = peek_byte(r);
	if (first == '/') {
		if (!skip_comment(r))
			skip_no_comment(r);
	} else if (r->at < r->in.n) {
		r->at++;
		if (first)
			skip_token_rest(r, first);
	}
	return first;
}

static void
skip_to_close(struct reader *r, char close)
{
	char first;

	do
		first = skip_token(r);
	while (first && first != close);
}

static bool
check_end(struct reader *r, bool is_container)
{
	skip_blanks(r);
	if (peek_byte(r))
		return refuse_at(r, r->at, "Extra non-whitespace after JSON value.");
	return is_container ||
	       refuse_at(r, 0,
		       "A valid JSON document must be either an array or an object "
		       "value.");
}

/* Reports the further faults of a document that has one. */
static void
refuse_rest(struct reader *r)
{
	r->at = r->faults.v[0].at;
	skip_token(r);
	for (size_t i = r->depth; i; i--)
		skip_to_close(r, r->levels[i].value->kind == JSON_ARRAY ? ']' : '}');
	check_end(r, r->depth > 0);
}

/* ---- the document ---------------------------------------------------------------- */

/* NULL: refused. */
static struct json_value *
read_root(struct reader *r)
{
	struct json_value outermost = {.n = 0}, *root;

	r->levels[0].value = &outermost;
	while (r->state != DONE)
		if (!take_step(r)) {
			if (r->is_strict && r->depth < DEEPEST)
				refuse_rest(r);
			return NULL;
		}
	root = outermost.first;
	return !r->is_strict || check_end(r, root->kind >= JSON_ARRAY) ? root : NULL;
}

struct json_document
json_read(struct arena *a, const struct dialect *dialect, enum json_reader reader,
	struct str text)
{
	struct reader *r = NEW(a, struct reader);
	struct json_document d = {.path = STR(""), .text = text};

	*r = (struct reader){.a = a,
		.in = text,
		.at = str_begins(text, STR("\xef\xbb\xbf")) ? 3 : 0,
		.name = STR(""),
		.is_strict = reader == JSON_STRICT,
		.takes_comments = dialect->has[DIALECT_JSON_COMMENTS],
		.takes_infinity = dialect->has[DIALECT_JSON_INFINITY]};
	if (!text.n)
		return d;
	d.root = read_root(r);
	d.faults = r->faults.v;
	d.faults_n = r->faults.n;
	return d;
}

/* ---- values ---------------------------------------------------------------------- */

struct json_value *
json_member(const struct json_value *v, const char *name)
{
	struct json_value *found = NULL;

	if (!json_is(v, JSON_OBJECT))
		return NULL;
	for (struct json_value *m = v->first; m; m = m->next)
		if (str_is(m->name, name))
			found = m;
	return found;
}

struct json_value *
json_find(const struct json_value *v, const char *const *path)
{
	struct json_value *found = json_member(v, *path);

	INVARIANT(path);
	while (found && *++path)
		found = json_member(found, *path);
	return found;
}

bool
json_is_empty(const struct json_value *v)
{
	return !v || (v->kind == JSON_STRING && !v->text.n) ||
	       (v->kind == JSON_ARRAY && !v->n);
}

bool
json_is_whole(const struct json_value *v, double least, double most)
{
	INVARIANT(least <= most);
	return json_is(v, JSON_NUMBER) && v->number >= least && v->number <= most &&
	       v->number == floor(v->number);
}

int
json_number_int(const struct json_value *v)
{
	return v->number >= INT_MAX     ? INT_MAX
	       : !(v->number > INT_MIN) ? INT_MIN
					: (int)v->number;
}

/* true: the number is an integer that fits in 64 bits. "-" alone is 0. */
static bool
is_integer(struct str text, struct str *sign, uint64_t *value)
{
	const uint64_t lowest = (uint64_t)INT64_MAX + 1;

	*sign = str_cut(text.p, str_begins(text, STR("-")));
	*value = 0;
	text = str_from(text, sign->n);
	if (text.n && !str_unsigned(text, UINT64_MAX, value))
		return false;
	if (*value == 0)
		sign->n = 0;
	return !sign->n || *value <= lowest;
}

static struct str
number_text(struct arena *a, const struct json_value *v)
{
	struct buf b = {.arena = a};
	struct json out = {.out = &b};
	struct str sign;
	uint64_t whole;

	if (is_integer(v->text, &sign, &whole)) {
		buf_str(&b, sign);
		buf_number(&b, whole, 0);
	} else {
		json_double(&out, v->number);
	}
	return buf_as_str(&b);
}

struct str
json_value_text(struct arena *a, const struct json_value *v)
{
	if (json_is(v, JSON_NUMBER))
		return number_text(a, v);
	if (json_is_bool(v))
		return v->kind == JSON_TRUE ? STR("true") : STR("false");
	return json_is(v, JSON_STRING) ? v->text : STR("");
}

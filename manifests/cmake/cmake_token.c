/*
 * A hand-written tokenizer, with the longest match where CMake's own grammar asks for it:
 * an unquoted argument may contain make variables "$(X)" and, for old files, quoted
 * parts: -Da="b c".
 *
 * The NUL after the text belongs to no class of characters, so a run of one class is
 * skipped without testing for the end.
 */
#include "manifests/cmake/cmake_token.h"

#include <string.h>

static const char *const token_names[TOKEN_KINDS] = {
	[TOKEN_SPACE] = "space",
	[TOKEN_NEWLINE] = "newline",
	[TOKEN_IDENTIFIER] = "identifier",
	[TOKEN_LEFT] = "left paren",
	[TOKEN_RIGHT] = "right paren",
	[TOKEN_UNQUOTED] = "unquoted argument",
	[TOKEN_QUOTED] = "quoted argument",
	[TOKEN_BRACKET] = "bracket argument",
	[TOKEN_COMMENT] = "bracket comment",
	[TOKEN_BAD_CHARACTER] = "bad character",
	[TOKEN_BAD_BRACKET] = "unterminated bracket",
	[TOKEN_BAD_STRING] = "unterminated string",
};

const char *
token_name(enum token_kind kind)
{
	INVARIANT(kind < TOKEN_KINDS);
	return token_names[kind];
}

/* ---- characters ------------------------------------------------------------------ */

enum {
	IS_START = 1, /* a letter or "_" */
	IS_NAME = 2, /* or a digit */
	IS_ORDINARY = 4, /* is its own value in an unquoted argument */
	/* as IS_ORDINARY, and expanding does not change it; "=" and "[" are calm inside
	 * an argument */
	IS_CALM = 8,
	IS_QUIET = 16, /* as IS_CALM, in a quoted argument */
	DIGIT = IS_NAME | IS_ORDINARY | IS_CALM | IS_QUIET,
	LETTER = IS_START | DIGIT,
	OTHER = IS_ORDINARY | IS_CALM | IS_QUIET,
};
static const uint8_t classes[UINT8_MAX + 1] = {
	[0x01 ... 0x08] = OTHER,
	['\t'] = IS_QUIET,
	[0x0B ... 0x0C] = OTHER,
	['\r'] = IS_QUIET,
	[0x0E ... 0x1F] = OTHER,
	[' '] = IS_QUIET,
	['!'] = OTHER,
	['#'] = IS_QUIET,
	['$'] = IS_ORDINARY,
	['%' ... '\''] = OTHER,
	['(' ... ')'] = IS_QUIET,
	['*' ... '/'] = OTHER,
	['0' ... '9'] = DIGIT,
	[':'] = OTHER,
	[';'] = IS_ORDINARY | IS_QUIET,
	['<'] = OTHER,
	['='] = IS_CALM | IS_QUIET,
	['>' ... '?'] = OTHER,
	['@'] = IS_ORDINARY,
	['A' ... 'Z'] = LETTER,
	['['] = IS_CALM | IS_QUIET,
	[']' ... '^'] = OTHER,
	['_'] = LETTER,
	['`'] = OTHER,
	['a' ... 'z'] = LETTER,
	['{' ... UINT8_MAX] = OTHER,
};

static bool
is_class(const char *p, unsigned class)
{
	return classes[(unsigned char)*p] & class;
}

/* The end of the run of the class that begins at p. */
static const char *
skip_class(const char *p, unsigned class)
{
	while (is_class(p, class))
		p++;
	return p;
}

/* Length of one ordinary character or escape at p; 0: neither. */
static size_t
ordinary_length(const struct tokenizer *l, const char *p)
{
	if (p == l->end)
		return 0;
	if (*p == '\\')
		return p + 1 < l->end && p[1] != '\n' && p[1] != '\0' ? 2 : 0;
	return is_class(p, IS_ORDINARY);
}

/* Length of a make variable "$(NAME)" at p; 0: none. */
static size_t
make_variable(const struct tokenizer *l, const char *p)
{
	const char *q = p + 2;

	if (l->end - p < 3 || p[0] != '$' || p[1] != '(')
		return 0;
	q = skip_class(q, IS_NAME);
	return q < l->end && *q == ')' ? (size_t)(q + 1 - p) : 0;
}

/* Length of a quoted part inside an unquoted argument at p; 0: none. */
static size_t
quoted_part(const struct tokenizer *l, const char *p)
{
	const char *q = p + 1;

	if (p == l->end || *p != '"')
		return 0;
	while (q < l->end && *q != '"') {
		size_t n = make_variable(l, q);

		if (!n)
			n = ordinary_length(l, q);
		if (!n && (*q == ' ' || *q == '\t' || *q == '[' || *q == '='))
			n = 1;
		if (!n)
			return 0;
		q += n;
	}
	return q < l->end ? (size_t)(q + 1 - p) : 0;
}

/* Length of the next part of an unquoted argument at p. */
static size_t
unquoted_step(const struct tokenizer *l, const char *p)
{
	size_t n;

	if (p == l->end)
		return 0;
	if (*p == '$' && (n = make_variable(l, p)))
		return n;
	if (*p == '"')
		return quoted_part(l, p);
	return ordinary_length(l, p);
}

/* The end of the opening bracket at p ("[", "="s, "["); NULL: there is none. */
static const char *
bracket_open(const struct tokenizer *l, const char *p)
{
	if (p == l->end || *p++ != '[')
		return NULL;
	while (p < l->end && *p == '=')
		p++;
	return p < l->end && *p == '[' ? p + 1 : NULL;
}

/* ---- tokens ---------------------------------------------------------------------- */

static bool
token_is(struct tokenizer *l, enum token_kind kind, const char *from, const char *to)
{
	l->token.kind = kind;
	l->token.text = str_cut(from, (size_t)(to - from));
	return true;
}

static void
count_line(struct tokenizer *l, const char *at)
{
	l->line++;
	l->line_start = at + 1;
}

/*
 * The text without its continuations ("\" and the newline after it) and without NUL
 * bytes, which CMake drops.
 */
static struct str
clean_text(struct arena *a, struct str text, bool has_escapes)
{
	struct buf b = {.arena = a};

	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i], next = i + 1 < text.n ? text.p[i + 1] : '\0';

		if (c == '\\' && has_escapes && next == '\n') {
			i++;
		} else if (c == '\\' && has_escapes && next) {
			buf_add(&b, text.p + i++, 2);
		} else if (c) {
			buf_char(&b, c);
		}
	}
	return buf_as_str(&b);
}

/* From after the opening bracket to the closing one with as many "=". */
static bool
take_bracket(struct tokenizer *l, const char *from, size_t equals, enum token_kind kind)
{
	const char *p = from;

	if (p < l->end && *p == '\n') {
		count_line(l, p);
		from = ++p;
	}
	for (; p < l->end; p++) {
		const char *q;

		while (is_class(p, IS_NAME | IS_START))
			p++;
		if (*p == '\n')
			count_line(l, p);
		if (*p != ']')
			continue;
		q = p + 1;
		while (q < l->end && *q == '=')
			q++;
		if ((size_t)(q - p - 1) == equals && q < l->end && *q == ']') {
			l->at = q + 1;
			token_is(l, kind, from, p);
			if (memchr(from, '\0', (size_t)(p - from)))
				l->token.text = clean_text(l->a, l->token.text, false);
			return true;
		}
		p = q - 1;
	}
	l->at = l->end;
	return token_is(l, TOKEN_BAD_BRACKET, from, l->end);
}

static bool
take_string(struct tokenizer *l)
{
	const char *from = l->at + 1, *p = skip_class(from, IS_QUIET);
	bool is_clean = true;

	for (; p < l->end && *p != '"'; p = skip_class(p + 1, IS_QUIET)) {
		if (*p == '\\' || *p == '$' || *p == '@')
			l->token.is_plain = false;
		is_clean &= *p != '\0';
		if (*p == '\\' && p + 1 < l->end && p[1])
			is_clean &= *++p != '\n';
		if (*p == '\n')
			count_line(l, p);
	}
	l->at = p < l->end ? p + 1 : l->end;
	token_is(l, p < l->end ? TOKEN_QUOTED : TOKEN_BAD_STRING, from, p);
	if (!is_clean)
		l->token.text = clean_text(l->a, l->token.text, true);
	return true;
}

/* Reads text that begins with "[" and is no bracket argument; false: it is a lone "["
 * with its "="s. */
static bool
begin_with_bracket(struct tokenizer *l, const char **p)
{
	const char *q = *p + 1;
	size_t n;

	while (*q == '=')
		q++;
	n = unquoted_step(l, q);
	*p = n ? q + n : *p + 1;
	if (!n || memchr(q, '$', n) || memchr(q, '\\', n) || memchr(q, '@', n))
		l->token.is_plain = false;
	return n > 0;
}

/* Reads an unquoted argument or a name; false: none starts here. */
static bool
take_word(struct tokenizer *l)
{
	const char *from = l->at, *p = from;
	bool is_identifier = is_class(p, IS_START);

	if (*p == '"')
		return false;
	if (*p == '[' && !begin_with_bracket(l, &p)) {
		l->at = p;
		return token_is(l, TOKEN_UNQUOTED, from, p);
	}
	if (is_identifier)
		p = skip_class(p, IS_NAME);
	for (;;) {
		const char *step = skip_class(p, IS_CALM);
		size_t n;

		is_identifier = is_identifier && step == p;
		p = step;
		n = p < l->end ? unquoted_step(l, p) : 0;
		if (!n)
			break;
		is_identifier = false;
		if (n > 1 || *p == '$' || *p == '@' || *p == ';')
			l->token.is_plain = false;
		p += n;
	}
	if (p == from)
		return false;
	l->at = p;
	return token_is(l, is_identifier ? TOKEN_IDENTIFIER : TOKEN_UNQUOTED, from, p);
}

/* "#" begins a bracket comment, or a comment up to the end of the line, which is
 * skipped. */
static bool
take_comment(struct tokenizer *l)
{
	const char *open = bracket_open(l, l->at + 1);

	if (open)
		return take_bracket(l, open, (size_t)(open - l->at - 3), TOKEN_COMMENT);
	l->at = memchr(l->at, '\n', (size_t)(l->end - l->at));
	if (!l->at)
		l->at = l->end;
	return false;
}

static bool
take_blanks(struct tokenizer *l)
{
	const char *from = l->at;

	while (l->at < l->end && (*l->at == ' ' || *l->at == '\t' || *l->at == '\r'))
		l->at++;
	return token_is(l, TOKEN_SPACE, from, l->at);
}

static bool
take_one(struct tokenizer *l, enum token_kind kind)
{
	const char *from = l->at++;

	return token_is(l, kind, from, l->at);
}

bool
next_token(struct tokenizer *l)
{
	const char *open;

	if (l->at < l->end && *l->at == '#' && !bracket_open(l, l->at + 1))
		take_comment(l);
	if (l->at == l->end)
		return false;
	l->token.line = l->line;
	l->token.column = (unsigned)(l->at - l->line_start) + 1;
	l->token.is_plain = true;
	switch (*l->at) {
	case ' ':
	case '\t':
	case '\r':
		return take_blanks(l);
	case '\n':
		count_line(l, l->at);
		return take_one(l, TOKEN_NEWLINE);
	case '(':
		return take_one(l, TOKEN_LEFT);
	case ')':
		return take_one(l, TOKEN_RIGHT);
	case '#':
		return take_comment(l);
	case '"':
		return take_string(l);
	case '[':
		open = bracket_open(l, l->at);
		if (open)
			return take_bracket(
				l, open, (size_t)(open - l->at - 2), TOKEN_BRACKET);
	}
	return take_word(l) || take_one(l, TOKEN_BAD_CHARACTER);
}

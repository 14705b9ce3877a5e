/*
 * Tokens by hand, with the longest match where CMake's own grammar asks for it: an
 * unquoted argument may hold make variables "$(X)" and, for old files, quoted parts:
 * -Da="b c".
 *
 * CRLF is read as LF everywhere, in bracket arguments too, so a file that has one is
 * copied first; every other file is cut in place.
 */
#include "manifests/cmake_lex.h"

#include <string.h>

enum token_kind {
	TOKEN_SPACE,
	TOKEN_NEWLINE,
	TOKEN_IDENTIFIER,
	TOKEN_LEFT,
	TOKEN_RIGHT,
	TOKEN_UNQUOTED,
	TOKEN_QUOTED,
	TOKEN_BRACKET,
	TOKEN_COMMENT, /* a bracket comment; line comments are no tokens */
	TOKEN_BAD_CHARACTER,
	TOKEN_BAD_BRACKET,
	TOKEN_BAD_STRING,
	TOKEN_KINDS
};
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

struct token {
	enum token_kind kind;
	struct str text;
	unsigned line, column;
	bool is_plain;
};
struct lexer {
	struct arena *a;
	struct cmake_file *out;
	struct diag *d;
	const char *from, *at, *end, *line_start;
	unsigned line;
	struct token token;
};

enum separation { SEPARATION_OKAY, SEPARATION_WARNING, SEPARATION_ERROR };

/* ---- characters ----------------------------------------------------------------------
 */

static bool
is_name_start(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool
is_name(char c)
{
	return is_name_start(c) || (c >= '0' && c <= '9');
}

/* Stands for itself in an unquoted argument, "=" and "[" aside. */
static bool
is_ordinary(char c)
{
	switch (c) {
	case '\0':
	case ' ':
	case '\t':
	case '\r':
	case '\n':
	case '(':
	case ')':
	case '#':
	case '"':
	case '[':
	case '=':
	case '\\':
		return false;
	default:
		return true;
	}
}

/* Bytes of one ordinary character or escape at p; 0: neither. */
static size_t
ordinary(const struct lexer *l, const char *p)
{
	if (p == l->end)
		return 0;
	if (*p == '\\')
		return p + 1 < l->end && p[1] != '\n' && p[1] != '\0' ? 2 : 0;
	return is_ordinary(*p);
}

/* Bytes of a make variable "$(NAME)" at p; 0: none. */
static size_t
make_variable(const struct lexer *l, const char *p)
{
	const char *q = p + 2;

	if (l->end - p < 3 || p[0] != '$' || p[1] != '(')
		return 0;
	while (q < l->end && is_name(*q))
		q++;
	return q < l->end && *q == ')' ? (size_t)(q + 1 - p) : 0;
}

/* Bytes of a quoted part inside an unquoted argument at p; 0: none. */
static size_t
quoted_part(const struct lexer *l, const char *p)
{
	const char *q = p + 1;

	if (p == l->end || *p != '"')
		return 0;
	while (q < l->end && *q != '"') {
		size_t n = make_variable(l, q);

		if (!n)
			n = ordinary(l, q);
		if (!n && (*q == ' ' || *q == '\t' || *q == '[' || *q == '='))
			n = 1;
		if (!n)
			return 0;
		q += n;
	}
	return q < l->end ? (size_t)(q + 1 - p) : 0;
}

/* Bytes of one step of an unquoted argument at p. */
static size_t
unquoted_step(const struct lexer *l, const char *p)
{
	size_t n;

	if (p == l->end)
		return 0;
	if (*p == '$' && (n = make_variable(l, p)))
		return n;
	if (*p == '"')
		return quoted_part(l, p);
	return ordinary(l, p);
}

/* Where the opening bracket at p ends ("[", "="s, "["); NULL: it is none. */
static const char *
bracket_open(const struct lexer *l, const char *p)
{
	if (p == l->end || *p++ != '[')
		return NULL;
	while (p < l->end && *p == '=')
		p++;
	return p < l->end && *p == '[' ? p + 1 : NULL;
}

/* ---- tokens --------------------------------------------------------------------------
 */

static bool
token_is(struct lexer *l, enum token_kind kind, const char *from, const char *to)
{
	l->token.kind = kind;
	l->token.text = str_cut(from, (size_t)(to - from));
	return true;
}

static void
newline(struct lexer *l, const char *at)
{
	l->line++;
	l->line_start = at + 1;
}

/*
 * The text without its continuations ("\" and the newline behind it are no part of it)
 * and without NUL bytes, which CMake drops.
 */
static struct str
cleaned(struct arena *a, struct str text, bool has_escapes)
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

/* From behind the opening bracket to the closing one with as many "=". */
static bool
take_bracket(struct lexer *l, const char *from, size_t equals, enum token_kind kind)
{
	const char *p = from;

	if (p < l->end && *p == '\n') {
		newline(l, p);
		from = ++p;
	}
	for (; p < l->end; p++) {
		const char *q = p + 1;

		if (*p == '\n')
			newline(l, p);
		if (*p != ']')
			continue;
		while (q < l->end && *q == '=')
			q++;
		if ((size_t)(q - p - 1) == equals && q < l->end && *q == ']') {
			l->at = q + 1;
			token_is(l, kind, from, p);
			if (memchr(from, '\0', (size_t)(p - from)))
				l->token.text = cleaned(l->a, l->token.text, false);
			return true;
		}
		p = q - 1;
	}
	l->at = l->end;
	return token_is(l, TOKEN_BAD_BRACKET, from, l->end);
}

static bool
take_string(struct lexer *l)
{
	const char *from = l->at + 1, *p = from;
	bool is_clean = true;

	for (; p < l->end && *p != '"'; p++) {
		if (*p == '\\' || *p == '$' || *p == '@')
			l->token.is_plain = false;
		is_clean &= *p != '\0';
		if (*p == '\\' && p + 1 < l->end && p[1])
			is_clean &= *++p != '\n';
		if (*p == '\n')
			newline(l, p);
	}
	l->at = p < l->end ? p + 1 : l->end;
	token_is(l, p < l->end ? TOKEN_QUOTED : TOKEN_BAD_STRING, from, p);
	if (!is_clean)
		l->token.text = cleaned(l->a, l->token.text, true);
	return true;
}

static bool
is_special(char c)
{
	return c == '$' || c == '@' || c == '\\' || c == ';';
}

/* An unquoted argument or a name; false: none starts here. */
static bool
take_word(struct lexer *l)
{
	const char *from = l->at, *p = from;
	bool is_identifier = is_name_start(*p);
	size_t n;

	if (*p == '[') {
		const char *q = p + 1;

		while (q < l->end && *q == '=')
			q++;
		n = unquoted_step(l, q);
		p = n ? q + n : p + 1;
		if (!n || memchr(q, '$', n) || memchr(q, '\\', n) || memchr(q, '@', n))
			l->token.is_plain = false;
		if (!n) {
			l->at = p;
			return token_is(l, TOKEN_UNQUOTED, from, p);
		}
		is_identifier = false;
	} else if (*p == '"') {
		return false;
	}
	while (p < l->end) {
		if (is_name(*p)) {
			p++;
			continue;
		}
		n = *p == '[' || *p == '=' ? 1 : unquoted_step(l, p);
		if (!n)
			break;
		is_identifier = false;
		if (n > 1 || is_special(*p))
			l->token.is_plain = false;
		p += n;
	}
	if (p == from)
		return false;
	l->at = p;
	return token_is(l, is_identifier ? TOKEN_IDENTIFIER : TOKEN_UNQUOTED, from, p);
}

/* "#" opens a bracket comment or one up to the end of the line, which is skipped. */
static bool
take_comment(struct lexer *l)
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
take_blanks(struct lexer *l)
{
	const char *from = l->at;

	while (l->at < l->end && (*l->at == ' ' || *l->at == '\t' || *l->at == '\r'))
		l->at++;
	return token_is(l, TOKEN_SPACE, from, l->at);
}

static bool
take_one(struct lexer *l, enum token_kind kind)
{
	const char *from = l->at++;

	return token_is(l, kind, from, l->at);
}

/* false: the text is at its end. */
static bool
next_token(struct lexer *l)
{
	const char *open;

	if (l->at < l->end && *l->at == '#' && !bracket_open(l, l->at + 1))
		take_comment(l);
	if (l->at == l->end)
		return false;
	l->token = (struct token){.line = l->line,
		.column = (unsigned)(l->at - l->line_start) + 1,
		.is_plain = true};
	switch (*l->at) {
	case ' ':
	case '\t':
	case '\r':
		return take_blanks(l);
	case '\n':
		newline(l, l->at);
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

/* ---- invocations ---------------------------------------------------------------------
 */

static bool
file_ends(struct lexer *l, unsigned line, const char *text)
{
	diag_add(l->d, DIAG_CMAKE_FATAL,
		(struct place){.file = l->out->path, .line = line}, str_of(text));
	return false;
}

/* At the token that should not be there. */
static bool
syntax_error(struct lexer *l, const char *what)
{
	struct str text = l->token.text;

	if (l->token.kind == TOKEN_BAD_CHARACTER && text.p[0] == '\0')
		text = STR("");
	diag_add(l->d, DIAG_CMAKE_FATAL,
		(struct place){.file = l->out->path, .line = l->line},
		str_fmt(l->d->arena, "Parse error.  %s%s with text \"%.*s\".", what,
			token_names[l->token.kind], STR_ARG(text)));
	return false;
}

/* false: two tokens stand together where CMake does not allow it. */
static bool
is_separated(struct lexer *l, enum separation before)
{
	bool is_error = before == SEPARATION_ERROR || l->token.kind == TOKEN_BRACKET;

	if (before == SEPARATION_OKAY)
		return true;
	diag_add(l->d, is_error ? DIAG_CMAKE_FATAL : DIAG_CMAKE_AUTHOR,
		(struct place){.file = l->out->path, .line = l->token.line},
		str_fmt(l->d->arena,
			"Syntax %s in cmake code at column %u\n"
			"Argument not separated from preceding token by whitespace.",
			is_error ? "Error" : "Warning", l->token.column));
	return !is_error;
}

/*
 * Room for one more row. A large table gets what the whole text will probably need
 * instead of being doubled: half of a doubled table is memory touched for nothing.
 */
static void *
table_room(struct lexer *l, void *v, size_t size, size_t n, size_t *cap)
{
	enum { LARGE = 1024 };
	size_t read = (size_t)(l->at - l->from) + 1, whole = (size_t)(l->end - l->from);
	size_t guess = (size_t)((double)n / (double)read * (double)whole * 1.02) + LARGE;
	char *p;

	if (n < *cap)
		return v;
	if (n < LARGE || guess <= n)
		return vec_grow(l->a, v, size, cap);
	p = arena_alloc_array(l->a, size, guess);
	memcpy(p, v, n * size);
	*cap = guess;
	return p;
}

static bool
argument_add(struct lexer *l, enum argument_kind kind, enum separation before)
{
	if (!is_separated(l, before))
		return false;
	l->out->arguments.v = table_room(l, l->out->arguments.v,
		sizeof *l->out->arguments.v, l->out->arguments.n, &l->out->arguments.cap);
	VEC_PUSH(l->a, &l->out->arguments,
		(struct cmake_argument){
			l->token.text, l->token.line, kind, l->token.is_plain});
	return true;
}

/* What a token does between the parentheses: -1 fails, 0 goes on, 1 is the end. */
static int
argument_token(struct lexer *l, size_t *depth, enum separation *s)
{
	enum separation before = *s;

	switch (l->token.kind) {
	case TOKEN_SPACE:
	case TOKEN_NEWLINE:
		*s = SEPARATION_OKAY;
		return 0;
	case TOKEN_LEFT:
		++*depth;
		*s = SEPARATION_OKAY;
		return argument_add(l, ARGUMENT_UNQUOTED, SEPARATION_OKAY) ? 0 : -1;
	case TOKEN_RIGHT:
		if ((*depth)-- == 0)
			return 1;
		*s = SEPARATION_WARNING;
		return argument_add(l, ARGUMENT_UNQUOTED, SEPARATION_OKAY) ? 0 : -1;
	case TOKEN_IDENTIFIER:
	case TOKEN_UNQUOTED:
		*s = SEPARATION_WARNING;
		return argument_add(l, ARGUMENT_UNQUOTED, before) ? 0 : -1;
	case TOKEN_QUOTED:
		*s = SEPARATION_WARNING;
		return argument_add(l, ARGUMENT_QUOTED, before) ? 0 : -1;
	case TOKEN_BRACKET:
		*s = SEPARATION_ERROR;
		return argument_add(l, ARGUMENT_BRACKET, before) ? 0 : -1;
	case TOKEN_COMMENT:
		*s = SEPARATION_ERROR;
		return 0;
	case TOKEN_BAD_CHARACTER:
	case TOKEN_BAD_BRACKET:
	case TOKEN_BAD_STRING:
	case TOKEN_KINDS:
		break;
	}
	syntax_error(l, "Function missing ending \")\".  Instead found ");
	return -1;
}

/* From behind the command's name to its closing parenthesis. */
static bool
take_arguments(struct lexer *l)
{
	unsigned line = l->token.line;
	enum separation s = SEPARATION_OKAY;
	size_t depth = 0;
	bool more;

	while ((more = next_token(l)) && l->token.kind == TOKEN_SPACE)
		;
	if (!more)
		return file_ends(l, line,
			"Unexpected end of file.\n"
			"Parse error.  Function missing opening \"(\".");
	if (l->token.kind != TOKEN_LEFT)
		return syntax_error(l, "Expected \"(\", got ");
	while (next_token(l)) {
		int end = argument_token(l, &depth, &s);

		if (end)
			return end > 0;
	}
	return file_ends(l, line,
		"Parse error.  Function missing ending \")\".  End of file reached.");
}

static bool
take_invocation(struct lexer *l)
{
	size_t first = l->out->arguments.n;
	struct cmake_invocation c = {.name = l->token.text,
		.line = l->token.line,
		.first = (uint32_t)first,
		.command = INVOCATION_UNRESOLVED};

	if (!take_arguments(l))
		return false;
	c.n = (uint32_t)(l->out->arguments.n - first);
	l->out->calls.v = table_room(
		l, l->out->calls.v, sizeof c, l->out->calls.n, &l->out->calls.cap);
	VEC_PUSH(l->a, &l->out->calls, c);
	return true;
}

static bool
take_file(struct lexer *l)
{
	bool is_line_start = true;

	while (next_token(l)) {
		switch ((int)l->token.kind) {
		case TOKEN_SPACE:
			break;
		case TOKEN_NEWLINE:
			is_line_start = true;
			break;
		case TOKEN_COMMENT:
			is_line_start = false;
			break;
		case TOKEN_IDENTIFIER:
			if (!is_line_start)
				return syntax_error(l, "Expected a newline, got ");
			is_line_start = false;
			if (!take_invocation(l))
				return false;
			break;
		default:
			return syntax_error(l, "Expected a command name, got ");
		}
	}
	return true;
}

/* ---- file ----------------------------------------------------------------------------
 */

static struct str
without_carriage_returns(struct arena *a, struct str text)
{
	struct buf b = {.arena = a};

	if (str_find(text, '\r') == text.n || !str_has(text, STR("\r\n")))
		return text;
	while (text.n) {
		size_t n = str_search(text, STR("\r\n"));

		buf_add(&b, text.p, n);
		if (n < text.n)
			buf_char(&b, '\n');
		text = str_from(text, n < text.n ? n + 2 : n);
	}
	return buf_as_str(&b);
}

/* false: another byte order mark than UTF-8's. */
static bool
skip_mark(struct str *text)
{
	static const char utf8[] = "\xEF\xBB\xBF", utf16le[] = "\xFF\xFE",
			  utf16be[] = "\xFE\xFF";

	if (str_begins(*text, str_of(utf8)))
		*text = str_from(*text, 3);
	return !str_begins(*text, str_of(utf16le)) &&
	       !str_begins(*text, str_of(utf16be)) &&
	       !str_begins(*text, (struct str){"\0\0\xFE\xFF", 4});
}

bool
cmake_lex(struct arena *a, struct str path, struct str text, struct cmake_file *out,
	struct diag *d)
{
	struct lexer l = {.a = a, .out = out, .d = d, .line = 1};

	*out = (struct cmake_file){.path = path};
	if (!skip_mark(&text)) {
		diag_add(d, DIAG_CMAKE_FATAL, (struct place){.file = path},
			STR("File starts with a Byte-Order-Mark that is not UTF-8."));
		return false;
	}
	if (text.n >= INT32_MAX) {
		diag_add(d, DIAG_CMAKE_FATAL, (struct place){.file = path},
			STR("File is too large."));
		return false;
	}
	text = without_carriage_returns(a, text);
	l.from = l.at = l.line_start = text.n ? text.p : "";
	l.end = l.at + text.n;
	return take_file(&l);
}

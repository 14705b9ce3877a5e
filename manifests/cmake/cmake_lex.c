/*
 * Invocations from tokens, one piece of the file at a time.
 *
 * CRLF is read as LF everywhere, also in bracket arguments. So a file with CRLF is copied
 * first; the texts of any other file are slices of it.
 */
#include "manifests/cmake/cmake_lex.h"

enum separation { SEPARATION_OKAY, SEPARATION_WARNING, SEPARATION_ERROR };

/* ---- invocations ----------------------------------------------------------------- */

static bool
file_ends(struct cmake_lexer *l, unsigned line, const char *text)
{
	diag_add(l->d, DIAG_CMAKE_FATAL, (struct place){.file = l->path, .line = line},
		str_of(text));
	return false;
}

/* Reports the token that is not allowed here. CMake reads nothing more then, also no
 * other file. */
static bool
syntax_error(struct cmake_lexer *l, const char *what)
{
	struct str text = l->tokens.token.text;
	struct buf b = {.arena = l->d->arena};

	l->is_fatal = true;
	buf_fmt(&b, "Parse error.  %s%s with text \"", what,
		token_name(l->tokens.token.kind));
	if (l->tokens.token.kind != TOKEN_BAD_CHARACTER || text.p[0] || l->shows_nul)
		buf_str(&b, text);
	buf_z(&b, "\".");
	diag_add(l->d, DIAG_CMAKE_FATAL,
		(struct place){.file = l->path, .line = l->tokens.line}, buf_as_str(&b));
	return false;
}

/* false: two tokens follow each other where CMake does not allow it. */
static bool
is_separated(struct cmake_lexer *l, enum separation before)
{
	bool is_error =
		before == SEPARATION_ERROR || l->tokens.token.kind == TOKEN_BRACKET;

	if (before == SEPARATION_OKAY)
		return true;
	diag_add(l->d, is_error ? DIAG_CMAKE_FATAL : DIAG_CMAKE_AUTHOR,
		(struct place){.file = l->path, .line = l->tokens.token.line},
		str_fmt(l->d->arena,
			"Syntax %s in cmake code at column %u\n"
			"Argument not separated from preceding token by whitespace.",
			is_error ? "Error" : "Warning", l->tokens.token.column));
	return !is_error;
}

/*
 * Makes room for one more row. A large table gets the size that the whole text will
 * probably need instead of being doubled: half of a doubled table is memory that is
 * touched for nothing.
 */
static void *
table_room(struct cmake_lexer *l, void *v, size_t size, size_t n, size_t *cap)
{
	enum { LARGE = 1024 };
	const struct tokenizer *t = &l->tokens;
	size_t read = (size_t)(t->at - t->from) + 1, whole = (size_t)(t->end - t->from);
	size_t guess = (size_t)((double)n / (double)read * (double)whole * 1.02) + LARGE;
	char *p;

	if (n < LARGE || guess <= n)
		return vec_grow(l->tables, v, size, cap);
	p = arena_alloc_array(l->tables, size, guess);
	memcpy(p, v, n * size);
	*cap = guess;
	return p;
}

static bool
argument_add(struct cmake_lexer *l, enum argument_kind kind, enum separation before)
{
	const struct token *t = &l->tokens.token;
	struct cmake_file *f = l->out;

	if (!is_separated(l, before))
		return false;
	if (f->arguments.n == f->arguments.cap)
		f->arguments.v = table_room(l, f->arguments.v, sizeof *f->arguments.v,
			f->arguments.n, &f->arguments.cap);
	f->arguments.v[f->arguments.n++] =
		(struct cmake_argument){t->text, t->line, kind, t->is_plain};
	return true;
}

/* Handles a token between the parentheses: -1 it fails, 0 go on, 1 it is the end. */
static int
argument_token(struct cmake_lexer *l, size_t *depth, enum separation *s)
{
	enum separation before = *s;

	switch (l->tokens.token.kind) {
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

/* From after the command's name to its closing parenthesis. */
static bool
take_arguments(struct cmake_lexer *l)
{
	unsigned line = l->tokens.token.line;
	enum separation s = SEPARATION_OKAY;
	size_t depth = 0;
	bool more;

	while ((more = next_token(&l->tokens)) && l->tokens.token.kind == TOKEN_SPACE)
		;
	l->is_fatal = !more;
	if (!more)
		return file_ends(l, line,
			"Unexpected end of file.\n"
			"Parse error.  Function missing opening \"(\".");
	if (l->tokens.token.kind != TOKEN_LEFT)
		return syntax_error(l, "Expected \"(\", got ");
	while (next_token(&l->tokens)) {
		int end = argument_token(l, &depth, &s);

		if (end)
			return end > 0;
	}
	return file_ends(l, line,
		"Parse error.  Function missing ending \")\".  End of file reached.");
}

static bool
take_invocation(struct cmake_lexer *l)
{
	struct cmake_file *f = l->out;
	size_t first = f->arguments.n;
	struct cmake_invocation c = {.name = l->tokens.token.text,
		.line = l->tokens.token.line,
		.first = (uint32_t)first,
		.command = INVOCATION_UNRESOLVED};

	if (!take_arguments(l))
		return false;
	c.n = (uint32_t)(f->arguments.n - first);
	if (f->calls.n == f->calls.cap)
		f->calls.v =
			table_room(l, f->calls.v, sizeof c, f->calls.n, &f->calls.cap);
	f->calls.v[f->calls.n++] = c;
	return true;
}

bool
cmake_lexer_take(
	struct cmake_lexer *l, struct arena *tables, struct cmake_file *out, size_t most)
{
	INVARIANT(tables && out);
	l->tables = tables;
	l->out = out;
	while (most && next_token(&l->tokens)) {
		switch ((int)l->tokens.token.kind) {
		case TOKEN_SPACE:
			break;
		case TOKEN_NEWLINE:
			l->is_line_start = true;
			break;
		case TOKEN_COMMENT:
			l->is_line_start = false;
			break;
		case TOKEN_IDENTIFIER:
			if (!l->is_line_start)
				return syntax_error(l, "Expected a newline, got ");
			l->is_line_start = false;
			if (!take_invocation(l))
				return false;
			most--;
			break;
		default:
			return syntax_error(l, "Expected a command name, got ");
		}
	}
	return true;
}

bool
cmake_lexer_at_end(const struct cmake_lexer *l)
{
	return l->tokens.at == l->tokens.end;
}

/* ---- file ------------------------------------------------------------------------ */

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

/* false: the byte order mark is not that of UTF-8. */
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
cmake_lexer_open(struct cmake_lexer *l, struct arena *a, struct str path, struct str text,
	struct diag *d)
{
	*l = (struct cmake_lexer){.tokens = {.a = a, .line = 1},
		.path = path,
		.d = d,
		.is_line_start = true};
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
	if (!text.n)
		text = STR("");
	INVARIANT(text.p[text.n] == '\0');
	l->tokens.from = l->tokens.at = l->tokens.line_start = text.p;
	l->tokens.end = text.p + text.n;
	return true;
}

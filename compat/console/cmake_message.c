/*
 * How CMake formats the text of message() and of failing commands.
 *
 * A line that begins with a blank is not changed, and such lines stay together; every
 * other line is a paragraph whose words are wrapped. An empty line separates paragraphs,
 * and a newline at the end of the text counts as one more.
 */
#include "compat/console/console.h"

enum { INDENT = 2, COLUMNS = 77 };

/* Takes a line of *text, with its newline. */
static struct str
take_whole_line(struct str *text)
{
	size_t end = str_find(*text, '\n');
	struct str line = str_cut(text->p, end < text->n ? end + 1 : end);

	*text = str_from(*text, line.n);
	return line;
}

/* Takes the lines at the start of *text that begin with a blank. */
static void
add_verbatim(struct buf *out, struct str *text)
{
	while (text->n && text->p[0] == ' ') {
		buf_fill(out, ' ', INDENT);
		buf_str(out, take_whole_line(text));
	}
	buf_char(out, '\n');
}

/* ---- since 4.0 ------------------------------------------------------------------- */

/* Two blanks follow a full stop. A word that does not fit goes to a new line. */
static void
add_paragraph(struct buf *out, struct str line, size_t margin)
{
	size_t column = margin;
	bool after_stop = false;

	if (line.n)
		buf_fill(out, ' ', margin);
	while (line.n) {
		size_t n = str_find(line, ' ');
		struct str word = {line.p, n};
		size_t gap = column == margin ? 0 : after_stop ? 2 : 1;

		line = str_from(line, n < line.n ? n + 1 : n);
		if (n == 0)
			continue;
		if (column + gap + n <= COLUMNS) {
			buf_fill(out, ' ', gap);
			column += gap + n;
		} else {
			buf_char(out, '\n');
			buf_fill(out, ' ', margin);
			column = margin + n;
		}
		buf_str(out, word);
		after_stop = word.p[n - 1] == '.';
	}
	buf_char(out, '\n');
}

static void
add_text(struct buf *out, struct str text)
{
	while (text.n) {
		size_t end = str_find(text, '\n');
		bool has_newline = end < text.n;

		if (text.p[0] == ' ') {
			add_verbatim(out, &text);
			continue;
		}
		add_paragraph(out, str_cut(text.p, end), INDENT);
		if (has_newline)
			buf_char(out, '\n');
		text = str_from(text, has_newline ? end + 1 : end);
	}
}

/* ---- before 4.0 ------------------------------------------------------------------ */

static size_t
word_length(struct str text)
{
	size_t n = 0;

	while (n < text.n && text.p[n] != ' ' && text.p[n] != '\n')
		n++;
	return n;
}

/* Even the first word, and a newline that does not follow a word which fits, can be too
 * much for a line, and then begin another one. */
static void
wrap_as_before(struct buf *out, struct str text)
{
	size_t column = 0, margin = 0;
	bool after_stop = false;

	buf_fill(out, ' ', INDENT);
	while (text.n) {
		size_t n = word_length(text);
		bool fits = column + after_stop + n < COLUMNS - INDENT;
		size_t gap = column ? 1 + after_stop : 0;

		if (!fits) {
			buf_char(out, '\n');
			column = gap = 0;
			margin = INDENT;
		}
		if (n) {
			buf_fill(out, ' ', column ? gap : margin);
			buf_str(out, str_cut(text.p, n));
			column += gap + n;
			after_stop = text.p[n - 1] == '.';
		}
		text = str_from(text, n);
		if (fits && text.n && text.p[0] == '\n') {
			buf_char(out, '\n');
			column = 0;
			margin = INDENT;
			text = str_from(text, 1);
		}
		while (text.n && text.p[0] == ' ')
			text = str_from(text, 1);
	}
	buf_char(out, '\n');
}

/* Until 3.25 each line is wrapped alone, later all up to the next verbatim line together,
 * with one more newline between them. */
static void
add_text_as_before(struct buf *out, struct str text, bool are_apart)
{
	while (text.n) {
		struct buf lines = {.arena = out->arena};

		if (text.p[0] == ' ') {
			add_verbatim(out, &text);
			continue;
		}
		buf_str(&lines, take_whole_line(&text));
		while (!are_apart && text.n && text.p[0] != ' ') {
			buf_char(&lines, '\n');
			buf_str(&lines, take_whole_line(&text));
		}
		wrap_as_before(out, buf_as_str(&lines));
	}
}

static void
add_place(struct buf *out, const struct place *at)
{
	buf_str(out, at->file);
	if (at->line)
		buf_fmt(out, ":%u", at->line);
	if (at->command.n)
		buf_fmt(out, " (%.*s)", STR_ARG(at->command));
}

/* The first and the last words of a message. */
struct form {
	const char *title, *note;
};

#define FOR_DEVELOPERS "This warning is for project developers.  Use "

static struct form
form_of(enum diag_kind kind, bool has_kinds)
{
	static const struct form author[] = {
		{"CMake Warning (dev)", FOR_DEVELOPERS "-Wno-dev to suppress it."},
		{"CMake Warning (author)", FOR_DEVELOPERS "-Wno-author to suppress it."}};
	static const struct form policy[] = {
		{"CMake Warning (dev)", FOR_DEVELOPERS "-Wno-dev to suppress it."},
		{"CMake Warning (policy)",
			FOR_DEVELOPERS "-Wno-author or -Wno-policy to suppress it."}};
	static const struct form deprecation[] = {{"CMake Deprecation Warning", ""},
		{"CMake Warning (deprecated)",
			FOR_DEVELOPERS "-Wno-author or -Wno-deprecated to suppress it."}};

	switch (kind) {
	case DIAG_CMAKE_FATAL:
	case DIAG_CMAKE_ERROR:
		return (struct form){"CMake Error", ""};
	case DIAG_CMAKE_WARNING:
		return (struct form){"CMake Warning", ""};
	case DIAG_CMAKE_AUTHOR:
		return author[has_kinds];
	case DIAG_CMAKE_POLICY:
		return policy[has_kinds];
	case DIAG_CMAKE_DEPRECATION:
		return deprecation[has_kinds];
	case DIAG_ERROR:
	case DIAG_WARNING:
	case DIAG_NOTE:
	case DIAG_RAISED:
	case DIAG_OUTPUT:
	case DIAG_STATUS:
	case DIAG_DETAIL:
	case DIAG_CMAKE_MESSAGE:
	case DIAG_KINDS:
		break;
	}
	BUG("not a message with a title");
}

struct str
console_cmake_message(
	struct arena *a, const struct dialect *dialect, const struct diag_entry *e)
{
	struct buf out = {.arena = a};
	const struct place *at = &e->at;
	struct form form;

	if (e->kind == DIAG_CMAKE_MESSAGE)
		return str_fmt(a, "%.*s\n", STR_ARG(e->text));
	form = form_of(e->kind, dialect->has[DIALECT_WARNINGS_NAME_KIND]);
	buf_z(&out, form.title);
	if (at->file.n)
		buf_z(&out, at->line ? " at " : " in ");
	add_place(&out, at);
	buf_z(&out, ":\n");
	if (dialect->has[DIALECT_MARGIN_COUNTS_FIRST])
		add_text_as_before(
			&out, e->text, dialect->has[DIALECT_MARGIN_ON_EMPTY_LINES]);
	else
		add_text(&out, e->text);
	if (at->caller)
		buf_z(&out, "Call Stack (most recent call first):\n");
	for (at = at->caller; at; at = at->caller) {
		buf_fill(&out, ' ', INDENT);
		add_place(&out, at);
		buf_char(&out, '\n');
	}
	add_paragraph(&out, str_of(form.note), 0);
	buf_char(&out, '\n');
	return buf_as_str(&out);
}

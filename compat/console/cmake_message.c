/*
 * How CMake formats the text of message() and of failing commands.
 *
 * A line that begins with a blank is not changed, and such lines stay together; every
 * other line is a paragraph whose words are wrapped. An empty line separates paragraphs,
 * and a newline at the end of the text counts as one more. In older releases every line
 * begins with the margin, even an empty one.
 */
#include "compat/console/console.h"

enum { INDENT = 2, COLUMNS = 77 };

/* Two blanks follow a full stop. A word that does not fit goes to a new line. With
 * margin_first this holds for the first word too, which must be one column shorter. */
static void
add_paragraph(struct buf *out, struct str line, size_t margin, bool margin_first,
	bool margin_if_empty)
{
	size_t column = margin;
	bool after_stop = false;

	if (!line.n && !margin_if_empty) {
		buf_char(out, '\n');
		return;
	}
	buf_fill(out, ' ', margin);
	while (line.n) {
		size_t n = str_find(line, ' ');
		struct str word = {line.p, n};
		size_t gap = column == margin ? 0 : after_stop ? 2 : 1;

		line = str_from(line, n < line.n ? n + 1 : n);
		if (n == 0)
			continue;
		if (column + gap + n + (margin_first && !gap) <= COLUMNS) {
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

/* From 3.26 to 3.31 an empty line has a margin if it is the first, or comes after a
 * verbatim one. */
static void
add_text(struct buf *out, const struct dialect *dialect, struct str text)
{
	bool margin_first = dialect->has[DIALECT_MARGIN_COUNTS_FIRST];
	bool on_all = dialect->has[DIALECT_MARGIN_ON_EMPTY_LINES], begins = true;

	while (text.n) {
		bool is_verbatim = text.p[0] == ' ';
		size_t end;

		do {
			end = str_find(text, '\n');
			if (is_verbatim) {
				buf_fill(out, ' ', INDENT);
				buf_str(out, str_cut(text.p, end));
				buf_char(out, '\n');
			} else {
				add_paragraph(out, str_cut(text.p, end), INDENT,
					margin_first, on_all || (margin_first && begins));
			}
			begins = is_verbatim;
			if (end == text.n)
				return;
			text = str_from(text, end + 1);
		} while (is_verbatim && text.n && text.p[0] == ' ');
		buf_char(out, '\n');
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
	case DIAG_OUTPUT:
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
	bool margin_first = dialect->has[DIALECT_MARGIN_COUNTS_FIRST];
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
	add_text(&out, dialect, e->text);
	if (at->caller)
		buf_z(&out, "Call Stack (most recent call first):\n");
	for (at = at->caller; at; at = at->caller) {
		buf_fill(&out, ' ', INDENT);
		add_place(&out, at);
		buf_char(&out, '\n');
	}
	add_paragraph(&out, str_of(form.note), 0, margin_first, margin_first);
	buf_char(&out, '\n');
	return buf_as_str(&out);
}

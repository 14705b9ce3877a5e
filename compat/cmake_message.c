/*
 * How CMake lays out what message() and failing commands say.
 *
 * A line of the text that begins with a blank stands as it is, and lines of that kind
 * stay together; every other line is a paragraph whose words are wrapped. Paragraphs are
 * separated by an empty line, and a newline at the end of the text counts as one more.
 */
#include "compat/console.h"

enum { INDENT = 2, COLUMNS = 75 };

/* Two blanks follow a full stop. A word that does not fit goes to a line of its own, the
 * first one too. */
static void
add_paragraph(struct buf *out, struct str line)
{
	size_t column = 0;
	bool after_stop = false;

	buf_fill(out, ' ', INDENT);
	while (line.n) {
		size_t n = str_find(line, ' ');
		struct str word = {line.p, n};

		line = str_from(line, n < line.n ? n + 1 : n);
		if (n == 0)
			continue;
		if (column + n + (column && after_stop) < COLUMNS) {
			size_t gap = column == 0 ? 0 : after_stop ? 2 : 1;

			buf_fill(out, ' ', gap);
			column += gap + n;
		} else {
			buf_char(out, '\n');
			buf_fill(out, ' ', INDENT);
			column = n;
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
		bool is_verbatim = text.p[0] == ' ';
		size_t end;

		do {
			end = str_find(text, '\n');
			if (is_verbatim) {
				buf_fill(out, ' ', INDENT);
				buf_str(out, str_cut(text.p, end));
				buf_char(out, '\n');
			} else {
				add_paragraph(out, str_cut(text.p, end));
			}
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

static const char *
title(enum diag_kind kind)
{
	switch (kind) {
	case DIAG_CMAKE_FATAL:
	case DIAG_CMAKE_ERROR:
		return "CMake Error";
	case DIAG_CMAKE_WARNING:
		return "CMake Warning";
	case DIAG_CMAKE_AUTHOR:
		return "CMake Warning (dev)";
	case DIAG_CMAKE_DEPRECATION:
		return "CMake Deprecation Warning";
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
console_cmake_message(struct arena *a, const struct diag_entry *e)
{
	struct buf out = {.arena = a};
	const struct place *at = &e->at;

	if (e->kind == DIAG_CMAKE_MESSAGE)
		return str_fmt(a, "%.*s\n", STR_ARG(e->text));
	buf_z(&out, title(e->kind));
	if (at->file.n)
		buf_z(&out, at->line ? " at " : " in ");
	add_place(&out, at);
	buf_z(&out, ":\n");
	add_text(&out, e->text);
	if (at->caller)
		buf_z(&out, "Call Stack (most recent call first):\n");
	for (at = at->caller; at; at = at->caller) {
		buf_fill(&out, ' ', INDENT);
		add_place(&out, at);
		buf_char(&out, '\n');
	}
	if (e->kind == DIAG_CMAKE_AUTHOR)
		buf_z(&out, "This warning is for project developers.  Use -Wno-dev to "
			    "suppress "
			    "it.\n");
	else
		buf_char(&out, '\n');
	buf_char(&out, '\n');
	return buf_as_str(&out);
}

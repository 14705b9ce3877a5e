/* The texts of --help and --version. */
#include "compat/options_table.h"

#include <string.h>

#ifndef CCTR_VERSION
#define CCTR_VERSION "unknown"
#endif
/* "libuv 1.44.2, PCRE2 10.42, ...": given by the build. */
#ifndef CCTR_LIBRARIES
#define CCTR_LIBRARIES "unknown"
#endif

enum { NAME_COLUMNS = 29, LINE_COLUMNS = 77 };

/* The summary behind "= ", words wrapped, further lines below the first. */
static void
add_summary(struct buf *out, struct str text)
{
	size_t column = NAME_COLUMNS + 4;

	while (text.n) {
		size_t n = str_find(text, ' ');

		if (column + 1 + n > LINE_COLUMNS) {
			buf_char(out, '\n');
			buf_fill(out, ' ', NAME_COLUMNS + 3);
			column = NAME_COLUMNS + 3;
		}
		buf_char(out, ' ');
		buf_str(out, str_cut(text.p, n));
		column += 1 + n;
		text = str_from(text, n < text.n ? n + 1 : n);
	}
	buf_char(out, '\n');
}

static void
add_name(struct buf *name, const char *spelling, const char *value, bool is_optional)
{
	if (!spelling)
		return;
	if (name->n)
		buf_z(name, ", ");
	buf_z(name, spelling);
	if (value && is_optional)
		buf_fmt(name, " [%s]", value);
	else if (value)
		buf_fmt(name, " %s", value);
}

static void
add_row(struct buf *out, const struct option_row *row)
{
	struct buf name = {.arena = out->arena};
	bool is_optional = row->arity == TAKES_OPTIONAL;

	add_name(&name, row->names[0], row->value, is_optional);
	add_name(&name, row->names[1], row->value, is_optional);
	buf_fmt(out, "  %-*s", NAME_COLUMNS, name.p);
	if (name.n > NAME_COLUMNS)
		buf_fmt(out, "\n  %*s", NAME_COLUMNS, "");
	buf_char(out, '=');
	add_summary(out, str_of(row->summary));
}

void
options_help(struct buf *out, const struct dialect *dialect, const char *program)
{
	buf_fmt(out, "Usage\n\n  %s [options]\n\nOptions\n", program);
	for (size_t i = 0; i < option_rows_n; i++)
		if (option_rows[i].summary && option_row_is_in(&option_rows[i], dialect))
			add_row(out, &option_rows[i]);
	buf_z(out, "  --help                       = Print this and exit.\n");
	buf_z(out, "  --version                    = Print the version and exit.\n");
	buf_z(out, "  --version=full               = Print the libraries too.\n\n");
}

/* Scripts read "ctest version 3.25.1" of whatever they call ctest. */
static void
add_version(struct buf *out, const struct dialect *dialect, const char *program)
{
	struct str text = dialect_text(out->arena, dialect);

	if (strcmp(program, "ctest") == 0)
		buf_fmt(out,
			"ctest version %.*s\n\nCMake suite maintained and supported by "
			"Kitware (kitware.com/cmake).\n",
			STR_ARG(text));
	else
		buf_fmt(out, "cctr version %s (ctest %.*s)\n", CCTR_VERSION,
			STR_ARG(text));
}

struct str
option_help_text(
	const struct option_parse *p, enum help_request request, const char *program)
{
	struct buf out = {.arena = p->a};

	switch (request) {
	case HELP_NONE:
	case HELP_PRESETS:
		break;
	case HELP_USAGE:
		options_help(&out, p->dialect, program);
		break;
	case HELP_VERSION:
		add_version(&out, p->dialect, program);
		break;
	case HELP_VERSION_FULL:
		buf_fmt(&out, "cctr version %s (ctest %.*s)\nlibraries: %s\n",
			CCTR_VERSION, STR_ARG(dialect_text(p->a, p->dialect)),
			CCTR_LIBRARIES);
		break;
	}
	return buf_as_str(&out);
}

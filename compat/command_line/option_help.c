/* The texts of --help and --version. */
#include "compat/command_line/option_table.h"

#include <stdio.h>
#include <string.h>

#include "compat/format/json_styled.h"

#ifndef CCTR_VERSION
#define CCTR_VERSION "unknown"
#endif
/* "libuv 1.44.2, PCRE2 10.42, ...": set by the build. */
#ifndef CCTR_LIBRARIES
#define CCTR_LIBRARIES "unknown"
#endif
/* 40 hexadecimal digits; "": not known */
#ifndef CCTR_COMMIT
#define CCTR_COMMIT ""
#endif

enum { NAME_COLUMNS = 29, LINE_COLUMNS = 77 };

/* The summary after "= ", with words wrapped and further lines aligned below the
 * first. */
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

/* "--name <value>", "--name [<value>]", or "--name=<value>" and "--name[=<value>]" where
 * the value cannot be the next word. */
static void
add_name(struct buf *name, const char *spelling, const struct option_row *row)
{
	bool is_optional = row->arity == TAKES_OPTIONAL;
	bool is_glued = row->forms & EQUALS && !(row->forms & NEXT);

	if (!spelling)
		return;
	if (name->n)
		buf_z(name, ", ");
	buf_z(name, spelling);
	if (row->value)
		buf_fmt(name, "%s%s%s%s%s", is_glued ? "" : " ", is_optional ? "[" : "",
			is_glued ? "=" : "", row->value, is_optional ? "]" : "");
}

static void
add_row(struct buf *out, const struct option_row *row)
{
	struct buf name = {.arena = out->arena};
	struct str summary;

	add_name(&name, row->names[0], row);
	add_name(&name, row->names[1], row);
	buf_fmt(out, "  %-*s", NAME_COLUMNS, name.p);
	if (name.n > NAME_COLUMNS)
		buf_fmt(out, "\n  %*s", NAME_COLUMNS, "");
	buf_char(out, '=');
	summary = str_of(row->summary);
	if (row->forms & OWN && str_ends(summary, STR(OWN_MARK)))
		summary.n -= strlen(OWN_MARK);
	add_summary(out, summary);
}

/* The groups of cctr's own options, each with its first row. */
static const struct {
	const char *first, *title;
} groups[] = {
	{"--manifest", "which tests"},
	{"--print-command", "one test by hand"},
	{"--schedule", "when, and for how long"},
	{"--resource", "resources"},
	{"--engine", "several machines"},
	{"--ui", "while it runs"},
	{"--events", "reports"},
	{"--profile", "settings"},
};

static void
add_title(struct buf *out, const struct option_row *row)
{
	const char *name = row->names[1] ? row->names[1] : row->names[0];

	for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
		if (strcmp(groups[i].first, name) == 0)
			buf_fmt(out, "\nOptions of cctr alone: %s\n", groups[i].title);
}

/* The options that are, or are not, cctr's own. */
static void
add_rows(struct buf *out, const struct dialect *dialect, bool are_own)
{
	for (size_t i = 0; i < option_rows_n; i++)
		if (option_rows[i].summary && !(option_rows[i].forms & OWN) == !are_own &&
			option_row_is_in(&option_rows[i], dialect)) {
			add_title(out, &option_rows[i]);
			add_row(out, &option_rows[i]);
		}
}

/* program: "ctest" or "cctr". */
static void
add_usage(struct buf *out, const struct dialect *dialect, const char *program)
{
	buf_fmt(out, "Usage\n\n  %s [options]\n\nOptions\n", program);
	add_rows(out, dialect, false);
	buf_z(out, "  --help                       = Print this and exit.\n");
	buf_z(out, "  --version                    = Print the version and exit.\n");
	buf_z(out, "  --version=full               = Print the libraries too.\n");
	add_rows(out, dialect, true);
	if (strcmp(program, "cctr") == 0) {
		buf_z(out, "\nCommands of cctr, as the first word\n");
		for (size_t i = 0; i < command_rows_n; i++) {
			buf_fmt(out, "  %-*s=", NAME_COLUMNS, command_rows[i].name);
			add_summary(out, str_of(command_rows[i].summary));
		}
	}
	buf_z(out, "\n");
}

/* Scripts expect "ctest version 3.25.1" from any program that they use as ctest. */
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

/* ---- json-v1 --------------------------------------------------------------------- */

static void
add_release(struct json *j, struct str text)
{
	unsigned major = 0, minor = 0, patch = 0;

	(void)sscanf(text.p, "%u.%u.%u", &major, &minor, &patch);
	json_key(j, "version");
	json_open(j, '{');
	json_key(j, "major");
	json_int(j, major);
	json_key(j, "minor");
	json_int(j, minor);
	json_key(j, "patch");
	json_int(j, patch);
	json_key(j, "string");
	json_string(j, text);
	json_close(j, '}');
}

static void
add_program(struct json *j, const char *key, struct str name, struct str release)
{
	json_key(j, key);
	json_open(j, '{');
	if (*CCTR_COMMIT && str_is(name, "cctr")) {
		json_key(j, "commit");
		json_string(j, STR(CCTR_COMMIT));
	}
	json_key(j, "name");
	json_string(j, name);
	add_release(j, release);
	json_close(j, '}');
}

/* "libuv 1.44.2"; "without hwloc" is not a library. */
static void
add_library(struct json *j, struct str library)
{
	size_t blank = str_find(library, ' ');
	struct str name = {library.p, blank};

	if (blank == library.n || str_is(name, "without"))
		return;
	json_open(j, '{');
	json_key(j, "name");
	json_string(j, name);
	json_key(j, "type");
	json_string(j, STR("system"));
	json_key(j, "version");
	json_string(j, str_from(library, blank + 1));
	json_close(j, '}');
}

static void
add_libraries(struct json *j)
{
	struct str rest = STR(CCTR_LIBRARIES);

	json_key(j, "dependencies");
	json_open(j, '[');
	while (rest.n) {
		size_t comma = str_find(rest, ',');

		add_library(j, str_cut(rest.p, comma));
		rest = str_trim(str_from(rest, comma < rest.n ? comma + 1 : comma));
	}
	json_close(j, ']');
}

/* ctest's format. "program" is the program that was called, "ctest" the release that it
 * follows. */
static void
add_version_json(struct buf *out, const struct dialect *dialect, const char *program)
{
	struct json j = {.out = out};
	struct str release = dialect_text(out->arena, dialect);
	bool is_ctest = strcmp(program, "ctest") == 0;

	json_open(&j, '{');
	if (!is_ctest)
		add_program(&j, "ctest", STR("ctest"), release);
	add_libraries(&j);
	add_program(
		&j, "program", str_of(program), is_ctest ? release : STR(CCTR_VERSION));
	json_version(&j, 1, 0);
	json_close(&j, '}');
	buf_char(out, '\n');
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
		add_usage(&out, p->dialect, program);
		break;
	case HELP_VERSION:
		add_version(&out, p->dialect, program);
		break;
	case HELP_VERSION_FULL:
		buf_fmt(&out, "cctr version %s (ctest %.*s)\ncommit: %s\nlibraries: %s\n",
			CCTR_VERSION, STR_ARG(dialect_text(p->a, p->dialect)),
			*CCTR_COMMIT ? CCTR_COMMIT : "unknown", CCTR_LIBRARIES);
		break;
	case HELP_VERSION_JSON:
		add_version_json(&out, p->dialect, program);
		break;
	}
	return buf_as_str(&out);
}

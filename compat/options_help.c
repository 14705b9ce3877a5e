/*
 * --help and --version, which count wherever they stand in the command line, and each of
 * which may name a file to write to.
 */
#include "compat/options_table.h"

#include <errno.h>
#include <string.h>

#include "runner/files.h"

#ifndef CCTR_VERSION
#define CCTR_VERSION "unknown"
#endif
/* "libuv 1.44.2, PCRE2 10.42, ...": given by the build. */
#ifndef CCTR_LIBRARIES
#define CCTR_LIBRARIES "unknown"
#endif

enum { NAME_COLUMNS = 29, LINE_COLUMNS = 77 };

struct topic {
	const char *name;
	enum help_request request; /* HELP_NONE: refused, there is no such help yet */
};

static const struct topic topics[] = {
	{"--help", HELP_USAGE},
	{"-help", HELP_USAGE},
	{"-usage", HELP_USAGE},
	{"-h", HELP_USAGE},
	{"-H", HELP_USAGE},
	{"/?", HELP_USAGE},
	{"--version", HELP_VERSION},
	{"-version", HELP_VERSION},
	{"/V", HELP_VERSION},
	{"/version", HELP_VERSION},
	{"--version=full", HELP_VERSION_FULL},
	{"--help-full", HELP_NONE},
	{"--help-manual", HELP_NONE},
	{"--help-manual-list", HELP_NONE},
	{"--help-command", HELP_NONE},
	{"--help-command-list", HELP_NONE},
	{"--help-commands", HELP_NONE},
	{"--help-module", HELP_NONE},
	{"--help-module-list", HELP_NONE},
	{"--help-modules", HELP_NONE},
	{"--help-policy", HELP_NONE},
	{"--help-policy-list", HELP_NONE},
	{"--help-policies", HELP_NONE},
	{"--help-property", HELP_NONE},
	{"--help-property-list", HELP_NONE},
	{"--help-properties", HELP_NONE},
	{"--help-variable", HELP_NONE},
	{"--help-variable-list", HELP_NONE},
	{"--help-variables", HELP_NONE},
};

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

static struct str
text_of(const struct option_parse *p, enum help_request request, const char *program)
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

static const struct topic *
topic_of(const char *word)
{
	for (size_t i = 0; i < sizeof topics / sizeof *topics; i++)
		if (strcmp(word, topics[i].name) == 0)
			return &topics[i];
	return NULL;
}

/* To the file, or to standard output below what was already said there. */
static bool
say_topic(struct option_parse *p, struct str text, const char *file)
{
	if (!file) {
		if (p->messages->n)
			option_say(p, false, STR("\n\n"));
		option_say(p, false, text);
		return true;
	}
	if (file_write(p->a, file, ".tmp", text))
		return true;
	option_say(p, true,
		str_fmt(p->a, "cctr: cannot write %s: %s\n", file, strerror(errno)));
	return false;
}

bool
option_documentation(struct option_parse *p, int argc, char *const *argv, bool *ok)
{
	struct str name = path_name(str_of(argc ? argv[0] : "cctr"));
	const char *program = str_is(name, "ctest") ? "ctest" : "cctr";

	for (int i = 1; i < argc; i++) {
		const struct topic *topic = topic_of(argv[i]);
		const char *file = NULL;

		if (!topic)
			continue;
		if (p->o->help == HELP_NONE)
			p->o->help = topic->request ? topic->request : HELP_USAGE;
		if (i + 1 < argc && argv[i + 1][0] != '-' && !topic_of(argv[i + 1]))
			file = argv[++i];
		if (topic->request == HELP_NONE ||
			(file && topic->request == HELP_USAGE)) {
			option_say(p, true,
				str_fmt(p->a, "cctr: %s%s%s is not supported yet\n",
					topic->name, file ? " " : "", file ? file : ""));
			*ok = false;
		} else if (!say_topic(p, text_of(p, topic->request, program), file)) {
			*ok = false;
		}
	}
	return p->o->help != HELP_NONE;
}

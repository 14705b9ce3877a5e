/*
 * Help options count anywhere in the command line, and each may name a file to write to.
 * cctr does not know the help texts of CMake itself: the installed cmake prints for these
 * words what ctest prints.
 */
#include "compat/command_line/option_table.h"

#include <errno.h>
#include <string.h>

#include "runner/base/atomic_file.h"
#include "runner/base/files.h"
#include "runner/cmakelang/cmake_program.h"
#include "runner/process/command.h"

struct topic {
	const char *name;
	enum help_request request; /* HELP_NONE: cmake prints it */
	int words; /* that may follow it, a file among them */
	enum dialect_feature since; /* DIALECT_FEATURES: in all releases */
	bool is_obsolete; /* prints only a warning, and reads nothing after it */
};

#define TOPIC(name, request, words, since)                                               \
	{                                                                                \
		name, request, words, since, false                                       \
	}
#define OWN(name, request) TOPIC(name, request, 1, DIALECT_FEATURES)
#define JSON(name) TOPIC(name, HELP_VERSION_JSON, 1, DIALECT_VERSION_JSON)
#define CMAKE(name, words) TOPIC(name, HELP_NONE, words, DIALECT_FEATURES)
#define GROUP(one, all) CMAKE(one, 2), CMAKE(one "-list", 1), CMAKE(all, 1)
#define NEW_CMAKE(name, words) TOPIC(name, HELP_NONE, words, DIALECT_PRESET_ERROR_KINDS)
#define OBSOLETE(name)                                                                   \
	{                                                                                \
		name, HELP_NONE, 1, DIALECT_FEATURES, true                               \
	}

static const struct topic topics[] = {
	OWN("--help", HELP_USAGE),
	OWN("-help", HELP_USAGE),
	OWN("-usage", HELP_USAGE),
	OWN("-h", HELP_USAGE),
	OWN("-H", HELP_USAGE),
	OWN("/?", HELP_USAGE),
	OWN("--version", HELP_VERSION),
	OWN("-version", HELP_VERSION),
	OWN("/V", HELP_VERSION),
	OWN("/version", HELP_VERSION),
	OWN("--version=full", HELP_VERSION_FULL),
	JSON("--version=json-v1"),
	JSON("-version=json-v1"),
	JSON("/V=json-v1"),
	JSON("/version=json-v1"),
	CMAKE("--help-full", 1),
	CMAKE("--help-manual", 2),
	CMAKE("--help-manual-list", 1),
	GROUP("--help-command", "--help-commands"),
	GROUP("--help-module", "--help-modules"),
	GROUP("--help-policy", "--help-policies"),
	GROUP("--help-property", "--help-properties"),
	GROUP("--help-variable", "--help-variables"),
	NEW_CMAKE("--help-diagnostic", 2),
	NEW_CMAKE("--help-diagnostic-list", 1),
	NEW_CMAKE("--help-diagnostics", 1),
	OBSOLETE("--help-compatcommands"),
	OBSOLETE("--help-custom-modules"),
	OBSOLETE("--help-html"),
	OBSOLETE("--help-man"),
	OBSOLETE("--copyright"),
};

static const struct topic *
topic_of(const struct option_parse *p, const char *word)
{
	for (size_t i = 0; i < sizeof topics / sizeof *topics; i++)
		if (strcmp(word, topics[i].name) == 0 &&
			(topics[i].since == DIALECT_FEATURES ||
				p->dialect->has[topics[i].since]))
			return &topics[i];
	return NULL;
}

/* ---- cctr's own ------------------------------------------------------------------ */

/* Separates the text from what was already printed on standard output. */
static void
print_separator(struct option_parse *p)
{
	if (p->messages->n)
		option_say(p, false, STR("\n\n"));
}

static bool
say_own(struct option_parse *p, struct str text, const char *file)
{
	if (!file) {
		print_separator(p);
		option_say(p, false, text);
		return true;
	}
	if (file_write(p->a, file, ".tmp", text))
		return true;
	option_say(p, true,
		str_fmt(p->a, "cctr: cannot write %s: %s\n", file, strerror(errno)));
	return false;
}

/* words: --help-manual, its manual at that path, and perhaps a file to write to. */
static bool
say_manual(struct option_parse *p, struct str path, char *const *words, int n)
{
	struct str text, failed;

	if (option_manual_read(p->a, path, &text, &failed))
		return say_own(p, text, n > 1 ? words[2] : NULL);
	option_say(p, true,
		str_fmt(p->a, "cctr: cannot read %.*s: %s\n", STR_ARG(failed),
			strerror(errno)));
	return false;
}

/* ---- cmake's --------------------------------------------------------------------- */

/* Copies each of cmake's streams to the same stream of cctr. */
struct hearing {
	struct option_parse *parse;
	struct buf texts[2];
};

static void
hear_output(void *context, bool is_error, struct str bytes)
{
	struct hearing *h = context;

	buf_str(&h->texts[is_error], bytes);
}

static bool
say_unanswered(struct option_parse *p, const char *topic, const char *why)
{
	option_say(p, true, str_fmt(p->a, "cctr: %s: %s\n", topic, why));
	return false;
}

static bool
ask_cmake(struct option_parse *p, char *const *words, int n)
{
	struct hearing h = {p, {{.arena = p->a}, {.arena = p->a}}};
	str_vec all = {0};
	struct command c = {.timeout_ns = NO_TIMEOUT,
		.streams = STREAMS_APART,
		.output = hear_output,
		.context = &h};
	struct command_end end;

	VEC_PUSH(p->a, &all, cmake_program(p->a));
	if (!all.v[0].n)
		return say_unanswered(
			p, words[0], "cmake has the answer, and is not there");
	for (int i = 0; i < n; i++)
		VEC_PUSH(p->a, &all, str_of(words[i]));
	c.words = str_vec_list(&all);
	end = command_run(&c);
	if (command_has_error(&end))
		return say_unanswered(p, words[0],
			str_fmt_z(p->a, "%s: %s", all.v[0].p, strerror(end.error)));
	if (h.texts[0].n) {
		print_separator(p);
		option_say(p, false, buf_as_str(&h.texts[0]));
	}
	if (h.texts[1].n)
		option_say(p, true, buf_as_str(&h.texts[1]));
	return command_succeeded(&end);
}

/* ---- the command line ------------------------------------------------------------ */

static bool
looks_like_help(const char *word)
{
	return word[0] == '-' || strcmp(word, "/V") == 0 || strcmp(word, "/?") == 0;
}

/* How many of the following words belong to the topic. */
static int
count_words(const struct topic *topic, int argc, char *const *argv)
{
	/* --help KEYWORD FILE */
	int most = topic->request == HELP_USAGE ? 2 : topic->words, n = 0;

	while (n < most && n < argc && !looks_like_help(argv[n]))
		n++;
	return n;
}

bool
is_called_ctest(const char *program)
{
	return str_is(path_name(str_of(program)), "ctest");
}

/* Prints what the topic asks for; n words follow it. */
static bool
say_topic(struct option_parse *p, const struct topic *topic, const char *program,
	char *const *words, int n)
{
	struct str path;

	if (n && strcmp(words[0], "--help-manual") == 0 && strcmp(program, "cctr") == 0 &&
		option_manual_find(p->a, str_of(words[1]), &path))
		return say_manual(p, path, words, n);
	if (!topic->request || (n && topic->request == HELP_USAGE))
		return ask_cmake(p, words, 1 + n);
	return say_own(
		p, option_help_text(p, topic->request, program), n ? words[1] : NULL);
}

/* The words of a debugger are not for cctr. */
static int
count_own_words(int argc, char *const *argv)
{
	bool debugs = false;

	for (int i = 1; i < argc; i++) {
		if (debugs && strcmp(argv[i], "--") == 0)
			return i;
		debugs = debugs || str_begins(str_of(argv[i]), STR("--debug-test"));
	}
	return argc;
}

bool
option_documentation(struct option_parse *p, int argc, char *const *argv, bool *ok)
{
	const char *program = argc && is_called_ctest(argv[0]) ? "ctest" : "cctr";

	argc = count_own_words(argc, argv);
	for (int i = 1, n; i < argc; i += 1 + n) {
		const struct topic *topic = topic_of(p, argv[i]);

		n = topic ? count_words(topic, argc - i - 1, argv + i + 1) : 0;
		if (!topic)
			continue;
		if (p->o->help == HELP_NONE)
			p->o->help = topic->request ? topic->request : HELP_USAGE;
		*ok = say_topic(p, topic, program, argv + i, n) && *ok;
		if (topic->is_obsolete)
			break;
	}
	return p->o->help != HELP_NONE;
}

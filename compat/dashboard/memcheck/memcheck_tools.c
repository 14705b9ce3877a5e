/* The table of tools, and how a row is used. See memcheck_tools.h. */
#include "compat/dashboard/memcheck/memcheck_tools.h"

#include "compat/launch/executable.h"
#include "compat/settings/configuration.h"
#include "compat/settings/custom_commands.h"
#include "runner/base/files.h"
#include "runner/cmakelang/cmake_program.h"
#include "runner/process/command.h"

#define ONE_LOG "@/MemoryChecker.#.log"
#define DRMEMORY_DIRECTORY "@/DrMemory/#"
#define DRMEMORY_CACHE "@/DrMemory/cache"

enum tool {
	TOOL_VALGRIND,
	TOOL_DRMEMORY,
	TOOL_PURIFY,
	TOOL_BOUNDS,
	TOOL_CUDA,
	TOOL_ADDRESS,
	TOOL_LEAK,
	TOOL_THREAD,
	TOOL_MEMORY,
	TOOL_UNDEFINED,
	TOOLS
};

#define SANITIZER(name, variable_name, report)                                           \
	{                                                                                \
		.style = name, .variable = variable_name, .shape = report,               \
		.place = PLACE_FILES, .log = ONE_LOG, .reader = memcheck_read_sanitizer  \
	}

/* The first row that fits the file name of the command counts. */
static const struct memcheck_tool tools[TOOLS] = {
	[TOOL_VALGRIND] = {.style = "Valgrind",
		.file_names = {"valgrind"},
		.command_key = "ValgrindCommand",
		.options = "-q --tool=memcheck --leak-check=yes --show-reachable=yes "
			   "--num-callers=50",
		.before = {"--log-file=" ONE_LOG},
		.suppression = {"--suppressions=%"},
		.looks_for_suppressions = true,
		.has_faults = true,
		.log = ONE_LOG,
		.reader = memcheck_read_valgrind},
	[TOOL_DRMEMORY] = {.style = "DrMemory",
		.file_names = {"drmemory"},
		.command_key = "DrMemoryCommand",
		.before = {"-logdir", DRMEMORY_DIRECTORY, "-symcache_dir",
			DRMEMORY_CACHE},
		.directories = {DRMEMORY_DIRECTORY, DRMEMORY_CACHE},
		.behind = {"-quiet", "-batch"},
		.suppression = {"-suppress", "%"},
		.last = "--",
		.looks_for_suppressions = true,
		.has_faults = true,
		.place = PLACE_LISTED,
		.log = DRMEMORY_DIRECTORY "/*/results.txt",
		.reader = memcheck_read_drmemory},
	[TOOL_PURIFY] = {.style = "Purify",
		.file_names = {"purify"},
		.command_key = "PurifyCommand",
		.before = {"-log-file=" ONE_LOG},
		.has_faults = true,
		.log = ONE_LOG,
		.reader = memcheck_read_purify},
	[TOOL_BOUNDS] = {.style = "BoundsChecker",
		.file_names = {"BC"},
		.command_key = "BoundsCheckerCommand",
		.before = {"/B", "@/MemoryChecker.#.DPbd", "/X", ONE_LOG},
		.last = "/M",
		.has_faults = true,
		.place = PLACE_XML,
		.log = ONE_LOG,
		.reader = memcheck_read_bounds},
	[TOOL_CUDA] = {.style = "CudaSanitizer",
		.file_names = {"cuda-memcheck", "compute-sanitizer"},
		.command_key = "CudaSanitizerCommand",
		.options = "--tool memcheck --leak-check full",
		.before = {"--log-file", ONE_LOG},
		.log = ONE_LOG,
		.reader = memcheck_read_cuda},
	[TOOL_ADDRESS] = SANITIZER(
		"AddressSanitizer", "ASAN_OPTIONS", "ERROR: AddressSanitizer: {*} on*"),
	[TOOL_LEAK] = SANITIZER("LeakSanitizer", "LSAN_OPTIONS", NULL),
	[TOOL_THREAD] = SANITIZER("ThreadSanitizer", "TSAN_OPTIONS",
		"WARNING: ThreadSanitizer: {*} (pid=*)"),
	[TOOL_MEMORY] = SANITIZER(
		"MemorySanitizer", "MSAN_OPTIONS", "WARNING: MemorySanitizer: {*}"),
	[TOOL_UNDEFINED] = SANITIZER(
		"UndefinedBehaviorSanitizer", "UBSAN_OPTIONS", "runtime error: {*}"),
};

/* ---- choice ---------------------------------------------------------------------- */

static const struct memcheck_tool *
tool_of_name(struct str name)
{
	for (int i = 0; i < TOOLS; i++)
		for (int k = 0; k < 2 && tools[i].file_names[k]; k++)
			if (str_has(name, str_of(tools[i].file_names[k])))
				return &tools[i];
	return NULL;
}

static const struct memcheck_tool *
tool_of_type(struct str type)
{
	for (int i = 0; i < TOOLS; i++)
		if (str_is(type, tools[i].style))
			return &tools[i];
	return NULL;
}

static bool
has_command(struct memcheck *m, struct arena *a, const struct configuration *c,
	const char *key)
{
	struct str command = configuration_get(c, key);

	if (!command.n || !path_exists(path_in(a, m->start, command)))
		return false;
	m->wrapper.shown = command;
	return true;
}

static void
find_sanitizer(struct memcheck *m, struct arena *a)
{
	m->wrapper.shown = cmake_program(a);
	if (!m->wrapper.shown.n)
		m->wrapper.shown = STR("cmake");
}

/* If MemoryCheckCommand does not exist: the first of the other commands that does. */
static const struct memcheck_tool *
find_other(struct memcheck *m, struct arena *a, const struct configuration *c)
{
	static const enum tool order[] = {
		TOOL_PURIFY, TOOL_VALGRIND, TOOL_DRMEMORY, TOOL_BOUNDS, TOOL_CUDA};

	for (size_t i = 0; i < sizeof order / sizeof *order; i++)
		if (has_command(m, a, c, tools[order[i]].command_key))
			return &tools[order[i]];
	return NULL;
}

static bool
find_tool(struct memcheck *m, struct arena *a, const struct configuration *c,
	struct console *console)
{
	const struct memcheck_tool *typed =
		tool_of_type(configuration_get(c, "MemoryCheckType"));

	m->tool = typed;
	if (typed && typed->variable) {
		find_sanitizer(m, a);
		return true;
	}
	if (!has_command(m, a, c, "MemoryCheckCommand")) {
		m->tool = find_other(m, a, c);
		if (!m->tool && !m->is_quiet)
			console_say(console, CHANNEL_WARNING,
				STR("Memory checker (MemoryCheckCommand) not set, or "
				    "cannot find the specified program.\n"));
		return m->tool != NULL;
	}
	m->tool = tool_of_name(path_name(m->wrapper.shown));
	if (!m->tool)
		m->tool = typed;
	if (!m->tool)
		console_fmt(console, CHANNEL_ERROR,
			"Do not understand memory checker: %.*s\n",
			STR_ARG(m->wrapper.shown));
	return m->tool != NULL;
}

static void
take_options(struct memcheck *m, struct arena *a, const struct configuration *c)
{
	/* The first that is not empty counts, for every checker. */
	static const char *const keys[] = {"MemoryCheckCommandOptions",
		"ValgrindCommandOptions", "DrMemoryCommandOptions",
		"CudaSanitizerCommandOptions"};
	struct str options = STR("");

	for (size_t k = 0; k < sizeof keys / sizeof *keys && !options.n; k++)
		options = configuration_get(c, keys[k]);
	if (!options.n)
		options = str_of(m->tool->options);
	m->options = custom_command_words(a, options);
	m->sanitizer_options = configuration_get(c, "MemoryCheckSanitizerOptions");
	m->suppressions = configuration_get(c, "MemoryCheckSuppressionFile");
}

static bool
choose_tool(struct wrapper *w, struct arena *a, const struct configuration *c,
	struct console *console)
{
	struct memcheck *m = (struct memcheck *)w;
	struct str found;

	if (!find_tool(m, a, c, console))
		return false;
	take_options(m, a, c);
	if (m->tool->looks_for_suppressions && m->suppressions.n &&
		!path_exists(path_in(a, m->start, m->suppressions))) {
		console_fmt(console, CHANNEL_ERROR,
			"Cannot find memory checker suppression file: %.*s\n",
			STR_ARG(m->suppressions));
		return false;
	}
	command_locate(a, w->shown, str_z(a, m->start), &found);
	w->path = found.n ? found.p : str_z(a, w->shown);
	return true;
}

static void
choose_none(struct wrapper *w)
{
	struct memcheck *m = (struct memcheck *)w;
	static const struct memcheck_tool none = {.style = "Unknown",
		.options = "",
		.log = "",
		.reader = memcheck_read_sanitizer};

	m->tool = &none;
	w->shown = STR("");
	m->suppressions = m->sanitizer_options = STR("");
}

/* ---- its words ------------------------------------------------------------------- */

struct str
memcheck_path(
	const struct memcheck *m, struct arena *a, const char *word, struct str number)
{
	struct buf b = {.arena = a};

	for (; *word; word++)
		if (*word == '@')
			buf_str(&b, m->directory);
		else if (*word == '#')
			buf_str(&b, number);
		else if (*word == '%')
			buf_str(&b, m->suppressions);
		else
			buf_char(&b, *word);
	return buf_as_str(&b);
}

static void
add_words(const struct memcheck *m, struct arena *a, const char *const *words, size_t n,
	struct str number, str_vec *all)
{
	for (size_t i = 0; i < n && words[i]; i++)
		VEC_PUSH(a, all, memcheck_path(m, a, words[i], number));
}

/* A sanitizer gets all its options in one word. */
static void
add_sanitizer_words(
	const struct memcheck *m, struct arena *a, struct str number, str_vec *all)
{
	struct str log = memcheck_path(m, a, m->tool->log, number);
	struct buf b = {.arena = a};

	buf_fmt(&b, "%s=log_path='%.*s'", m->tool->variable, STR_ARG(log));
	if (m->suppressions.n)
		buf_fmt(&b, ":suppressions=%.*s", STR_ARG(m->suppressions));
	if (m->sanitizer_options.n)
		buf_fmt(&b, ":%.*s", STR_ARG(m->sanitizer_options));
	for (size_t i = 0; i < m->options.n; i++)
		buf_fmt(&b, " %.*s", STR_ARG(m->options.v[i]));
	VEC_PUSH(a, all, STR("-E"));
	VEC_PUSH(a, all, STR("env"));
	VEC_PUSH(a, all, buf_as_str(&b));
}

static void
add_tool_words(const struct memcheck *m, struct arena *a, struct str number, str_vec *all)
{
	const struct memcheck_tool *t = m->tool;

	add_words(m, a, t->before, 4, number, all);
	VEC_PUSH_ALL(a, all, m->options);
	add_words(m, a, t->behind, 2, number, all);
	if (m->suppressions.n)
		add_words(m, a, t->suppression, 2, number, all);
	add_words(m, a, &t->last, 1, number, all);
}

/* Dr. Memory does not make its directories itself, but complains if they are missing. */
static void
make_directories(const struct memcheck *m, struct arena *a, struct str number)
{
	const char *const *words = m->tool->directories;

	for (size_t i = 0; i < 2 && words[i]; i++)
		directory_try_make(a, memcheck_path(m, a, words[i], number).p);
}

static struct str_list
words_of(const struct wrapper *w, struct arena *a, unsigned number)
{
	const struct memcheck *m = (const struct memcheck *)w;
	struct str text = str_fmt(a, "%u", number);
	str_vec all = {0};

	VEC_PUSH(a, &all, m->wrapper.shown);
	if (m->tool->variable)
		add_sanitizer_words(m, a, text, &all);
	else
		add_tool_words(m, a, text, &all);
	make_directories(m, a, text);
	return str_vec_list(&all);
}

/* A sanitizer's variable is not quoted. */
static struct str
line_of(const struct wrapper *w, struct arena *a, struct str_list words)
{
	const struct memcheck *m = (const struct memcheck *)w;
	bool has_variable = m->tool->variable != NULL;
	struct str line = executable_command_line(
		a, w->shown, words.v + 1, words.n - 1 - has_variable);

	return has_variable ? str_fmt(a, "%.*s %.*s", STR_ARG(line),
				      STR_ARG(words.v[words.n - 1]))
			    : line;
}

const struct wrapper_type memcheck_wrapper_type = {
	.choose = choose_tool,
	.choose_none = choose_none,
	.words = words_of,
	.line = line_of,
};

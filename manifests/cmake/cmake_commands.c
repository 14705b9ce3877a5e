/*
 * The table of CMake's commands in a test file, and the small commands themselves.
 * Commands of CMake that are not in the table (add_executable) are unknown to ctest, too.
 */
#include "manifests/cmake/cmake_commands.h"

#include <limits.h>
#include <stdlib.h>

#include "runner/base/files.h"

static command_run run_set, run_unset, run_message, run_return, run_break, run_continue;
static command_run run_set_property, run_get_property, run_get_filename_component;

#define NATIVE(command)                                                                  \
	{                                                                                \
#command, COMMAND_NATIVE, run_##command, WORD_NONE, DIALECT_FEATURES     \
	}
#define OUTSIDE(command)                                                                 \
	{                                                                                \
#command, COMMAND_OUTSIDE, NULL, WORD_NONE, DIALECT_FEATURES             \
	}
#define OUTSIDE_SINCE(command, row)                                                      \
	{                                                                                \
#command, COMMAND_OUTSIDE, NULL, WORD_NONE, DIALECT_##row                \
	}
#define BLOCK(command, word)                                                             \
	{                                                                                \
#command, COMMAND_BLOCK, NULL, word, DIALECT_FEATURES                    \
	}

const struct command commands[] = {
	NATIVE(add_subdirectory),
	NATIVE(add_test),
	BLOCK(block, WORD_BLOCK),
	NATIVE(break),
	OUTSIDE(build_name),
	OUTSIDE_SINCE(cmake_diagnostic, CMAKE_DIAGNOSTIC),
	OUTSIDE_SINCE(cmake_file_api, CMAKE_FILE_API),
	OUTSIDE(cmake_host_system_information),
	OUTSIDE_SINCE(cmake_instrumentation, CMAKE_INSTRUMENTATION),
	OUTSIDE(cmake_language),
	NATIVE(cmake_minimum_required),
	OUTSIDE(cmake_parse_arguments),
	OUTSIDE(cmake_path),
	OUTSIDE_SINCE(cmake_pkg_config, CMAKE_PKG_CONFIG),
	NATIVE(cmake_policy),
	OUTSIDE(configure_file),
	NATIVE(continue),
	OUTSIDE_SINCE(discover_tests, DISCOVER_TESTS),
	BLOCK(else, WORD_ELSE),
	BLOCK(elseif, WORD_ELSEIF),
	BLOCK(endblock, WORD_ENDBLOCK),
	BLOCK(endforeach, WORD_ENDFOREACH),
	BLOCK(endfunction, WORD_ENDFUNCTION),
	BLOCK(endif, WORD_ENDIF),
	BLOCK(endmacro, WORD_ENDMACRO),
	BLOCK(endwhile, WORD_ENDWHILE),
	OUTSIDE(exec_program),
	OUTSIDE(execute_process),
	OUTSIDE(file),
	OUTSIDE(find_file),
	OUTSIDE(find_library),
	OUTSIDE(find_package),
	OUTSIDE(find_path),
	OUTSIDE(find_program),
	BLOCK(foreach, WORD_FOREACH),
	BLOCK(function, WORD_FUNCTION),
	OUTSIDE(get_cmake_property),
	OUTSIDE(get_directory_property),
	NATIVE(get_filename_component),
	NATIVE(get_property),
	BLOCK(if, WORD_IF),
	NATIVE(include),
	OUTSIDE(include_guard),
	NATIVE(list),
	OUTSIDE(load_cache),
	BLOCK(macro, WORD_MACRO),
	OUTSIDE(make_directory),
	OUTSIDE(mark_as_advanced),
	NATIVE(math),
	NATIVE(message),
	OUTSIDE(option),
	OUTSIDE(remove),
	NATIVE(return ),
	OUTSIDE(separate_arguments),
	NATIVE(set),
	NATIVE(set_directory_properties),
	NATIVE(set_property),
	NATIVE(set_tests_properties),
	OUTSIDE(site_name),
	NATIVE(string),
	NATIVE(subdirs),
	NATIVE(unset),
	OUTSIDE(use_mangled_mesa),
	OUTSIDE(variable_watch),
	BLOCK(while, WORD_WHILE),
	OUTSIDE(write_file),
};
const size_t commands_n = sizeof commands / sizeof *commands;

bool
command_exists(const struct evaluator *e, const struct command *c)
{
	return c->since == DIALECT_FEATURES || evaluator_has(e, c->since);
}

/* ---- set, unset ------------------------------------------------------------------ */

/* The X of "ENV{X}"; p NULL: a plain variable. */
static struct str
environment_name(struct str name)
{
	if (!str_begins(name, STR("ENV{")) || name.n <= 5)
		return STR_NONE;
	return str_cut(name.p + 4, name.n - 5);
}

/* "CACHE{X}", where that is an entry of the cache. */
static bool
is_cache_entry(const struct evaluator *e, struct str name)
{
	return str_begins(name, STR("CACHE{")) && name.n > 7 &&
	       name.p[name.n - 1] == '}' && evaluator_has(e, DIALECT_CACHE_IN_BRACES);
}

static bool
set_environment(struct evaluator *e, struct str name, struct str_list values)
{
	struct str now = env_get(e, name);

	/* Without a value the variable becomes empty, but is not created. */
	if (values.n == 0 || values.v[0].n == 0) {
		if (now.n)
			env_set(e, name, STR(""));
		return true;
	}
	if (!now.p || !str_eq(now, values.v[0]))
		env_set(e, name, values.v[0]);
	if (values.n > 1)
		say(e, DIAG_CMAKE_AUTHOR,
			str_fmt(e->scratch,
				"Only the first value argument is used when setting an "
				"environment variable.  Argument '%.*s' and later are "
				"unused.",
				STR_ARG(values.v[1])));
	return true;
}

static bool
set_in_parent(struct evaluator *e, struct str name, struct str value)
{
	if (!variable_raise(e->variables, name, value))
		say(e, DIAG_CMAKE_AUTHOR,
			str_fmt(e->scratch,
				"Cannot set \"%.*s\": current scope has no parent.",
				STR_ARG(name)));
	return true;
}

static bool
run_set(struct evaluator *e, struct str_list args)
{
	struct str name, last;
	struct str_list values;

	if (args.n == 0)
		return command_fails(e, "called with incorrect number of arguments");
	name = args.v[0];
	values = list_from(args, 1);
	if (environment_name(name).p)
		return set_environment(e, environment_name(name), values);
	if (is_cache_entry(e, name))
		return leave_subset(e, "set(CACHE{})");
	if (values.n == 0) {
		variable_unset(e->variables, name);
		return true;
	}
	last = values.v[values.n - 1];
	if (str_is(last, "PARENT_SCOPE")) {
		values.n--;
		return set_in_parent(e, name,
			values.n ? str_join(e->scratch, values, STR(";")) : STR_NONE);
	}
	if (str_is(last, "FORCE") ||
		(values.n >= 3 && str_is(values.v[values.n - 3], "CACHE")))
		return leave_subset(e, "set(CACHE) is not evaluated natively");
	variable_set(e->variables, name,
		values.n == 1 ? values.v[0] : str_join(e->scratch, values, STR(";")));
	return true;
}

static bool
run_unset(struct evaluator *e, struct str_list args)
{
	struct str name;

	if (args.n == 0 || args.n > 2)
		return command_fails(e, "called with incorrect number of arguments");
	name = args.v[0];
	if (environment_name(name).p) {
		if (env_get(e, environment_name(name)).p)
			env_set(e, environment_name(name), STR_NONE);
		return true;
	}
	if (is_cache_entry(e, name))
		return leave_subset(e, "unset(CACHE{})");
	if (args.n == 1)
		variable_unset(e->variables, name);
	else if (str_is(args.v[1], "PARENT_SCOPE"))
		return set_in_parent(e, name, STR_NONE);
	else if (!str_is(args.v[1], "CACHE")) /* a test file has no cache */
		return command_fails(e, "called with an invalid second argument");
	return true;
}

/* ---- message --------------------------------------------------------------------- */

enum message_mode {
	MODE_FATAL,
	MODE_SEND,
	MODE_WARNING,
	MODE_AUTHOR,
	MODE_NOTICE,
	MODE_STATUS,
	MODE_SILENT,
	MODE_DEPRECATION,
	MODE_OUTSIDE
};
static const struct {
	const char *name;
	enum message_mode mode;
} message_modes[] = {
	{"SEND_ERROR", MODE_SEND},
	{"FATAL_ERROR", MODE_FATAL},
	{"WARNING", MODE_WARNING},
	{"AUTHOR_WARNING", MODE_AUTHOR},
	{"NOTICE", MODE_NOTICE},
	{"STATUS", MODE_STATUS},
	{"VERBOSE", MODE_SILENT},
	{"DEBUG", MODE_SILENT},
	{"TRACE", MODE_SILENT},
	{"CHECK_START", MODE_OUTSIDE},
	{"CHECK_PASS", MODE_OUTSIDE},
	{"CHECK_FAIL", MODE_OUTSIDE},
	{"CONFIGURE_LOG", MODE_OUTSIDE},
	{"DEPRECATION", MODE_DEPRECATION},
};

static enum message_mode
message_mode(struct str_list *args)
{
	for (size_t i = 0; i < sizeof message_modes / sizeof *message_modes; i++)
		if (str_is(args->v[0], message_modes[i].name)) {
			*args = list_from(*args, 1);
			return message_modes[i].mode;
		}
	return MODE_NOTICE;
}

static bool
run_message(struct evaluator *e, struct str_list args)
{
	enum message_mode mode;
	struct str text;

	if (args.n == 0)
		return command_fails(e, "called with incorrect number of arguments");
	if (variable_get(e->variables, STR("CMAKE_MESSAGE_LOG_LEVEL")).p ||
		variable_get(e->variables, STR("CMAKE_MESSAGE_INDENT")).p ||
		variable_get(e->variables, STR("CMAKE_MESSAGE_CONTEXT_SHOW")).p)
		return leave_subset(e, "message with CMAKE_MESSAGE_ variables");
	mode = message_mode(&args);
	text = str_join(e->scratch, args, STR(""));
	switch (mode) {
	case MODE_FATAL:
		e->is_stopped = true;
		say(e, DIAG_CMAKE_FATAL, text);
		break;
	case MODE_SEND:
		say(e, DIAG_CMAKE_ERROR, text);
		break;
	case MODE_WARNING:
		say(e, DIAG_CMAKE_WARNING, text);
		break;
	case MODE_AUTHOR:
		say(e, DIAG_CMAKE_AUTHOR, text);
		break;
	case MODE_NOTICE:
		say(e, DIAG_CMAKE_MESSAGE, text);
		break;
	case MODE_STATUS:
		if (e->request->shows_status && text.n)
			say(e, DIAG_STATUS,
				str_fmt(e->scratch, "-- %.*s\n", STR_ARG(text)));
		break;
	case MODE_SILENT:
		break;
	case MODE_DEPRECATION:
		if (variable_get(e->variables, STR("CMAKE_WARN_DEPRECATED")).p ||
			variable_get(e->variables, STR("CMAKE_ERROR_DEPRECATED")).p)
			return leave_subset(e, "message with CMAKE_ variables");
		say(e, DIAG_CMAKE_DEPRECATION, text);
		break;
	case MODE_OUTSIDE:
		return leave_subset(e, "this mode of message is not evaluated natively");
	}
	return true;
}

/* ---- return, break, continue ----------------------------------------------------- */

static bool
run_return(struct evaluator *e, struct str_list args)
{
	if (args.n)
		return leave_subset(e, "return with arguments");
	e->flow = FLOW_RETURN;
	return true;
}

static bool
leave_loop(struct evaluator *e, struct str_list args, enum flow flow, const char *upper)
{
	if (args.n)
		return leave_subset(e, "%s with arguments", upper);
	if (e->frame->loops == 0 && flow == FLOW_BREAK &&
		!policy_is_new(e->policies, POLICY_BREAK))
		return leave_subset(e, "BREAK outside a loop, with CMP0055 not set");
	if (e->frame->loops == 0) {
		/* Reading goes on after such a break, but not after such a continue. */
		e->is_stopped = flow == FLOW_CONTINUE;
		say(e, DIAG_CMAKE_FATAL,
			str_fmt(e->scratch,
				"A %s command was found outside of a proper FOREACH or "
				"WHILE "
				"loop scope.",
				upper));
		return false;
	}
	e->flow = flow;
	return true;
}

static bool
run_break(struct evaluator *e, struct str_list args)
{
	return leave_loop(e, args, FLOW_BREAK, "BREAK");
}

static bool
run_continue(struct evaluator *e, struct str_list args)
{
	return leave_loop(e, args, FLOW_CONTINUE, "CONTINUE");
}

/* ---- properties ------------------------------------------------------------------ */

/* CMake knows no tests in a test file. */
static bool
run_set_property(struct evaluator *e, struct str_list args)
{
	if (args.n == 5 && str_is(args.v[0], "TEST") && str_is(args.v[2], "PROPERTY"))
		return command_fails(e, "given TEST names that do not exist:\n  %.*s\n",
			STR_ARG(args.v[1]));
	return leave_subset(e, "set_property is not evaluated natively");
}

static bool
run_get_property(struct evaluator *e, struct str_list args)
{
	if (args.n == 5 && str_is(args.v[1], "TEST") && str_is(args.v[3], "PROPERTY"))
		return command_fails(e, "given TEST name that does not exist: %.*s",
			STR_ARG(args.v[2]));
	return leave_subset(e, "get_property is not evaluated natively");
}

/* A relative path stays relative, unless it is followed: ctest has no source directory.
 */
static struct str
absolute_path(struct evaluator *e, struct str path, bool follow)
{
	struct str normal = path_normal(e->scratch, path);
	char real[PATH_MAX];

	if (str_is(normal, "."))
		return STR("");
	if (follow && realpath(path_seen(e, normal), real))
		return str_dup(e->scratch, str_of(real));
	return normal;
}

static bool
run_get_filename_component(struct evaluator *e, struct str_list args)
{
	struct str path, name;
	size_t first, last;
	bool is_real;

	if (args.n != 3 || str_find(args.v[1], '\\') < args.v[1].n ||
		str_has(args.v[1], STR("//")) || str_begins(args.v[1], STR("~")))
		return leave_subset(e, "this form of get_filename_component");
	path = args.v[1];
	is_real = str_is(args.v[2], "REALPATH");
	if (is_real || str_is(args.v[2], "ABSOLUTE")) {
		variable_set(e->variables, args.v[0], absolute_path(e, path, is_real));
		return true;
	}
	if (str_ends(path, STR("/")))
		return leave_subset(e, "this form of get_filename_component");
	name = path_name(path);
	first = str_find(name, '.');
	last = str_rfind(name, '.');
	if (str_is(args.v[2], "PATH") || str_is(args.v[2], "DIRECTORY"))
		variable_set(e->variables, args.v[0], path_parent(path));
	else if (str_is(args.v[2], "NAME"))
		variable_set(e->variables, args.v[0], name);
	else if (str_is(args.v[2], "EXT"))
		variable_set(e->variables, args.v[0], str_from(name, first));
	else if (str_is(args.v[2], "NAME_WE"))
		variable_set(e->variables, args.v[0], str_cut(name.p, first));
	else if (str_is(args.v[2], "LAST_EXT"))
		variable_set(e->variables, args.v[0], str_from(name, last));
	else if (str_is(args.v[2], "NAME_WLE"))
		variable_set(e->variables, args.v[0], str_cut(name.p, last));
	else
		return leave_subset(e, "this mode of get_filename_component");
	return true;
}

/* The commands that ctest itself adds, and include(): the purpose of a test file. */
#include "manifests/cmake/cmake_commands.h"

#include "runner/base/files.h"

bool
run_add_test(struct evaluator *e, struct str_list args)
{
	if (args.n < 2)
		return command_fails(e, "called with incorrect number of arguments");
	declare(e, DECLARE_TEST, args);
	return true;
}

bool
run_set_tests_properties(struct evaluator *e, struct str_list args)
{
	if (!str_list_has(args, STR("PROPERTIES")))
		return command_fails(e, "unknown error.");
	declare(e, DECLARE_PROPERTIES, args);
	return true;
}

/* Only LABELS has a meaning in a test file. */
bool
run_set_directory_properties(struct evaluator *e, struct str_list args)
{
	size_t i = 0;

	while (i < args.n && !str_is(args.v[i], "PROPERTIES"))
		i++;
	if (i == args.n)
		return command_fails(e, "unknown error.");
	for (i++; i + 1 < args.n; i += 2)
		if (str_is(args.v[i], "LABELS"))
			declare(e, DECLARE_DIRECTORY_LABELS,
				(struct str_list){&args.v[i + 1], 1});
	return true;
}

/* ---- subdirectories -------------------------------------------------------------- */

static struct subdirectory
keep_subdirectory(struct arena *a, const struct subdirectory *sub)
{
	struct str file = str_dup(a, sub->file);

	return (struct subdirectory){.directory = str_dup(a, sub->directory),
		.file = file,
		.spelled = str_eq(sub->file, sub->spelled) ? file
							   : str_dup(a, sub->spelled)};
}

static bool
read_subdirectory(struct evaluator *e, struct str name, bool is_below)
{
	struct subdirectory sub =
		subdirectory_find(e->scratch, &e->places, e->directory, name, is_below);

	if (sub.complaint.n)
		return command_fails(e, "%.*s", STR_ARG(sub.complaint));
	if (!sub.file.n)
		return true;
	if (!reading_is_sure(e))
		return false;
	sub = keep_subdirectory(e->a, &sub);
	switch (e->subdirectory(e->context, e, &sub)) {
	case EVAL_OUTSIDE:
		return leave_subset(e, "a subdirectory is outside");
	case EVAL_UNREADABLE:
		sub.complaint = subdirectory_unreadable(e->scratch, &sub, e->read_error);
		return command_fails(e, "%.*s", STR_ARG(sub.complaint));
	case EVAL_DONE:
		break;
	}
	return true;
}

bool
run_subdirs(struct evaluator *e, struct str_list args)
{
	bool all = true;

	if (args.n == 0)
		return command_fails(e, "called with incorrect number of arguments");
	for (size_t i = 0; i < args.n && all && !is_halted(e); i++)
		all = read_subdirectory(e, args.v[i], false);
	return all;
}

bool
run_add_subdirectory(struct evaluator *e, struct str_list args)
{
	if (args.n == 0)
		return command_fails(e, "called with incorrect number of arguments");
	return read_subdirectory(e, args.v[0], true);
}

/* ---- include --------------------------------------------------------------------- */

struct include {
	struct str file, result;
	bool is_optional, has_no_policy_scope;
};

static bool
include_options(struct evaluator *e, struct str_list args, struct include *in)
{
	if (args.n == 0 || args.n > 4)
		return command_fails(e, "called with wrong number of arguments.  "
					"include() only takes one file.");
	in->file = args.v[0];
	for (size_t i = 1; i < args.n; i++) {
		if (str_is(args.v[i], "OPTIONAL"))
			in->is_optional = true;
		else if (str_is(args.v[i], "NO_POLICY_SCOPE"))
			in->has_no_policy_scope = true;
		else if (str_is(args.v[i], "RESULT_VARIABLE") && i + 1 < args.n)
			in->result = args.v[++i];
		else
			return leave_subset(e, "an unusual argument of include");
	}
	return true;
}

/* The file's changes to policies end with the file, unless CMP0011 is not set. */
static bool
include_read(struct evaluator *e, const struct include *in, struct str shown)
{
	policy_set policies = policies_get(e->policies);
	bool has_scope = !in->has_no_policy_scope &&
			 policy_is_new(e->policies, POLICY_INCLUDE_SCOPE);
	bool is_weak = policies_set_weak(
		     e->policies, !in->has_no_policy_scope && !has_scope),
	     is_there = read_file(e, shown, path_seen(e, shown));

	policies_set_weak(e->policies, is_weak);
	if (has_scope)
		policies_put(e->policies, policies);
	return is_there;
}

static void
set_result(struct evaluator *e, const struct include *in, struct str result)
{
	if (in->result.n)
		variable_set(e->variables, in->result, result);
}

bool
run_include(struct evaluator *e, struct str_list args)
{
	struct include in = {.result = STR("")};
	struct str shown;
	bool is_there;

	if (!include_options(e, args, &in))
		return false;
	if (in.file.n == 0) {
		say(e, DIAG_CMAKE_AUTHOR,
			STR("include() given empty file name (ignored)."));
		return true;
	}
	if (in.file.p[0] != '/' && variable_get(e->variables, STR("CMAKE_MODULE_PATH")).n)
		return leave_subset(e, "include with CMAKE_MODULE_PATH");
	if (in.file.p[0] != '/' && !str_ends(in.file, STR(".cmake")) &&
		!path_exists(path_seen(e, in.file)))
		return leave_subset(e, "include of a module");
	if (in.file.p[0] == '~' || str_find(in.file, '\\') < in.file.n)
		return leave_subset(e, "an unusual file name in include");
	shown = path_normal(e->scratch, in.file);
	if (path_is_directory(path_seen(e, shown))) {
		set_result(e, &in, STR("NOTFOUND"));
		return in.is_optional ||
		       command_fails(e, "requested file is a directory:\n  %.*s",
			       STR_ARG(in.file));
	}
	if (!reading_is_sure(e))
		return false;
	is_there = include_read(e, &in, shown);
	set_result(e, &in, e->is_unreadable ? STR("NOTFOUND") : shown);
	if (e->read_error && !error_is_absence(e->read_error))
		return command_fails(e, "could not read requested file:\n  %.*s\n%s",
			STR_ARG(in.file), strerror(e->read_error));
	if (e->is_unreadable)
		return in.is_optional || e->is_stopped ||
		       command_fails(e, "could not %s requested file:\n  %.*s",
			       is_there ? "load" : "find", STR_ARG(in.file));
	return true;
}

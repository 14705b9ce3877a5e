/* Files are read and messages printed in ctest's order. See settings.h. */
#include "compat/settings/settings.h"

#include <errno.h>
#include <stdlib.h>

#include "runner/base/caller.h"
#include "runner/base/files.h"
#include "runner/cmakelang/cmake_text.h"

struct str_list
settings_script_variables(struct arena *a, const struct options *o)
{
	str_vec v = {0};

	if (o->configuration.p)
		VEC_PUSH(a, &v,
			str_fmt(a, "CMAKE_CONFIG_TYPE=%.*s", STR_ARG(o->configuration)));
	return str_vec_list(&v);
}

struct str_list
settings_variables(struct arena *a, const struct options *o,
	const struct dialect *dialect, bool is_dashboard)
{
	str_vec v = {0};
	struct str_list always = settings_script_variables(a, o);

	VEC_PUSH_ALL(a, &v, always);
	if (!is_dashboard && !o->run.no_interactive_debug) {
		VEC_PUSH(a, &v, STR("CTEST_INTERACTIVE_DEBUG_MODE=1"));
		return str_vec_list(&v);
	}
	VEC_PUSH(a, &v, STR("DART_TEST_FROM_DART=1"));
	VEC_PUSH(a, &v,
		str_fmt(a, "DASHBOARD_TEST_FROM_CTEST=%.*s",
			STR_ARG(dialect_text(a, dialect))));
	return str_vec_list(&v);
}

void
settings_overwrite(struct settings *s)
{
	if (s->options->tree.source_dir.n)
		configuration_set(
			&s->configuration, str_fmt(s->arena, "SourceDirectory=%.*s",
						   STR_ARG(s->options->tree.source_dir)));
	for (size_t i = 0; i < s->options->tree.overwrites.n; i++)
		configuration_set(&s->configuration, s->options->tree.overwrites.v[i]);
}

/* An error: otherwise the tests of another directory would run. */
static void
say_not_entered(struct settings *s, int error)
{
	struct diag d = diag_in(s->arena);

	s->is_unreadable = !diag_system(&d, s->binary, "cannot be entered", error);
	console_diag(s->console, &d);
}

/* Where s->binary leads from the directory that the caller will enter. */
static struct str
path_of_binary(const struct settings *s)
{
	if (s->binary.p[0] == '/' || !s->place.path.n)
		return str_dup(s->arena, s->binary);
	return str_fmt(s->arena, "%.*s/%.*s", STR_ARG(s->place.path), STR_ARG(s->binary));
}

/* Chooses s->binary as the place, and returns its name; on failure `directory`. Until
 * 3.31 the name is the real path, except where the caller's PWD has another name; from
 * then on it is the name as spelled. */
static struct str
choose_place(struct settings *s, struct str directory)
{
	struct str path = path_of_binary(s);
	int error = path_why_not_entered(path.p);

	if (error) {
		if (!error_is_absence(error))
			say_not_entered(s, error);
		return directory;
	}
	s->place.path = path;
	if (s->dialect->has[DIALECT_SAYS_CHANGING_DIRECTORY])
		s->place.name = caller_name_at(s->arena, &s->options->tree.names, path.p);
	else if (s->binary.p[0] == '/')
		s->place.name = s->binary;
	else
		s->place.name = path_join(s->arena, directory, s->binary);
	return s->place.name;
}

/* Since 3.30 --test-dir says where tests are. Files go where the configuration says, and
 * since 4.0 steps of a dashboard find their tests there, too. */
static bool
goes_there(const struct settings *s)
{
	return !s->options->tree.test_dir.n ||
	       !s->dialect->has[DIALECT_TEST_DIR_CHOOSES_TESTS] ||
	       (s->options->dashboard.is_on &&
		       s->dialect->has[DIALECT_STEPS_RUN_AS_SCRIPT]);
}

struct str
settings_read_configuration(struct settings *s, struct str directory)
{
	struct str build;

	s->start = s->options->tree.entered.n ? s->options->tree.entered : directory;
	s->configuration = configuration_load(s->arena, s->start);
	settings_overwrite(s);
	build = configuration_get(&s->configuration, "BuildDirectory");
	s->binary = build.n ? build : s->start;
	return build.n && goes_there(s) ? choose_place(s, directory) : directory;
}

/* TestLoad of the configuration wins over --test-load. */
static void
obey_test_load(const struct settings *s, struct options *changed)
{
	struct str text = configuration_get(&s->configuration, "TestLoad");

	if (text.n && !option_read_unsigned(text, &changed->schedule.test_load))
		console_fmt(s->console, CHANNEL_WARNING,
			"Invalid value for 'Test Load' : %.*s\n", STR_ARG(text));
}

bool
settings_say_unreadable(
	struct arena *a, struct console *console, struct str file, int error)
{
	struct diag d = diag_in(a);

	INVARIANT(error != 0);
	diag_unreadable(&d, file, error);
	console_diag(console, &d);
	return false;
}

void
settings_say_configuration(struct settings *s, struct options *changed)
{
	console_fmt(s->console, CHANNEL_VERBOSE, "UpdateCTestConfiguration  from :%.*s\n",
		STR_ARG(s->configuration.path));
	if (s->configuration.was_read)
		console_fmt(s->console, CHANNEL_VERBOSE, "Parse Config file:%.*s\n",
			STR_ARG(s->configuration.path));
	s->is_unreadable |= s->configuration.error &&
			    !settings_say_unreadable(s->arena, s->console,
				    s->configuration.path, s->configuration.error);
	obey_test_load(s, changed);
	changed->report.subprojects = cmake_list_split(s->arena,
		configuration_get(&s->configuration, "LabelsForSubprojects"), false);
}

void
settings_read_again(struct settings *s, struct options *changed)
{
	configuration_load_into(&s->configuration, s->binary, s->place.path);
	settings_overwrite(s);
	settings_say_configuration(s, changed);
}

struct str
settings_go_on(struct settings *s, struct options *changed, struct str directory)
{
	bool is_named = s->binary.p != s->start.p;

	settings_read_again(s, changed);
	return is_named && goes_there(s) ? choose_place(s, directory) : directory;
}

static bool
has_truncation(const struct settings *s, enum truncation *taken)
{
	return !s->custom.output_truncation.p ||
	       truncation_parse(s->custom.output_truncation, taken);
}

static void
say_truncation(const struct settings *s)
{
	console_fmt(s->console, CHANNEL_ERROR,
		"Invalid value for CTEST_CUSTOM_TEST_OUTPUT_TRUNCATION: %.*s\n",
		STR_ARG(s->custom.output_truncation));
}

void
settings_take_custom(struct settings *s, const struct settings_file *found)
{
	enum truncation truncation;

	s->custom = custom_of(s->arena, found->variables, found->n);
	if (s->dialect->has[DIALECT_COVERAGE_EXCLUDE_LINE] && s->custom.was_read)
		custom_show_coverage(&s->custom, s->console);
	if (has_truncation(s, &truncation))
		return;
	say_truncation(s);
	if (s->dialect->has[DIALECT_CONFIGURATION_LINE_TWICE])
		say_truncation(s);
}

bool
settings_obey_custom(const struct settings *s, struct options *changed)
{
	const struct custom *c = &s->custom;

	if (c->output_size_passed.p)
		changed->report.output.passed = str_int(c->output_size_passed);
	if (c->output_size_failed.p)
		changed->report.output.failed = str_int(c->output_size_failed);
	if (has_truncation(s, &changed->report.output.truncation))
		return true;
	if (s->is_script)
		say_truncation(s);
	/* A message that ctest does not print is not an error. */
	return console_is_quiet(s->console);
}

void
settings_say_failure(const struct settings *s)
{
	console_say(s->console, CHANNEL_ERROR, STR("Errors while running CTest\n"));
	if (s->options->report.output_on_failure)
		return;
	console_fmt(s->console, CHANNEL_ERROR,
		"Output from these tests are in: %.*s/Testing/Temporary/LastTest.log\n",
		STR_ARG(s->binary));
	console_say(s->console, CHANNEL_ERROR,
		STR("Use \"--rerun-failed --output-on-failure\" to re-run the failed "
		    "cases verbosely.\n"));
}

bool
settings_make_directory(struct arena *a, struct console *console, const char *path)
{
	int why;

	INVARIANT(path);
	if (path_is_directory(path) || directory_make(a, path))
		return true;
	why = errno;
	console_fmt(console, CHANNEL_ERROR,
		path_exists(path) ? "File %s is in the place of the testing directory\n"
				  : "Cannot create directory %s\n",
		path);
	errno = why;
	return false;
}

struct job_server *
settings_connect_job_server(struct arena *a, const struct dialect *dialect)
{
	const char *makeflags = getenv("MAKEFLAGS");

	if (!makeflags || !dialect->has[DIALECT_JOB_SERVER])
		return NULL;
	return job_server_connect(a, str_of(makeflags));
}

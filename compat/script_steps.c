/*
 * The commands of scripts that are steps: what their arguments and the script's variables
 * mean for a step, and what becomes of its result. Texts are ctest's. See step.h.
 */
#include "compat/script_steps.h"

#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "runner/cmake_text.h"
#include "runner/files.h"

/* ---- the dashboard of a process ------------------------------------------------------
 */

struct dashboard *
script_dashboard(struct scripts *s)
{
	struct dashboard *d = s->dashboard;

	if (d)
		return d;
	s->dashboard = d = NEW(s->arena, struct dashboard);
	*d = (struct dashboard){
		.arena = s->arena,
		.dialect = s->dialect,
		.console = s->console,
		.inputs = s->inputs,
		.is_script = true,
		.configuration = {.arena = s->arena, .keys = map_in(s->arena)},
		.tag = STR(""),
		.group = STR(""),
		.started_s = time(NULL),
	};
	return d;
}

void
script_set_key(struct dashboard *d, const char *key, struct str value)
{
	struct str text = str_fmt(d->arena, "%s=%.*s", key, STR_ARG(value));

	if (!d->is_quiet)
		console_fmt(d->console, CHANNEL_VERBOSE,
			"SetCTestConfiguration:%s:%.*s\n", key, STR_ARG(value));
	configuration_set(&d->configuration, text);
}

void
script_take_key(struct dashboard *d, const struct script_call *call, const char *key,
	const char *variable)
{
	struct str value = script_variable(call, variable);

	if (!value.n)
		return;
	if (!d->is_quiet)
		console_fmt(d->console, CHANNEL_VERBOSE,
			"SetCTestConfigurationFromCMakeVariable:%s:%s\n", key, variable);
	script_set_key(d, key, value);
}

struct str
script_path(struct scripts *s, struct str path)
{
	return path_normal(s->arena, path_join(s->arena, path_here(s->arena), path));
}

/* ---- arguments -----------------------------------------------------------------------
 */

enum takes { TAKES_NONE, TAKES_VALUE };

struct keyword {
	const char *name;
	enum takes takes;
};

static const struct keyword common[] = {
	{"APPEND", TAKES_NONE},
	{"QUIET", TAKES_NONE},
	{"RETURN_VALUE", TAKES_VALUE},
	{"CAPTURE_CMAKE_ERROR", TAKES_VALUE},
	{"SOURCE", TAKES_VALUE},
	{"BUILD", TAKES_VALUE},
	{"SUBMIT_INDEX", TAKES_VALUE},
};

static const struct keyword of_test[] = {
	{"START", TAKES_VALUE},
	{"END", TAKES_VALUE},
	{"STRIDE", TAKES_VALUE},
	{"EXCLUDE", TAKES_VALUE},
	{"INCLUDE", TAKES_VALUE},
	{"EXCLUDE_LABEL", TAKES_VALUE},
	{"INCLUDE_LABEL", TAKES_VALUE},
	{"EXCLUDE_FIXTURE", TAKES_VALUE},
	{"EXCLUDE_FIXTURE_SETUP", TAKES_VALUE},
	{"EXCLUDE_FIXTURE_CLEANUP", TAKES_VALUE},
	{"PARALLEL_LEVEL", TAKES_VALUE},
	{"REPEAT", TAKES_VALUE},
	{"SCHEDULE_RANDOM", TAKES_VALUE},
	{"STOP_ON_FAILURE", TAKES_NONE},
	{"STOP_TIME", TAKES_VALUE},
	{"TEST_LOAD", TAKES_VALUE},
	{"RESOURCE_SPEC_FILE", TAKES_VALUE},
	{"OUTPUT_JUNIT", TAKES_VALUE},
};

static const struct keyword *
find_keyword(struct str word)
{
	for (size_t i = 0; i < sizeof common / sizeof *common; i++)
		if (str_is(word, common[i].name))
			return &common[i];
	for (size_t i = 0; i < sizeof of_test / sizeof *of_test; i++)
		if (str_is(word, of_test[i].name))
			return &of_test[i];
	return NULL;
}

/* Splits the words; what is wrong with them, or STR_NONE. */
static struct str
parse(struct arena *a, const struct str_list *words, struct step_call *call)
{
	VEC(struct step_argument) found = {0};
	struct str wrong = STR_NONE;

	for (size_t i = 0; i < words->n; i++) {
		const struct keyword *k = find_keyword(words->v[i]);
		struct step_argument argument = {.name = words->v[i]};
		bool has = false;

		if (!k && !wrong.p)
			wrong = str_fmt(a,
				"ctest_test called with unknown argument \"%.*s\".",
				STR_ARG(words->v[i]));
		if (!k)
			continue;
		step_value(&(struct step_call){.arguments = found.v, .n = found.n},
			k->name, &has);
		if (has && k->takes == TAKES_VALUE && !wrong.p)
			wrong = str_fmt(
				a, "Called with more than one value for %s", k->name);
		if (k->takes == TAKES_VALUE && i + 1 < words->n &&
			!find_keyword(words->v[i + 1])) {
			argument.values = &words->v[++i];
			argument.n = 1;
		}
		VEC_PUSH(a, &found, argument);
	}
	call->arguments = found.v;
	call->n = found.n;
	return wrong;
}

struct request {
	struct script_command *c;
	struct dashboard *d;
	struct step_call call;
	size_t errors; /* of the console, when it began */
};

static struct str
get(const struct request *r, const char *keyword)
{
	bool has;

	return step_value(&r->call, keyword, &has);
}

/* The keyword's value, else the variable's. */
static struct str
get_or(const struct request *r, const char *keyword, const char *variable)
{
	struct str value = get(r, keyword);

	return value.n ? value : script_variable(r->c->call, variable);
}

/* ---- results -------------------------------------------------------------------------
 */

static void
set_number(struct request *r, const char *keyword, int value)
{
	struct str variable = get(r, keyword);

	if (variable.n)
		script_reply_set(r->c->reply, variable,
			str_fmt(r->c->scripts->arena, "%d", value));
}

/* An error of CMake, or only words where the script wants to know of it. */
static void
fail(struct request *r, struct str text)
{
	if (get(r, "CAPTURE_CMAKE_ERROR").n)
		console_fmt(r->d->console, CHANNEL_ERROR, "%.*s\n", STR_ARG(text));
	else
		script_reply_error(r->c->reply, text);
}

static void
fail_arguments(struct request *r, struct str text)
{
	struct scripts *s = r->c->scripts;
	bool is_captured = get(r, "CAPTURE_CMAKE_ERROR").n > 0;

	fail(r, str_fmt(s->arena, "%.*s%s", STR_ARG(text),
			is_captured && s->dialect->has[DIALECT_DECLARATIVE_SCRIPTS]
				? " error from command"
				: ""));
}

static void
end(struct request *r)
{
	bool has_error = console_errors(r->c->scripts->console) > r->errors;

	if (get(r, "CAPTURE_CMAKE_ERROR").n)
		set_number(r, "CAPTURE_CMAKE_ERROR", has_error ? -1 : 0);
	else if (has_error)
		r->c->reply->has_error = true;
}

/* ---- where it works ------------------------------------------------------------------
 */

static void
set_directories(struct request *r)
{
	struct scripts *s = r->c->scripts;
	struct str build = get_or(r, "BUILD", "CTEST_BINARY_DIRECTORY");
	struct str source = get_or(r, "SOURCE", "CTEST_SOURCE_DIRECTORY");

	if (build.n)
		script_set_key(r->d, "BuildDirectory", script_path(s, build));
	else
		console_say(s->console, CHANNEL_ERROR,
			STR("CTEST_BINARY_DIRECTORY not set\n"));
	script_set_key(r->d, "SourceDirectory", script_path(s, source));
	r->d->binary = configuration_get(&r->d->configuration, "BuildDirectory");
	r->d->source = configuration_get(&r->d->configuration, "SourceDirectory");
}

static bool
enter(struct request *r)
{
	struct arena *a = r->c->scripts->arena;
	struct str binary = r->d->binary;
	int error = ENOENT;

	if (binary.n && chdir(str_z(a, binary)) == 0) {
		r->d->directory = path_here(a);
		return true;
	}
	if (binary.n)
		error = errno;
	fail(r, str_fmt(a, "ctest_test failed to change directory to %.*s : %s",
			STR_ARG(binary), strerror(error)));
	return false;
}

/* ---- ctest_test ----------------------------------------------------------------------
 */

static void
take_label(struct arena *a, str_vec *labels, struct str value)
{
	if (value.n)
		VEC_PUSH(a, labels, value);
}

static void
take_selection(struct request *r, struct options *o)
{
	struct arena *a = r->c->scripts->arena;
	struct str start = get(r, "START"), end = get(r, "END"),
		   stride = get(r, "STRIDE"), include = get(r, "INCLUDE"),
		   exclude = get(r, "EXCLUDE");

	if (start.n || end.n || stride.n)
		o->range = str_fmt(a, "%.*s,%.*s,%.*s", STR_ARG(start), STR_ARG(end),
			STR_ARG(stride));
	if (include.n) {
		o->include_name = include;
		o->has_include_name = true;
	}
	if (exclude.n) {
		o->exclude_name = exclude;
		o->has_exclude_name = true;
	}
	take_label(a, &o->include_labels, get(r, "INCLUDE_LABEL"));
	take_label(a, &o->exclude_labels, get(r, "EXCLUDE_LABEL"));
	if (get(r, "EXCLUDE_FIXTURE").n)
		o->exclude_fixture = get(r, "EXCLUDE_FIXTURE");
	if (get(r, "EXCLUDE_FIXTURE_SETUP").n)
		o->exclude_fixture_setup = get(r, "EXCLUDE_FIXTURE_SETUP");
	if (get(r, "EXCLUDE_FIXTURE_CLEANUP").n)
		o->exclude_fixture_cleanup = get(r, "EXCLUDE_FIXTURE_CLEANUP");
}

/* false after it has said that the value is none. */
static bool
take_repeat(struct request *r, struct options *o)
{
	static const struct {
		const char *name;
		enum repeat_mode mode;
	} modes[] = {{"UNTIL_FAIL", REPEAT_UNTIL_FAIL}, {"UNTIL_PASS", REPEAT_UNTIL_PASS},
		{"AFTER_TIMEOUT", REPEAT_AFTER_TIMEOUT}};
	struct str value = get(r, "REPEAT");
	size_t colon = str_find(value, ':');
	uint64_t count = 0;

	if (!value.n)
		return true;
	for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
		if (colon < value.n && str_is(str_cut(value.p, colon), modes[i].name) &&
			str_unsigned(str_from(value, colon + 1), UINT32_MAX, &count)) {
			if (count > 1)
				o->repeat =
					(struct repeat){modes[i].mode, (unsigned)count};
			return true;
		}
	console_fmt(r->d->console, CHANNEL_ERROR, "Repeat option invalid value: %.*s\n",
		STR_ARG(value));
	return false;
}

static bool
take_parallel(struct request *r, struct options *o)
{
	struct str value = get(r, "PARALLEL_LEVEL");
	uint64_t n;

	if (!value.n)
		return true;
	if (!str_unsigned(value, UNBOUNDED_JOBS, &n)) {
		console_fmt(r->d->console, CHANNEL_ERROR,
			"ParallelLevel invalid value: %.*s\n", STR_ARG(value));
		return false;
	}
	o->has_parallel = true;
	o->parallel_is_chosen = false;
	o->parallel = n ? (size_t)n : 1;
	return true;
}

static void
take_load(struct request *r, struct options *o)
{
	struct str value = get(r, "TEST_LOAD");
	const char *name = "TEST_LOAD";

	if (!value.n) {
		name = "CTEST_TEST_LOAD";
		value = script_variable(r->c->call, name);
	}
	if (value.n && !test_load_parse(value, &o->test_load))
		console_fmt(r->d->console, CHANNEL_WARNING,
			"Invalid value for '%s' : %.*s\n", name, STR_ARG(value));
}

/* Without any other, a test of a script has ten minutes. */
static void
take_times(struct request *r, struct options *o)
{
	struct str timeout = script_variable(r->c->call, "CTEST_TEST_TIMEOUT");
	struct str stop = get(r, "STOP_TIME");
	int64_t stop_s;

	if (timeout.n)
		o->timeout_s = str_double(timeout);
	if (o->timeout_s <= 0)
		o->timeout_s = 600;
	if (stop.n && stop_time_parse(stop, (int64_t)time(NULL), &stop_s))
		o->stop_s = stop_s;
}

static bool
take_run(struct request *r, struct options *o)
{
	const struct script_call *call = r->c->call;
	struct arena *a = r->c->scripts->arena;
	struct str configuration = script_variable(call, "CTEST_CONFIGURATION_TYPE");
	struct str resources =
		get_or(r, "RESOURCE_SPEC_FILE", "CTEST_RESOURCE_SPEC_FILE");
	struct str subprojects = script_variable(call, "CTEST_LABELS_FOR_SUBPROJECTS");
	bool has;

	if (configuration.n)
		o->configuration = configuration;
	if (resources.n)
		o->resource_spec_file = resources;
	if (subprojects.n) {
		script_set_key(r->d, "LabelsForSubprojects", subprojects);
		o->subprojects = cmake_list_split(a, subprojects, false);
	}
	if (get(r, "OUTPUT_JUNIT").n)
		o->output_junit = get(r, "OUTPUT_JUNIT");
	if (get(r, "SCHEDULE_RANDOM").n)
		o->schedule_random = cmake_is_on(get(r, "SCHEDULE_RANDOM"));
	step_value(&r->call, "STOP_ON_FAILURE", &has);
	o->stop_on_failure = o->stop_on_failure || has;
	take_times(r, o);
	take_load(r, o);
	return take_repeat(r, o) && take_parallel(r, o);
}

static void
run_test(struct request *r)
{
	struct scripts *s = r->c->scripts;
	struct options effective = *s->options;
	struct step_result result = {.value = -1};

	r->d->options = &effective;
	r->d->custom =
		custom_of(s->arena, r->c->call->variables, r->c->call->variables_n);
	effective.dashboard.is_quiet = r->call.quiet;
	take_selection(r, &effective);
	if (take_run(r, &effective))
		step_run(r->d, &r->call, &result);
	r->d->options = NULL;
	s->interrupted = r->d->interrupted ? r->d->interrupted : s->interrupted;
	set_number(r, "RETURN_VALUE", result.value);
}

void
script_answer_test(struct script_command *c)
{
	struct scripts *s = c->scripts;
	struct request r = {.c = c,
		.d = script_dashboard(s),
		.call = {.part = PART_TEST},
		.errors = console_errors(s->console)};
	struct str here = path_here(s->arena);
	struct str wrong = parse(s->arena, &c->call->words, &r.call);

	step_value(&r.call, "APPEND", &r.call.append);
	step_value(&r.call, "QUIET", &r.call.quiet);
	r.d->is_quiet = r.call.quiet;
	if (wrong.n) {
		fail_arguments(&r, wrong);
	} else {
		set_directories(&r);
		if (enter(&r))
			run_test(&r);
	}
	/* Its directory is left, and cctr's own is there still. */
	if (chdir(str_z(s->arena, here)) != 0)
		fail(&r, str_fmt(s->arena,
				 "ctest_test failed to change directory to %.*s : %s",
				 STR_ARG(here), strerror(errno)));
	end(&r);
}

/*
 * ctest_test and ctest_memcheck: which tests run, and how; of ctest_memcheck also the
 * memory checker. Texts are ctest's. See script_steps.h.
 */
#include <time.h>

#include "compat/dashboard/script/script_steps.h"
#include "compat/format/stop_time.h"
#include "runner/cmakelang/cmake_text.h"

/* false: an empty value changes nothing. */
static bool
take_text(struct step_request *r, const char *keyword, struct str *text)
{
	struct str value = request_value(r, keyword);

	if (value.n)
		*text = value;
	return value.n > 0;
}

/* Adds to the labels of the command line, which are for later calls too, or replaces
 * them. */
static void
take_label(struct step_request *r, const char *keyword, str_vec *labels)
{
	struct arena *a = request_arena(r);
	str_vec all = {0};
	struct str label;

	if (!take_text(r, keyword, &label))
		return;
	if (!request_input(r)->dialect->has[DIALECT_COMMAND_LABELS_REPLACE])
		VEC_PUSH_ALL(a, &all, *labels);
	VEC_PUSH(a, &all, label);
	*labels = all;
}

static void
take_selection(struct step_request *r, struct selection_options *o)
{
	struct str start = request_value(r, "START"), end = request_value(r, "END"),
		   stride = request_value(r, "STRIDE");

	if (start.n || end.n || stride.n)
		o->range = str_fmt(request_arena(r), "%.*s,%.*s,%.*s", STR_ARG(start),
			STR_ARG(end), STR_ARG(stride));
	if (take_text(r, "INCLUDE", &o->include_name))
		o->has_include_name = true;
	if (take_text(r, "EXCLUDE", &o->exclude_name))
		o->has_exclude_name = true;
	take_label(r, "INCLUDE_LABEL", &o->include_labels);
	take_label(r, "EXCLUDE_LABEL", &o->exclude_labels);
	take_text(r, "INCLUDE_FROM_FILE", &o->tests_from_file);
	take_text(r, "EXCLUDE_FROM_FILE", &o->exclude_from_file);
	take_text(r, "EXCLUDE_FIXTURE", &o->exclude_fixture);
	take_text(r, "EXCLUDE_FIXTURE_SETUP", &o->exclude_fixture_setup);
	take_text(r, "EXCLUDE_FIXTURE_CLEANUP", &o->exclude_fixture_cleanup);
}

static bool
is_repeat(struct str value, struct repeat *repeat)
{
	static const struct {
		const char *name;
		enum repeat_mode mode;
	} modes[] = {{"UNTIL_FAIL", REPEAT_UNTIL_FAIL}, {"UNTIL_PASS", REPEAT_UNTIL_PASS},
		{"AFTER_TIMEOUT", REPEAT_AFTER_TIMEOUT}};
	size_t colon = str_find(value, ':');
	uint64_t count = 0;

	for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
		if (colon < value.n && str_is(str_cut(value.p, colon), modes[i].name) &&
			str_unsigned(str_from(value, colon + 1), UINT32_MAX, &count)) {
			if (count > 1)
				repeat->mode = modes[i].mode;
			repeat->count = count ? (unsigned)count : 1;
			return true;
		}
	return false;
}

/* Until 4.0 a call repeats as an earlier one did. false after request_fail: the value is
 * invalid. */
static bool
take_repeat(struct step_request *r, struct options *o)
{
	const struct dialect *dialect = request_input(r)->dialect;
	struct str value = request_value(r, "REPEAT");
	struct repeat *kept =
		&request_dashboard(r)->next.repeats[request_input(r)->call.part];

	if (dialect->has[DIALECT_KEYWORD_ERRORS_END_COMMAND])
		*kept = (struct repeat){.mode = REPEAT_NEVER};
	if (value.n && !is_repeat(value, kept)) {
		request_fail(r,
			str_fmt(request_arena(r), "Repeat option invalid value: %.*s\n",
				STR_ARG(value)));
		return false;
	}
	if (kept->mode != REPEAT_NEVER)
		o->run.repeat = *kept;
	return true;
}

/* Until 3.28 what follows a number is ignored. What is no number then ends ctest by a
 * signal. */
static bool
begins_with_number(struct str value)
{
	value = str_trim(value);
	if (value.n && (value.p[0] == '+' || value.p[0] == '-'))
		value = str_from(value, 1);
	return value.n && value.p[0] >= '0' && value.p[0] <= '9';
}

static bool
take_parallel(struct step_request *r, struct schedule_options *o)
{
	const struct dialect *dialect = request_input(r)->dialect;
	struct str value = request_value(r, "PARALLEL_LEVEL");
	bool is_old = !dialect->has[DIALECT_PARALLEL_WITHOUT_VALUE];

	if (!request_has(r, "PARALLEL_LEVEL") || (!value.n && is_old))
		return true;
	if ((is_old && !begins_with_number(value)) ||
		!option_read_parallel(dialect, value, o)) {
		request_fail(r,
			str_fmt(request_arena(r), "ParallelLevel invalid value: %.*s\n",
				STR_ARG(value)));
		return false;
	}
	o->has_parallel = true;
	return true;
}

static void
take_load(struct step_request *r, struct options *o)
{
	struct str value = request_value(r, "TEST_LOAD");
	const char *name = "TEST_LOAD";

	if (!value.n) {
		name = "CTEST_TEST_LOAD";
		value = request_variable(r, name);
	}
	if (value.n && !option_read_unsigned(value, &o->schedule.test_load))
		console_fmt(request_input(r)->console, CHANNEL_WARNING,
			"Invalid value for '%s' : %.*s\n", name, STR_ARG(value));
}

/* The default limit of a script's test: ten minutes. */
enum { SCRIPT_LIMIT_S = 600 };

/* The limit of tests without TIMEOUT. Without the variable, a command line has the limit
 * of the configuration, and a script that of an earlier call. */
static double
default_limit(struct step_request *r)
{
	struct str variable = request_variable(r, "CTEST_TEST_TIMEOUT");
	double limit = request_dashboard(r)->limit_s;

	if (variable.p)
		return str_double(variable);
	if (request_is_of_client(r))
		limit = str_int(
			configuration_get(request_input(r)->configuration, "TimeOut"));
	return limit > 0 ? limit : SCRIPT_LIMIT_S;
}

static void
take_times(struct step_request *r, struct options *o)
{
	struct str stop = request_value(r, "STOP_TIME");
	int64_t stop_s;

	o->run.has_default_timeout = true;
	o->run.default_timeout_s = request_dashboard(r)->limit_s = default_limit(r);
	if (stop.n && stop_time_parse(request_input(r)->dialect, stop,
			      (int64_t)time(NULL), &stop_s))
		o->run.stop_s = stop_s;
}

/* Before 4.0 a file is used until another one is given. */
static void
take_spec_file(struct step_request *r, struct options *o)
{
	struct str given =
		request_value_or(r, "RESOURCE_SPEC_FILE", "CTEST_RESOURCE_SPEC_FILE");
	struct str *kept =
		&request_dashboard(r)->next.spec_files[request_input(r)->call.part];

	if (!given.n &&
		!request_input(r)->dialect->has[DIALECT_KEYWORD_ERRORS_END_COMMAND])
		given = *kept;
	if (given.n)
		o->resources.spec_file = *kept = given;
}

/* Before 4.0 a file for JUnit is used until another one is given, too. */
static void
take_junit(struct step_request *r, struct str *junit)
{
	struct str *kept =
		&request_dashboard(r)->next.junits[request_input(r)->call.part];

	if (take_text(r, "OUTPUT_JUNIT", junit))
		*kept = *junit;
	else if (kept->n &&
		 !request_input(r)->dialect->has[DIALECT_KEYWORD_ERRORS_END_COMMAND])
		*junit = *kept;
}

static void
take_run(struct step_request *r, struct options *o)
{
	struct str subprojects = request_variable(r, "CTEST_LABELS_FOR_SUBPROJECTS");
	struct str order;

	if (subprojects.p) {
		request_key(r, "LabelsForSubprojects", subprojects);
		o->report.subprojects =
			cmake_list_split(request_arena(r), subprojects, false);
	}
	if (request_input(r)->call.part == PART_MEMCHECK &&
		!request_input(r)->dialect->has[DIALECT_MEMCHECK_WRITES_JUNIT])
		o->report.junit = STR("");
	take_junit(r, &o->report.junit);
	take_text(r, "COVERAGE_TOOL", &o->run.coverage_tool);
	if (take_text(r, "SCHEDULE_RANDOM", &order))
		o->schedule.random = o->schedule.random || cmake_is_on(order);
	take_times(r, o);
	take_load(r, o);
	if (!take_repeat(r, o) || !take_parallel(r, &o->schedule))
		return;
	o->run.stop_on_failure =
		o->run.stop_on_failure || request_has(r, "STOP_ON_FAILURE");
	take_spec_file(r, o);
}

/* ---- what calls leave to later calls ---------------------------------------------- */

static void
take_kept(struct step_request *r, struct options *o)
{
	struct dashboard *d = request_dashboard(r);
	const struct kept_options *kept = &d->kept;

	d->next = d->kept;
	if (!kept->is_set)
		return;
	o->schedule.has_parallel = kept->schedule.has_parallel;
	o->schedule.parallel_is_chosen = kept->schedule.parallel_is_chosen;
	o->schedule.parallel = kept->schedule.parallel;
	o->schedule.random = kept->schedule.random;
	o->run.stop_s = kept->run.stop_s;
	o->run.stop_on_failure = kept->run.stop_on_failure;
}

static void
keep_options(struct step_request *r, const struct options *o)
{
	struct kept_options *next = &request_dashboard(r)->next;

	next->is_set = true;
	next->schedule = o->schedule;
	next->run = o->run;
}

static bool
prepare_test(struct step_request *r)
{
	struct options *o = request_options(r);
	struct step_preset preset;

	take_kept(r, o);
	if (!request_take_preset(r, PRESET_STEP_TEST, o, &preset))
		return false;
	if (!request_input(r)->dialect->has[DIALECT_SCRIPT_TAKES_OUTPUT_SIZES])
		o->report.output = output_limits_default();
	take_selection(r, &o->selection);
	take_run(r, o);
	keep_options(r, o);
	return true;
}

static void
keep_next(struct step_request *r)
{
	struct dashboard *d = request_dashboard(r);

	d->kept = d->next;
}

static const struct keyword test_keywords[] = {
	{"START", TAKES_VALUE, 0},
	{"END", TAKES_VALUE, 0},
	{"STRIDE", TAKES_VALUE, 0},
	{"EXCLUDE", TAKES_VALUE, 0},
	{"INCLUDE", TAKES_VALUE, 0},
	{"EXCLUDE_LABEL", TAKES_VALUE, 0},
	{"INCLUDE_LABEL", TAKES_VALUE, 0},
	{"INCLUDE_FROM_FILE", TAKES_VALUE, SINCE(DIALECT_TESTS_FROM_FILE)},
	{"EXCLUDE_FROM_FILE", TAKES_VALUE, SINCE(DIALECT_TESTS_FROM_FILE)},
	{"EXCLUDE_FIXTURE", TAKES_VALUE, 0},
	{"EXCLUDE_FIXTURE_SETUP", TAKES_VALUE, 0},
	{"EXCLUDE_FIXTURE_CLEANUP", TAKES_VALUE, 0},
	{"PARALLEL_LEVEL", MAY_TAKE_VALUE, 0},
	{"REPEAT", TAKES_VALUE, 0},
	{"SCHEDULE_RANDOM", TAKES_VALUE, 0},
	/* ctest accepts and ignores it. */
	{"SCHEDULE_RANDOM_SEED", TAKES_VALUE, SINCE(DIALECT_RANDOM_SEED_OPTION)},
	{"STOP_ON_FAILURE", TAKES_NONE, 0},
	{"STOP_TIME", TAKES_VALUE, 0},
	{"TEST_LOAD", TAKES_VALUE, 0},
	{"RESOURCE_SPEC_FILE", TAKES_VALUE, 0},
	{"OUTPUT_JUNIT", TAKES_VALUE, 0},
	{"PRESET", TAKES_VALUE, SINCE(DIALECT_COMMANDS_TAKE_PRESETS)},
	{"PRESETS_FILE", TAKES_VALUE, SINCE(DIALECT_COMMANDS_TAKE_PRESETS)},
	{"COVERAGE_TOOL", TAKES_VALUE, SINCE(DIALECT_TEST_COVERAGE_TOOL)},
	{NULL, TAKES_NONE, 0},
};

const struct script_step script_step_test = {
	.command = "ctest_test",
	.part = PART_TEST,
	.keywords = test_keywords,
	.before = prepare_test,
	.after = keep_next,
};

/* ---- ctest_memcheck -------------------------------------------------------------- */

static const struct keyword memcheck_keywords[] = {
	{"DEFECT_COUNT", TAKES_VALUE, 0},
	{NULL, TAKES_NONE, 0},
};

static bool
prepare_memcheck(struct step_request *r)
{
	request_keys(r);
	return prepare_test(r);
}

static void
set_outputs(struct step_request *r)
{
	keep_next(r);
	request_set(r, "DEFECT_COUNT", STR("0"));
	request_set_output(r, "DEFECT_COUNT");
}

const struct script_step script_step_memcheck = {
	.command = "ctest_memcheck",
	.part = PART_MEMCHECK,
	.keywords = memcheck_keywords,
	.more = test_keywords,
	.before = prepare_memcheck,
	.after = set_outputs,
};

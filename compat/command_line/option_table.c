/*
 * The table of options, and what each of them sets. command_line.c splits a command line
 * into uses of options; it has both option parsers of ctest.
 */
#include "compat/command_line/option_table.h"

#include <stdlib.h>

#include "compat/options/test_predicates.h"
#include "runner/base/files.h"
#include "runner/cmakelang/cmake_text.h"

/* ---- setters --------------------------------------------------------------------- */

/* ctest's warnings go through its own channel, which -Q closes. */
static void
warn_of_value(struct option_parse *p, const struct option_use *use)
{
	option_complain(p, true,
		str_fmt(p->a, "Invalid value for '%.*s': %.*s\n", STR_ARG(use->spelled),
			STR_ARG(use->value)));
}

static void *
find_member(struct option_parse *p, const struct option_use *use)
{
	return (char *)p->o + use->row->offset;
}

static bool
set_flag(struct option_parse *p, const struct option_use *use)
{
	*(bool *)find_member(p, use) = true;
	return true;
}

static bool
set_text(struct option_parse *p, const struct option_use *use)
{
	*(struct str *)find_member(p, use) = use->value;
	return true;
}

/* Of an option of cctr's own. An empty text is that of a variable that is not set. */
static bool
set_nonempty(struct option_parse *p, const struct option_use *use)
{
	if (!use->value.n)
		return option_error(
			p, "'%.*s' requires an argument", STR_ARG(use->spelled));
	return set_text(p, use);
}

/* A JUnit file shows the output as text, so that the other result files do not compress
 * it. */
static bool
set_junit(struct option_parse *p, const struct option_use *use)
{
	p->o->dashboard.keeps_output_plain = true;
	return set_text(p, use);
}

/* ctest creates the log file of each use, though the last one gets the output. */
static bool
set_output_log(struct option_parse *p, const struct option_use *use)
{
	struct console_options *o = &p->o->console;

	if (o->output_log.n)
		VEC_PUSH(p->a, &o->earlier_logs, o->output_log);
	o->output_log = use->value;
	return true;
}

/* Relative to the directory where cctr was started, even after a chdir. */
static bool
set_source_directory(struct option_parse *p, const struct option_use *use)
{
	p->o->tree.source_dir = path_join(p->a, path_here(p->a), use->value);
	return true;
}

/* Empty label patterns are dropped. */
static bool
set_list(struct option_parse *p, const struct option_use *use)
{
	str_vec *list = find_member(p, use);

	if (use->value.n)
		VEC_PUSH(p->a, list, use->value);
	return true;
}

/* An empty text, too: it is no test's name. */
static bool
add_text(struct option_parse *p, const struct option_use *use)
{
	str_vec *list = find_member(p, use);

	VEC_PUSH(p->a, list, use->value);
	return true;
}

static bool
add_rest(struct option_parse *p, const struct option_use *use)
{
	str_vec *list = find_member(p, use);

	VEC_PUSH_ALL(p->a, list, use->rest);
	return true;
}

static bool
add_filter(struct option_parse *p, const struct option_use *use)
{
	struct diag d = diag_in(p->a);
	struct filter_expression *e = filter_expression_parse(
		p->a, use->value, test_predicate_rows, TEST_PREDICATES, &d);

	if (!e)
		return option_error(p, "'%.*s' given '%.*s': %.*s", STR_ARG(use->spelled),
			STR_ARG(use->value), STR_ARG(d.entries.v[0].text));
	VEC_PUSH(p->a, &p->o->selection.filters, e);
	return true;
}

static bool
ignore_option(struct option_parse *p, const struct option_use *use)
{
	(void)p, (void)use;
	return true;
}

/* Until 3.31 an empty pattern matches nothing. */
static bool
is_pattern(const struct option_parse *p, const struct option_use *use)
{
	return use->value.n > 0 || !p->dialect->has[DIALECT_EMPTY_PATTERN_IS_NONE];
}

static bool
set_include(struct option_parse *p, const struct option_use *use)
{
	p->o->selection.has_include_name = is_pattern(p, use);
	return set_text(p, use);
}

static bool
set_exclude(struct option_parse *p, const struct option_use *use)
{
	p->o->selection.has_exclude_name = is_pattern(p, use);
	return set_text(p, use);
}

static bool
set_extra_verbose(struct option_parse *p, const struct option_use *use)
{
	(void)use;
	p->o->console.verbose = p->o->console.extra_verbose = true;
	return true;
}

static bool
set_configuration(struct option_parse *p, const struct option_use *use)
{
	p->o->configuration = option_configuration(p->a, use->value);
	return true;
}

static bool
set_show_human(struct option_parse *p, const struct option_use *use)
{
	(void)use;
	/* JSON wins over the human format in any order. */
	if (p->o->show_only != SHOW_JSON_V1)
		p->o->show_only = SHOW_HUMAN;
	return true;
}

static bool
set_show_only(struct option_parse *p, const struct option_use *use)
{
	if (!use->has_value || str_is(use->value, "human"))
		set_show_human(p, use);
	else if (str_is(use->value, "json-v1"))
		p->o->show_only = SHOW_JSON_V1;
	else
		return option_error(p, "'--show-only=' given unknown value '%.*s'",
			STR_ARG(use->value));
	p->o->console.quiet = p->o->console.quiet || p->o->show_only == SHOW_JSON_V1;
	return true;
}

static bool
set_no_tests(struct option_parse *p, const struct option_use *use)
{
	p->o->run.has_no_tests = true;
	return option_read_no_tests(use->value, &p->o->run.no_tests) ||
	       option_error(p, "'--no-tests=' given unknown value '%.*s'",
		       STR_ARG(use->value));
}

static bool
set_seconds(struct option_parse *p, const struct option_use *use)
{
	*(double *)find_member(p, use) = str_double(use->value);
	return true;
}

static bool
set_submit_index(struct option_parse *p, const struct option_use *use)
{
	int index = str_int(use->value);

	p->o->submit.index = index > 0 ? index : 0;
	return true;
}

static bool
set_max_width(struct option_parse *p, const struct option_use *use)
{
	p->o->report.max_width = str_int(use->value);
	return true;
}

static bool
set_interactive(struct option_parse *p, const struct option_use *use)
{
	p->o->run.no_interactive_debug = !cmake_is_on(use->value);
	return true;
}

static bool
set_seed(struct option_parse *p, const struct option_use *use)
{
	unsigned long seed;

	if (!option_read_unsigned(use->value, &seed)) {
		warn_of_value(p, use);
		return true;
	}
	p->o->schedule.has_seed = true;
	p->o->schedule.seed = (unsigned)seed;
	return true;
}

static bool
set_output_size(struct option_parse *p, const struct option_use *use)
{
	long size;

	if (option_read_long(p->a, use->value, &size))
		*(long *)find_member(p, use) = size;
	else
		warn_of_value(p, use);
	return true;
}

static bool
set_truncation(struct option_parse *p, const struct option_use *use)
{
	if (truncation_parse(use->value, &p->o->report.output.truncation))
		return true;
	return option_error(p, "Invalid value for '%.*s': %.*s", STR_ARG(use->spelled),
		STR_ARG(use->value));
}

/* ---- one of the words of cctr's own options --------------------------------------- */

/* "<auto|live|plain>" of the row. */
static struct str_list
words_of_row(struct arena *a, const struct option_row *row)
{
	struct str text = str_from(str_of(row->value), 1);
	str_vec words = {0};

	INVARIANT(row->value[0] == '<' && str_ends(text, STR(">")));
	text.n--;
	while (text.n)
		VEC_PUSH(a, &words, str_take(&text, '|'));
	return str_vec_list(&words);
}

static bool
refuse_word(struct option_parse *p, const struct option_use *use, struct str_list words)
{
	struct str_list others = {words.v, words.n - 1};
	struct str named = str_join(p->a, others, STR(", "));

	return option_error(p, "'%.*s' given unknown value '%.*s', not %.*s or %.*s",
		STR_ARG(use->spelled), STR_ARG(use->value), STR_ARG(named),
		STR_ARG(words.v[others.n]));
}

static bool
find_word(struct option_parse *p, const struct option_use *use, int *index)
{
	struct str_list words = words_of_row(p->a, use->row);

	for (*index = 0; *index < (int)words.n; ++*index)
		if (str_eq(use->value, words.v[*index]))
			return true;
	return refuse_word(p, use, words);
}

/* An enumerator: they are in the order of the words. */
static bool
set_word(struct option_parse *p, const struct option_use *use)
{
	return find_word(p, use, find_member(p, use));
}

/* The first enumerator means that no word was given. */
static bool
set_word_after_none(struct option_parse *p, const struct option_use *use)
{
	int *member = find_member(p, use);

	if (!find_word(p, use, member))
		return false;
	++*member;
	return true;
}

/* true for the second of two words. */
static bool
set_second_word(struct option_parse *p, const struct option_use *use)
{
	int index;

	if (!find_word(p, use, &index))
		return false;
	*(bool *)find_member(p, use) = index == 1;
	return true;
}

/* The word itself. */
static bool
set_known_text(struct option_parse *p, const struct option_use *use)
{
	int index;

	return find_word(p, use, &index) && set_text(p, use);
}

/* ---- the table ------------------------------------------------------------------- */

#define AT(m) offsetof(struct options, m)
#define ALWAYS DIALECT_FEATURES
#define FLAG(short_name, long_name, m, text)                                             \
	{                                                                                \
		{short_name, long_name}, NULL, text, TAKES_NOTHING, 0, set_flag, AT(m),  \
			ALWAYS                                                           \
	}
#define VALUE(short_name, long_name, what, setter, m, text)                              \
	{                                                                                \
		{short_name, long_name}, what, text, TAKES_ONE, NEXT, setter, AT(m),     \
			ALWAYS                                                           \
	}
/* Of an option that a step reads until 3.31: --build-and-test, or a submission. */
#define STEP_FORMS (LATE | BEGINS)
#define BUILD_FLAG(name, m, text)                                                        \
	{                                                                                \
		{name, NULL}, NULL, text, TAKES_NOTHING, STEP_FORMS, set_flag, AT(m),    \
			ALWAYS                                                           \
	}
#define BUILD_VALUE(name, what, forms, setter, m, text)                                  \
	{                                                                                \
		{name, NULL}, what, text, TAKES_ONE, NEXT | (forms), setter, AT(m),      \
			ALWAYS                                                           \
	}
#define PLAIN(short_name, long_name, text, setter)                                       \
	{                                                                                \
		{short_name, long_name}, NULL, text, TAKES_NOTHING, 0, setter, 0, ALWAYS \
	}
/* cctr's own options. */
#define OWN_ROW(name, what, arity, setter, at, text)                                     \
	OWN_FORMS(name, what, arity, OWN, setter, at, text)
#define OWN_FORMS(name, what, arity, forms, setter, at, text)                            \
	{                                                                                \
		{name, NULL}, what, text OWN_MARK, arity, forms, setter, at, ALWAYS      \
	}
#define OWN_FLAG(name, m, text) OWN_ROW(name, NULL, TAKES_NOTHING, set_flag, AT(m), text)
#define OWN_VALUE(name, what, setter, at, text)                                          \
	OWN_ROW(name, what, TAKES_ONE, setter, at, text)
#define OWN_OPTIONAL(name, what, setter, at, text)                                       \
	OWN_ROW(name, what, TAKES_OPTIONAL, setter, at, text)
/* Of one call, never of cctr.yaml. */
#define ONCE_FLAG(name, m, text)                                                         \
	OWN_FORMS(name, NULL, TAKES_NOTHING, OWN | ONCE, set_flag, AT(m), text)
#define ONCE_VALUE(name, what, setter, at, text)                                         \
	OWN_FORMS(name, what, TAKES_ONE, OWN | ONCE, setter, at, text)
#define ONCE_OPTIONAL(name, what, setter, at, text)                                      \
	OWN_FORMS(name, what, TAKES_OPTIONAL, OWN | ONCE, setter, at, text)
/* Options without effect on a run of tests. */
#define UNUSED_FLAG(name)                                                                \
	{                                                                                \
		{name, NULL}, NULL, NULL, TAKES_NOTHING, 0, ignore_option, 0, ALWAYS     \
	}
#define UNUSED_VALUE(name, alias)                                                        \
	{                                                                                \
		{name, alias}, NULL, NULL, TAKES_ONE, NEXT, ignore_option, 0, ALWAYS     \
	}

const struct option_row option_rows[] = {
	VALUE("-C", "--build-config", "<cfg>", set_configuration, configuration,
		"Configuration whose tests are run."),
	FLAG("--progress", NULL, console.progress,
		"One changing line instead of one per test."),
	FLAG("-V", "--verbose", console.verbose, "Show commands and their output."),
	PLAIN("-VV", "--extra-verbose", "Show still more.", set_extra_verbose),
	FLAG("--output-on-failure", NULL, report.output_on_failure,
		"Show what a failed test wrote."),
	FLAG("--stop-on-failure", NULL, run.stop_on_failure,
		"Start nothing more once a test has failed."),
	VALUE("--test-output-size-passed", NULL, "<size>", set_output_size,
		report.output.passed,
		"Bytes of a passed test's output that result files keep."),
	VALUE("--test-output-size-failed", NULL, "<size>", set_output_size,
		report.output.failed,
		"Bytes of a failed test's output that result files keep."),
	VALUE("--test-output-truncation", NULL, "<mode>", set_truncation,
		report.output.truncation,
		"Which part of a longer output goes: tail, middle or head."),
	{{"-j", "--parallel"}, "<jobs>", "How many tests run at the same time.",
		TAKES_OPTIONAL, NEXT | GLUED, option_set_parallel, 0, ALWAYS},
	VALUE("--resource-spec-file", NULL, "<file>", set_text, resources.spec_file,
		"File that says which resources this machine has, or auto."),
	FLAG("-Q", "--quiet", console.quiet, "Print nothing."),
	{{"--output-junit", NULL}, "<file>", "Write the results as JUnit XML.", TAKES_ONE,
		NEXT | MUST, set_junit, AT(report.junit), ALWAYS},
	PLAIN("-N", NULL, "List the tests, run none.", set_show_human),
	{{"--show-only", NULL}, "<format>",
		"List the tests, run none. The format is human or json-v1.",
		TAKES_OPTIONAL, EQUALS, set_show_only, 0, ALWAYS},
	VALUE("-L", "--label-regex", "<regex>", set_list, selection.include_labels,
		"Run tests with a label that matches; may be given several times."),
	VALUE("-R", "--tests-regex", "<regex>", set_include, selection.include_name,
		"Run tests whose name matches."),
	VALUE("-E", "--exclude-regex", "<regex>", set_exclude, selection.exclude_name,
		"Leave out tests whose name matches."),
	VALUE("-LE", "--label-exclude", "<regex>", set_list, selection.exclude_labels,
		"Leave out tests with a label that matches; may be given several times."),
	VALUE("-FA", "--fixture-exclude-any", "<regex>", set_text,
		selection.exclude_fixture,
		"Add neither setups nor cleanups of fixtures that match."),
	VALUE("-FS", "--fixture-exclude-setup", "<regex>", set_text,
		selection.exclude_fixture_setup, "Add no setups of fixtures that match."),
	VALUE("-FC", "--fixture-exclude-cleanup", "<regex>", set_text,
		selection.exclude_fixture_cleanup,
		"Add no cleanups of fixtures that match."),
	VALUE("-I", "--tests-information", "<range|file>", set_text, selection.range,
		"Run tests by their number: start,end,stride,n,n and so on."),
	FLAG("-U", "--union", selection.use_union,
		"Run what -I or -R selects, not what both do."),
	FLAG("--rerun-failed", NULL, selection.rerun_failed,
		"Run the tests that failed the last time."),
	{{"--repeat", NULL}, "<mode:n>",
		"Run a test up to n times: until-fail, until-pass or after-timeout.",
		TAKES_ONE, NEXT | MUST, option_set_repeat, 0, ALWAYS},
	{{"--repeat-until-fail", NULL}, "<n>", "The same as --repeat until-fail:n.",
		TAKES_ONE, NEXT | MUST | REQUIRES, option_set_repeat_until_fail, 0,
		ALWAYS},
	VALUE("-W", "--max-width", "<width>", set_max_width, report.max_width,
		"Columns for the name of a test."),
	{{"--interactive-debug-mode", NULL}, "<0|1>",
		"Whether tests may open windows and debuggers.", TAKES_ONE, NEXT,
		set_interactive, 0, ALWAYS},
	FLAG("--no-label-summary", NULL, report.no_label_summary,
		"Leave out the times of labels."),
	FLAG("--no-subproject-summary", NULL, report.no_subproject_summary,
		"Leave out the times of subprojects."),
	{{"--test-dir", NULL}, "<dir>", "Build directory to work in.", TAKES_ONE,
		NEXT | MUST | REQUIRES, set_text, AT(tree.test_dir), ALWAYS},
	{{"--build-dir", NULL}, "<dir>", "The same as --test-dir.", TAKES_ONE,
		NEXT | MUST | REQUIRES, set_text, AT(tree.test_dir),
		DIALECT_DIRECTORY_OPTIONS},
	{{"--schedule-random", NULL}, NULL, "Start tests in random order.", TAKES_NOTHING,
		LATE, set_flag, AT(schedule.random), ALWAYS},
	{{"--schedule-random-seed", NULL}, "<seed>",
		"Start of that order's random numbers.", TAKES_ONE, NEXT, set_seed, 0,
		DIALECT_RANDOM_SEED_OPTION},
	VALUE("--timeout", NULL, "<seconds>", set_seconds, run.timeout_s,
		"Time limit of tests that have none of their own."),
	FLAG("--print-labels", NULL, print_labels, "List the labels, run nothing."),
	{{"--stop-time", NULL}, "<time>",
		"Time of day, such as 14:30, at which the run ends.", TAKES_ONE, NEXT,
		option_set_stop_time, 0, ALWAYS},
	{{"--test-load", NULL}, "<level>",
		"Start tests only while the machine's load is below the level.",
		TAKES_ONE, NEXT, option_set_test_load, 0, ALWAYS},
	FLAG("-F", NULL, run.resumes, "Go on where the last run was interrupted."),
	{{"--tests-from-file", NULL}, "<file>", "Run the tests that the file names.",
		TAKES_ONE, NEXT, set_text, AT(selection.tests_from_file),
		DIALECT_TESTS_FROM_FILE},
	{{"--exclude-from-file", NULL}, "<file>",
		"Leave out the tests that the file names.", TAKES_ONE, NEXT, set_text,
		AT(selection.exclude_from_file), DIALECT_TESTS_FROM_FILE},
	VALUE("-O", "--output-log", "<file>", set_output_log, console.output_log,
		"Write what is said to a file too."),
	{{"--overwrite", NULL}, "<key=value>",
		"Set a key of the build tree's configuration; may be given several "
		"times.",
		TAKES_ONE, NEXT, option_set_overwrite, 0, ALWAYS},
	PLAIN("--debug", NULL, "Show more than -V, where there is more.",
		option_set_debug),
	{{"--source-dir", NULL}, "<dir>",
		"Source directory; the build directory is made if need be.", TAKES_ONE,
		NEXT | REQUIRES, set_source_directory, 0, DIALECT_DIRECTORY_OPTIONS},
	{{"--", NULL}, NULL, "What follows is passed to every test.", TAKES_NOTHING,
		TO_END, option_set_pass_through, 0, DIALECT_DIRECTORY_OPTIONS},
	{{"--no-tests", NULL}, "<error|ignore>", "What it means when there are no tests.",
		TAKES_ONE, EQUALS, set_no_tests, 0, ALWAYS},

	{{"--preset", NULL}, "<name>", "Options from a test preset.", TAKES_ONE,
		NEXT | EQUALS | REQUIRES, ignore_option, 0, ALWAYS},
	{{"--presets-file", NULL}, "<file>",
		"Read presets from this file and from no other.", TAKES_ONE,
		NEXT | EQUALS | REQUIRES, ignore_option, 0, DIALECT_DIRECTORY_OPTIONS},
	PLAIN("--list-presets", NULL, "List the test presets, run nothing.",
		ignore_option),

	{{"-D", "--dashboard"}, "<name>",
		"Make the steps of a dashboard: Experimental, Nightly and so on.",
		TAKES_ONE, NEXT | GLUED | LATE, option_set_dashboard, 0, ALWAYS},
	{{"-M", "--test-model"}, "<model>",
		"Model of the dashboard: Experimental, Nightly or Continuous.", TAKES_ONE,
		NEXT | LATE, option_set_model, 0, ALWAYS},
	{{"-T", "--test-action"}, "<step>",
		"Make a step of a dashboard; may be given several times.", TAKES_ONE,
		NEXT | LATE, option_set_action, 0, ALWAYS},
	VALUE("--track", "--group", "<group>", set_text, dashboard.group,
		"Group of the dashboard that results are sent to."),
	{{"-A", "--add-notes"}, "<files>", "Files that become notes of the dashboard.",
		TAKES_ONE, NEXT, option_set_notes, 0, ALWAYS},
	{{"--extra-submit", NULL}, "<files>", "Files that are submitted too.", TAKES_ONE,
		NEXT | LATE, option_set_extra_submit, 0, ALWAYS},
	FLAG("--tomorrow-tag", NULL, dashboard.tomorrow, "Count the day as tomorrow."),
	FLAG("--no-compress-output", NULL, dashboard.keeps_output_plain,
		"Leave outputs of tests uncompressed in Test.xml."),
	{{"-S", "--script"}, "<script>[,<argument>]",
		"Run a dashboard script; may be given several times.", TAKES_ONE,
		NEXT | LATE_TO_3_29, option_set_script, 0, ALWAYS},
	{{"-SP", "--script-new-process"}, "<script>[,<argument>]",
		"Run a dashboard script in a process of its own.", TAKES_ONE,
		NEXT | LATE_TO_3_29, option_set_script_process, 0, ALWAYS},
	{{"--submit-index", NULL}, "<n>",
		"Number of this submission, in the names of its files.", TAKES_ONE, NEXT,
		set_submit_index, 0, ALWAYS},
	FLAG("--http1.0", NULL, submit.is_http_1_0, "Submit with HTTP 1.0."),
	{{"--http-header", NULL}, "<header>", "Submit with a header more.", TAKES_ONE,
		NEXT | STEP_FORMS, add_text, AT(submit.headers), DIALECT_TESTS_FROM_FILE},

	ONCE_VALUE("--manifest", "<file>", set_nonempty, AT(manifest),
		"Run the tests of a json-v1 file; - is standard input."),
	ONCE_VALUE("--test", "<test>", add_text, AT(selection.tests),
		"Run the test of exactly this name; may be given several times."),
	{{"-f", "--filter"}, "<expression>",
		"Run tests for which the expression holds, such as label(gpu). (cctr)",
		TAKES_ONE, OWN | ONCE, add_filter, 0, ALWAYS},
	OWN_FLAG("--with-depends", selection.with_depends,
		"Run what the selected tests depend on, too."),
	ONCE_VALUE("--shard", "<i/n>", option_set_shard, 0,
		"Run the i-th of n parts of the tests, for n machines."),
	OWN_FLAG("--strict", selection.strict,
		"Run nothing where a name in the tests or the options means nothing."),

	ONCE_VALUE("--print-command", "<test>", add_text, AT(print_commands),
		"Print the command of a test for a shell; may be given several times."),
	ONCE_VALUE("--debug-test", "<test>", set_text, AT(debug_test),
		"Run one test on the terminal; after --: the words of a debugger."),
	OWN_VALUE("--wrapper", "<command>", option_set_wrapper, 0,
		"Run each test by the command, such as valgrind."),

	OWN_VALUE("--schedule", "<ctest|pressure>", set_word, AT(schedule.order),
		"Order in which tests start: ctest's, or longest way first."),
	OWN_VALUE("--reserve", "<n>", option_set_reserve, 0,
		"How many waiting tests have a time reserved, 1 to 64."),
	OWN_VALUE("--timings", "<file>", set_nonempty, AT(schedule.timings),
		"How long tests take: a text file that is read and updated."),
	ONCE_OPTIONAL("--simulate", "<file>", option_set_simulate, 0,
		"Run nothing, say how long the run would take."),
	ONCE_VALUE("--explain", "<test>", add_text, AT(schedule.explain),
		"Say why the test waits; may be given several times."),
	ONCE_VALUE("--plan-json", "<file>", set_nonempty, AT(schedule.plan_json),
		"Write what --simulate and --explain say as JSON, too."),
	OWN_VALUE("--default-timeout", "<time>", option_set_default_timeout, 0,
		"Time limit of tests without TIMEOUT, such as 60s; 0: none."),
	OWN_VALUE("--timeout-multiplier", "<[label=]x>", option_set_timeout_multiplier, 0,
		"Multiply the time limits of tests; may be given several times."),
	OWN_FLAG("--build", run.builds, "Build first what the selected tests need."),
	OWN_FLAG("--batch", run.batches,
		"Run tests of a GoogleTest or Catch2 program together."),
	ONCE_FLAG("--watch", run.watches,
		"Run tests again when their programs or files have changed."),

	{{"-r", "--resource"}, "<type=n[:slots]>",
		"Have n instances of a resource type; may be given several times. (cctr)",
		TAKES_ONE, OWN, option_set_resource, 0, ALWAYS},
	OWN_VALUE("--oversubscribe", "<type=n>", option_set_oversubscribe, 0,
		"Multiply the slots of a resource type."),
	OWN_VALUE("--partition", "<name:sizes:options>", option_set_partition, 0,
		"Part of the resources for some tests; may be given several times."),
	OWN_VALUE("--resource-pool-file", "<file>", set_nonempty, AT(resources.pool_file),
		"Resources as a pool of canary, YAML or JSON."),
	ONCE_OPTIONAL("--show-resources", "<human|json>", option_set_show_resources, 0,
		"Print the resource pool, run nothing."),
	OWN_VALUE("--insufficient-resources", "<fail|skip>", set_second_word,
		AT(resources.skip_insufficient),
		"What becomes of tests that need more than there is."),
	OWN_VALUE("--resource-placement", "<spread|pack>", set_word,
		AT(resources.placement),
		"Which instances tests get: ctest's, or the fullest."),
	OWN_VALUE("--resource-environment", "<ctest|cctr|canary>", set_word_after_none,
		AT(resources.style), "Variables that tell a test its resources."),
	OWN_VALUE("--no-resource-spec", "<unlimited|serial|auto>", set_word_after_none,
		AT(resources.no_spec), "What tests may use where no resources are said."),
	OWN_VALUE("--gpu-backend", "<none|auto|nvidia|amd|intel>", set_known_text,
		AT(resources.gpu_backend), "Whose GPUs the machine is asked for."),
	OWN_FLAG("--gpu-visible", resources.gpu_visible,
		"Let a test see only the GPUs that it was given."),
	OWN_FLAG("--affinity", schedule.affinity,
		"Give each running test processors of its own."),
	OWN_OPTIONAL("--share-host", "<dir>", option_set_share_host, 0,
		"Share the resources of this machine with other runs."),
	OWN_OPTIONAL("--private-tmp", "<keep-failed>", option_set_private_tmp, 0,
		"Give each running test a TMPDIR of its own."),
	OWN_FLAG("--pmix", run.pmix, "Let all tests ask for leases by PMIx."),

	OWN_VALUE("--engine", "<local|slurm|gridengine|local,slurm|local,gridengine>",
		option_set_engine, 0,
		"Where tests run: here, or on nodes of a batch system."),
	OWN_VALUE("--backend-opt", "<options>", option_set_backend_opt, 0,
		"Options for the command that asks for a job."),
	OWN_VALUE("--launcher", "<command>", option_set_launcher, 0,
		"Run tests by agents that the command starts on nodes."),
	OWN_VALUE("--nodes", "<list>", option_set_nodes, 0, "The nodes of the launcher."),
	OWN_VALUE("--node-timeout", "<seconds>", option_set_node_timeout, 0,
		"How long a node may be silent before it is lost."),

	OWN_VALUE("--ui", "<auto|live|plain>", set_word, AT(console.ui),
		"Whether a terminal shows what runs, below ctest's lines."),
	OWN_VALUE("--slow-after", "<time>", option_set_slow_after, 0,
		"Say on standard error which tests run for longer, such as 60s."),
	OWN_FLAG("--leak-report", run.leak_report,
		"Say on standard error which processes tests have left."),
	OWN_FLAG("--hang-report", run.hang_report,
		"Report what the processes of a test do when its time is over."),
	OWN_VALUE("--flaky", "<pass|fail>", option_set_flaky, 0,
		"Tell of tests that passed after a failure; fail: the run fails."),
	OWN_VALUE("--control", "<on|off>", set_second_word, AT(run.no_control),
		"Whether cctr ctl can look into the run."),

	OWN_VALUE("--events", "<file>", set_nonempty, AT(report.events),
		"Write a line of JSON for each event of the run."),
	OWN_VALUE("--tap", "<file>", set_nonempty, AT(report.tap),
		"Write the results in the Test Anything Protocol."),
	OWN_VALUE("--trace", "<file>", set_nonempty, AT(report.trace),
		"Write a timeline of the run for Perfetto and Chrome."),
	OWN_VALUE("--html", "<file>", set_nonempty, AT(report.html),
		"Write a page for browsers: results, output, timeline."),
	OWN_VALUE("--annotations", "<github|gitlab|auto>", set_word_after_none,
		AT(report.annotations),
		"Show what failed on the pages of GitHub or GitLab."),
	OWN_VALUE("--history", "<on|off>", option_set_history, 0,
		"Whether attempts are written to the build tree's history."),
	OWN_VALUE("--history-keep", "<n>", option_set_history_keep, 0,
		"How many attempts of each test the history keeps."),

	ONCE_VALUE("--profile", "<profile>", set_nonempty, AT(profile),
		"Options of cctr's from that profile of cctr.yaml."),
	ONCE_VALUE("--compat-version", "<version>", set_nonempty, AT(compat_version),
		"Release of ctest to be compatible with, such as 3.25."),
	ONCE_VALUE("--completion", "<bash|zsh|fish>", option_set_completion, 0,
		"Print what a shell needs to complete these options."),
	OWN_VALUE("--script-host", "<cmake|ctest>", set_word, AT(script.evaluator),
		"What evaluates scripts."),

	UNUSED_FLAG("--force-new-ctest-process"),
	UNUSED_FLAG("--show-line-numbers"),

	{{"--build-and-test", NULL}, "<source> <build>",
		"Configure and build a project, then run a command.", TAKES_NOTHING,
		TAKES_TWO | STEP_FORMS, option_set_build_and_test, 0, ALWAYS},
	BUILD_VALUE("--build-generator", "<name>", LATE, set_text, build.generator,
		"Its generator; must be given."),
	BUILD_VALUE("--build-generator-platform", "<name>", LATE, set_text,
		build.platform, "Platform, for generators that know some."),
	BUILD_VALUE("--build-generator-toolset", "<name>", LATE, set_text, build.toolset,
		"Toolset, for generators that know some."),
	BUILD_VALUE("--build-project", "<name>", STEP_FORMS, set_text, build.project,
		"Name of the project, for generators that need it."),
	BUILD_VALUE("--build-makeprogram", "<program>", STEP_FORMS, set_text,
		build.make_program, "Program that builds, such as ninja or make."),
	BUILD_VALUE("--build-target", "<target>", STEP_FORMS, add_text, build.targets,
		"Build this; may be given several times."),
	BUILD_FLAG("--build-nocmake", build.no_cmake, "Do not configure."),
	BUILD_FLAG("--build-noclean", build.no_clean, "Do not clean before building."),
	BUILD_FLAG("--build-two-config", build.two_config, "Configure twice."),
	BUILD_VALUE("--build-config-sample", "<program>", STEP_FORMS, set_text,
		build.config_sample, "Program whose folder tells the configuration."),
	BUILD_VALUE("--build-exe-dir", "<dir>", STEP_FORMS, set_text, build.exe_dir,
		"Where the command may be found."),
	BUILD_VALUE("--build-run-dir", "<dir>", STEP_FORMS, set_text, build.run_dir,
		"Where the command is run."),
	BUILD_VALUE("--test-timeout", "<seconds>", STEP_FORMS, set_seconds,
		build.timeout_s, "Time limit of all of it."),
	{{"--build-options", NULL}, "<option...>",
		"Passed to cmake, up to --build-target or --test-command.", TAKES_NOTHING,
		TO_BUILD_END | STEP_FORMS, add_rest, AT(build.options), ALWAYS},
	{{"--test-command", NULL}, "<command...>",
		"What to run in the end; must come last.", TAKES_NOTHING,
		TO_END | TAKES_SOME | STEP_FORMS, add_rest, AT(build.test_command),
		ALWAYS},

	{{"-SR", "--script-run"}, NULL, NULL, TAKES_ONE, NEXT | LATE_TO_3_29,
		option_set_script_run, 0, ALWAYS},
};
const size_t option_rows_n = sizeof option_rows / sizeof *option_rows;

/* Their commands read them. */
#define COMMAND_FLAG(name, text)                                                         \
	{                                                                                \
		.names = {name}, .summary = text, .forms = OWN                           \
	}
#define COMMAND_VALUE(name, what, text)                                                  \
	{                                                                                \
		.names = {name}, .value = what, .summary = text, .arity = TAKES_ONE,     \
		.forms = OWN                                                             \
	}
static const struct option_row json_options[] = {
	COMMAND_FLAG("--json", "Print it as JSON."),
	{.names = {NULL}},
};
static const struct option_row ctl_options[] = {
	COMMAND_VALUE("--test-dir", "<dir>", "The build tree of the run."),
	COMMAND_VALUE("--pid", "<pid>", "The process of the run."),
	COMMAND_FLAG("--json", "Print the answer as it came."),
	COMMAND_FLAG("--help", "Print the usage."),
	{.names = {NULL}},
};
static const struct option_row alloc_options[] = {
	COMMAND_FLAG("--json", "Print the answer as it came."),
	COMMAND_FLAG("--eval", "Print variables for a shell."),
	COMMAND_FLAG("--wait", "Wait until it is granted."),
	COMMAND_FLAG("--now", "Only what is free now."),
	COMMAND_FLAG("--help", "Print the usage."),
	{.names = {NULL}},
};
static const struct option_row merge_options[] = {
	COMMAND_VALUE("--output-junit", "<file>", "Write the results as JUnit XML."),
	COMMAND_VALUE("--into", "<dir>", "Write Test.xml and the history there."),
	COMMAND_VALUE("--timings", "<file>", "Add how long the tests took to that file."),
	COMMAND_FLAG("--help", "Print the usage."),
	{.names = {NULL}},
};
static const struct option_row compare_options[] = {
	COMMAND_VALUE("--with", "<file>", "Compare with this ctest."),
	COMMAND_FLAG("--help", "Print the usage."),
	{.names = {NULL}},
};

const struct command_row command_rows[] = {
	{.name = "config",
		.summary = "Show what cctr's own options are set to, and where.",
		.options = json_options},
	{.name = "history",
		.summary = "Tell what the history says of the tests.",
		.operands = "<test>",
		.options = json_options},
	{.name = "log",
		.summary = "Print what tests wrote in the last run.",
		.operands = "<test>"},
	{.name = "advise",
		.summary = "Suggest properties that the history of the tests speaks for.",
		.operands = "<test>",
		.options = json_options},
	{.name = "ctl",
		.summary = "Look into a run and steer it.",
		.verbs = "<runs|ps|why|tail|cancel|retry|limit|pause|resume|stop|"
			 "partitions|wait|reconfig>",
		.operands = "<test>",
		.is_alone = true,
		.options = ctl_options},
	{.name = "alloc",
		.summary = "Lease resources of the run, in a test.",
		.verbs = "<new|extend|release|lend|reacquire|cancel|query|ids|time-left|"
			 "wait>",
		.is_alone = true,
		.options = alloc_options},
	{.name = "merge",
		.summary = "Make one report of the shards of a run.",
		.operands = "<file>",
		.is_alone = true,
		.options = merge_options},
	{.name = "compare",
		.summary = "Show what cctr does differently from a ctest here.",
		.options = compare_options},
};
const size_t command_rows_n = sizeof command_rows / sizeof *command_rows;

bool
option_row_is_in(const struct option_row *row, const struct dialect *dialect)
{
	INVARIANT(dialect);
	return row->since == ALWAYS || dialect->has[row->since];
}

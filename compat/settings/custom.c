/* Picks the variables that matter for a test run. See custom.h. */
#include "compat/settings/custom.h"

#include "runner/cmakelang/cmake_text.h"

enum { FOUND_MOST = 50, CONTEXT_LINES = 10 };

static struct str
value_of(const struct variable *v, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (str_is(v[i].name, name))
			return v[i].value;
	return STR_NONE;
}

static struct str_list
list_of(struct arena *a, const struct variable *v, size_t n, const char *name)
{
	return cmake_list_split(a, value_of(v, n, name), false);
}

static int
number_of(const struct variable *v, size_t n, const char *name, int otherwise)
{
	struct str value = value_of(v, n, name);

	return value.p ? str_int(value) : otherwise;
}

static void
take_build(struct custom *c, struct arena *a, const struct variable *v, size_t n)
{
	c->error_match = list_of(a, v, n, "CTEST_CUSTOM_ERROR_MATCH");
	c->error_exception = list_of(a, v, n, "CTEST_CUSTOM_ERROR_EXCEPTION");
	c->warning_match = list_of(a, v, n, "CTEST_CUSTOM_WARNING_MATCH");
	c->warning_exception = list_of(a, v, n, "CTEST_CUSTOM_WARNING_EXCEPTION");
	c->errors_most =
		number_of(v, n, "CTEST_CUSTOM_MAXIMUM_NUMBER_OF_ERRORS", FOUND_MOST);
	c->warnings_most =
		number_of(v, n, "CTEST_CUSTOM_MAXIMUM_NUMBER_OF_WARNINGS", FOUND_MOST);
	c->context_before =
		number_of(v, n, "CTEST_CUSTOM_ERROR_PRE_CONTEXT", CONTEXT_LINES);
	c->context_after =
		number_of(v, n, "CTEST_CUSTOM_ERROR_POST_CONTEXT", CONTEXT_LINES);
}

static void
keep_list(struct arena *a, struct str_list *kept, const struct variable *v, size_t n,
	const char *name)
{
	struct str value = value_of(v, n, name);

	if (value.p)
		*kept = cmake_list_split(a, str_dup(a, value), false);
}

void
custom_keep_coverage(
	struct arena *a, struct custom_kept *kept, const struct variable *v, size_t n)
{
	INVARIANT(v || !n);
	keep_list(a, &kept->coverage_globs, v, n, "CTEST_EXTRA_COVERAGE_GLOB");
}

void
custom_keep_memcheck(
	struct arena *a, struct custom_kept *kept, const struct variable *v, size_t n)
{
	INVARIANT(v || !n);
	keep_list(a, &kept->before_memcheck, v, n, "CTEST_CUSTOM_PRE_MEMCHECK");
	keep_list(a, &kept->after_memcheck, v, n, "CTEST_CUSTOM_POST_MEMCHECK");
}

const struct custom_run *
custom_run(const struct custom *c, bool is_memcheck)
{
	return is_memcheck ? &c->memcheck : &c->test;
}

void
custom_show_coverage(const struct custom *c, struct console *console)
{
	console_say(console, CHANNEL_VERBOSE,
		STR(" Add coverage exclude regular expressions.\n"));
	for (size_t i = 0; i < c->coverage_exclude.n; i++)
		console_fmt(console, CHANNEL_VERBOSE, " Add coverage exclude: %.*s\n",
			STR_ARG(c->coverage_exclude.v[i]));
	for (size_t i = 0; i < c->coverage_globs.n; i++)
		console_fmt(console, CHANNEL_VERBOSE, " Add coverage glob: %.*s\n",
			STR_ARG(c->coverage_globs.v[i]));
}

struct custom
custom_of(struct arena *a, const struct variable *v, size_t n)
{
	struct custom c = {
		.was_read = v != NULL,
		.test = {list_of(a, v, n, "CTEST_CUSTOM_TESTS_IGNORE"),
			list_of(a, v, n, "CTEST_CUSTOM_PRE_TEST"),
			list_of(a, v, n, "CTEST_CUSTOM_POST_TEST")},
		.memcheck = {list_of(a, v, n, "CTEST_CUSTOM_MEMCHECK_IGNORE"),
			list_of(a, v, n, "CTEST_CUSTOM_PRE_MEMCHECK"),
			list_of(a, v, n, "CTEST_CUSTOM_POST_MEMCHECK")},
		.output_size_passed =
			value_of(v, n, "CTEST_CUSTOM_MAXIMUM_PASSED_TEST_OUTPUT_SIZE"),
		.output_size_failed =
			value_of(v, n, "CTEST_CUSTOM_MAXIMUM_FAILED_TEST_OUTPUT_SIZE"),
		.output_truncation =
			value_of(v, n, "CTEST_CUSTOM_TEST_OUTPUT_TRUNCATION"),
		.coverage_exclude = list_of(a, v, n, "CTEST_CUSTOM_COVERAGE_EXCLUDE"),
		.coverage_globs = list_of(a, v, n, "CTEST_EXTRA_COVERAGE_GLOB"),
	};

	INVARIANT(v || !n);
	if (!value_of(v, n, "CTEST_CUSTOM_MEMCHECK_IGNORE").p)
		c.memcheck.ignore = c.test.ignore;
	take_build(&c, a, v, n);
	return c;
}

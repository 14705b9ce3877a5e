/* Picks the variables that a test run obeys. See custom.h. */
#include "compat/custom.h"

#include "runner/cmake_text.h"

static struct str
value_of(const struct variable *v, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (str_is(v[i].name, name))
			return v[i].value;
	return STR_NONE;
}

struct custom
custom_of(struct arena *a, const struct variable *v, size_t n)
{
	return (struct custom){
		.was_read = v != NULL,
		.tests_ignore = cmake_list_split(
			a, value_of(v, n, "CTEST_CUSTOM_TESTS_IGNORE"), false),
		.pre_test = cmake_list_split(
			a, value_of(v, n, "CTEST_CUSTOM_PRE_TEST"), false),
		.post_test = cmake_list_split(
			a, value_of(v, n, "CTEST_CUSTOM_POST_TEST"), false),
		.output_size_passed =
			value_of(v, n, "CTEST_CUSTOM_MAXIMUM_PASSED_TEST_OUTPUT_SIZE"),
		.output_size_failed =
			value_of(v, n, "CTEST_CUSTOM_MAXIMUM_FAILED_TEST_OUTPUT_SIZE"),
		.output_truncation =
			value_of(v, n, "CTEST_CUSTOM_TEST_OUTPUT_TRUNCATION"),
		.coverage_exclude = cmake_list_split(
			a, value_of(v, n, "CTEST_CUSTOM_COVERAGE_EXCLUDE"), false),
		.coverage_globs = cmake_list_split(
			a, value_of(v, n, "CTEST_EXTRA_COVERAGE_GLOB"), false),
	};
}

/*
 * What CTestCustom.cmake says about tests and builds: cmake-variables(7), CTEST_CUSTOM_*.
 */
#ifndef CCTR_COMPAT_SETTINGS_CUSTOM_H
#define CCTR_COMPAT_SETTINGS_CUSTOM_H

#include "compat/console/console.h"
#include "runner/model/source.h"

struct custom {
	bool was_read;
	struct custom_run {
		struct str_list ignore; /* CTEST_CUSTOM_TESTS_IGNORE: exact names */
		struct str_list before, after; /* command lines */
	} test, memcheck;
	struct str output_size_passed, output_size_failed; /* p is NULL: not set */
	struct str output_truncation;
	/* Regular expressions, and their exceptions. */
	struct str_list error_match, error_exception, warning_match, warning_exception;
	/* The most errors and warnings that are reported, and the lines of context around
	 * each. */
	int errors_most, warnings_most, context_before, context_after;
	struct str_list coverage_exclude, coverage_globs; /* only reported */
};

/* Lists that are kept until others are set. */
struct custom_kept {
	struct str_list coverage_globs, before_memcheck, after_memcheck;
};
/* Keep copies of the lists that the variables set, in the arena. */
void custom_keep_coverage(
	struct arena *a, struct custom_kept *kept, const struct variable *v, size_t n);
void custom_keep_memcheck(
	struct arena *a, struct custom_kept *kept, const struct variable *v, size_t n);

const struct custom_run *custom_run(const struct custom *c, bool is_memcheck);
/* Names the settings of the coverage step, as ctest does under -VV. */
void custom_show_coverage(const struct custom *c, struct console *console);
struct custom custom_of(struct arena *a, const struct variable *v, size_t n);

#endif

/* How tests run: limits of time, repetition, continuation, private directories. */
#ifndef CCTR_COMPAT_OPTIONS_RUN_OPTIONS_H
#define CCTR_COMPAT_OPTIONS_RUN_OPTIONS_H

#include "compat/options/limit_options.h"
#include "runner/run/report.h"

enum no_tests { NO_TESTS_LEGACY, NO_TESTS_ERROR, NO_TESTS_IGNORE };

struct run_options {
	double timeout_s; /* 0: not given */
	/* Of a script: the limit of tests that have none; 0: there is none. */
	bool has_default_timeout;
	double default_timeout_s;
	struct limit_options limits;
	int64_t stop_s; /* --stop-time, in seconds since 1970; 0: never */
	int64_t limit_end_s; /* when CTEST_TIME_LIMIT ends; 0: never */
	struct repeat repeat;
	bool hang_report; /* --hang-report */
	bool leak_report; /* --leak-report */
	bool batches; /* --batch */
	bool builds; /* --build */
	bool watches; /* --watch */
	bool tells_flaky, flaky_fails; /* --flaky=pass, --flaky=fail: both */
	uint64_t slow_after_ns; /* --slow-after; 0: not given */
	bool stop_on_failure;
	bool resumes; /* -F */
	bool private_tmp, keep_failed_tmp; /* --private-tmp[=keep-failed] */
	bool no_control; /* --control=off */
	bool pmix; /* --pmix */
	bool keeps_history; /* --history=on */
	size_t history_keep; /* --history-keep; 0: not given */
	bool no_interactive_debug; /* --interactive-debug-mode 0 */
	struct str_list wrapper; /* --wrapper, as words; none: nothing is before tests */
	struct str_list pass_through; /* the words after "--" */
	struct str coverage_tool; /* COVERAGE_TOOL of ctest_test */
	enum no_tests no_tests;
	bool has_no_tests; /* an option said it, and not only a preset */
};

#endif

/* What the command line says, as values. ctest(1). */
#ifndef CCTR_COMPAT_OPTIONS_OPTIONS_H
#define CCTR_COMPAT_OPTIONS_OPTIONS_H

#include "compat/format/truncate.h"
#include "compat/options/build_options.h"
#include "compat/options/dashboard_options.h"
#include "compat/options/resource_options.h"
#include "compat/options/script_options.h"
#include "compat/options/submit_options.h"
#include "runner/base/caller.h"
#include "runner/cmakelang/dialect.h"
#include "runner/model/source.h"
#include "runner/run/report.h"
#include "runner/schedule/plan.h"

/* ctest's exit codes. */
enum exit_code {
	EXIT_OK = 0,
	EXIT_USAGE = 1, /* bad arguments or directory, text not written */
	EXIT_TESTS_FAILED =
		8 /* also: test files that cannot be read, bad resource spec */
};

enum show_only { SHOW_NOTHING, SHOW_HUMAN, SHOW_JSON_V1 };
enum no_tests { NO_TESTS_LEGACY, NO_TESTS_ERROR, NO_TESTS_IGNORE };
enum help_request {
	HELP_NONE,
	HELP_USAGE,
	HELP_VERSION,
	HELP_VERSION_FULL,
	HELP_VERSION_JSON,
	HELP_PRESETS /* --list-presets */
};

/* -j0: in effect no limit. */
enum { UNBOUNDED_JOBS = 65536 };

struct options {
	struct str compat_version; /* --compat-version */
	struct str manifest; /* --manifest FILE, "-" for standard input */
	struct str test_dir; /* --test-dir */
	struct str entered; /* full path of test_dir, once it has been entered */
	struct caller_names names; /* of directories, as the caller's PWD spells them */
	struct str configuration; /* -C, or STR_NONE */
	struct str include_name, exclude_name;
	str_vec include_labels, exclude_labels;
	struct str exclude_fixture, exclude_fixture_setup, exclude_fixture_cleanup;
	struct str range; /* -I */
	struct str resource_spec_file;
	struct resource_options resources;
	struct build_options build; /* --build-and-test */
	struct str output_junit;
	struct str coverage_tool; /* COVERAGE_TOOL of ctest_test */
	struct str output_log; /* -O */
	struct str tests_from_file, exclude_from_file;
	struct str source_dir;
	str_vec overwrites; /* "key=value" */
	struct dashboard_options dashboard;
	script_requests scripts; /* -S, -SP, -SR */
	enum script_evaluator script_evaluator; /* --script-host */
	VEC(struct variable) definitions; /* -D "NAME[:TYPE]=VALUE" */
	struct submit_options submit;
	struct str_list pass_through; /* the words after "--" */
	bool has_error; /* an error that ctest notices only later */
	bool resumes; /* -F */
	int64_t stop_s; /* --stop-time, in seconds since 1970; 0: never */
	int64_t limit_end_s; /* when CTEST_TIME_LIMIT ends; 0: never */
	unsigned long test_load; /* 0: none */
	bool has_include_name, has_exclude_name, use_union;
	bool verbose, extra_verbose, quiet, debug, output_on_failure, progress;
	bool stop_on_failure, rerun_failed, schedule_random, print_labels;
	bool no_label_summary, no_subproject_summary;
	struct str_list subprojects; /* LabelsForSubprojects of the configuration */
	bool no_interactive_debug; /* --interactive-debug-mode 0 */
	bool has_parallel;
	bool parallel_is_chosen; /* -j without a value: ctest chooses how many */
	size_t parallel; /* at least 1 */
	double timeout_s; /* 0: not given */
	int max_width; /* 30 */
	unsigned schedule_random_seed;
	enum schedule schedule; /* --schedule */
	size_t reserve; /* --reserve; 0: not given */
	bool simulate;
	struct str simulate_durations; /* a file, or "" */
	str_vec explain; /* names of tests */
	bool has_schedule_random_seed;
	/* Most bytes of output in result files; 0 or less: no limit. Defaults: 1024 and
	 * 307200. */
	long output_size_passed, output_size_failed;
	enum truncation output_truncation;
	struct repeat repeat;
	bool affinity; /* --affinity */
	bool private_tmp, keep_failed_tmp; /* --private-tmp[=keep-failed] */
	enum show_only show_only;
	enum no_tests no_tests;
	enum help_request help;
};

/* What command_line_parse prints before anything runs, in order. */
struct options_message {
	bool to_stderr;
	bool is_silent; /* for the log alone */
	bool is_logged; /* also for the log: --output-log came before */
	bool is_warning; /* else an error; only for logged messages */
	struct str text; /* with its newline */
};
typedef VEC(struct options_message) options_messages;

/* Like strtol on the whole text. false: the text has other characters. */
bool option_read_long(struct arena *a, struct str text, long *value);
/* Like strtoul on the whole text, but refuses a minus. false: the text has other
 * characters. */
bool option_read_unsigned(struct str text, unsigned long *value);
/* The configuration that the value of -C names. */
struct str option_configuration(struct arena *a, struct str text);
/* Parse the values of -j and --no-tests. false: not a valid value. */
bool option_read_parallel(
	const struct dialect *dialect, struct str text, struct options *o);
bool option_read_no_tests(struct str text, enum no_tests *action);

#endif

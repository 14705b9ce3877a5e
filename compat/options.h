/*
 * ctest's command line: one const table of spellings, arguments, setters and summaries.
 * Parsing, --help and the help check walk it. ctest(1).
 */
#ifndef CCTR_COMPAT_OPTIONS_H
#define CCTR_COMPAT_OPTIONS_H

#include "compat/build/build_options.h"
#include "compat/dashboard/dashboard_options.h"
#include "compat/dialect.h"
#include "compat/resource_options.h"
#include "compat/script/script_options.h"
#include "compat/submit/submit_options.h"
#include "runner/caller.h"
#include "runner/plan.h"
#include "runner/report.h"
#include "runner/source.h"

/* ctest's exit codes. */
enum exit_code {
	EXIT_OK = 0,
	EXIT_USAGE =
		1, /* bad arguments, bad working directory, text that was not written */
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
enum truncation { TRUNCATE_TAIL, TRUNCATE_MIDDLE, TRUNCATE_HEAD };
/* "tail", "middle" or "head"; false for anything else. */
bool truncation_parse(struct str word, enum truncation *mode);

/* -j0: as good as no limit. */
enum { UNBOUNDED_JOBS = 65536 };

struct options {
	struct str compat_version; /* --compat-version */
	struct str manifest; /* --manifest FILE, "-" for standard input */
	struct str test_dir; /* --test-dir */
	struct str entered; /* what that is in full, once it has been entered */
	struct caller_names names; /* of directories, by the PWD of the caller */
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
	script_requests scripts; /* -S and its like */
	enum script_evaluator script_evaluator; /* --script-host */
	VEC(struct variable) definitions; /* -D "NAME[:TYPE]=VALUE" */
	struct submit_options submit;
	struct str_list pass_through; /* what stands behind "--" */
	bool has_error; /* something was wrong, and ctest notices only later */
	bool resumes; /* -F */
	int64_t stop_s; /* --stop-time, in seconds since 1970; 0: never */
	int64_t limit_end_s; /* when CTEST_TIME_LIMIT is over; 0: never */
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
	/* Bytes of output in result files; 0 or less: all of it. 1024 and 307200. */
	long output_size_passed, output_size_failed;
	enum truncation output_truncation;
	struct repeat repeat;
	bool affinity; /* --affinity */
	bool private_tmp, keep_failed_tmp; /* --private-tmp[=keep-failed] */
	enum show_only show_only;
	enum no_tests no_tests;
	enum help_request help;
};

/* What options_parse says before anything runs, in order. */
struct options_message {
	bool to_stderr;
	bool is_silent; /* for the log alone */
	bool is_logged; /* --output-log came before it, and gets it too */
	bool is_warning; /* else an error; only of those that are logged */
	struct str text; /* with its newline */
};
typedef VEC(struct options_message) options_messages;

/* Fills all of *o. Reads the environment for CTEST_PARALLEL_LEVEL and the like, and looks
 * whether the working directory has a test file when there are no arguments. false: exit
 * with EXIT_USAGE after the messages; with o->help the messages are all there is to do.
 */
bool options_parse(struct arena *a, const struct dialect *dialect, int argc,
	char *const *argv, struct options *o, options_messages *messages);
/* Options that decide the dialect itself must be known before the dialect is. */
void options_peek(struct arena *a, int argc, char *const *argv,
	struct str *compat_version, struct str *test_dir);
/* program: "ctest" or "cctr". */
void options_help(struct buf *out, const struct dialect *dialect, const char *program);

/* The table, for tests and documentation; false when i is behind the last row. */
struct option_info {
	const char *name, *alias; /* alias may be NULL */
	const char *value; /* NULL: takes none */
	const char *summary; /* NULL: accepted, not shown */
};
bool options_row(size_t i, struct option_info *info);

#endif

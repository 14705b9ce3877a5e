/*
 * ctest's command line: one const table of spellings, arguments, setters and summaries.
 * Parsing, --help and the help check walk it. ctest(1).
 */
#ifndef CCTR_COMPAT_OPTIONS_H
#define CCTR_COMPAT_OPTIONS_H

#include "compat/dialect.h"
#include "runner/report.h"

/* ctest's exit codes. */
enum exit_code {
	EXIT_OK = 0,
	EXIT_USAGE = 1,       /* bad arguments, bad working directory */
	EXIT_TESTS_FAILED = 8 /* also: test files that cannot be read, bad resource spec */
};

enum show_only { SHOW_NOTHING, SHOW_HUMAN, SHOW_JSON_V1 };
enum no_tests { NO_TESTS_LEGACY, NO_TESTS_ERROR, NO_TESTS_IGNORE };
enum help_request { HELP_NONE, HELP_USAGE, HELP_VERSION, HELP_VERSION_FULL };

struct options {
	struct str compat_version;  /* --compat-version */
	struct str manifest;        /* --manifest FILE, "-" for standard input */
	struct str test_dir;        /* --test-dir */
	struct str configuration;   /* -C */
	struct str include_name, exclude_name;
	str_vec include_labels, exclude_labels;
	struct str exclude_fixture, exclude_fixture_setup, exclude_fixture_cleanup;
	struct str range;           /* -I */
	struct str resource_spec_file;
	struct str output_junit;
	struct str output_log;      /* -O */
	bool has_include_name, has_exclude_name, use_union;
	bool verbose, extra_verbose, quiet, debug, output_on_failure, progress;
	bool stop_on_failure, rerun_failed, schedule_random, print_labels;
	bool no_label_summary, no_subproject_summary;
	bool has_parallel;
	size_t parallel;            /* at least 1 */
	double timeout_s;           /* 0: not given */
	int max_width;              /* 30 */
	unsigned schedule_random_seed;
	bool has_schedule_random_seed;
	long output_size_passed, output_size_failed; /* -1: not given */
	struct str output_truncation;
	struct repeat repeat;
	enum show_only show_only;
	enum no_tests no_tests;
	enum help_request help;
};

/* What options_parse says before anything runs, in order. */
struct options_message {
	bool to_stderr;
	struct str text; /* with its newline */
};
typedef VEC(struct options_message) options_messages;

/* The environment that options are read from: CTEST_PARALLEL_LEVEL and the like. Pure but
 * for getenv, handed in. false: exit with EXIT_USAGE after the messages. */
bool options_parse(struct arena *a, const struct dialect *dialect, int argc,
	char *const *argv, struct options *o, options_messages *messages);
/* Options that decide the dialect itself must be known before the dialect is. */
void options_peek(struct arena *a, int argc, char *const *argv, struct str *compat_version,
	struct str *test_dir);
void options_help(struct buf *out, const struct dialect *dialect);

#endif

/*
 * Which ctest: every behaviour that changed between releases, named once, with the
 * releases in which it holds. Code asks the dialect, never a version number.
 */
#ifndef CCTR_RUNNER_CMAKELANG_DIALECT_H
#define CCTR_RUNNER_CMAKELANG_DIALECT_H

#include "runner/base/base.h"
#include "runner/base/diag.h"

enum dialect_feature {
	/* "P% tests passed out of T" when nothing failed (4.4) */
	DIALECT_SHORT_SUMMARY,
	/* labels behind the names of failed tests (3.31) */
	DIALECT_FAILED_LABELS,
	/* option table with --opt=value, unknown arguments refused by arity (4.0) */
	DIALECT_OPTION_TABLE,
	/* unknown "-..." arguments are errors (3.30) */
	DIALECT_UNKNOWN_OPTIONS_REFUSED,
	/* -j without value, -j0, empty CTEST_PARALLEL_LEVEL (3.29) */
	DIALECT_PARALLEL_DEFAULT,
	/* a dependency cycle fails the run, and no CTEST_CUSTOM_POST_TEST comes behind
	 * (3.30) */
	DIALECT_CYCLE_FAILS,
	/* CTEST_NO_TESTS_ACTION is read (3.26) */
	DIALECT_NO_TESTS_ENVIRONMENT,
	/* --schedule-random-seed, and the seed in the log (4.1) */
	DIALECT_RANDOM_SEED,
	/* --tests-from-file, --exclude-from-file, --http-header (3.29) */
	DIALECT_NAMES_FROM_FILE,
	/* --presets-file, --source-dir, --build-dir, "--" (4.4) */
	DIALECT_PASS_THROUGH,
	/* no argument and no test file: exit code 1 (4.4) */
	DIALECT_NOTHING_TO_DO_FAILS,
	/* "Internal ctest changing into directory", and a blank before the colon of the
	 * error (until 4.0) */
	DIALECT_SAYS_CHANGING_DIRECTORY,
	/* no CTEST_CUSTOM_PRE_TEST and POST_TEST when tests are listed (4.4) */
	DIALECT_LISTS_ALONE,
	/* --test-dir says which tests, BuildDirectory of the configuration only where
	 * files are (3.30) */
	DIALECT_TEST_DIR_WINS,
	/* -V --test-load: without any spare load no test is named as the smallest (3.29)
	 */
	DIALECT_SMALLEST_MEASURED,
	/* -V: "UpdateCTestConfiguration  from :" comes twice (until 4.0) */
	DIALECT_CONFIGURATION_TWICE,
	/* -V: " Add coverage exclude regular expressions." with a CTestCustom file (until
	 * 4.0) */
	DIALECT_COVERAGE_LINE,
	/* coverage of Clang, and branches in the files of coverage (4.4) */
	DIALECT_COVERAGE_BRANCHES,
	/* "***Timeout (SIGTERM) " when the signal of the test sufficed (3.27) */
	DIALECT_TIMEOUT_SIGNAL,
	/* -V: a limit of 0 is shown as 10000000 (3.27) */
	DIALECT_NO_LIMIT_SHOWN_AS_LONG,
	/* -O: no "[CHANNEL]" headers (4.0) */
	DIALECT_LOG_WITHOUT_CHANNELS,
	/* colours only for known terminals (4.1), not for all but "dumb" */
	DIALECT_KNOWN_TERMINALS,
	/* --progress: the erase sequence stands before the text (4.4) */
	DIALECT_PROGRESS_ERASES_FIRST,
	/* JUnit: <failure message> is the status word, not the reason (3.27) */
	DIALECT_JUNIT_STATUS_MESSAGE,
	/* JUnit: <properties> (3.28) */
	DIALECT_JUNIT_PROPERTIES,
	/* ":" and the like taken out of BuildName (until 4.2) */
	DIALECT_BUILD_NAME_CLEANED,
	/* cost data: the last two fields of a line are the numbers (4.0) */
	DIALECT_COST_NAMES_WITH_BLANKS,
	/* GENERATED_RESOURCE_SPEC_FILE is a property (3.28) */
	DIALECT_GENERATED_SPEC,
	/* properties that ctest does not know are kept, and shown in json-v1 (3.30) */
	DIALECT_CUSTOM_PROPERTIES,
	/* json-v1 shows TIMEOUT_SIGNAL_* and GENERATED_RESOURCE_SPEC_FILE (4.0) */
	DIALECT_JSON_SIGNALS,
	/* why a resource specification is refused: details on lines of their own (3.27)
	 */
	DIALECT_SPEC_DETAILS,
	/* those details name file and line, and show it with a caret (4.1) */
	DIALECT_SPEC_PLACES,
	/* "Failed to change working directory to" puts the directory in quotes (4.0) */
	DIALECT_DIRECTORY_QUOTED,
	/* what is found below a directory is shown by the name that the directory was
	 * given, and ".." behind a link is where it leads; source files in Build.xml lose
	 * the source directory without its slash (4.0) */
	DIALECT_DIRECTORIES_KEEP_NAMES,
	/* --timeout is for tests without TIMEOUT only, TIMEOUT 0 included (3.27) */
	DIALECT_TIMEOUT_BEATS_OPTION,
	/* the resource specification is read behind the search for cycles, and not to
	 * list tests (3.28) */
	DIALECT_SPEC_READ_LAST,
	/* -S with a file that is not there: exit code 1, not 255 (4.1) */
	DIALECT_MISSING_SCRIPT_IS_ONE,
	/* -R "" and -E "" are as if not given (4.0) */
	DIALECT_EMPTY_PATTERN_IS_NONE,
	/* a test that is refused before it starts is followed by a look from the top, and
	 * counts for --stop-on-failure at once; before, only one that ran does (3.29) */
	DIALECT_REFUSED_START_AGAIN,
	/* why presets cannot be read: which and where, on lines of its own (3.27) */
	DIALECT_PRESET_DETAILS,
	/* those lines name the kind of preset, and say "presets files" (4.4) */
	DIALECT_PRESET_KINDS,
	/* a version of the format that is not known is told with those that are (3.31) */
	DIALECT_PRESET_VERSIONS,
	/* what a configure preset is too new for is told before that its name is taken
	 * (4.4) */
	DIALECT_PRESET_AGE_FIRST,
	/* macros are looked at when a preset is read, too (4.4) */
	DIALECT_PRESET_EARLY_MACROS,
	/* versions of the format of presets that are read; 1 to 6 always are (3.27, 3.28,
	 * 3.30, 3.31, 4.3, 4.4) */
	DIALECT_PRESETS_7,
	DIALECT_PRESETS_8,
	DIALECT_PRESETS_9,
	DIALECT_PRESETS_10,
	DIALECT_PRESETS_11,
	DIALECT_PRESETS_12,
	/* the job server of make is used (3.29) */
	DIALECT_JOB_SERVER,
	/* --build-and-test says what it does at once, whatever -Q and -O say; what builds
	 * writes to our own streams, and what fails is said in other words (4.0) */
	DIALECT_BUILD_AND_TEST_STREAMS,
	/* --build-and-test without a generator: the error ends its line (3.26) */
	DIALECT_GENERATOR_ERROR_LINE,
	/* "Change Dir: '...'", and each command of a build on a line of its own, quoted
	 * as the shell wants it (3.27) */
	DIALECT_BUILD_LINES,
	/* -M alone is a dashboard without steps (4.0) */
	DIALECT_MODEL_IS_DASHBOARD,
	/* Testing/TAG is gone on with however old it is (4.0) */
	DIALECT_TAG_KEPT,
	/* -T, -M and -D run the commands of scripts: what a dashboard is, is said when it
	 * starts (4.0) */
	DIALECT_LINE_IS_SCRIPT,
	/* ... and -D CTEST_SITE=here is stronger than the configuration (4.4) */
	DIALECT_DEFINITIONS_ARE_KEYS,
	/* PRESET and PRESETS_FILE of commands, and their variables (4.4) */
	DIALECT_COMMAND_PRESETS,
	/* labels of ctest_test stand in place of those of the command line or preset
	 * (4.4)
	 */
	DIALECT_LABELS_REPLACED,
	/* CTEST_SUBMIT_PARTS (4.4) */
	DIALECT_SUBMIT_PARTS,
	/* COVERAGE_TOOL of ctest_test, and its variable (4.4) */
	DIALECT_COVERAGE_TOOL,
	/* --timeout is stronger than CTEST_TEST_TIMEOUT, and that of 0 is no limit (4.0)
	 */
	DIALECT_OPTION_BEATS_VARIABLE,
	/* ModelName in the XML files (3.31) */
	DIALECT_MODEL_NAME,
	/* Upload.xml says when it was written (3.30) */
	DIALECT_UPLOAD_TIME,
	/* Test.xml: when each test started, times with six digits (4.3) */
	DIALECT_TEST_START_TIME,
	/* ctest_empty_binary_directory says why it fails (3.29) */
	DIALECT_EMPTY_DIRECTORY_REASON,
	/* scripts that only set variables (until 4.0) */
	DIALECT_DECLARATIVE_SCRIPTS,
	/* submit: 200 alone is success, redirections are followed, and what is answered
	 * with an error is read (3.26) */
	DIALECT_SUBMIT_STRICT,
	/* submit: TLSVersion and TLSVerify are obeyed (3.30); 1.2 is the least (3.31) */
	DIALECT_SUBMIT_TLS,
	DIALECT_SUBMIT_TLS_1_2,
	/* a keyword of a script's command that is given twice, or has no value where it
	 * needs one, ends the command (4.0) */
	DIALECT_STRICT_ARGUMENTS,
	/* ctest_configure names both directories by -S and -B (3.26) */
	DIALECT_CONFIGURE_DIRECTORIES,
	/* ctest_configure makes the build directory, and says in other words what it is
	 * called without (4.0) */
	DIALECT_CONFIGURE_IS_COMMAND,
	/* ctest_configure: the directories come before the options (4.4) */
	DIALECT_CONFIGURE_OPTIONS_LAST,
	/* --stop-time: "3:30 pm", and no weekday (4.1) */
	DIALECT_STOP_TIME_HALVES,
	/* Build.xml names both directories (4.4) */
	DIALECT_BUILD_DIRECTORIES,
	/* what commands of steps write is heard in pieces of 64 KiB, not of 1 KiB (3.29)
	 */
	DIALECT_LARGE_PIECES,
	/* ctest_build with make goes on behind errors, unless CMP0061 is NEW (until 4.0)
	 */
	DIALECT_BUILD_IGNORES_ERRORS,
	/* what the configure command returned is the result of its step (4.0), not -1 */
	DIALECT_CONFIGURE_CODE,
	/* a script can choose its exit code: cmake_language(EXIT) (4.1) */
	DIALECT_SCRIPT_EXITS,
	/* update: "Updating GIT repository", what is missing is an error of the command,
	 * and a failure is no failure of a command line (4.0) */
	DIALECT_UPDATE_IS_COMMAND,
	/* slashes that follow each other are one where CMake reads a path: where it looks
	 * for a program, and in the names of updated files and of those that failed to
	 * build (4.0) */
	DIALECT_SLASHES_ARE_ONE,
	/* ctest_update(VERSION_ONLY), VERSION_OVERRIDE (4.4) */
	DIALECT_UPDATE_VERSION,
	/* why a program did not start, in libuv's words: "no such file or directory"
	 * (3.29) */
	DIALECT_START_ERRORS,
	/* comments in presets and resource specifications (until 4.1) */
	DIALECT_JSON_COMMENTS,
	/* a number there that is too large is infinite, not a syntax error (all but
	 * Debian's 3.25) */
	DIALECT_JSON_INFINITY,
	/* --version=json-v1 (4.3) */
	DIALECT_VERSION_JSON,
	/* warnings of cmake's name their kind: (author), (deprecated), (policy) (4.4) */
	DIALECT_WARNING_KINDS,
	/* the margin of cmake's messages stands on empty lines, and a first word of 75
	 * bytes does not fit behind it (until 4.0) */
	DIALECT_MARGIN_FIRST,
	/* CTestCustom.ctest is also said to be a problem where something else was wrong
	 * before (until 4.0) */
	DIALECT_CUSTOM_DOUBTED,
	/* ENVIRONMENT_MODIFICATION: what is appended behind "unset:" finds nothing (4.4)
	 */
	DIALECT_UNSET_EMPTIES,
	/* a build that a signal ended has its number, and a configure command that one
	 * ended which is no mistake of the program's has 6, not 5 (3.29) */
	DIALECT_SIGNAL_NUMBERS,
	/* NUMBER_ERRORS and NUMBER_WARNINGS are 0 where nothing can be built; else they
	 * are not set (until 4.0) */
	DIALECT_BUILD_COUNTS_ALWAYS,
	/* --output-junit is for a memory checker, too (4.0) */
	DIALECT_MEMCHECK_JUNIT,
	/* add one row per difference: see runner/cmakelang/dialect.c */
	DIALECT_FEATURES
};

struct dialect {
	unsigned version; /* major * 1000 + minor: 3025, 4004 */
	unsigned patch;
	bool has[DIALECT_FEATURES];
};

/* "3.25" or "4.4.2"; false when malformed. Without a third number the last one that the
 * release had is taken. */
bool dialect_parse(struct str version, struct dialect *out);
/* --compat-version, else CCTR_COMPAT_VERSION, else the CMake of directory/CMakeCache.txt,
 * else 4.4. false after diag_error when the first of the two that is given is malformed.
 * option.n == 0 and environment == NULL or "": not given. */
bool dialect_choose(struct dialect *out, struct arena *a, struct str option,
	const char *environment, struct str directory, struct diag *d);
struct dialect dialect_of(unsigned version);
/* "3.25.1": what this ctest calls itself. */
struct str dialect_text(struct arena *a, const struct dialect *dialect);

/* For tests and documentation: name, first release, first release without it (or 0). */
struct dialect_row {
	const char *name;
	unsigned since, until;
};
struct dialect_row dialect_row(enum dialect_feature feature);

#endif

/*
 * Words that several reports share: ctest's names of a status, the reasons for a failure,
 * the spelling of a command. Each is in one place, so that console, log and JUnit agree.
 */
#ifndef CCTR_COMPAT_CONSOLE_REPORT_TEXT_H
#define CCTR_COMPAT_CONSOLE_REPORT_TEXT_H

#include "compat/console/run_words.h"
#include "runner/cmakelang/dialect.h"
#include "runner/process/command.h"
#include "runner/run/report.h"

enum { REPORT_DATE_BYTES = 64 };

/* "Failed", "SEGFAULT", "Subprocess aborted"; in the arena or static. */
struct str report_status(
	struct arena *a, const struct verdict *v, const struct outcome *o);
/* "Subprocess aborted" for SIGABRT; its name or "Signal N" for the rarer ones. */
struct str report_signal(struct arena *a, int number);
/* Why a program that is not a test did not start; in the arena or static. */
struct str report_start_error(struct arena *a, const struct dialect *dialect, int error);
/* Why it did not end by itself, as of these two; "": it did, or a signal to us or its
 * limit has ended it. */
struct str report_end_reason(
	struct arena *a, const struct dialect *dialect, const struct command_end *end);
/* CMake's message for a file that it cannot write. error: the errno. */
struct str report_not_opened(struct arena *a, const char *path, int error);
/* "Required regular expression not found. Regex=[...]". Adds nothing if there is no
 * reason. */
void report_add_reason(struct buf *out, const struct test *t, const struct verdict *v);
/* "SKIP_RETURN_CODE=77", "Unable to find executable", "Completed": ctest's "completion
 * status". */
struct str report_completion(struct arena *a, const struct test *t,
	const struct verdict *v, const struct outcome *o);
/* The labels of the test and those that its output added: sorted, without duplicates. */
struct str_list report_labels(
	struct arena *a, const struct test *t, const struct outcome *o);
/* true: neither passed nor skipped nor disabled. */
bool report_is_failure(enum verdict_kind k);
/* Whether the test is why a run fails: -F and --rerun-failed run it again. */
bool report_fails_run(enum verdict_kind k, enum flakiness flaky);
/* true: it was skipped or is disabled. */
bool report_did_not_run(const struct result *r);
/* The results for whose verdicts belongs() is true, sorted by number; *n: how many. */
const struct result **report_results_by_number(struct arena *a, const struct tally *t,
	bool (*belongs)(const struct result *), size_t *n);

/* The executable and its arguments. The executable is "" if it was not found; if the test
 * was refused before the search, there are no arguments either. */
struct str report_executable(const struct event *e);
struct str_list report_arguments(struct arena *a, const struct event *e);
/* "Nov 21 07:35 UTC", local time. */
const char *report_date(char text[REPORT_DATE_BYTES], int64_t seconds);
/* Adds text, and a newline unless text ends with one or is empty. */
void report_add_line(struct buf *out, struct str text);
/* -V: the lines from "N: Test command:" to the environment. Returns where the first line
 * ends. */
size_t report_add_command(struct buf *out, const struct run_words *words, unsigned number,
	const struct test *t, struct str command);
/* "  0.02 sec" */
void report_add_seconds(struct buf *out, uint64_t duration_ns);
/* "0.0268109": the format of C++ streams. */
void report_add_number(struct buf *out, double value);

/* ---- the time of labels ---------------------------------------------------------- */

struct label_time {
	struct str label;
	double seconds; /* of all results with the label, times PROCESSORS */
	size_t tests;
};
struct label_times {
	struct label_time *v; /* sorted by label */
	size_t n;
	size_t longest;
};
/* The labels of the selected tests and those that outputs added: either only the names of
 * subprojects, or all others. */
struct label_times report_label_times(struct arena *a, const struct selection *s,
	const struct tally *t, struct str_list subprojects, bool are_subprojects);
/* How many decimal digits the number has. */
size_t report_digits(uint64_t n);

#endif

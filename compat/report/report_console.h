/* The text that ctest prints while tests run, its summary, and its listings. */
#ifndef CCTR_COMPAT_REPORT_REPORT_CONSOLE_H
#define CCTR_COMPAT_REPORT_REPORT_CONSOLE_H

#include "compat/console/console.h"
#include "compat/launch/executable.h"
#include "compat/console/run_words.h"
#include "compat/options/report_options.h"
#include "runner/run/report.h"

struct console_report {
	struct console *console;
	const struct report_options *options;
	const struct dialect *dialect;
	const struct run_words *words;
	enum repeat_mode repeat;
	bool shows_lines; /* of running tests: -V */
	bool names_passed; /* under -V the summary lists the tests that passed */
	bool is_quiet; /* the summary has no times */
	bool colours_results; /* where the console has colours */
};
/* EVENT_FINISH prints the summary, unless no test passed or failed: then the caller must
 * report that there were no tests. */
struct report *report_console_open(
	struct arena *a, const struct console_report *what, const struct selection *s);
struct wrapper;

/* -N: the list of the selected tests. */
struct console_listing {
	struct console *console;
	const struct run_words *words;
	const struct selection *selection;
	struct executable_finder *finder;
	const struct wrapper *wrapper; /* the program that would run them, or NULL */
};
void report_console_list(struct arena *a, const struct console_listing *what);
/* The texts beside a listing for other programs: the commands with -V, and the places
 * where a missing executable was looked for. */
void report_console_look_up(struct arena *a, const struct console_listing *what);
/* --print-labels */
void report_console_labels(struct arena *a, struct console *c, const struct selection *s);

/* The text after the last test; report_summary.c. */
void report_console_summary(struct arena *a, const struct console_report *what,
	const struct selection *s, const struct tally *t);

#endif

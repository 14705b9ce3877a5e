/* The text that ctest prints while tests run, its summary, and its listings. */
#ifndef CCTR_COMPAT_REPORT_REPORT_CONSOLE_H
#define CCTR_COMPAT_REPORT_REPORT_CONSOLE_H

#include "compat/console/console.h"
#include "compat/launch/executable.h"
#include "compat/options/options.h"
#include "runner/run/report.h"

/* EVENT_FINISH prints the summary, unless no test passed or failed: then the caller must
 * report that there were no tests. */
struct report *report_console_open(struct arena *a, struct console *c,
	const struct options *o, const struct dialect *dialect,
	const struct selection *s);
struct wrapper;

/* -N: the list of the selected tests. */
struct console_listing {
	struct console *console;
	const struct options *options;
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
void report_console_summary(struct arena *a, struct console *c, const struct options *o,
	const struct dialect *dialect, const struct selection *s, const struct tally *t);

#endif

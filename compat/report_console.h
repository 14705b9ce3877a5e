/* The text that ctest prints while tests run, and its summary. */
#ifndef CCTR_COMPAT_REPORT_CONSOLE_H
#define CCTR_COMPAT_REPORT_CONSOLE_H

#include "compat/console.h"
#include "compat/executable.h"
#include "runner/report.h"

struct report *report_console_open(struct arena *a, struct console *c,
	const struct options *o, const struct dialect *dialect, const struct selection *s);
/* -N: the list of the selected tests. */
void report_console_list(struct arena *a, struct console *c, const struct options *o,
	const struct selection *s, struct executable_finder *finder);

#endif

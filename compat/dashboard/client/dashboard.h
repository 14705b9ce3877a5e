/* The dashboard of a command line: -T, -M, -D. It runs the same steps as a script. */
#ifndef CCTR_COMPAT_DASHBOARD_CLIENT_DASHBOARD_H
#define CCTR_COMPAT_DASHBOARD_CLIENT_DASHBOARD_H

#include "compat/dashboard/step/dashboard.h"

/* Returns the exit code: one bit for each step that failed. */
int dashboard_mode(struct arena *a, const struct options *o,
	const struct dialect *dialect, struct console *console,
	const struct test_inputs *inputs, int *interrupted);

#endif

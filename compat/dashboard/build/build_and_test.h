/*
 * --build-and-test: configures and builds a project, then runs a command. ctest contains
 * CMake for the first; cctr uses the installed cmake. ctest(1).
 */
#ifndef CCTR_COMPAT_DASHBOARD_BUILD_BUILD_AND_TEST_H
#define CCTR_COMPAT_DASHBOARD_BUILD_BUILD_AND_TEST_H

#include "compat/console/console.h"
#include "compat/options/options.h"

/* Returns EXIT_OK or EXIT_USAGE; *interrupted: the signal that ended it early, else 0.
 * Changes the working directory. */
enum exit_code build_and_test(struct arena *a, const struct options *o,
	const struct dialect *dialect, struct console *console, int *interrupted);

#endif

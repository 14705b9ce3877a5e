/*
 * --build-and-test: configure and build a project, then run a command. ctest has CMake
 * inside for the first; here the installed cmake does it. ctest(1).
 */
#ifndef CCTR_COMPAT_DASHBOARD_BUILD_BUILD_AND_TEST_H
#define CCTR_COMPAT_DASHBOARD_BUILD_BUILD_AND_TEST_H

#include "compat/console/console.h"
#include "compat/options/options.h"

/* The exit code, EXIT_OK or EXIT_USAGE; *interrupted gets the signal that ended it early,
 * else 0. Changes the working directory. */
enum exit_code build_and_test(struct arena *a, const struct options *o,
	const struct dialect *dialect, struct console *console, int *interrupted);

#endif

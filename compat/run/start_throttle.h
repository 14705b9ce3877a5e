/*
 * What delays the start of tests besides the scheduler: --stop-time and --test-load.
 * ctest(1).
 */
#ifndef CCTR_COMPAT_RUN_START_THROTTLE_H
#define CCTR_COMPAT_RUN_START_THROTTLE_H

#include "compat/console/console.h"
#include "runner/run/run.h"

struct start_throttle_options {
	struct console *console;
	const struct dialect *dialect;
	const struct plan *plan; /* for names */
	unsigned long test_load; /* 0: none */
	int64_t stop_s; /* seconds since 1970; 0: never */
	bool may_close; /* a limit may end the run although there is no stop time */
};
/* NULL: there is nothing to check. Reads __CTEST_FAKE_LOAD_AVERAGE_FOR_TESTING, which
 * replaces the machine's load once, as in ctest; after that the load is 1. */
struct start_throttle *start_throttle_open(
	struct arena *a, const struct start_throttle_options *o);

#endif

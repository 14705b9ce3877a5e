/* Which fixture setups of a test have not passed, and keep the test from running. */
#ifndef CCTR_RUNNER_SCHEDULE_FAILED_SETUPS_H
#define CCTR_RUNNER_SCHEDULE_FAILED_SETUPS_H

#include "runner/schedule/plan.h"

enum setup_end {
	SETUP_FAILED = 1,
	SETUP_SKIPPED /* resources were missing; a test that skips itself has passed */
};

/* Of the tests that must pass before it, those that ended so according to ends, which
 * maps names to enum setup_end. By name, each once: tests may share a name. */
struct str_list setups_that_ended(struct arena *a, const struct plan *plan,
	const struct selected *s, const struct map *ends, enum setup_end end);

#endif

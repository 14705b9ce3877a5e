/* Which fixture setups of a test have failed, and keep it from running. */
#ifndef CCTR_RUNNER_SCHEDULE_FAILED_SETUPS_H
#define CCTR_RUNNER_SCHEDULE_FAILED_SETUPS_H

#include "runner/schedule/plan.h"

/* Of the tests that must pass before it, those in failed. By name, each once: tests may
 * share a name. */
struct str_list failed_setups(struct arena *a, const struct plan *plan,
	const struct selected *s, const struct map *failed);

#endif

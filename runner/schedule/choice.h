/*
 * Chooses, of several orders, the one that is expected to take the least time: each order
 * is tried in simulated time before anything starts.
 */
#ifndef CCTR_RUNNER_SCHEDULE_CHOICE_H
#define CCTR_RUNNER_SCHEDULE_CHOICE_H

#include "runner/schedule/scheduler.h"

/* At most so many tests are started in simulated time. */
enum { CHOICE_STARTS = 100000 };

/* Changes the order of a plan by pressure. Any other plan keeps its order, and so does
 * one that has too many tests for so many starts, or of which all durations are guesses.
 */
void choose_order(struct arena *a, struct plan *p, const struct scheduler_options *o,
	size_t starts);

#endif

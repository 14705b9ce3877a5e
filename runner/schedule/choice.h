/*
 * Of several orders the one that is expected to take the least time: each is tried in
 * invented time before anything starts.
 */
#ifndef CCTR_RUNNER_SCHEDULE_CHOICE_H
#define CCTR_RUNNER_SCHEDULE_CHOICE_H

#include "runner/schedule/scheduler.h"

/* So many tests are started in invented time at most. */
enum { CHOICE_STARTS = 100000 };

/* Of a plan by pressure; another keeps its order, and so does one that has too many tests
 * for so many starts, or whose tests are all expected to take what they do by a guess. */
void choose_order(struct arena *a, struct plan *p, const struct scheduler_options *o,
	size_t starts);

#endif

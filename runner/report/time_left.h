/*
 * How long the rest of a run will take, from expected times: the work that is left by the
 * slots that do it, and no less than the longest test that is left. What else tests wait
 * for - dependencies, locks, resources - is not looked at, so that it may take longer.
 */
#ifndef CCTR_RUNNER_REPORT_TIME_LEFT_H
#define CCTR_RUNNER_REPORT_TIME_LEFT_H

#include "runner/report/running.h"
#include "runner/schedule/plan.h"

struct time_left {
	const struct plan *plan;
	const struct expected *expected; /* by node */
	size_t slots; /* of the run; 0: there is no limit */
	bool is_known; /* most times are no guesses */
	bool *is_begun; /* by node */
	node_id *longest; /* all tests, the longest first */
	size_t next; /* in longest: those before have begun */
	double work_s; /* of the tests that have not begun: their times by their slots */
};

/* The plan and the times are read as long as the result is used. */
struct time_left time_left_of(struct arena *a, const struct plan *p,
	const struct expected *expected, size_t slots);
/* The test begins, or an earlier run has finished it. Further calls do nothing. */
void time_left_begin(struct time_left *t, node_id node);
/* Seconds from now on; less than 0: not known. */
double time_left_seconds(
	struct time_left *t, const struct running *running, uint64_t now_ns);

#endif

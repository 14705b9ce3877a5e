/* Which tests run, from the events of a run: in the order in which they began. */
#ifndef CCTR_RUNNER_REPORT_RUNNING_H
#define CCTR_RUNNER_REPORT_RUNNING_H

#include "runner/run/report.h"

struct running_test {
	const struct attempt *attempt; /* NULL: it does not run */
	uint64_t began_ns;
	node_id before, after; /* in the order; MAP_NONE: none */
};
struct running {
	struct running_test *v; /* by node */
	node_id first, last; /* MAP_NONE: nothing runs */
	size_t n; /* tests that run */
};

/* tests: how many the run has. */
struct running running_of(struct arena *a, size_t tests);
/* Any event; now_ns: when it came. A repetition begins again. */
void running_note(struct running *r, const struct event *e, uint64_t now_ns);
double running_seconds(const struct running_test *t, uint64_t now_ns);

#endif

/*
 * --ui=live: what a run does, below the text on a terminal (runner/base/streams.h). It is
 * drawn some ten times a second at most, and only when it has changed.
 */
#ifndef CCTR_RUNNER_REPORT_REPORT_LIVE_H
#define CCTR_RUNNER_REPORT_REPORT_LIVE_H

#include "runner/report/time_left.h"
#include "runner/schedule/scheduler.h"

struct live_options {
	const struct plan *plan;
	const struct expected *expected; /* by node */
	const struct scheduler *scheduler; /* of the run */
	struct scheduler_options run; /* its options */
	size_t slots; /* 0: there is no limit */
	bool has_colour;
};

/* Standard output is a terminal. */
struct report *report_live_open(struct arena *a, const struct live_options *o);

#endif

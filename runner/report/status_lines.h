/* What the live display says of a run, as lines of a terminal: pure. */
#ifndef CCTR_RUNNER_REPORT_STATUS_LINES_H
#define CCTR_RUNNER_REPORT_STATUS_LINES_H

#include "runner/base/columns.h"

struct status_test {
	struct str name;
	unsigned number;
	double seconds; /* since it began */
};
struct status {
	size_t tests, ended, passed, failed, running;
	size_t flaky; /* of those that passed */
	size_t slots, slots_used; /* slots 0: there is no limit */
	uint64_t gpus, gpus_used; /* gpus 0: the run has none */
	double seconds; /* since the run began */
	double left_s; /* that the run will still take; less than 0: not known */
	bool is_ending; /* an interruption ends it */
	const struct status_test *v; /* the first of those that run */
	size_t n;
};
struct status_place {
	const struct columns *columns;
	size_t width, rows; /* no line is wider; no more lines */
	bool has_colour;
};

/* Adds lines with newlines between them; none where rows or width is 0. */
void status_lines(struct buf *out, const struct status *s, const struct status_place *p);

#endif

/*
 * How long each test is expected to run: what earlier runs took, else what its properties
 * say, else what tests like it took.
 */
#ifndef CCTR_RUNNER_SCHEDULE_EXPECTED_H
#define CCTR_RUNNER_SCHEDULE_EXPECTED_H

#include "runner/model/select.h"

/* What earlier runs tell; by index of selection.v. */
struct recorded {
	double cost; /* of the cost file, for ctest's order; no time; 0 when unknown */
	bool failed_last; /* in the failed list of the cost file */
	double seconds; /* how long the test took; 0 when unknown */
};

struct expected {
	double seconds; /* 0 or more */
	bool is_guess; /* taken from other tests */
};

/* n of the selection, by its index. recorded may be NULL. Linear but for one sort. */
struct expected *expected_times(
	struct arena *a, const struct selection *s, const struct recorded *recorded);

#endif

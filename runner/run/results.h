/*
 * The results of a run so far, in its tally, and which tests a failed or skipped setup
 * keeps from running.
 */
#ifndef CCTR_RUNNER_RUN_RESULTS_H
#define CCTR_RUNNER_RUN_RESULTS_H

#include "runner/run/report.h"

struct results;

/* finished_n: tests that an earlier run has finished, for the count. */
struct results *results_new(
	struct arena *a, struct tally *t, size_t tests, size_t finished_n);

struct results_count {
	size_t ended, passed, failed;
};
struct results_count results_count(const struct results *r);
/* names of tests -> enum setup_end, unless they passed */
const struct map *results_setups(const struct results *r);
/* NULL: the test has not ended. */
const struct result *results_of(const struct results *r, node_id node);
void results_add(struct results *r, const struct result *result);
/* As if the test had not ended. */
struct result results_withdraw(struct results *r, node_id node);

/* The attempts of a test before its result was withdrawn. */
struct earlier {
	unsigned run, failures;
};

/* NULL: no result of the test was withdrawn. */
const struct earlier *results_earlier(const struct results *r, node_id node);

#endif

/*
 * The results of a run so far, in its tally, and which tests a failed or skipped setup
 * keeps from running.
 */
#ifndef CCTR_RUNNER_RUN_RESULTS_H
#define CCTR_RUNNER_RUN_RESULTS_H

#include "runner/run/report.h"
#include "runner/schedule/plan.h"

struct results;

/* t: has no results yet. finished_n: tests that an earlier run has finished, for the
 * count. */
struct results *results_new(
	struct arena *a, const struct plan *p, struct tally *t, size_t finished_n);

struct results_count {
	size_t ended, passed, failed;
};
struct results_count results_count(const struct results *r);
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

enum setup_end {
	SETUP_FAILED = 1,
	SETUP_SKIPPED /* resources were missing; a test that skips itself has passed */
};
/* Of the tests that must pass before the selected one, those that ended so. By name, each
 * once: tests may share a name. */
struct str_list results_setups(const struct results *r, struct arena *a,
	const struct selected *s, enum setup_end end);

#endif

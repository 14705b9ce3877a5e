/*
 * How many pilots tests need, and of what size. Pure.
 *
 * Tests that ask for the same share a group of pilots. Memory and temporary space are
 * rounded for that, so that there are few groups; what a pilot asks for is not rounded:
 * it is the most that a test of its group asks for.
 */
#ifndef CCTR_RUNNER_CLUSTER_PILOT_PLAN_H
#define CCTR_RUNNER_CLUSTER_PILOT_PLAN_H

#include "runner/cluster/cluster.h"

/* What a test asks for on its node. */
struct pilot_size {
	uint64_t processors, memory_mib, tmp_mib, gpus;
};
/* The larger of each amount. */
struct pilot_size pilot_size_join(struct pilot_size a, struct pilot_size b);
/* Sets the amounts of the request. */
void pilot_size_ask(const struct pilot_size *s, struct cluster_request *r);

struct pilot_group {
	struct pilot_size size;
	size_t tests;
	size_t pilots;
};
struct pilot_plan {
	struct pilot_group *v; /* the largest first */
	size_t n;
	size_t pilots; /* of all groups */
};

/* parallel: how many processors the tests may use at a time. Each group has a pilot at
 * least, and shares the processors by the processors of all its tests. */
struct pilot_plan pilot_plan_make(
	struct arena *a, const struct pilot_size *tests, size_t n, uint64_t parallel);
/* The number of the group in which a test of that size is; n of the plan if it is in
 * none.
 */
size_t pilot_plan_group(const struct pilot_plan *p, const struct pilot_size *test);
/* One job instead of pilots: each of its parts can run each of the tests, and there are
 * as many as parallel needs. */
struct cluster_request pilot_plan_one_job(
	const struct pilot_size *tests, size_t n, uint64_t parallel);

#endif

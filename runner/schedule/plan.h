/*
 * The plan of a run: the dependency graph of the selected tests, checked for cycles, and
 * the order in which they start. ctest's order has the failed tests of the last run
 * first, then dependency levels, then cost (ctest(1), COST, --schedule-random). The order
 * by pressure has the longest expected path from a test to the end of the run.
 */
#ifndef CCTR_RUNNER_SCHEDULE_PLAN_H
#define CCTR_RUNNER_SCHEDULE_PLAN_H

#include "runner/resources/pool.h"
#include "runner/schedule/expected.h"

typedef uint32_t node_id; /* index into plan.nodes == index into selection.v */
#define RANK_NONE UINT32_MAX /* no node's rank */

struct node {
	const struct test *test;
	unsigned number;
	double cost;
	uint32_t rank; /* 0 starts first */
	uint32_t waits; /* dependencies not finished when nothing has run */
	uint32_t users_n;
	bool failed_last; /* in the last run: such tests go first */
	node_id *users; /* tests that depend on it */
};
struct plan {
	const struct selection *selection;
	struct node *nodes;
	size_t n;
	node_id *order; /* by rank */
	node_id *topological; /* dependencies first */
	/* By node; NULL in ctest's order, which does not look at times. */
	const struct expected *expected;
	const double *pressure; /* own expected time, and the largest of the users' */
	const double *share; /* the largest part of a resource that it takes, 0 to 1 */
	const node_id *ctest_order; /* what the order would be by ctest's rule */
	/* How many of the best tests that do not fit have a time reserved. 0: none; as in
	 * ctest, other tests start before them, but not after promised_s. */
	size_t reserve;
	const double *promised_s; /* by node: when it should have started; or NULL */
};

enum { RESERVE_MOST = 64 };
enum schedule { SCHEDULE_CTEST, SCHEDULE_PRESSURE };
struct plan_options {
	size_t parallel; /* 1: serial order; recorded costs do not count */
	bool random; /* --schedule-random */
	unsigned seed;
	enum schedule schedule; /* a random order goes before it */
	const struct pool *pool; /* for SCHEDULE_PRESSURE, or NULL */
	size_t reserve; /* for SCHEDULE_PRESSURE, up to RESERVE_MOST; 0: 1 */
	const struct recorded *recorded; /* n of the selection, or NULL */
};

/* NULL: a cycle; *culprit is the first test, by number, that waits for itself. */
struct plan *plan_build(struct arena *a, const struct selection *s,
	const struct plan_options *o, const struct test **culprit);

/* Ranks again: tests that failed last time, then those of the largest value by node. */
void plan_rank_by(struct arena *scratch, struct plan *p, const double *value);
/* Ranks a plan by pressure again. share_weight: how much more urgent a test is that takes
 * all of something. */
void plan_rank_by_pressure(struct arena *scratch, struct plan *p, double share_weight);
/* Those of the part, by node, have the same ranks as before, but among themselves the
 * order of another plan. */
void plan_rank_part(struct arena *scratch, struct plan *p, const struct plan *by,
	const uint32_t *of, uint32_t part);
/* Ranks the n nodes in that order. */
void plan_rank(struct plan *p, const node_id *order);

#endif

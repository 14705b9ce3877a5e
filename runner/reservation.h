/*
 * A place in the future for one test that does not fit now: from the expected ends of
 * what runs, the time at which it will fit, and what is left beside it then. Others may
 * start before it if they end by that time or take of what is left.
 */
#ifndef CCTR_RUNNER_RESERVATION_H
#define CCTR_RUNNER_RESERVATION_H

#include "runner/plan.h"
#include "runner/pool.h"

/* What runs and what it holds. */
struct holder {
	node_id node;
	double started_s, expected_s;
	double ends_s; /* of the last reservation_make */
	size_t slots;
	const struct grant *grant; /* NULL: nothing of the pool */
};
struct need {
	size_t slots;
	bool is_alone; /* nothing may run beside it */
	double not_before_s; /* locks */
	const struct resource_groups *groups; /* NULL: nothing of the pool */
};
struct reservation {
	double until_s; /* by then it fits; HUGE_VAL: not known */
	size_t spare_slots; /* free beside it then */
	bool is_alone;
	struct pool future; /* as it is then, what was reserved counted as held */

	struct arena *a;
	const struct pool *pool; /* NULL: none */
	size_t parallel;
	VEC(struct holder) holders;
	uint32_t *at; /* by node: index into holders */
	struct grant own;
};

/* nodes: how many tests there are. */
struct reservation *reservation_new(
	struct arena *a, size_t nodes, const struct pool *pool, size_t parallel);
void reservation_started(struct reservation *r, struct holder h);
void reservation_ended(struct reservation *r, node_id node);
/* When the running node ends: what was expected, or, once that is over, as much later as
 * it has been running. */
double reservation_end(const struct reservation *r, node_id node, double now_s);
void reservation_make(struct reservation *r, const struct need *need, double now_s);
/* Whether a test that runs beyond until_s leaves the reserved one its place. */
bool reservation_leaves(
	const struct reservation *r, size_t slots, const struct grant *grant);
/* Such a test has started. */
void reservation_charge(struct reservation *r, size_t slots, const struct grant *grant);

#endif

/*
 * Openings in the future for the best tests that do not fit now: from the expected ends
 * of what runs, the time at which each will fit, one after the other, and what is left
 * beside it then. Others may start before it if they end by that time or take of what is
 * left.
 */
#ifndef CCTR_RUNNER_SCHEDULE_RESERVATION_H
#define CCTR_RUNNER_SCHEDULE_RESERVATION_H

#include "runner/resources/pool.h"
#include "runner/schedule/plan.h"

/* What runs and what it holds. */
struct holder {
	uint32_t rank;
	double started_s, expected_s;
	double ends_s; /* of the last reservation_make */
	size_t slots;
	const struct grant *grant; /* NULL: nothing of the pool */
};
struct need {
	size_t slots;
	bool is_alone; /* nothing may run beside it */
	double not_before_s; /* locks */
	double expected_s;
	const struct resource_groups *groups; /* NULL: nothing of the pool */
};
struct opening {
	double until_s; /* by then it fits; HUGE_VAL: not known */
	size_t spare_slots; /* free beside it then */
	bool is_alone;
	struct pool future; /* as it is then, what was reserved counted as held */
};
struct reservation {
	struct opening *openings; /* as many as there were needs */
	size_t openings_n, openings_most;

	struct arena *a;
	const struct pool *pool; /* NULL: none */
	size_t parallel;
	VEC(struct holder) holders, ends;
	uint32_t *at; /* by rank: index into holders */
	struct pool future;
};

/* tests: how many there are; openings: how many needs at most. */
struct reservation *reservation_new(struct arena *a, size_t tests,
	const struct pool *pool, size_t parallel, size_t openings);
/* The pool has its instances now; nothing was held of it before. */
void reservation_pool_is_known(struct reservation *r);
void reservation_started(struct reservation *r, struct holder h);
/* How much earlier than expected; below 0: later. */
double reservation_ended(struct reservation *r, uint32_t rank, double now_s);
/* When the running test ends: what was expected, or, once that is over, as much later as
 * it has been running. */
double reservation_end(const struct reservation *r, uint32_t rank, double now_s);
/* The needs in turn, none earlier than the one before it. */
void reservation_make(
	struct reservation *r, const struct need *needs, size_t n, double now_s);
/* Whether a test that runs beyond until_s leaves the reserved one its place. */
bool opening_leaves(const struct opening *p, size_t slots, const struct grant *grant);
/* Such a test has started. */
void opening_charge(struct opening *p, size_t slots, const struct grant *grant);

#endif

/*
 * Reservations for the best tests that do not fit now. From the expected ends of the
 * running tests follows when each of them will fit, its shadow time, and what is extra
 * then: free beside it.
 */
#ifndef CCTR_RUNNER_SCHEDULE_RESERVATION_H
#define CCTR_RUNNER_SCHEDULE_RESERVATION_H

#include "runner/resources/pool.h"
#include "runner/schedule/plan.h"

/* What runs and what it holds. */
struct holder {
	uint32_t rank;
	double started_s, expected_s;
	double ends_s; /* of the last reservations_make */
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
struct reservation {
	double shadow_s; /* when it fits; HUGE_VAL: not known */
	size_t extra_slots; /* free beside it at the shadow time */
	bool is_alone;
	struct pool future; /* as it is then, what was reserved counted as held */
};
struct reservations {
	struct reservation *v; /* as many as there were needs */
	size_t n, most;

	struct arena *a;
	const struct pool *pool; /* NULL: none */
	size_t parallel;
	VEC(struct holder) holders, ends;
	uint32_t *at; /* by rank: index into holders */
	struct pool future;
};

/* tests: how many there are; most: how many needs at most. */
struct reservations *reservations_new(struct arena *a, size_t tests,
	const struct pool *pool, size_t parallel, size_t most);
/* The pool has its instances now; nothing was held of it before. */
void reservations_pool_is_known(struct reservations *r);
void reservations_started(struct reservations *r, struct holder h);
/* How much earlier than expected; below 0: later. */
double reservations_ended(struct reservations *r, uint32_t rank, double now_s);
/* When the running test ends: what was expected, or, once that is over, as much later as
 * it has been running. */
double reservations_end(const struct reservations *r, uint32_t rank, double now_s);
/* The needs in turn, none earlier than the one before it. */
void reservations_make(
	struct reservations *r, const struct need *needs, size_t n, double now_s);
/* Whether a test that runs beyond shadow_s leaves the reserved test its place. */
bool reservation_allows(
	const struct reservation *p, size_t slots, const struct grant *grant);
/* Such a test has started. */
void reservation_charge(struct reservation *p, size_t slots, const struct grant *grant);

#endif

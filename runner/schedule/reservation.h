/*
 * Reservations for the best tests that do not fit now. From the expected ends of the
 * running tests follows when each of them will fit, its shadow time, and what is extra
 * then: free beside it.
 */
#ifndef CCTR_RUNNER_SCHEDULE_RESERVATION_H
#define CCTR_RUNNER_SCHEDULE_RESERVATION_H

#include "runner/lease/lease.h"
#include "runner/schedule/plan.h"

/* A running test and what it holds. */
struct holder {
	uint32_t rank;
	double started_s, expected_s;
	size_t slots;
	const struct grant *grant; /* NULL: nothing of the pool */
};
/* A test that does not fit now. */
struct need {
	size_t slots;
	bool is_alone; /* nothing may run beside it */
	uint32_t part;
	double not_before_s; /* locks */
	double expected_s;
	const struct resource_groups *groups; /* NULL: nothing of the pool */
};
struct reservation {
	double shadow_s; /* when it fits; HUGE_VAL: not known */
	size_t extra_slots; /* free beside it at the shadow time */
	bool is_alone;
};

struct reservations;
/* tests: how many there are; most: how many needs at most. */
struct reservations *reservations_new(struct arena *a, size_t tests,
	const struct pool *pool, size_t parallel, size_t most);
/* The pool has its instances now; nothing was held of it before. */
void reservations_pool_is_known(struct reservations *r);
/* The same tests run as by another one. */
void reservations_follow(struct reservations *r, const struct reservations *old);
/* Tests give back their leases when they end. order: nodes by rank. */
void reservations_set_leases(
	struct reservations *r, const node_id *order, const struct leases *l);
void reservations_started(struct reservations *r, struct holder h);
void reservations_ended(struct reservations *r, uint32_t rank);
/* When the running test ends: what was expected, or, once that is over, as much later as
 * it has been running. */
double reservations_end(const struct reservations *r, uint32_t rank, double now_s);
/* One reservation for each need, none earlier than that of the need of the same part
 * before it. Parts share nothing but processor slots. */
void reservations_make(
	struct reservations *r, const struct need *needs, size_t n, double now_s);
/* Those of the last reservations_make, in the order of its needs. The array stays where
 * it is. */
const struct reservation *reservations_made(const struct reservations *r);
/* Whether a test that runs beyond the shadow time leaves the reserved test its place. */
bool reservations_allow(
	const struct reservations *r, size_t i, size_t slots, const struct grant *grant);
/* Such a test has started. */
void reservations_charge(
	struct reservations *r, size_t i, size_t slots, const struct grant *grant);

#endif

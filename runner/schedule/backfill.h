/*
 * Which tests may start before the best tests that do not fit. See backfill.c for the
 * rule and its papers.
 */
#ifndef CCTR_RUNNER_SCHEDULE_BACKFILL_H
#define CCTR_RUNNER_SCHEDULE_BACKFILL_H

#include "runner/schedule/wait_queue.h"

struct backfill;
/* NULL: the plan has neither reservations nor promised starts, and any test that fits may
 * start. */
struct backfill *backfill_new(struct arena *a, const struct plan *p,
	const struct scheduler_options *o, struct allocation *allocation,
	struct ready_queue *ready, struct wait_queues *waiting);
/* The same tests run, and were overtaken as often, as by another one of the plan. */
void backfill_follow(struct backfill *b, const struct backfill *old);
/* What tests give back when they end, beside their grants. */
void backfill_set_leases(struct backfill *b, const struct leases *l);
void backfill_pool_is_known(struct backfill *b);
void backfill_set_time(struct backfill *b, double now_s);
/* Tests are asked for again: as many queues may be held back as before. */
void backfill_begin(struct backfill *b);

enum backfill_rule {
	START_ANY, /* that backfill_allows */
	START_HEAD, /* only the first head */
	START_NONE, /* enough have been looked at */
};
/* Finds the heads. slots: how many are free. */
enum backfill_rule backfill_rule(struct backfill *b, size_t slots);
/* Of START_HEAD: the queue of the first head. */
uint32_t backfill_head(const struct backfill *b);
/* Whether the best test of the size class may start as far as slots and time go. */
bool backfill_allows(const struct backfill *b, const struct size_class *size);
/* As wait_queue_admit; but a test that would delay a head takes nothing, and its queue is
 * held back. */
bool backfill_admit(struct backfill *b, uint32_t queue);

/* The best test of the queue starts. */
void backfill_started(struct backfill *b, uint32_t queue);
void backfill_ended(struct backfill *b, uint32_t rank);
/* The queue waits for a resource with another best test. */
void backfill_blocked(struct backfill *b, uint32_t queue);
/* Queues that were held back are ready again. */
void backfill_wake(struct backfill *b);
/* A test that may be a head is not ready any more. */
void backfill_forget(struct backfill *b);

/* Rank of the first head, RANK_NONE: there is none. *shadow_s is set if it has a
 * reservation. */
uint32_t backfill_first(const struct backfill *b, double *shadow_s);

#endif

/*
 * What the files of the scheduler share: scheduler.c (starts and ends), ready_queue.c
 * (who needs the same), sizes.c (who is worth trying), wait_queue.c (who waits for what),
 * admission.c (does it fit) and backfill.c (may it start before a reserved test). Nobody
 * else includes it.
 *
 * A queue holds the ready tests of one request class (or coarse class). It is idle, or
 * in its size class, or waits for the resource that kept it from starting last, or held
 * back beside a reserved test.
 *
 * A size class is for queues that need as many slots, and whose tests take about as long:
 * how many slots are free decides for all of them, so that only the best of each is
 * looked at.
 *
 * A resource is a lock or a resource type. When something of it comes back, only the best
 * queue of each size class that could pass goes to its size class; the next one follows
 * when that was tried.
 */
#ifndef CCTR_RUNNER_SCHEDULE_SCHEDULER_STATE_H
#define CCTR_RUNNER_SCHEDULE_SCHEDULER_STATE_H

#include "runner/base/heap.h"
#include "runner/schedule/reservation.h"
#include "runner/schedule/scheduler.h"
#include "runner/schedule/wait_queue.h"

/* The best test of a queue does not fit, and has a time reserved. */
struct head {
	uint32_t queue, rank;
};

struct scheduler {
	struct arena *a;
	const struct plan *plan;
	struct scheduler_options o;
	const struct request_classes *classes;
	struct request_classes *own_classes; /* the same, where they are nobody else's */
	struct ready_queue *ready;
	const struct class_queue *queues; /* of it */
	const struct size_class *sizes; /* of it */
	size_t queues_n, sizes_n;
	uint32_t *noted; /* by queue: rank of its item in blocked */
	uint32_t *waits; /* by node: dependencies that have not ended */
	unsigned char *life; /* by rank: enum node_life */
	struct allocation *allocation;
	const struct usage *usage; /* of it */
	struct wait_queues *waiting;
	VEC(uint32_t) passed; /* ready, but the walk has passed them */
	uint32_t walked; /* rank behind which the walk stands */
	node_id just_started; /* nothing else was asked since; MAP_NONE */
	node_id last_started;
	size_t usable; /* slots, when scheduler_next was called last */
	size_t pending, pending_serial;
	bool is_stopped;
	/* Of a plan by pressure; else backfills is false. */
	bool backfills, has_begun;
	struct reservations *reservations; /* NULL: promises only */
	struct head *heads; /* plan.reserve of them, by rank, at least one */
	size_t heads_n;
	struct head *found; /* as many, each of them, to work with */
	struct need *needs;
	struct heap_item *kept;
	double began_s, now_s;
	double promised_s; /* the first time that was reserved for the first head */
	uint32_t *overtaken; /* by rank: how often it was overtaken while it was the first
				head */
	bool is_draining, is_stale;
	uint64_t reserved_times; /* how often reservations have been made */
	uint64_t *held_back_at; /* by pool request: reserved_times when it was last held
				   back */
	heap blocked; /* by best rank: queues that wait for a resource */
	VEC(uint32_t) held_back;
	size_t held_back_now; /* since scheduler_next was called */
};

enum node_life { LIFE_PENDING, LIFE_RUNS, LIFE_ENDED };

/* ---- backfill.c: only where backfills is true ---- */

/* Before anything starts: which tests are heads? slots: how many are free. */
void find_heads(struct scheduler *s, size_t slots);
/* Whether the best of the size class may start as far as slots and time go. */
bool size_may_pass(const struct scheduler *s, const struct size_class *l);
/* As admit, and nothing that would delay the reserved test. */
bool admit_backfill(struct scheduler *s, uint32_t id);
/* The best of the queue starts: has somebody been passed over? */
void note_start(struct scheduler *s, uint32_t id);
/* The queue waits for a resource. */
void note_blocked(struct scheduler *s, uint32_t id);
void wake_held_back(struct scheduler *s);
/* An event may cost only so much. */
bool is_held_back_enough(const struct scheduler *s);

#endif

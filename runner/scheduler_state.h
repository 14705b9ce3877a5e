/*
 * What the files of the scheduler share: scheduler.c (starts and ends), buckets.c
 * (who needs the same), readiness.c (who is worth trying), admission.c (does it fit) and
 * precedence.c (may it pass the reserved test). Nobody else includes it.
 */
#ifndef CCTR_RUNNER_SCHEDULER_STATE_H
#define CCTR_RUNNER_SCHEDULER_STATE_H

#include "runner/heap.h"
#include "runner/reservation.h"
#include "runner/scheduler.h"

typedef VEC(uint32_t) id_vec;
/* Held back: it may fit, and would delay the reserved one. */
enum bucket_state { BUCKET_IDLE, BUCKET_ACTIVE, BUCKET_WAITING, BUCKET_HELD_BACK };

#define KEY_NONE UINT64_MAX

struct bucket {
	enum bucket_state state;
	const struct test *example;
	size_t slots;
	bool is_serial, fits_nowhere, needs_pool, needs_processors;
	uint32_t *locks;
	size_t locks_n;
	heap ready; /* by rank: of nodes */
	VEC(struct grant *) spare; /* grants that came back, to be filled again */
	uint64_t blocked_key; /* its item in scheduler.blocked; KEY_NONE: has none */
};

struct lock {
	bool is_held;
	node_id holder;
	id_vec waiting;
};

struct scheduler {
	struct arena *a;
	const struct plan *plan;
	struct scheduler_options o;
	VEC(struct bucket) buckets;
	uint32_t *bucket_of; /* by node */
	uint32_t *waits; /* by node: dependencies that have not ended */
	struct grant **grants; /* by node; NULL without a pool */
	VEC(struct lock) locks;
	id_vec *type_waiting; /* by resource type; the last for any of them */
	id_vec silence_waiting;
	heap slots_waiting; /* by slots */
	heap processors_waiting; /* by slots: what needs them has as many of both */
	size_t *processors; /* by node: to itself; NULL where they are not known */
	size_t processors_free;
	/* By best rank. An item whose bucket has another best rank, or is not active, is
	 * a leftover. */
	heap active;
	id_vec passed; /* ready, but the walk has passed them */
	uint32_t walked; /* rank behind which the walk stands */
	node_id just_started;
	size_t used, running, pending;
	bool serial_runs, is_stopped;
	/* Of a plan by pressure; else reservation is NULL. */
	struct reservation *reservation;
	uint32_t reserved; /* the bucket whose best test it is for, MAP_NONE: nobody */
	double now_s, promised_s; /* promised: the first time that was reserved */
	size_t passed_over;
	bool is_draining, is_stale;
	heap blocked; /* by best rank: buckets that failed while another was reserved */
	id_vec held_back;
	size_t held_back_now; /* since scheduler_next was called */
};

/* ---- buckets.c ---- */

/* Sorts all tests into buckets, which are idle. */
void buckets_build(struct scheduler *s);

/* ---- readiness.c ---- */

/* The bucket has ready tests: the next look finds it. */
void bucket_activate(struct scheduler *s, uint32_t b);
void node_is_ready(struct scheduler *s, node_id node);
/* Who waits for the node waits for one less. */
void release_users(struct scheduler *s, node_id node);
/* From the top again, with what the last walk had passed. */
void start_walk(struct scheduler *s);
void wake(struct scheduler *s, id_vec *waiting);
void wake_for_slots(struct scheduler *s, size_t free_slots);
void wake_for_processors(struct scheduler *s);
void wake_held_back(struct scheduler *s);
/* Whoever waited for something that the ended node gave back is worth trying. */
void wake_waiting(struct scheduler *s, node_id node);
/* The active bucket with the best rank, now not in the heap; MAP_NONE: there is none. */
uint32_t best_bucket(struct scheduler *s);

/* ---- admission.c ---- */

size_t free_slots(const struct scheduler *s, size_t usable);
/* NULL when all locks are free. */
struct lock *held_lock(struct scheduler *s, const struct bucket *b);
/* Takes what the best test of the bucket needs, or puts the bucket where it waits. */
bool admit(struct scheduler *s, uint32_t id, size_t slots);
/* Gives up what admit took for the best test of the bucket, which has not started. */
void dismiss(struct scheduler *s, uint32_t id);
/* What the node has to itself from now on. */
size_t take_processors(struct scheduler *s, node_id node);
/* The running node's slots, locks, processors and grant come back. */
void give_back(struct scheduler *s, node_id node);

/* ---- precedence.c: only with a reservation ---- */

/* As admit, and nothing that would delay the reserved test. */
bool admit_beside(struct scheduler *s, uint32_t id, size_t slots);
/* The node of the bucket starts: who is reserved for now, and has been passed over? */
void note_start(struct scheduler *s, uint32_t id, node_id node);
void look_at_reservation(struct scheduler *s);

#endif

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
#include "runner/schedule/allocation.h"
#include "runner/schedule/reservation.h"
#include "runner/schedule/scheduler.h"

enum queue_state { QUEUE_IDLE, QUEUE_READY, QUEUE_WAITING, QUEUE_HELD_BACK };

struct class_queue {
	uint32_t best; /* rank of the best ready test, RANK_NONE: none */
	uint32_t size;
	enum queue_state state;
	uint32_t resource; /* for which it waits, or from whose queue it came into the
			      size */
	const struct request_class *class; /* of the best ready test */
	uint32_t *first, *first_end; /* ready since the start: ranks, ascending */
	heap late; /* ready since: by rank */
	uint32_t noted; /* rank of its item in scheduler.blocked */
};

struct size_class {
	uint32_t best; /* rank; RANK_NONE: nobody */
	uint32_t slots;
	bool is_serial;
	double best_s; /* how long the best is expected to take */
};

/* Queues that need the same of the type, by best rank; an item whose queue is not there
 * any more, or has another best rank, is a leftover. */
struct waiters {
	uint32_t pool_request;
	uint64_t largest, total; /* of the type; of a lock 1 */
	heap waiting;
};
struct waiting_size {
	uint32_t size;
	VEC(struct waiters) waiters;
};
struct wait_queue {
	VEC(struct waiting_size) sizes;
};

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
	VEC(struct class_queue) queues;
	uint32_t *queue_of; /* by rank */
	uint32_t *waits; /* by node: dependencies that have not ended */
	unsigned char *life; /* by rank: enum node_life */
	struct allocation *allocation;
	const struct usage *usage; /* of it */
	VEC(struct size_class) sizes;
	/* By size class, queues by best rank. An item whose queue has another best rank,
	 * or is not in its size class, is a leftover. */
	VEC(heap) ready;
	struct map size_names; /* needs of sizes, as bytes */
	struct wait_queue *wait_queues; /* by resource */
	VEC(uint32_t) passed; /* ready, but the walk has passed them */
	uint32_t walked; /* rank behind which the walk stands */
	node_id just_started; /* nothing else was asked since; MAP_NONE */
	node_id last_started;
	size_t usable; /* slots, when scheduler_next was called last */
	size_t pending, pending_serial;
	bool is_stopped, is_coarse;
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

/* ---- ready_queue.c ---- */

void ready_queue_build(struct scheduler *s);
/* The best ready test leaves; what is ready behind it becomes the best. */
/* The memory of a node that is near its turn; which node, or MAP_NONE. */
node_id queue_fetch(const struct scheduler *s, const struct class_queue *b);
void queue_pop(struct scheduler *s, struct class_queue *b);
/* true: the node is the queue's best now. */
bool queue_push(struct scheduler *s, struct class_queue *b, uint32_t rank);

static inline node_id
queue_node(const struct scheduler *s, const struct class_queue *b)
{
	return s->plan->order[b->best];
}

/* ---- sizes.c ---- */

uint32_t size_class_for(
	struct scheduler *s, size_t slots, bool is_serial, unsigned length);
void ready_queue_add(struct scheduler *s, uint32_t queue);
/* Takes the best queue out; it must be added again or put elsewhere. */
uint32_t ready_queue_take(struct scheduler *s, uint32_t size);
/* The queue leaves its size class, wherever in it it stands. */
void ready_queue_leave(struct scheduler *s, uint32_t queue);
void node_is_ready(struct scheduler *s, node_id node);
/* Who waits for the node waits for one less. */
void release_users(struct scheduler *s, node_id node);
/* From the top again, with what the last walk had passed. */
void start_walk(struct scheduler *s);

/* ---- wait_queue.c ---- */

void wait_queues_build(struct scheduler *s);
void wait_queue_add(struct scheduler *s, uint32_t resource, uint32_t queue);
/* The queue that waits for a resource has a better test now. */
void wait_queue_update(struct scheduler *s, uint32_t queue);
/* Something came back, or what was taken last has been given up. */
void wait_queue_wake(struct scheduler *s, uint32_t resource);
/* The queue that came from the resource has been tried: the next of its size class. */
void wait_queue_wake_next(struct scheduler *s, uint32_t resource, uint32_t size);
/* The queue leaves its wait queue, if it could fit; it must be added to its size class or
 * put elsewhere. */
bool wait_queue_leave(struct scheduler *s, uint32_t queue);
/* ---- admission.c ---- */

/* Takes what the best test of the queue needs, or lets the queue wait for a resource.
 */
bool admit(struct scheduler *s, uint32_t id);
const struct request_class *class_of_rank(const struct scheduler *s, uint32_t rank);

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

/*
 * Ready tests, best first: a queue for each request class; or for each coarse class and
 * length, where the order depends on how long tests take.
 *
 * A size class is the queues whose tests are of one part, need as many slots and take
 * about as long. How many slots are free decides for all of them, so that only the best
 * of each size class is looked at.
 */
#ifndef CCTR_RUNNER_SCHEDULE_READY_QUEUE_H
#define CCTR_RUNNER_SCHEDULE_READY_QUEUE_H

#include "runner/schedule/request_class.h"

/* Where a queue is. */
enum queue_state {
	QUEUE_IDLE, /* nowhere; or it has just been taken out */
	QUEUE_READY, /* in its size class */
	QUEUE_WAITING, /* for a resource */
	QUEUE_HELD_BACK, /* beside a reserved test */
};
struct class_queue {
	uint32_t best; /* rank of the best ready test, RANK_NONE: none */
	uint32_t size_class;
	enum queue_state state;
	const struct request_class *class; /* of the best ready test */
};
struct size_class {
	uint32_t best; /* rank of the best test of the queues in it; RANK_NONE: none */
	uint32_t slots;
	uint32_t part;
	bool is_serial;
	double best_s; /* by length: how long the best is expected to take */
};

struct ready_queue;
/* With the tests that wait for nothing. finished: nodes that do not start, or NULL.
 * by_length: the plan knows how long tests take. */
struct ready_queue *ready_queue_new(struct arena *a, const struct plan *p,
	const struct request_classes *classes, const bool *finished, bool by_length);

/* By their numbers; both arrays stay where they are, and are always up to date. */
const struct class_queue *ready_queue_all(const struct ready_queue *r, size_t *n);
const struct size_class *ready_queue_sizes(const struct ready_queue *r, size_t *n);
uint32_t ready_queue_of(const struct ready_queue *r, uint32_t rank);
const struct request_class *ready_queue_class(const struct ready_queue *r, uint32_t rank);

/* The test becomes ready. true: it is the best of its queue now. */
bool ready_queue_push(struct ready_queue *r, uint32_t rank);
/* The best test leaves the queue. */
void ready_queue_pop(struct ready_queue *r, uint32_t queue);
/* The test, which became ready during the run, is not ready any more. true: it was the
 * best of its queue, which is idle now. */
bool ready_queue_remove(struct ready_queue *r, uint32_t rank);
/* The queue goes to its size class. */
void ready_queue_enter(struct ready_queue *r, uint32_t queue);
/* Takes the best queue out of the size class. */
uint32_t ready_queue_take(struct ready_queue *r, uint32_t size_class);
/* The queue leaves its size class, of which it need not be the best. */
void ready_queue_leave(struct ready_queue *r, uint32_t queue);
/* The queue, which is not in its size class, is idle, waits or is held back. */
void ready_queue_set(struct ready_queue *r, uint32_t queue, enum queue_state state);
/* Fetches the memory of a test that starts soon after the best one; MAP_NONE: of none. */
node_id ready_queue_fetch(const struct ready_queue *r, uint32_t queue);

#endif

/*
 * Queues of ready tests that wait for a resource: a lock, some of a type of the pool,
 * processors, or an idle machine. When some of it comes back, only the best queue of each
 * size class that could fit becomes ready; the next one follows when that was tried.
 */
#ifndef CCTR_RUNNER_SCHEDULE_WAIT_QUEUE_H
#define CCTR_RUNNER_SCHEDULE_WAIT_QUEUE_H

#include "runner/schedule/allocation.h"
#include "runner/schedule/ready_queue.h"

struct wait_queues;
struct wait_queues *wait_queues_new(struct arena *a,
	const struct request_classes *classes, struct ready_queue *ready,
	struct allocation *allocation);
/* Takes what the best test of the queue needs; or the queue waits for what is short. */
bool wait_queue_admit(struct wait_queues *w, uint32_t queue);
/* The waiting queue has a better test now. true: that could fit, and the queue is ready.
 */
bool wait_queue_update(struct wait_queues *w, uint32_t queue);
/* The waiting queue leaves, if it could fit, and is idle. */
bool wait_queue_leave(struct wait_queues *w, uint32_t queue);
/* Whether a queue waits for the resource. */
bool wait_queue_has(struct wait_queues *w, uint32_t resource);
/* Some of the resource came back, or what was taken last has been given up. */
void wait_queue_wake(struct wait_queues *w, uint32_t resource);
/* The queue that the resource has woken last has been tried: wakes the next of its size
 * class. */
void wait_queue_wake_next(struct wait_queues *w, uint32_t resource, uint32_t size_class);
/* For which resource the queue waits, or by which it was woken; RESOURCE_NONE: none. */
uint32_t wait_queue_resource(const struct wait_queues *w, uint32_t queue);
/* The same, and from now on none. */
uint32_t wait_queue_forget(struct wait_queues *w, uint32_t queue);

#endif

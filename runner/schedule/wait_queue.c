/*
 * A wait queue is kept by size class, and in it by what is requested of the resource, so
 * that requests that cannot fit are skipped together.
 */
#include "runner/schedule/wait_queue.h"

#include "runner/base/heap.h"

/* Queues with the same request for the resource, by best rank. An item is a leftover if
 * its queue does not wait here any more, or has another best rank. */
struct waiters {
	/* of processors: how many; of a type of the pool: class.pool_request; else 0 */
	uint32_t request;
	struct room wanted;
	heap queues;
};
struct waiting_size {
	uint32_t size_class;
	VEC(struct waiters) waiters;
};
typedef VEC(struct waiting_size) wait_queue;

struct wait_queues {
	struct arena *a;
	const struct request_classes *classes;
	struct ready_queue *ready;
	const struct class_queue *queues; /* of it */
	struct allocation *allocation;
	wait_queue *v; /* by resource */
	uint32_t *resource; /* by queue */
};

struct wait_queues *
wait_queues_new(struct arena *a, const struct request_classes *classes,
	struct ready_queue *ready, struct allocation *allocation)
{
	struct wait_queues *w = NEW(a, struct wait_queues);
	size_t n;

	INVARIANT(classes && ready && allocation);
	*w = (struct wait_queues){
		.a = a, .classes = classes, .ready = ready, .allocation = allocation};
	w->queues = ready_queue_all(ready, &n);
	w->v = NEW_ARRAY(a, wait_queue, resources_n(classes));
	w->resource = NEW_ARRAY(a, uint32_t, n);
	for (size_t i = 0; i < n; i++)
		w->resource[i] = RESOURCE_NONE;
	return w;
}

/* ---- waiting --------------------------------------------------------------------- */

static struct waiting_size *
size_at(struct wait_queues *w, uint32_t resource, uint32_t size_class)
{
	wait_queue *q = &w->v[resource];

	for (size_t i = 0; i < q->n; i++)
		if (q->v[i].size_class == size_class)
			return &q->v[i];
	VEC_PUSH(w->a, q, (struct waiting_size){.size_class = size_class});
	return &q->v[q->n - 1];
}

static struct waiters
waiters_of(
	const struct wait_queues *w, uint32_t resource, const struct request_class *class)
{
	struct waiters of = {.wanted = {1, 1}};

	if (resource == resource_processors(w->classes)) {
		of.request = (uint32_t) class->slots;
		of.wanted = (struct room){class->slots, class->slots};
	} else if (resource_is_type(w->classes, resource)) {
		of.request = class->pool_request;
	}
	for (size_t i = 0; i < class->needs_n; i++) {
		const struct class_need *need = &class->needs[i];

		if (resource_of_type(w->classes, need->type) == resource)
			of.wanted = (struct room){need->largest, need->total};
	}
	return of;
}

static struct waiters *
waiters_at(struct wait_queues *w, uint32_t resource, const struct class_queue *q)
{
	struct waiting_size *size = size_at(w, resource, q->size_class);
	struct waiters of = waiters_of(w, resource, q->class);

	for (size_t i = 0; i < size->waiters.n; i++)
		if (size->waiters.v[i].request == of.request)
			return &size->waiters.v[i];
	VEC_PUSH(w->a, &size->waiters, of);
	return &size->waiters.v[size->waiters.n - 1];
}

static void
add_queue(struct wait_queues *w, uint32_t resource, uint32_t queue)
{
	const struct class_queue *q = &w->queues[queue];

	heap_push(w->a, &waiters_at(w, resource, q)->queues, q->best, queue);
	ready_queue_set(w->ready, queue, QUEUE_WAITING);
	w->resource[queue] = resource;
}

bool
wait_queue_admit(struct wait_queues *w, uint32_t queue)
{
	const struct class_queue *q = &w->queues[queue];
	uint32_t resource = allocation_take(w->allocation, q->class, q->best);

	INVARIANT(q->state != QUEUE_READY && q->state != QUEUE_WAITING);
	if (resource == RESOURCE_NONE)
		return true;
	add_queue(w, resource, queue);
	return false;
}

/* ---- waking ---------------------------------------------------------------------- */

/* What was refused for want of another type leaves this queue, and waits for that one. */
static bool
could_fit(const struct wait_queues *w, uint32_t resource, const struct waiters *of,
	struct room room)
{
	return of->wanted.largest <= room.largest && of->wanted.total <= room.total &&
	       (!resource_is_type(w->classes, resource) ||
		       allocation_refused(w->allocation, of->request) != resource);
}

/* Drops leftovers. RANK_NONE: no queue waits. */
static uint32_t
best_of(struct wait_queues *w, uint32_t resource, struct waiters *of)
{
	for (; of->queues.n; heap_pop(&of->queues)) {
		struct heap_item item = of->queues.v[0];
		const struct class_queue *q = &w->queues[item.id];

		if (q->state == QUEUE_WAITING && w->resource[item.id] == resource &&
			q->best == item.key)
			return q->best;
	}
	return RANK_NONE;
}

static void
wake_best(struct wait_queues *w, uint32_t resource, struct waiting_size *size,
	struct room room)
{
	struct waiters *from = NULL;
	uint32_t best = RANK_NONE;

	for (size_t i = 0; i < size->waiters.n; i++) {
		struct waiters *of = &size->waiters.v[i];
		uint32_t rank = of->queues.n && could_fit(w, resource, of, room)
					? best_of(w, resource, of)
					: RANK_NONE;

		if (rank < best) {
			from = of;
			best = rank;
		}
	}
	if (!from)
		return;
	ready_queue_enter(w->ready, from->queues.v[0].id);
	heap_pop(&from->queues);
}

bool
wait_queue_has(struct wait_queues *w, uint32_t resource)
{
	wait_queue *q = &w->v[resource];

	for (size_t i = 0; i < q->n; i++)
		for (size_t k = 0; k < q->v[i].waiters.n; k++)
			if (best_of(w, resource, &q->v[i].waiters.v[k]) != RANK_NONE)
				return true;
	return false;
}

void
wait_queue_wake(struct wait_queues *w, uint32_t resource)
{
	wait_queue *q = &w->v[resource];
	struct room room;

	if (!q->n)
		return;
	room = allocation_room(w->allocation, resource);
	for (size_t i = 0; i < q->n && room.total; i++)
		wake_best(w, resource, &q->v[i], room);
}

void
wait_queue_wake_next(struct wait_queues *w, uint32_t resource, uint32_t size_class)
{
	struct room room = allocation_room(w->allocation, resource);

	if (room.total)
		wake_best(w, resource, size_at(w, resource, size_class), room);
}

static bool
queue_could_fit(const struct wait_queues *w, uint32_t queue)
{
	uint32_t resource = w->resource[queue];
	struct waiters of = waiters_of(w, resource, w->queues[queue].class);

	return could_fit(w, resource, &of, allocation_room(w->allocation, resource));
}

bool
wait_queue_update(struct wait_queues *w, uint32_t queue)
{
	if (queue_could_fit(w, queue)) {
		ready_queue_enter(w->ready, queue);
		return true;
	}
	add_queue(w, w->resource[queue], queue);
	return false;
}

bool
wait_queue_leave(struct wait_queues *w, uint32_t queue)
{
	if (!queue_could_fit(w, queue))
		return false;
	ready_queue_set(w->ready, queue, QUEUE_IDLE);
	return true;
}

uint32_t
wait_queue_resource(const struct wait_queues *w, uint32_t queue)
{
	return w->resource[queue];
}

uint32_t
wait_queue_forget(struct wait_queues *w, uint32_t queue)
{
	uint32_t resource = w->resource[queue];

	w->resource[queue] = RESOURCE_NONE;
	return resource;
}

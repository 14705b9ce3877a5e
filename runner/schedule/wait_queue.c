/*
 * Who waits for a lock or for some of a resource type: by size class, and in it by what
 * is needed, so that what cannot pass is passed by as a whole.
 */
#include "runner/schedule/request_class.h"
#include "runner/schedule/scheduler_state.h"

void
wait_queues_build(struct scheduler *s)
{
	s->wait_queues = NEW_ARRAY(s->a, struct wait_queue, resources_n(s->classes));
}

/* ---- waiting ------------------------------------------------------------------------
 */

static struct waiting_size *
size_at(struct scheduler *s, uint32_t resource, uint32_t size)
{
	struct wait_queue *g = &s->wait_queues[resource];

	for (size_t i = 0; i < g->sizes.n; i++)
		if (g->sizes.v[i].size == size)
			return &g->sizes.v[i];
	VEC_PUSH(s->a, &g->sizes, (struct waiting_size){.size = size});
	return &g->sizes.v[g->sizes.n - 1];
}

static struct waiters
waiters_of(const struct scheduler *s, uint32_t resource, const struct request_class *k)
{
	struct waiters q = {.pool_request = k->pool_request, .largest = 1, .total = 1};

	if (resource == resource_processors(s->classes))
		q.pool_request = (uint32_t)(q.largest = q.total = k->slots);
	else if (!resource_is_type(s->classes, resource))
		q.pool_request = 0;
	for (size_t i = 0; i < k->needs_n; i++)
		if (resource_of_type(s->classes, k->needs[i].type) == resource) {
			q.largest = k->needs[i].largest;
			q.total = k->needs[i].total;
		}
	return q;
}

static struct waiters *
waiters_at(struct scheduler *s, uint32_t resource, const struct class_queue *b)
{
	struct waiting_size *l = size_at(s, resource, b->size);
	struct waiters q = waiters_of(s, resource, b->class);

	for (size_t i = 0; i < l->waiters.n; i++)
		if (l->waiters.v[i].pool_request == q.pool_request)
			return &l->waiters.v[i];
	VEC_PUSH(s->a, &l->waiters, q);
	return &l->waiters.v[l->waiters.n - 1];
}

void
wait_queue_add(struct scheduler *s, uint32_t resource, uint32_t queue)
{
	struct class_queue *b = &s->queues.v[queue];

	heap_push(s->a, &waiters_at(s, resource, b)->waiting, b->best, queue);
	b->state = QUEUE_WAITING;
	b->resource = resource;
}

/* ---- passing ------------------------------------------------------------------------
 */

/* What was refused for want of another resource leaves this queue, and waits for that
 * one. */
static bool
could_fit(const struct scheduler *s, uint32_t resource, const struct waiters *q,
	struct room room)
{
	return q->largest <= room.largest && q->total <= room.total &&
	       (!resource_is_type(s->classes, resource) ||
		       allocation_refused(s->allocation, q->pool_request) != resource);
}

/* The best that waits, leftovers dropped; RANK_NONE: nobody does. */
static uint32_t
best_of(struct scheduler *s, uint32_t resource, struct waiters *q)
{
	for (; q->waiting.n; heap_pop(&q->waiting)) {
		struct heap_item item = q->waiting.v[0];
		const struct class_queue *b = &s->queues.v[item.id];

		if (b->state == QUEUE_WAITING && b->resource == resource &&
			b->best == item.key)
			return b->best;
	}
	return RANK_NONE;
}

static void
wake_best(
	struct scheduler *s, uint32_t resource, struct waiting_size *l, struct room room)
{
	struct waiters *from = NULL;
	uint32_t best = RANK_NONE;

	for (size_t i = 0; i < l->waiters.n; i++) {
		struct waiters *q = &l->waiters.v[i];

		if (q->waiting.n && could_fit(s, resource, q, room) &&
			best_of(s, resource, q) < best) {
			from = q;
			best = best_of(s, resource, q);
		}
	}
	if (!from)
		return;
	ready_queue_add(s, from->waiting.v[0].id);
	heap_pop(&from->waiting);
}

void
wait_queue_wake(struct scheduler *s, uint32_t resource)
{
	struct wait_queue *g = &s->wait_queues[resource];
	struct room room;

	if (!g->sizes.n)
		return;
	room = allocation_room(s->allocation, resource);
	for (size_t i = 0; i < g->sizes.n && room.total; i++)
		wake_best(s, resource, &g->sizes.v[i], room);
}

void
wait_queue_wake_next(struct scheduler *s, uint32_t resource, uint32_t size)
{
	struct room room = allocation_room(s->allocation, resource);

	if (room.total)
		wake_best(s, resource, size_at(s, resource, size), room);
}

static bool
queue_could_fit(struct scheduler *s, const struct class_queue *b)
{
	struct waiters q = waiters_of(s, b->resource, b->class);

	return could_fit(s, b->resource, &q, allocation_room(s->allocation, b->resource));
}

void
wait_queue_update(struct scheduler *s, uint32_t queue)
{
	struct class_queue *b = &s->queues.v[queue];

	if (queue_could_fit(s, b)) {
		ready_queue_add(s, queue);
		return;
	}
	wait_queue_add(s, b->resource, queue);
	if (s->backfills)
		note_blocked(s, queue);
}

bool
wait_queue_leave(struct scheduler *s, uint32_t queue)
{
	struct class_queue *b = &s->queues.v[queue];

	if (!queue_could_fit(s, b))
		return false;
	b->state = QUEUE_IDLE;
	return true;
}

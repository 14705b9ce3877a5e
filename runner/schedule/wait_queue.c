/*
 * Who waits for a lock or for some of a resource type: by size class, and in it by what
 * is needed, so that what cannot pass is passed by as a whole.
 */
#include "runner/schedule/request_class.h"
#include "runner/schedule/scheduler_state.h"

uint32_t
resource_of_type(const struct scheduler *s, uint32_t type)
{
	return (uint32_t)s->classes->locks.n + type;
}

void
wait_queues_build(struct scheduler *s)
{
	s->processors_resource =
		resource_of_type(s, s->o.pool ? (uint32_t)s->o.pool->n + 1 : 0);
	s->idle_resource = s->processors_resource + 1;
	s->wait_queues = NEW_ARRAY(s->a, struct wait_queue, s->idle_resource + 1);
	s->refusals = NEW_ARRAY(s->a, struct refusal, s->classes->pool_requests_n);
	for (size_t i = 0; i < s->classes->pool_requests_n; i++)
		s->refusals[i].resource = RESOURCE_NONE;
}

static bool
is_type(const struct scheduler *s, uint32_t resource)
{
	return resource >= s->classes->locks.n && resource < s->processors_resource;
}

static bool
is_lock(const struct scheduler *s, uint32_t resource)
{
	return resource < s->classes->locks.n;
}

/* What is free of a resource; of a lock, everything or nothing. */
struct room {
	uint64_t largest, total;
};

static struct room
room_of_type(const struct resource_type *t)
{
	struct room room = {0, 0};

	for (size_t i = 0; i < t->n; i++) {
		uint64_t is_free = t->v[i].slots - t->v[i].held;

		room.total += is_free;
		if (is_free > room.largest)
			room.largest = is_free;
	}
	return room;
}

static struct room
room_of_resource(const struct scheduler *s, uint32_t resource)
{
	size_t type = resource - s->classes->locks.n;
	bool is_open = true;

	if (is_lock(s, resource))
		is_open = !s->wait_queues[resource].is_held;
	else if (resource == s->processors_resource)
		return (struct room){s->processors_free, s->processors_free};
	else if (resource == s->idle_resource)
		is_open = !s->running;
	else if (type < s->o.pool->n)
		return room_of_type(&s->o.pool->types[type]);
	return is_open ? (struct room){UINT64_MAX, UINT64_MAX} : (struct room){0, 0};
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

	if (resource == s->processors_resource)
		q.pool_request = (uint32_t)(q.largest = q.total = k->slots);
	else if (!is_type(s, resource))
		q.pool_request = 0;
	for (size_t i = 0; i < k->needs_n; i++)
		if (resource_of_type(s, k->needs[i].type) == resource) {
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

static bool
is_refused(const struct scheduler *s, uint32_t pool_request)
{
	const struct refusal *m = &s->refusals[pool_request];

	return m->resource != RESOURCE_NONE &&
	       m->news == s->wait_queues[m->resource].news;
}

uint32_t
refused_resource(const struct scheduler *s, const struct request_class *k)
{
	return is_refused(s, k->pool_request) ? s->refusals[k->pool_request].resource
					      : RESOURCE_NONE;
}

bool
has_room(const struct scheduler *s, uint32_t resource, const struct class_need *need)
{
	struct room room = room_of_resource(s, resource);

	return need->largest <= room.largest && need->total <= room.total;
}

/* What was refused for want of another resource leaves this queue, and waits for that
 * one. */
static bool
could_fit(const struct scheduler *s, uint32_t resource, const struct waiters *q,
	struct room room)
{
	return q->largest <= room.largest && q->total <= room.total &&
	       (!is_type(s, resource) ||
		       s->refusals[q->pool_request].resource != resource ||
		       !is_refused(s, q->pool_request));
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
	room = room_of_resource(s, resource);
	for (size_t i = 0; i < g->sizes.n && room.total; i++)
		wake_best(s, resource, &g->sizes.v[i], room);
}

void
wait_queue_returned(struct scheduler *s, uint32_t resource, bool was_refused)
{
	s->wait_queues[resource].news += !was_refused;
	wait_queue_wake(s, resource);
}

void
wait_queue_wake_next(struct scheduler *s, uint32_t resource, uint32_t size)
{
	struct room room = room_of_resource(s, resource);

	if (room.total)
		wake_best(s, resource, size_at(s, resource, size), room);
}

static bool
queue_could_fit(struct scheduler *s, const struct class_queue *b)
{
	struct waiters q = waiters_of(s, b->resource, b->class);

	return could_fit(s, b->resource, &q, room_of_resource(s, b->resource));
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

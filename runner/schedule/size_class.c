/* The best queue of each size class is known at any time; its heap may hold leftovers. */
#include "runner/schedule/request_class.h"
#include "runner/schedule/scheduler_state.h"

uint32_t
size_class_for(struct scheduler *s, size_t slots, bool is_serial, unsigned length)
{
	struct map *names = &s->size_names;
	uint64_t key[3] = {slots, is_serial, length};
	struct str text = str_cut((const char *)key, sizeof key);
	uint32_t size = map_get(names, text);

	if (size != MAP_NONE)
		return size;
	size = (uint32_t)s->sizes.n;
	map_set(names, str_dup(s->a, text), size);
	VEC_PUSH(s->a, &s->sizes,
		(struct size_class){.best = RANK_NONE,
			.slots = (uint32_t)slots,
			.is_serial = is_serial});
	VEC_PUSH(s->a, &s->ready, (heap){NULL, 0, 0});
	return size;
}

static void
set_best(struct scheduler *s, struct size_class *l, uint32_t rank)
{
	l->best = rank;
	if (rank != RANK_NONE && s->reservations)
		l->best_s = s->plan->expected[s->plan->order[rank]].seconds;
}

static void
settle(struct scheduler *s, uint32_t size)
{
	heap *h = &s->ready.v[size];

	while (h->n) {
		const struct class_queue *b = &s->queues.v[h->v[0].id];

		if (b->state == QUEUE_READY && b->best == h->v[0].key)
			break;
		heap_pop(h);
	}
	set_best(s, &s->sizes.v[size], h->n ? (uint32_t)h->v[0].key : RANK_NONE);
}

void
ready_queue_add(struct scheduler *s, uint32_t queue)
{
	struct class_queue *b = &s->queues.v[queue];
	struct size_class *l = &s->sizes.v[b->size];

	b->state = QUEUE_READY;
	heap_push(s->a, &s->ready.v[b->size], b->best, queue);
	if (b->best < l->best)
		set_best(s, l, b->best);
}

uint32_t
ready_queue_take(struct scheduler *s, uint32_t size)
{
	uint32_t queue = s->ready.v[size].v[0].id;

	heap_pop(&s->ready.v[size]);
	s->queues.v[queue].state = QUEUE_IDLE;
	settle(s, size);
	return queue;
}

void
ready_queue_leave(struct scheduler *s, uint32_t queue)
{
	s->queues.v[queue].state = QUEUE_IDLE;
	settle(s, s->queues.v[queue].size);
}

void
node_is_ready(struct scheduler *s, node_id node)
{
	uint32_t rank = s->plan->nodes[node].rank, id = s->queue_of[rank];
	struct class_queue *b = &s->queues.v[id];

	if (!queue_push(s, b, rank))
		return;
	if (b->state == QUEUE_WAITING)
		wait_queue_update(s, id);
	else
		ready_queue_add(s, id);
}

void
start_walk(struct scheduler *s)
{
	s->walked = 0;
	for (size_t i = 0; i < s->passed.n; i++)
		node_is_ready(s, s->passed.v[i]);
	s->passed.n = 0;
}

void
release_users(struct scheduler *s, node_id node)
{
	const struct node *t = &s->plan->nodes[node];

	for (uint32_t k = 0; k < t->users_n; k++) {
		node_id user = t->users[k];

		INVARIANT(s->waits[user] > 0);
		if (--s->waits[user] > 0 || (s->o.finished && s->o.finished[user]))
			continue;
		if (s->plan->nodes[user].rank < s->walked)
			VEC_PUSH(s->a, &s->passed, user);
		else
			node_is_ready(s, user);
	}
}

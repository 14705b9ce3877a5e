/*
 * Which buckets are worth trying: they stand in a heap by their best rank, until nothing
 * they wait for can have come back.
 */
#include "runner/scheduler_state.h"

void
bucket_activate(struct scheduler *s, uint32_t b)
{
	struct bucket *bucket = &s->buckets.v[b];

	bucket->state = BUCKET_ACTIVE;
	heap_push(s->a, &s->active, bucket->ready.v[0].key, b);
}

void
node_is_ready(struct scheduler *s, node_id node)
{
	uint32_t b = s->bucket_of[node];
	struct bucket *bucket = &s->buckets.v[b];
	uint32_t rank = s->plan->nodes[node].rank;
	bool is_best = !bucket->ready.n || rank < bucket->ready.v[0].key;

	heap_push(s->a, &bucket->ready, rank, node);
	if (bucket->state == BUCKET_IDLE || (bucket->state != BUCKET_WAITING && is_best))
		bucket_activate(s, b);
}

void
wake(struct scheduler *s, id_vec *waiting)
{
	for (size_t i = 0; i < waiting->n; i++)
		bucket_activate(s, waiting->v[i]);
	waiting->n = 0;
}

void
wake_held_back(struct scheduler *s)
{
	for (size_t i = 0; i < s->held_back.n; i++)
		if (s->buckets.v[s->held_back.v[i]].state == BUCKET_HELD_BACK)
			bucket_activate(s, s->held_back.v[i]);
	s->held_back.n = 0;
}

void
wake_for_slots(struct scheduler *s, size_t free_slots)
{
	while (s->slots_waiting.n && s->slots_waiting.v[0].key <= free_slots) {
		uint32_t b = s->slots_waiting.v[0].id;

		heap_pop(&s->slots_waiting);
		bucket_activate(s, b);
	}
}

void
wake_for_processors(struct scheduler *s)
{
	while (s->processors_waiting.n &&
		s->processors_waiting.v[0].key <= s->processors_free) {
		uint32_t b = s->processors_waiting.v[0].id;

		heap_pop(&s->processors_waiting);
		bucket_activate(s, b);
	}
}

/* From the top again, with what the last walk had passed. */
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

/* Whoever waited for something that came back is worth trying. */
void
wake_waiting(struct scheduler *s, node_id node)
{
	const struct bucket *b = &s->buckets.v[s->bucket_of[node]];
	const struct grant *grant = b->needs_pool ? s->grants[node] : NULL;

	if (!s->running) {
		wake(s, &s->silence_waiting);
		wake_held_back(s);
	}
	if (s->o.pool)
		wake(s, &s->type_waiting[s->o.pool->n]);
	wake_for_processors(s);
	for (size_t i = 0; i < b->locks_n; i++)
		wake(s, &s->locks.v[b->locks[i]].waiting);
	for (size_t g = 0; grant && g < grant->n; g++)
		for (size_t i = 0; i < grant->v[g].n; i++)
			wake(s, &s->type_waiting[grant->v[g].v[i].type]);
}

/* The active bucket with the best rank, leftovers dropped; MAP_NONE when there is none.
 */
uint32_t
best_bucket(struct scheduler *s)
{
	while (s->active.n) {
		struct heap_item item = s->active.v[0];
		const struct bucket *b = &s->buckets.v[item.id];

		heap_pop(&s->active);
		if (b->state == BUCKET_ACTIVE && b->ready.v[0].key == item.key)
			return item.id;
	}
	return MAP_NONE;
}

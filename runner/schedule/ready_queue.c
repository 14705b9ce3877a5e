/*
 * Ready tests by request class. Those that wait for nothing are known when the run
 * begins: they are an array, by rank, of which the front is taken off; only those that
 * become ready later need a heap.
 */
#include <math.h>

#include "runner/schedule/request_class.h"
#include "runner/schedule/scheduler_state.h"

/* Lengths in powers of two. */
enum { SHORTEST = -5, LENGTHS = 24 };

/* Tests that may pass a reserved one are told by their time. */
static unsigned
length_of(const struct scheduler *s, node_id node)
{
	double seconds = s->reservations ? s->plan->expected[node].seconds : 0;
	int exponent = SHORTEST;

	if (seconds <= 0)
		return 0;
	frexp(seconds, &exponent);
	if (exponent < SHORTEST)
		exponent = SHORTEST;
	return exponent - SHORTEST < LENGTHS ? (unsigned)(exponent - SHORTEST)
					     : LENGTHS - 1;
}

static uint32_t
queue_new(struct scheduler *s, const struct request_class *k, unsigned length)
{
	struct class_queue b = {
		.best = RANK_NONE,
		.size = size_class_for(s, k->slots, k->is_serial, length),
		.resource = RESOURCE_NONE,
		.noted = RANK_NONE,
		.class = k,
	};

	VEC_PUSH(s->a, &s->queues, b);
	return (uint32_t)(s->queues.n - 1);
}

/* Which queue each rank belongs to. */
static void
sort_nodes(struct scheduler *s)
{
	size_t lengths = s->reservations ? LENGTHS : 1;
	size_t groups = s->is_coarse ? s->classes->coarse_n : s->classes->v.n;
	struct arena *scratch = arena_open();
	uint32_t *ids = NEW_ARRAY(scratch, uint32_t, groups * lengths);

	s->queue_of = NEW_ARRAY(s->a, uint32_t, s->plan->n);
	for (uint32_t rank = 0; rank < s->plan->n; rank++) {
		node_id node = s->plan->order[rank];
		const struct request_class *k = &s->classes->v.v[s->classes->of[node]];
		uint32_t group = s->is_coarse ? k->coarse : s->classes->of[node];
		unsigned length = length_of(s, node);
		uint32_t *id = &ids[group * lengths + length];

		if (!*id)
			*id = queue_new(s, k, length) + 1;
		s->queue_of[rank] = *id - 1;
	}
	arena_close(scratch);
}

static bool
is_ready_at_once(const struct scheduler *s, node_id node)
{
	return !s->plan->nodes[node].waits && !(s->o.finished && s->o.finished[node]);
}

static void
look_at_best(struct scheduler *s, struct class_queue *b)
{
	b->best = b->first < b->first_end ? *b->first : RANK_NONE;
	if (b->late.n && b->late.v[0].key < b->best)
		b->best = (uint32_t)b->late.v[0].key;
	if (s->is_coarse && b->best != RANK_NONE)
		b->class = &s->classes->v.v[s->classes->of[queue_node(s, b)]];
}

const struct request_class *
class_of_rank(const struct scheduler *s, uint32_t rank)
{
	if (s->is_coarse)
		return &s->classes->v.v[s->classes->of[s->plan->order[rank]]];
	return s->queues.v[s->queue_of[rank]].class;
}

void
ready_queue_build(struct scheduler *s)
{
	uint32_t *ranks = NEW_ARRAY(s->a, uint32_t, s->plan->n), *next = ranks, *counts;

	sort_nodes(s);
	counts = NEW_ARRAY(s->a, uint32_t, s->queues.n);
	for (uint32_t rank = 0; rank < s->plan->n; rank++)
		counts[s->queue_of[rank]]++;
	for (size_t b = 0; b < s->queues.n; b++) {
		s->queues.v[b].first = s->queues.v[b].first_end = next;
		next += counts[b];
	}
	for (uint32_t rank = 0; rank < s->plan->n; rank++)
		if (is_ready_at_once(s, s->plan->order[rank]))
			*s->queues.v[s->queue_of[rank]].first_end++ = rank;
	for (uint32_t b = 0; b < s->queues.n; b++) {
		look_at_best(s, &s->queues.v[b]);
		if (s->queues.v[b].best != RANK_NONE)
			ready_queue_add(s, b);
	}
}

/* Ranks are any order of the nodes, so that with a million of them each node comes from
 * far; half of what it costs to start one was waiting for it. */
node_id
queue_fetch(const struct scheduler *s, const struct class_queue *b)
{
	enum { NODES_AHEAD = 4, RANKS_AHEAD = 8 };
	size_t left = (size_t)(b->first_end - b->first);
	node_id node;

	if (left > RANKS_AHEAD)
		__builtin_prefetch(&s->plan->order[b->first[RANKS_AHEAD]]);
	if (left <= NODES_AHEAD)
		return MAP_NONE;
	node = s->plan->order[b->first[NODES_AHEAD]];
	__builtin_prefetch(&s->plan->nodes[node]);
	return node;
}

void
queue_pop(struct scheduler *s, struct class_queue *b)
{
	if (b->first < b->first_end && *b->first == b->best)
		b->first++;
	else
		heap_pop(&b->late);
	look_at_best(s, b);
}

bool
queue_push(struct scheduler *s, struct class_queue *b, uint32_t rank)
{
	heap_push(s->a, &b->late, rank, 0);
	if (rank > b->best)
		return false;
	look_at_best(s, b);
	return true;
}

/*
 * Tests that wait for nothing are known when the run begins: they are an array, by rank,
 * of which the front is taken off. Only tests that become ready later need a heap.
 *
 * The best queue of a size class is always known. Its heap may also hold leftovers: items
 * whose queue has left the size class, or has another best test now.
 */
#include "runner/schedule/ready_queue.h"

#include <math.h>

#include "runner/base/heap.h"

/* Lengths in powers of two. */
enum { SHORTEST = -5, LENGTHS = 24 };

/* The ready tests of a queue. */
struct tests {
	uint32_t *first, *first_end; /* ready since the start: ranks, ascending */
	heap late; /* ready since: by rank */
};
struct ready_queue {
	struct arena *a;
	const struct plan *plan;
	const struct request_classes *classes;
	bool by_length;
	VEC(struct class_queue) queues;
	VEC(struct tests) tests; /* by queue */
	uint32_t *queue_of; /* by rank */
	VEC(struct size_class) sizes;
	VEC(heap) in_size; /* by size class: queues by best rank */
	struct map size_names; /* slots, serial and length, as bytes */
};

/* ---- size classes ---------------------------------------------------------------- */

static uint32_t
size_class_for(struct ready_queue *r, const struct request_class *class, unsigned length)
{
	uint64_t key[4] = {class->slots, class->is_serial, length, class->part};
	struct str text = str_cut((const char *)key, sizeof key);
	uint32_t size = map_get(&r->size_names, text);

	if (size != MAP_NONE)
		return size;
	size = (uint32_t)r->sizes.n;
	map_set(&r->size_names, str_dup(r->a, text), size);
	VEC_PUSH(r->a, &r->sizes,
		(struct size_class){.best = RANK_NONE,
			.slots = (uint32_t) class->slots,
			.part = class->part,
			.is_serial = class->is_serial});
	VEC_PUSH(r->a, &r->in_size, (heap){NULL, 0, 0});
	return size;
}

static void
set_best(struct ready_queue *r, struct size_class *size, uint32_t rank)
{
	size->best = rank;
	if (rank != RANK_NONE && r->by_length)
		size->best_s = r->plan->expected[r->plan->order[rank]].seconds;
}

/* Drops leftovers. */
static void
find_best(struct ready_queue *r, uint32_t size)
{
	heap *h = &r->in_size.v[size];

	while (h->n) {
		const struct class_queue *q = &r->queues.v[h->v[0].id];

		if (q->state == QUEUE_READY && q->best == h->v[0].key)
			break;
		heap_pop(h);
	}
	set_best(r, &r->sizes.v[size], h->n ? (uint32_t)h->v[0].key : RANK_NONE);
}

void
ready_queue_enter(struct ready_queue *r, uint32_t queue)
{
	struct class_queue *q = &r->queues.v[queue];
	struct size_class *size = &r->sizes.v[q->size_class];

	INVARIANT(q->best != RANK_NONE);
	q->state = QUEUE_READY;
	heap_push(r->a, &r->in_size.v[q->size_class], q->best, queue);
	if (q->best < size->best)
		set_best(r, size, q->best);
}

uint32_t
ready_queue_take(struct ready_queue *r, uint32_t size_class)
{
	uint32_t queue = r->in_size.v[size_class].v[0].id;

	heap_pop(&r->in_size.v[size_class]);
	r->queues.v[queue].state = QUEUE_IDLE;
	find_best(r, size_class);
	return queue;
}

void
ready_queue_leave(struct ready_queue *r, uint32_t queue)
{
	INVARIANT(r->queues.v[queue].state == QUEUE_READY);
	r->queues.v[queue].state = QUEUE_IDLE;
	find_best(r, r->queues.v[queue].size_class);
}

void
ready_queue_set(struct ready_queue *r, uint32_t queue, enum queue_state state)
{
	INVARIANT(state != QUEUE_READY);
	r->queues.v[queue].state = state;
}

/* ---- the tests of a queue -------------------------------------------------------- */

const struct request_class *
ready_queue_class(const struct ready_queue *r, uint32_t rank)
{
	if (r->by_length)
		return &r->classes->v.v[r->classes->of[r->plan->order[rank]]];
	return r->queues.v[r->queue_of[rank]].class;
}

static void
find_best_test(struct ready_queue *r, uint32_t queue)
{
	struct class_queue *q = &r->queues.v[queue];
	const struct tests *t = &r->tests.v[queue];

	q->best = t->first < t->first_end ? *t->first : RANK_NONE;
	if (t->late.n && t->late.v[0].key < q->best)
		q->best = (uint32_t)t->late.v[0].key;
	if (r->by_length && q->best != RANK_NONE)
		q->class = ready_queue_class(r, q->best);
}

void
ready_queue_pop(struct ready_queue *r, uint32_t queue)
{
	struct tests *t = &r->tests.v[queue];

	INVARIANT(r->queues.v[queue].best != RANK_NONE);
	if (t->first < t->first_end && *t->first == r->queues.v[queue].best)
		t->first++;
	else
		heap_pop(&t->late);
	find_best_test(r, queue);
}

bool
ready_queue_push(struct ready_queue *r, uint32_t rank)
{
	uint32_t queue = r->queue_of[rank];

	heap_push(r->a, &r->tests.v[queue].late, rank, 0);
	if (rank > r->queues.v[queue].best)
		return false;
	find_best_test(r, queue);
	return true;
}

/* Seldom, so that the heap is built again. */
static void
drop_late(struct ready_queue *r, heap *late, uint32_t rank)
{
	heap rest = {NULL, 0, 0};

	for (size_t i = 0; i < late->n; i++)
		if (late->v[i].key != rank)
			heap_push(r->a, &rest, late->v[i].key, 0);
	INVARIANT(rest.n + 1 == late->n);
	*late = rest;
}

bool
ready_queue_remove(struct ready_queue *r, uint32_t rank)
{
	uint32_t queue = r->queue_of[rank];
	struct class_queue *q = &r->queues.v[queue];
	bool was_best = q->best == rank;

	drop_late(r, &r->tests.v[queue].late, rank);
	if (!was_best)
		return false;
	find_best_test(r, queue);
	if (q->state == QUEUE_READY)
		ready_queue_leave(r, queue);
	q->state = QUEUE_IDLE;
	return true;
}

/* Ranks are any order of the nodes, so that with a million of them each node comes from
 * far; half of what it costs to start one was waiting for it. */
node_id
ready_queue_fetch(const struct ready_queue *r, uint32_t queue)
{
	enum { NODES_AHEAD = 4, RANKS_AHEAD = 8 };
	const struct tests *t = &r->tests.v[queue];
	size_t left = (size_t)(t->first_end - t->first);
	node_id node;

	if (left > RANKS_AHEAD)
		__builtin_prefetch(&r->plan->order[t->first[RANKS_AHEAD]]);
	if (left <= NODES_AHEAD)
		return MAP_NONE;
	node = r->plan->order[t->first[NODES_AHEAD]];
	__builtin_prefetch(&r->plan->nodes[node]);
	return node;
}

/* ---- building -------------------------------------------------------------------- */

static unsigned
length_of(const struct ready_queue *r, node_id node)
{
	double seconds = r->by_length ? r->plan->expected[node].seconds : 0;
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
add_queue(struct ready_queue *r, const struct request_class *class, unsigned length)
{
	struct class_queue q = {.best = RANK_NONE,
		.size_class = size_class_for(r, class, length),
		.class = class};

	VEC_PUSH(r->a, &r->queues, q);
	VEC_PUSH(r->a, &r->tests, (struct tests){.first = NULL});
	return (uint32_t)(r->queues.n - 1);
}

/* Which queue each rank belongs to. */
static void
assign_queues(struct ready_queue *r)
{
	size_t lengths = r->by_length ? LENGTHS : 1;
	size_t groups = r->by_length ? r->classes->coarse_n : r->classes->v.n;
	struct arena *scratch = arena_open();
	uint32_t *ids = NEW_ARRAY(scratch, uint32_t, groups * lengths);

	r->queue_of = NEW_ARRAY(r->a, uint32_t, r->plan->n);
	for (uint32_t rank = 0; rank < r->plan->n; rank++) {
		node_id node = r->plan->order[rank];
		const struct request_class *class =
			&r->classes->v.v[r->classes->of[node]];
		uint32_t group = r->by_length ? class->coarse : r->classes->of[node];
		unsigned length = length_of(r, node);
		uint32_t *id = &ids[group * lengths + length];

		if (!*id)
			*id = add_queue(r, class, length) + 1;
		r->queue_of[rank] = *id - 1;
	}
	arena_close(scratch);
}

/* Each queue gets its part of one array. */
static void
divide_ranks(struct ready_queue *r)
{
	uint32_t *next = NEW_ARRAY(r->a, uint32_t, r->plan->n);
	uint32_t *counts = NEW_ARRAY(r->a, uint32_t, r->queues.n);

	for (uint32_t rank = 0; rank < r->plan->n; rank++)
		counts[r->queue_of[rank]]++;
	for (size_t i = 0; i < r->queues.n; i++) {
		r->tests.v[i].first = r->tests.v[i].first_end = next;
		next += counts[i];
	}
}

struct ready_queue *
ready_queue_new(struct arena *a, const struct plan *p,
	const struct request_classes *classes, const bool *finished, bool by_length)
{
	struct ready_queue *r = NEW(a, struct ready_queue);

	INVARIANT(!by_length || p->expected);
	*r = (struct ready_queue){.a = a,
		.plan = p,
		.classes = classes,
		.by_length = by_length,
		.size_names = map_in(a)};
	assign_queues(r);
	divide_ranks(r);
	for (uint32_t rank = 0; rank < p->n; rank++) {
		node_id node = p->order[rank];

		if (!p->nodes[node].waits && !(finished && finished[node]))
			*r->tests.v[r->queue_of[rank]].first_end++ = rank;
	}
	for (uint32_t i = 0; i < r->queues.n; i++) {
		find_best_test(r, i);
		if (r->queues.v[i].best != RANK_NONE)
			ready_queue_enter(r, i);
	}
	return r;
}

/* ---- looking --------------------------------------------------------------------- */

uint32_t
ready_queue_of(const struct ready_queue *r, uint32_t rank)
{
	return r->queue_of[rank];
}

const struct class_queue *
ready_queue_all(const struct ready_queue *r, size_t *n)
{
	*n = r->queues.n;
	return r->queues.v;
}

const struct size_class *
ready_queue_sizes(const struct ready_queue *r, size_t *n)
{
	*n = r->sizes.n;
	return r->sizes.v;
}

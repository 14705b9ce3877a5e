/*
 * A heap with the right entry of each worker and others that are out of date. These are
 * dropped when they are first, or when they are too many. See load_queue.h.
 */
#include "runner/remote/load_queue.h"

#include "runner/base/heap.h"

struct load_queue {
	struct arena *a;
	uint64_t *loads;
	size_t n;
	heap entries;
};

struct load_queue *
load_queue_new(struct arena *a, size_t n)
{
	struct load_queue *q = NEW(a, struct load_queue);

	*q = (struct load_queue){.a = a, .loads = NEW_ARRAY(a, uint64_t, n), .n = n};
	for (size_t i = 0; i < n; i++)
		q->loads[i] = LOAD_NONE;
	return q;
}

static void
add_entry(struct load_queue *q, uint32_t worker)
{
	if (q->loads[worker] != LOAD_NONE)
		heap_push_by_id(q->a, &q->entries, q->loads[worker], worker);
}

void
load_queue_set(struct load_queue *q, uint32_t worker, uint64_t load)
{
	INVARIANT(worker < q->n);
	q->loads[worker] = load;
	if (q->entries.n < 4 * (q->n + 1)) {
		add_entry(q, worker);
		return;
	}
	q->entries.n = 0;
	for (uint32_t i = 0; i < q->n; i++)
		add_entry(q, i);
}

uint32_t
load_queue_least(struct load_queue *q)
{
	while (q->entries.n) {
		struct heap_item first = q->entries.v[0];

		if (first.key == q->loads[first.id])
			return first.id;
		heap_pop_by_id(&q->entries);
	}
	return MAP_NONE;
}

/* A binary heap in a vector. Only the place for the new or last item moves; items are not
 * swapped. Comparing ids, too, costs a twentieth of a large schedule's time. */
#include "runner/base/heap.h"

static inline bool
is_before(const struct heap_item *a, const struct heap_item *b, bool by_id)
{
	return a->key < b->key || (by_id && a->key == b->key && a->id < b->id);
}

static inline void
push_item(struct arena *a, heap *h, struct heap_item item, bool by_id)
{
	size_t i = h->n, up;

	VEC_PUSH(a, h, item);
	for (; i; i = up) {
		up = (i - 1) / 2;
		if (!is_before(&item, &h->v[up], by_id))
			break;
		h->v[i] = h->v[up];
	}
	h->v[i] = item;
}

static inline void
pop_item(heap *h, bool by_id)
{
	struct heap_item last = h->v[--h->n];
	size_t i = 0, down;

	for (; (down = 2 * i + 1) < h->n; i = down) {
		if (down + 1 < h->n && is_before(&h->v[down + 1], &h->v[down], by_id))
			down++;
		if (!is_before(&h->v[down], &last, by_id))
			break;
		h->v[i] = h->v[down];
	}
	h->v[i] = last;
}

void
heap_push(struct arena *a, heap *h, uint64_t key, uint32_t id)
{
	push_item(a, h, (struct heap_item){key, id}, false);
}

void
heap_pop(heap *h)
{
	pop_item(h, false);
}

void
heap_push_by_id(struct arena *a, heap *h, uint64_t key, uint32_t id)
{
	push_item(a, h, (struct heap_item){key, id}, true);
}

void
heap_pop_by_id(heap *h)
{
	pop_item(h, true);
}

/* A binary heap in a vector. Only the place for the new or last item moves; items are not
 * swapped. */
#include "runner/base/heap.h"

static bool
is_before(struct heap_item a, struct heap_item b)
{
	return a.key != b.key ? a.key < b.key : a.id < b.id;
}

void
heap_push(struct arena *a, heap *h, uint64_t key, uint32_t id)
{
	struct heap_item item = {key, id};
	size_t i = h->n, up;

	VEC_PUSH(a, h, item);
	for (; i; i = up) {
		up = (i - 1) / 2;
		if (!is_before(item, h->v[up]))
			break;
		h->v[i] = h->v[up];
	}
	h->v[i] = item;
}

void
heap_pop(heap *h)
{
	struct heap_item last;
	size_t i = 0, down;

	INVARIANT(h->n > 0);
	last = h->v[--h->n];
	for (; (down = 2 * i + 1) < h->n; i = down) {
		if (down + 1 < h->n && is_before(h->v[down + 1], h->v[down]))
			down++;
		if (!is_before(h->v[down], last))
			break;
		h->v[i] = h->v[down];
	}
	h->v[i] = last;
}

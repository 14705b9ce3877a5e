/* A binary heap in a vector. Only the place for the new or last item moves; items are not
 * swapped. */
#include "runner/base/heap.h"

void
heap_push(struct arena *a, heap *h, uint64_t key, uint32_t id)
{
	size_t i = h->n, up;

	VEC_PUSH(a, h, (struct heap_item){key, id});
	for (; i; i = up) {
		up = (i - 1) / 2;
		if (h->v[up].key <= key)
			break;
		h->v[i] = h->v[up];
	}
	h->v[i] = (struct heap_item){key, id};
}

void
heap_pop(heap *h)
{
	struct heap_item last = h->v[--h->n];
	size_t i = 0, down;

	for (; (down = 2 * i + 1) < h->n; i = down) {
		if (down + 1 < h->n && h->v[down + 1].key < h->v[down].key)
			down++;
		if (h->v[down].key >= last.key)
			break;
		h->v[i] = h->v[down];
	}
	h->v[i] = last;
}

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
	struct heap_item *v;
	size_t i = h->n, up;

	VEC_PUSH(a, h, item);
	v = h->v;
	for (; i; i = up) {
		up = (i - 1) / 2;
		if (!is_before(&item, &v[up], by_id))
			break;
		v[i] = v[up];
	}
	v[i] = item;
}

/* The place goes down to a leaf first, and then up to where the last item belongs: that
 * item is seldom a small one, so few comparisons follow. */
static inline void
pop_item(heap *h, bool by_id)
{
	struct heap_item *v = h->v, last;
	size_t n = h->n - 1, i = 0, down, up;

	INVARIANT(h->n > 0);
	h->n = n;
	last = v[n];
	for (; (down = 2 * i + 2) < n; i = down) {
		if (!is_before(&v[down], &v[down - 1], by_id))
			down--;
		v[i] = v[down];
	}
	if (down == n) {
		v[i] = v[n - 1];
		i = n - 1;
	}
	for (; i; i = up) {
		up = (i - 1) / 2;
		if (is_before(&v[up], &last, by_id))
			break;
		v[i] = v[up];
	}
	v[i] = last;
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

/* A heap of ids, each with a number as its key; the least key is first. */
#ifndef CCTR_RUNNER_BASE_HEAP_H
#define CCTR_RUNNER_BASE_HEAP_H

#include "runner/base/base.h"

struct heap_item {
	uint64_t key;
	uint32_t id;
};
typedef VEC(struct heap_item) heap;

void heap_push(struct arena *a, heap *h, uint64_t key, uint32_t id);
/* Removes v[0], which is the first. */
void heap_pop(heap *h);
/* As these two; of equal keys the least id is first. A heap is changed by one pair only.
 */
void heap_push_by_id(struct arena *a, heap *h, uint64_t key, uint32_t id);
void heap_pop_by_id(heap *h);

#endif

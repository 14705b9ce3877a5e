/* A heap of ids, each with a number as its key: the least key is first, and of equal keys
 * the least id. */
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

#endif

/*
 * Packs the requirements of one test into the instances of one resource type: bounds,
 * then ctest's descent (largest requirement first, into the instance with the most free
 * slots), searched on with pruning so that the answer is ctest's; then the same search
 * with the tightest instance first, whose first descent is best fit. Never exponential.
 */
#ifndef CCTR_RUNNER_PACKER_H
#define CCTR_RUNNER_PACKER_H

#include "runner/base.h"

enum pack_result {
	PACK_FOUND,
	PACK_IMPOSSIBLE,
	PACK_UNKNOWN, /* the search limit was reached: treat as "not now" */
};

/* How much is looked at before the answer is PACK_UNKNOWN, in instances touched: about a
 * millisecond, and some thirty times as much. */
enum { PACK_QUICKLY = 1 << 20, PACK_THOROUGHLY = 1 << 25 };

/* place[i] gets the bin of need[i]. free is not changed; the order of bins is that of
 * their ids, and decides between bins with equally much free. */
enum pack_result pack(struct arena *scratch, const uint64_t *free_slots, size_t bins,
	const uint64_t *need, size_t items, uint32_t *place, uint64_t limit);

#endif

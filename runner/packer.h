/*
 * Packs the requirements of one test into the instances of one resource type. Bounds,
 * then the greedy descent of ctest (same instances as ctest wherever that descent
 * succeeds), then best fit, then a bounded search: never exponential.
 */
#ifndef CCTR_RUNNER_PACKER_H
#define CCTR_RUNNER_PACKER_H

#include "runner/base.h"

enum pack_result {
	PACK_FOUND,
	PACK_IMPOSSIBLE,
	PACK_UNKNOWN, /* the search limit was reached: treat as "not now" */
};

/* place[i] gets the bin of need[i]. free is not changed. */
enum pack_result pack(struct arena *scratch, const uint64_t *free_slots, size_t bins,
	const uint64_t *need, size_t items, uint32_t *place);

#endif

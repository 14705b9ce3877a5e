/*
 * Packs the requirements of one test into the instances of one resource type. First
 * ctest's greedy descent (largest requirement first, into the instance with the most free
 * slots). Then the bounds. Then a search from that descent, pruned so that the answer is
 * ctest's. Then the same search from the other end, whose first descent is best fit.
 * PACK_TIGHT begins with that one. Never exponential.
 */
#ifndef CCTR_RUNNER_RESOURCES_PACKER_H
#define CCTR_RUNNER_RESOURCES_PACKER_H

#include "runner/base/base.h"

enum pack_order {
	PACK_SPREAD, /* the instance with the most free slots first, as ctest does */
	PACK_TIGHT, /* the instance with the fewest free slots that are enough first */
};
enum pack_result {
	PACK_FOUND,
	PACK_IMPOSSIBLE,
	PACK_UNKNOWN, /* the search limit was reached: treat as "not now" */
};

/* The amount of work after which the answer is PACK_UNKNOWN: beside running tests some
 * milliseconds, before they start a fraction of a second, and about a second when there
 * is nothing else left to do. */
enum { PACK_QUICKLY = 1 << 18, PACK_THOROUGHLY = 1 << 23, PACK_AT_LAST = 1 << 26 };

struct pack_rules {
	enum pack_order order;
	uint64_t limit;
};

/* place[i] becomes the bin of need[i]. free_slots is not changed. The bins are in the
 * order of their ids, which decides between bins with the same number of free slots. */
enum pack_result pack(struct arena *scratch, const uint64_t *free_slots, size_t bins,
	const uint64_t *need, size_t items, uint32_t *place,
	const struct pack_rules *rules);

#endif

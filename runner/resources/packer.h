/*
 * Packs the requirements of one test into the instances of one resource type: ctest's
 * descent (largest requirement first, into the instance with the most free slots), then
 * bounds, then that descent searched on with pruning so that the answer is ctest's; then
 * the same search from the other end, whose first descent is best fit. PACK_TIGHT begins
 * with that one. Never exponential.
 */
#ifndef CCTR_RUNNER_RESOURCES_PACKER_H
#define CCTR_RUNNER_RESOURCES_PACKER_H

#include "runner/base/base.h"

enum pack_order {
	PACK_SPREAD, /* the instance with the most free slots first, as ctest */
	PACK_TIGHT, /* the instance with the fewest that are enough first */
};
enum pack_result {
	PACK_FOUND,
	PACK_IMPOSSIBLE,
	PACK_UNKNOWN, /* the search limit was reached: treat as "not now" */
};

/* How much is looked at before the answer is PACK_UNKNOWN: beside running tests some
 * milliseconds, before they start a fraction of a second, and when nothing else is left
 * to do about a second. */
enum { PACK_QUICKLY = 1 << 18, PACK_THOROUGHLY = 1 << 23, PACK_AT_LAST = 1 << 26 };

struct pack_rules {
	enum pack_order order;
	uint64_t limit;
};

/* place[i] gets the bin of need[i]. free is not changed; the order of bins is that of
 * their ids, and decides between bins with equally much free. */
enum pack_result pack(struct arena *scratch, const uint64_t *free_slots, size_t bins,
	const uint64_t *need, size_t items, uint32_t *place,
	const struct pack_rules *rules);

#endif

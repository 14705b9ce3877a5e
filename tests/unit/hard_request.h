/* A request that a pool's instances can just hold, in a way that no search finds: large
 * numbers without pattern, three to an instance. */
#ifndef CCTR_TESTS_UNIT_HARD_REQUEST_H
#define CCTR_TESTS_UNIT_HARD_REQUEST_H

#include "runner/base/base.h"

enum { HARD_BINS = 8, HARD_ITEMS = 3 * HARD_BINS };

static inline void
hard_request(uint64_t free_slots[HARD_BINS], uint64_t need[HARD_ITEMS])
{
	uint64_t seed = 1;

	for (size_t b = 0; b < HARD_BINS; b++)
		free_slots[b] = 0;
	for (size_t i = 0; i < HARD_ITEMS; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		need[i] = 10000 + (seed >> 33) % 90000;
		free_slots[i % HARD_BINS] += need[i];
	}
}

/* The same smaller: found, but only in the longest search. */
enum { LATE_BINS = 6, LATE_ITEMS = 3 * LATE_BINS };

static inline void
late_request(uint64_t free_slots[LATE_BINS], uint64_t need[LATE_ITEMS])
{
	uint64_t seed = 1;

	for (size_t b = 0; b < LATE_BINS; b++)
		free_slots[b] = 0;
	for (size_t i = 0; i < LATE_ITEMS; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		need[i] = 100 + (seed >> 33) % 300;
		free_slots[i % LATE_BINS] += need[i];
	}
}

/* "g 0=N 1=N ..." */
static inline struct str
hard_pool(struct arena *a)
{
	uint64_t free_slots[HARD_BINS], need[HARD_ITEMS];
	struct buf b = {.arena = a};

	hard_request(free_slots, need);
	buf_z(&b, "g");
	for (size_t i = 0; i < HARD_BINS; i++)
		buf_fmt(&b, " %zu=%llu", i, (unsigned long long)free_slots[i]);
	return buf_as_str(&b);
}

/* "g:N/g:N/..." */
static inline struct str
hard_groups(struct arena *a)
{
	uint64_t free_slots[HARD_BINS], need[HARD_ITEMS];
	struct buf b = {.arena = a};

	hard_request(free_slots, need);
	for (size_t i = 0; i < HARD_ITEMS; i++)
		buf_fmt(&b, "%sg:%llu", i ? "/" : "", (unsigned long long)need[i]);
	return buf_as_str(&b);
}

#endif

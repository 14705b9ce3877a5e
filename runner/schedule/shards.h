/*
 * Which tests of a selection each of n runs gets: --shard. A pure function, so that runs
 * on several machines agree without a word.
 */
#ifndef CCTR_RUNNER_SCHEDULE_SHARDS_H
#define CCTR_RUNNER_SCHEDULE_SHARDS_H

#include "runner/model/select.h"
#include "runner/schedule/expected.h"

enum { SHARDS_MOST = 10000 };
/* A setup or cleanup of a fixture: runs in every shard that has a test for it. */
#define SHARD_EVERY UINT32_MAX

struct shards {
	uint32_t n;
	uint32_t *of; /* by index of the selection: from 0 to n - 1, or SHARD_EVERY */
	size_t *tests; /* by shard: how many tests are in this shard alone */
	uint64_t *us; /* by shard: their expected time */
	size_t own; /* the sum of tests */
	uint64_t total_us; /* the sum of us */
	uint64_t longest_us; /* of a group of tests that stays together */
	uint64_t key; /* equal keys: equal shards */
};

/*
 * Splits the selection into n shards of about the same expected time; f is the filter
 * that made the selection, times are by its index. Every test is in one shard, except for
 * setups and cleanups of fixtures that the tests of a shard require, which select_tests
 * adds to each.
 *
 * In one shard are: tests that are linked by DEPENDS, tests of the same name, and tests
 * that require the same fixture, as long as these take no more than the n-th part of all.
 * If no group takes longer than that part, no shard takes more than 4/3 - 1/(3n) times as
 * long as the best split of the groups would. Takes n log n in the tests.
 */
struct shards shards_plan(struct arena *a, const struct selection *s,
	const struct filter *f, const struct expected *times, uint32_t n);

#endif

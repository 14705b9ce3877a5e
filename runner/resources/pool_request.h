/*
 * What a test requests from the pool: its RESOURCE_GROUPS. If the pool's cpus are the
 * processors of the machine, also as many of them as PROCESSORS says, so that no test
 * runs on processors that others hold.
 */
#ifndef CCTR_RUNNER_RESOURCES_POOL_REQUEST_H
#define CCTR_RUNNER_RESOURCES_POOL_REQUEST_H

#include "runner/resources/pool.h"

#define POOL_PROCESSORS "cpus"
#define POOL_GPUS "gpus"
#define POOL_MEMORY "mem" /* in MiB */

/* How many slots of a type the groups have together. */
uint64_t pool_slots_in_groups(const struct resource_groups *g, const char *type);
/* The processors of all nodes and partitions; 0 if p is NULL or does not count them. */
uint64_t pool_processors(const struct pool *p);
/* How many slots of cpus the test requests besides those in its groups: they add up to
 * PROCESSORS, or to all slots of the largest node if there are fewer; at least to 1. 0 if
 * p is NULL or does not count processors. */
uint64_t pool_processors_besides(
	const struct pool *p, uint32_t partition, const struct properties *t);
/* The groups, of a partition of the pool, with a requirement of one slot for each slot of
 * types that are listed. */
struct resource_groups pool_spread_listed(
	struct arena *a, const struct pool *p, struct resource_groups g);
/* The test's groups, spread, with its nodes. If there are processors besides, one more
 * group, the last, with a requirement of one slot for each. */
struct resource_groups pool_request(
	struct arena *a, const struct pool *p, const struct properties *t);
/* As pool_request, of a partition of the pool. */
struct resource_groups pool_request_in(struct arena *a, const struct pool *p,
	uint32_t partition, const struct properties *t);
/* Adds a text that is the same for requests that fit alike. */
void pool_request_key(struct buf *b, const struct resource_groups *g);

#endif

/*
 * Splits a pool into partitions: pool and sizes -> slices, which share no slot. Pure.
 *
 * In a pool with one node a size is of the whole pool. In one with several nodes sizes
 * are of each node: of so many as the partition says; of one where it names a number of a
 * type; else of all. A number of nodes without other sizes are whole nodes. Of the nodes
 * that have room the partition gets those where least is left. A partition with an engine
 * has nodes of that engine alone, as if the pool had no others.
 */
#ifndef CCTR_RUNNER_RESOURCES_PARTITION_SPLIT_H
#define CCTR_RUNNER_RESOURCES_PARTITION_SPLIT_H

#include "runner/base/diag.h"
#include "runner/resources/partition_sizes.h"
#include "runner/resources/pool.h"

/* Slots of the whole pool, by type and by instance. */
struct partition_slice {
	uint64_t **slots;
};
struct partition_share {
	struct str name;
	struct partition_slice slice;
};
struct partition_wish {
	struct str name, engine; /* engine: "" for nodes of any */
	struct partition_sizes sizes;
};

struct partition_slice partition_slice_new(struct arena *a, const struct pool *whole);
/* Gives n wishes their slices of what the `have_n` partitions leave. Each is on as few
 * instances as possible. false, after a diag_error with the sum: one of them cannot have
 * what it wants. */
CCTR_MUST_CHECK bool partition_split(struct arena *a, const struct pool *whole,
	const struct partition_share *have, size_t have_n,
	const struct partition_wish *wishes, size_t n, struct partition_slice *slices,
	struct place at, struct diag *d);
/* What none of the partitions has. */
struct partition_slice partition_rest(struct arena *a, const struct pool *whole,
	const struct partition_share *have, size_t n);
/* "cpus 8 of 16, gpus 2 of 4": of the types of which the slice has some; "" of none. */
struct str partition_text(
	struct arena *a, const struct pool *whole, const struct partition_slice *s);

/* A pool on the same nodes, divided into no partition so far. */
struct pool partition_none(const struct pool *whole);
/* Adds a partition with that slice. */
void partition_add(struct arena *a, struct pool *divided, const struct pool *whole,
	const struct partition_slice *s);
/* The partition has nothing from now on. */
void partition_remove(struct pool *divided, const struct pool *whole, uint32_t partition);

#endif

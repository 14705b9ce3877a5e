/*
 * Sizes of a partition as text: `gpus=4,cpus=50%,mem=8G,nodes=2`, or one size for all
 * types: `50%`, `all`, `fill`.
 */
#ifndef CCTR_RUNNER_RESOURCES_PARTITION_SIZES_H
#define CCTR_RUNNER_RESOURCES_PARTITION_SIZES_H

#include "runner/base/base.h"

enum partition_size_kind {
	PARTITION_COUNT, /* n slots, or nodes */
	PARTITION_PERCENT, /* of all that the pool has, rounded down */
	PARTITION_ALL, /* all that the pool has */
	PARTITION_FILL, /* what no other partition has */
};
struct partition_size {
	enum partition_size_kind kind;
	uint64_t n; /* of PARTITION_COUNT and PARTITION_PERCENT */
};
struct partition_term {
	struct str type;
	struct partition_size size;
};
struct partition_sizes {
	struct partition_term *v; /* each type once */
	size_t n;
	bool has_rest, has_nodes;
	struct partition_size rest; /* of has_rest: of the types that no term names */
	struct partition_size
		nodes; /* of has_nodes: on so many; other sizes are of each */
};

/* false: *why is a phrase. */
bool partition_sizes_read(
	struct arena *a, struct str text, struct partition_sizes *s, const char **why);

#endif

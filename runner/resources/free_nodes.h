/*
 * The free slots of one resource type on each node of a pool, and the most that any node
 * of a range has: a tree, whose leaves are the nodes. So the node with the most is found
 * without a look at all of them.
 */
#ifndef CCTR_RUNNER_RESOURCES_FREE_NODES_H
#define CCTR_RUNNER_RESOURCES_FREE_NODES_H

#include "runner/base/base.h"

struct free_slots {
	uint64_t sum; /* of all instances */
	uint64_t largest; /* of one instance */
	bool is_usable; /* false: the node may not be used */
};
struct free_nodes {
	/* [1] is the root, [2 * i] and [2 * i + 1] are below [i], [leaves + node] is a
	 * node. Above the leaves: the largest numbers of the usable nodes below. */
	struct free_slots *v;
	size_t leaves;
};

/* No node has a free slot. */
struct free_nodes *free_nodes_new(struct arena *a, size_t nodes);
struct free_slots free_nodes_get(const struct free_nodes *f, uint32_t node);
void free_nodes_set(struct free_nodes *f, uint32_t node, struct free_slots slots);

#endif

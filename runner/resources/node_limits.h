/*
 * What the nodes of a pool have, as far as somebody looked there: never more than the
 * pool was told, and less where the node has less. So no test gets what is not there.
 */
#ifndef CCTR_RUNNER_RESOURCES_NODE_LIMITS_H
#define CCTR_RUNNER_RESOURCES_NODE_LIMITS_H

#include "runner/resources/pool.h"

/* 0: no limit is known. */
struct node_limits {
	uint64_t processors, gpus, memory_mib;
};

/* Until the next call for the node. true: it has less than the pool was told, and the
 * limits are new. */
bool node_limits_set(
	struct arena *a, struct pool *p, uint32_t node, const struct node_limits *l);
/* Types of the pool have been added since the limits were set. */
void node_limits_obey(struct pool *p);
/* "1 of 2 slots of 'cpus', 300 of 500 slots of 'mem'" */
struct str node_limits_text(struct arena *a, const struct pool *p, uint32_t node);

#endif

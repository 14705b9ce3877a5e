/*
 * The GPUs of nodes, by what their agents say of them in their hello: each as a text with
 * a character for each processor of the node that the agent may use, '1' where the GPU is
 * near it; empty where that was not asked for.
 */
#ifndef CCTR_RUNNER_REMOTE_NODE_GPUS_H
#define CCTR_RUNNER_REMOTE_NODE_GPUS_H

#include "runner/resources/topology.h"

/* Those of this machine, in the order of their numbers. l: with devices, or NULL. */
struct str_list node_gpus_here(struct arena *a, const struct layout *l);
/* By processor, of n: whether one of the GPUs of these ids is near it, in the arena.
 * NULL: that is not known of any. */
const bool *node_gpus_near(
	struct arena *a, struct str_list gpus, struct str_list ids, size_t n);

#endif

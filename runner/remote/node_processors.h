/*
 * The processors of nodes, by what their agents say of them in their hello, and which of
 * them tests get for themselves. Several agents may be on one node, such as the pilots of
 * a run: they share its processors where they may use the same ones.
 */
#ifndef CCTR_RUNNER_REMOTE_NODE_PROCESSORS_H
#define CCTR_RUNNER_REMOTE_NODE_PROCESSORS_H

#include "runner/base/fields.h"
#include "runner/resources/affinity.h"

/* For each processor its number and those of its core, last-level cache, memory node and
 * package. */
struct field_numbers node_processors_list(struct arena *a, const struct layout *l);

struct node_processors;
struct node_processors *node_processors_new(struct arena *a, bool is_compact);
/* The processors of the node of that name. NULL: node_processors_list does not make such
 * numbers. */
struct affinity *node_processors_of(
	struct node_processors *n, const char *host, struct field_numbers places);
/* Up to so many, in the arena, near those places (affinity_take_near). None where too few
 * are free, as on one machine. */
struct processors node_processors_take(
	struct affinity *f, struct arena *a, size_t wanted, const bool *near);

#endif

/*
 * Which processors a running test gets for itself. Pure: a layout in, numbers out.
 *
 * Either in the order of their numbers, like ctest's PROCESSOR_AFFINITY; or compact: from
 * one cache, else from one memory node, else from as few nodes as have room; with a core
 * of its own for each processor while there are idle cores, and near the GPUs that the
 * test holds. Where other runs share the machine, a test gets the processors of its
 * grant, which no other run holds.
 */
#ifndef CCTR_RUNNER_RESOURCES_AFFINITY_H
#define CCTR_RUNNER_RESOURCES_AFFINITY_H

#include "runner/process/processors.h"
#include "runner/resources/pool.h"

/* Inner levels first; each part lies within one part of the next level. */
enum layout_level {
	LAYOUT_CORE,
	LAYOUT_CACHE, /* the last-level cache */
	LAYOUT_NODE, /* the memory node */
	LAYOUT_PACKAGE,
	LAYOUT_MACHINE,
	LAYOUT_LEVELS
};
struct layout_place {
	unsigned number; /* the system's number */
	uint32_t part[LAYOUT_LEVELS]; /* the number of its core, cache, ..., from 0 */
};
struct layout_device {
	struct str bus; /* 0000:01:00.0 */
	const bool *is_near; /* by place: whether the device is near */
};
struct layout {
	struct layout_place *v; /* by number */
	size_t n;
	VEC(struct layout_device) devices;
};

/* For a machine whose topology is not known: each processor is a core. */
struct layout layout_flat(struct arena *a, struct processors p);
/* Numbers the parts from 0 in the order of the places, so that each part lies within one
 * of the next level, whatever numbers they had. */
void layout_nest(struct arena *a, struct layout *l);

struct affinity;
struct affinity_options {
	const struct layout *layout;
	const struct pool *pool; /* the pool of the grants; NULL: there are none */
	bool is_compact;
	bool is_shared; /* by other runs */
};
struct affinity *affinity_new(struct arena *a, const struct affinity_options *o);
size_t affinity_free(const struct affinity *f);
size_t affinity_all(const struct affinity *f); /* free or taken */
/* Takes n processors, ascending, in the arena. At least n must be free. */
struct processors affinity_take(
	struct affinity *f, struct arena *a, size_t n, const struct grant *grant);
/* The same, near what is near those places: by place; NULL: anywhere. */
struct processors affinity_take_near(
	struct affinity *f, struct arena *a, size_t n, const bool *near);
void affinity_return(struct affinity *f, struct processors p);

#endif

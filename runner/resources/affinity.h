/*
 * Which processors a running test has to itself. Pure: a layout in, numbers out.
 *
 * In order of their numbers, as ctest's PROCESSOR_AFFINITY has it; or compact: from one
 * cache, else one memory node, else as few of them as there is room in, with a core of
 * its own for each processor while there are idle ones, and near the GPUs that the test
 * holds.
 */
#ifndef CCTR_RUNNER_RESOURCES_AFFINITY_H
#define CCTR_RUNNER_RESOURCES_AFFINITY_H

#include "runner/process/processors.h"
#include "runner/resources/pool.h"

/* Inner first; each part lies in one of the next level. */
enum layout_level {
	LAYOUT_CORE,
	LAYOUT_CACHE, /* of the last level */
	LAYOUT_NODE, /* of memory */
	LAYOUT_PACKAGE,
	LAYOUT_MACHINE,
	LAYOUT_LEVELS
};
struct layout_place {
	unsigned number; /* the system's */
	uint32_t part[LAYOUT_LEVELS]; /* which core, cache, ...: from 0 */
};
struct layout_device {
	struct str bus; /* 0000:01:00.0 */
	const bool *is_near; /* by place */
};
struct layout {
	struct layout_place *v; /* by number */
	size_t n;
	VEC(struct layout_device) devices;
};

/* Where nothing is known of the processors: each is a core. */
struct layout layout_flat(struct arena *a, struct processors p);
/* Numbers the parts from 0 in the order of the places, so that each lies in one of the
 * next level, whatever was said of them. */
void layout_nest(struct arena *a, struct layout *l);

struct affinity;
struct affinity_options {
	const struct layout *layout;
	const struct pool *pool; /* of the grants; NULL: there are none */
	bool is_compact;
};
struct affinity *affinity_new(struct arena *a, const struct affinity_options *o);
size_t affinity_free(const struct affinity *f);
/* n processors, ascending, in the arena. At least n must be free. */
struct processors affinity_take(
	struct affinity *f, struct arena *a, size_t n, const struct grant *grant);
void affinity_return(struct affinity *f, struct processors p);

#endif

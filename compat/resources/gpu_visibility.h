/*
 * --gpu-visible: what the variables by which GPU libraries select devices call the
 * instances of the type gpus. Pure.
 *
 * In a session with such a variable only its devices have a name. Of all instances of a
 * vendor the name is, the first that all have: a UUID; the property "device"; the id as a
 * number, if only one vendor has GPUs in the pool. In a session these must be in its
 * list; otherwise ids count the entries of that list.
 */
#ifndef CCTR_COMPAT_RESOURCES_GPU_VISIBILITY_H
#define CCTR_COMPAT_RESOURCES_GPU_VISIBILITY_H

#include "runner/resources/gpu_session.h"
#include "runner/resources/pool.h"

#define GPU_TYPE "gpus"

struct gpu_names {
	/* By instance of the type; STR_NONE: the instance is of another vendor. */
	struct str *nvidia, *amd;
	bool has_nvidia, has_amd; /* the pool has GPUs of the vendor */
};

/* false, with *why: the devices of some instance are not known. */
bool gpu_names_find(struct arena *a, const struct resource_type *gpus,
	const struct gpu_session *s, struct gpu_names *names, struct str *why);

#endif

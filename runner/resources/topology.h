/*
 * The machine as the process may use it: processors, memory, GPUs. topology.c asks hwloc;
 * topology_null.c is its twin for a build without hwloc, and knows only the number of
 * processors and the size of the memory.
 */
#ifndef CCTR_RUNNER_RESOURCES_TOPOLOGY_H
#define CCTR_RUNNER_RESOURCES_TOPOLOGY_H

#include "runner/resources/affinity.h"

/* A part of a GPU that is split. */
struct gpu_part {
	struct str uuid; /* MIG-... */
	struct str model; /* MIG 1g.10gb */
};
struct machine_gpu {
	struct str bus; /* 0000:01:00.0 */
	/* nvidia, amd, intel; "" when not known, like the following members */
	struct str vendor;
	struct str model, uuid;
	struct str device; /* in CUDA_VISIBLE_DEVICES or the like (gpu_session.h) */
	VEC(struct gpu_part) parts; /* none: it is whole (gpu_parts.h) */
};
struct machine {
	size_t processors; /* logical ones, at least 1 */
	const unsigned *numbers; /* the system's number of each; NULL: not known */
	/* The physical ones among them, each by its first logical one. 0: not known */
	size_t cores;
	const unsigned *core_numbers;
	uint64_t memory_bytes; /* 0: not known */
	VEC(struct machine_gpu) gpus; /* in the order of their bus */
	bool is_this_system; /* false: described by a text */
};
/* A machine described by text instead of this one; both NULL for this one. */
struct topology_text {
	const char *synthetic; /* "pack:2 core:4 pu:2" */
	const char *xml; /* path of a file, as lstopo writes it */
};

/* Prints nothing on standard error, whatever it finds, and leaves the environment
 * unchanged. false: the text cannot be read, or there is no hwloc, or it cannot be
 * loaded. */
bool topology_read(
	struct arena *a, const struct topology_text *from, struct machine *machine);
/* The parts that contain the processors that the process may use and, with devices, which
 * processors are near which device. In a build without hwloc all are alike. false: the
 * text cannot be read. */
bool topology_layout(struct arena *a, const struct topology_text *from, bool with_devices,
	struct layout *layout);

#endif

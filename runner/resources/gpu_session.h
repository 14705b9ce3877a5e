/*
 * Which GPUs the programs of this session may use, as a batch system or a user says with
 * CUDA_VISIBLE_DEVICES, ROCR_VISIBLE_DEVICES and HIP_VISIBLE_DEVICES.
 *
 * A device is what such a variable calls a GPU: its index among the vendor's GPUs, or a
 * UUID. Like the vendors' libraries, cctr ignores a list from its first invalid entry on.
 */
#ifndef CCTR_RUNNER_RESOURCES_GPU_SESSION_H
#define CCTR_RUNNER_RESOURCES_GPU_SESSION_H

#include "runner/base/base.h"

struct gpu_devices {
	bool is_limited; /* false: all of the machine's */
	struct str *v;
	size_t n;
};
struct gpu_session {
	struct gpu_devices nvidia, amd;
	bool is_by_bus; /* CUDA counts NVIDIA's GPUs in the order of their bus */
};
/* Values of variables; NULL: not set. */
struct gpu_variables {
	const char *cuda, *cuda_order, *rocr, *hip;
};

struct gpu_session gpu_session_of(struct arena *a, const struct gpu_variables *v);
/* GPU-..., and MIG-... for a part of a GPU. */
bool gpu_is_uuid(struct str device);
/* All of them are UUIDs. */
bool gpu_devices_are_uuids(const struct gpu_devices *d);
/* The list's entry for the device: the same text, or the beginning of its UUID. STR_NONE:
 * the list does not have it. */
struct str gpu_device_in(const struct gpu_devices *d, struct str device);

#endif

/* GPUs of drivers, which the topology need not know. */
#ifndef CCTR_RUNNER_RESOURCES_DRIVER_GPUS_H
#define CCTR_RUNNER_RESOURCES_DRIVER_GPUS_H

#include "runner/base/diag.h"
#include "runner/resources/topology.h"

/* Reads /proc/driver/nvidia/gpus, then /dev/kfd and its topology. root: a prefix for
 * /proc, /sys and /dev; "" for this machine. */
void driver_gpus_read(struct arena *a, struct str root, struct machine *m);

/* Finds the parts of NVIDIA's GPUs that are split (MIG): asks nvidia-smi if the driver
 * has a folder for a part. Warns if the parts stay unknown. */
void driver_gpus_split(
	struct arena *a, struct str root, struct machine *m, struct diag *d);

#endif

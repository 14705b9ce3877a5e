/* GPUs of drivers, which the topology need not know. */
#ifndef CCTR_RUNNER_RESOURCES_DRIVER_GPUS_H
#define CCTR_RUNNER_RESOURCES_DRIVER_GPUS_H

#include "runner/resources/topology.h"

/* Reads /proc/driver/nvidia/gpus, then /dev/kfd and its topology. root: a prefix for
 * /proc, /sys and /dev; "" for this machine. */
void driver_gpus_read(struct arena *a, struct str root, struct machine *m);

#endif

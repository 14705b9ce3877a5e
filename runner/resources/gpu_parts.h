/*
 * The parts of GPUs that are split: MIG of NVIDIA. The topology and the driver's files
 * know the GPUs, but not by which names programs may use their parts; `nvidia-smi -L`
 * does.
 *
 * Sources: NVIDIA's MIG user guide, "Device Names and Nodes" (the files), "CUDA Visible
 * Devices" (the names; a program can use one part at a time).
 */
#ifndef CCTR_RUNNER_RESOURCES_GPU_PARTS_H
#define CCTR_RUNNER_RESOURCES_GPU_PARTS_H

#include "runner/resources/topology.h"

/* Gives the GPUs of the machine the parts of which the listing tells. A GPU is known by
 * its UUID, without one by its place among NVIDIA's GPUs. Lines of any other form are
 * ignored. */
void gpu_parts_read(struct arena *a, struct str listing, struct machine *m);

#endif

/* Slurm, by its commands: see cluster.h. */
#ifndef CCTR_RUNNER_CLUSTER_SLURM_H
#define CCTR_RUNNER_CLUSTER_SLURM_H

#include "runner/cluster/cluster.h"

extern const struct batch_system slurm_system;

#endif

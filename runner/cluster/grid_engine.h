/* Grid Engine, by its commands: see cluster.h. */
#ifndef CCTR_RUNNER_CLUSTER_GRID_ENGINE_H
#define CCTR_RUNNER_CLUSTER_GRID_ENGINE_H

#include "runner/cluster/cluster.h"

extern const struct batch_system grid_engine_system;

#endif

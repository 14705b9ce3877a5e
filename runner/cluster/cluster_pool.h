/* The resource pool of a job: types cpus (one instance per processor), mem and tmp (one
 * instance, a slot per MiB) and gpus, on each of its nodes. */
#ifndef CCTR_RUNNER_CLUSTER_CLUSTER_POOL_H
#define CCTR_RUNNER_CLUSTER_CLUSTER_POOL_H

#include "runner/cluster/cluster.h"
#include "runner/resources/pool.h"

/* Its nodes are those of the job, in the same order. */
struct pool cluster_pool(struct arena *a, const struct cluster_job *job);

#endif

/*
 * Resource pools as canary writes them, YAML or JSON, with the key resource_pool around
 * them or without:
 *
 *     gpus: 4                                       a number of instances per type
 *     resources: {gpus: [{id: "0", slots: 2}]}      instances
 *     nodes: [{id: n1, resources: {gpus: [...]}}]   the same per node
 *
 * Strict: what is not understood is an error with its line and its path.
 */
#ifndef CCTR_MANIFESTS_CANARY_CANARY_POOL_H
#define CCTR_MANIFESTS_CANARY_CANARY_POOL_H

#include "runner/base/diag.h"
#include "runner/resources/pool.h"

/* false after at least one diag_error. */
CCTR_MUST_CHECK bool canary_pool_load(
	struct arena *a, struct str path, struct pool *pool, struct diag *d);

#endif

/* The pilots of a run: nodes that a batch system gives later. Nothing is asked for here:
 * the engine starts their launchers (runner/remote/engine_remote.h). */
#ifndef CCTR_RUNNER_CLUSTER_PILOTS_H
#define CCTR_RUNNER_CLUSTER_PILOTS_H

#include "runner/cluster/pilot.h"
#include "runner/cluster/pilot_plan.h"
#include "runner/remote/engine_remote.h"

/* A node that has what the request asks for, of each part. */
struct cluster_node pilots_node(
	struct arena *a, struct str name, const struct cluster_request *r);
/* Makes them by the plan. common: what they all have; the sizes are the plan's. Returns
 * the job of all pilots: each is a node, with what it asks for. Sets the nodes of o, and
 * what is about pilots. */
struct cluster_job pilots_make(struct arena *a, const struct pilot_plan *plan,
	const struct pilot *common, struct remote_options *o);

#endif

/* The pilots of a run: nodes that a batch system gives later. Nothing is asked for here:
 * the engine starts their launchers (runner/remote/engine_remote.h). */
#ifndef CCTR_RUNNER_CLUSTER_PILOTS_H
#define CCTR_RUNNER_CLUSTER_PILOTS_H

#include "runner/cluster/pilot.h"
#include "runner/cluster/pilot_plan.h"
#include "runner/remote/remote_options.h"
#include "runner/resources/gpu_session.h"

/* A node that has what the request asks for, of each part. */
struct cluster_node pilots_node(
	struct arena *a, struct str name, const struct cluster_request *r);
/* Which GPUs of this machine tests may use. */
struct local_gpus {
	struct gpu_session session;
	struct str backend; /* machine_choose_gpus */
	const char *option; /* likewise */
};
/* This machine as a node. false after diag_error. */
bool pilots_local_node(struct arena *a, struct cluster_node *n,
	const struct local_gpus *gpus, struct diag *d);
/* The plan of pilots beside this machine, which takes what fits there first; parallel as
 * for pilot_plan_make. local is NULL: there is nothing beside them. */
struct pilot_plan pilots_plan(struct arena *a, const struct pilot_size *tests, size_t n,
	uint64_t parallel, const struct cluster_node *local);
/* Makes them by the plan, after the node of this machine, if local is not NULL.
 * common: what they all have; the sizes are the plan's. Returns
 * the job of all pilots: each is a node, with what it asks for. Sets the nodes of o, and
 * what is about pilots. */
struct cluster_job pilots_make(struct arena *a, const struct pilot_plan *plan,
	const struct pilot *common, const struct cluster_node *local,
	struct remote_options *o);
/* Gives the pilots of o, which pilots_make has made by this plan, the nice values of
 * their groups. common: as for pilots_make. */
void pilots_set_nice(struct arena *a, const struct pilot_plan *plan,
	const struct pilot *common, const uint64_t *nice, struct remote_options *o);

#endif

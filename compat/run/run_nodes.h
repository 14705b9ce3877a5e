/* The nodes of a run: this machine, those of --nodes, or those that a batch system has
 * given. */
#ifndef CCTR_COMPAT_RUN_RUN_NODES_H
#define CCTR_COMPAT_RUN_RUN_NODES_H

#include "compat/run/run_settings.h"
#include "runner/cluster/own_job.h"
#include "runner/cluster/pilots.h"
#include "runner/model/select.h"
#include "runner/resources/pool.h"
#include "runner/remote/remote_options.h"
#include "runner/schedule/plan.h"

/* The GPUs that the run may use on this machine. */
struct gpu_session run_gpu_session(struct arena *a);

struct run_nodes {
	bool are_remote; /* agents run the tests */
	struct remote_options remote;
	struct cluster_job job; /* nodes_n is 0: no batch system has given nodes */
	bool asks; /* for a job, when the tests are known */
	struct own_job own; /* path is NULL: cctr has asked for no job */
	bool is_converted; /* this machine is in the place of a batch system */
	bool are_pilots; /* the nodes of the job are those of pilots, in this order */
	struct pilot_plan pilots; /* of are_pilots */
	struct pilot pilot; /* what they all have */
};
/* Where the batch system of --engine gives no nodes, a warning says why, and this machine
 * is the node. false after messages, or after a signal (c->interrupted). */
bool run_nodes_find(
	struct run_context *c, const struct run_settings *s, struct run_nodes *nodes);
/* Asks for a job that the tests need, if there is none yet. As run_nodes_find; false also
 * where the batch system gives no such job. */
bool run_nodes_ask(struct run_context *c, const struct run_settings *s,
	const struct selection *selection, struct run_nodes *nodes);
/* The nodes that a run would have: those of the job that cctr is in; outside of one,
 * those that it would ask for, and nothing is asked. As run_nodes_find. */
bool run_nodes_imagine(struct run_context *c, const struct run_settings *s,
	const struct selection *selection, struct run_nodes *nodes);
/* Gives back what cctr has asked for. */
void run_nodes_close(struct run_context *c, struct run_nodes *nodes);
/* Where a batch system has given nodes: keeps those of the pool, in its order. All nodes
 * of the pool are among them. */
void run_nodes_keep(struct arena *a, struct run_nodes *nodes, const struct pool *p);
/* Gives pilots their nice values, if the settings ask for them and the plan is one by
 * pressure. parallel: as many processor slots as the run has. */
void run_nodes_set_nice(
	struct arena *a, const struct plan *p, size_t parallel, struct run_nodes *nodes);
/* How many processors the tests of a run on these nodes may use together. */
size_t run_nodes_parallel(
	const struct run_nodes *nodes, const struct schedule_options *o);
/* Who gives the nodes, in words; STR_NONE: no batch system does. */
struct str run_nodes_from(
	struct arena *a, const struct engine_options *o, const struct run_nodes *nodes);
/* The engine of each of the nodes of the pool; NULL: all have the same. */
const struct str *run_nodes_engines(
	struct arena *a, const struct run_nodes *nodes, const struct pool *p);

#endif

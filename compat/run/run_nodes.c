/* See run_nodes.h. */
#include "compat/run/run_nodes.h"

#include "runner/cluster/batch_systems.h"
#include "runner/process/install_paths.h"

#define SECOND_NS 1000000000u
/* After that long without a message an agent is lost. */
#define SILENCE_S 60u
/* A batch system ends all processes of a job within this time. */
#define DOUBT_NS SECOND_NS
/* After that long without an answer a batch system is not there. */
#define ANSWER_NS 15000000000u

extern char **environ;

static void
set_remote(struct arena *a, const struct options *o, struct run_nodes *nodes,
	struct str_list names, struct str_list launcher)
{
	struct str *agent = NEW_ARRAY(a, struct str, 2);
	uint64_t chosen_s = o->engine.node_timeout_s;
	uint64_t silence_s = chosen_s ? chosen_s : SILENCE_S;

	agent[0] = program_path(a);
	agent[1] = STR("--agent");
	nodes->are_remote = true;
	nodes->remote = (struct remote_options){
		.nodes = names,
		.launcher = launcher,
		.agent = {agent, 2},
		.program = CCTR_VERSION,
		.silence_ns = silence_s * SECOND_NS,
		.patience_ns = silence_s * SECOND_NS,
		.doubt_ns = DOUBT_NS,
		.is_compact = o->schedule.affinity,
	};
}

static struct str_list
names_of(struct arena *a, const struct cluster_job *job)
{
	struct str *names = NEW_ARRAY(a, struct str, job->nodes_n);

	for (size_t i = 0; i < job->nodes_n; i++)
		names[i] = job->nodes[i].name;
	return (struct str_list){names, job->nodes_n};
}

/* A launcher of the user's own starts agents on the nodes of the job. */
static bool
find_job(struct run_context *c, const struct options *options, struct run_nodes *nodes)
{
	const struct engine_options *o = &options->engine;
	const char *why = NULL;
	struct cluster_job *job = &nodes->job;

	if (cluster_job_inside(c->arena, o->system, (const char *const *)environ,
		    ANSWER_NS, job, &why, &c->interrupted)) {
		set_remote(c->arena, options, nodes, names_of(c->arena, job),
			o->launcher.n ? o->launcher : job->launcher);
		return true;
	}
	if (c->interrupted)
		return false;
	*job = (struct cluster_job){.nodes_n = 0};
	console_fmt(c->console, CHANNEL_ERROR,
		"Warning: --engine=%s: %s; this machine runs the tests\n",
		o->system->name, why);
	return true;
}

bool
run_nodes_find(
	struct run_context *c, const struct run_settings *s, struct run_nodes *nodes)
{
	static struct str alone = {"localhost", 9};
	const struct engine_options *o = &s->options.engine;

	*nodes = (struct run_nodes){.are_remote = false};
	if (o->system)
		return find_job(c, &s->options, nodes);
	if (o->launcher.n)
		set_remote(c->arena, &s->options, nodes,
			o->nodes.n ? o->nodes : (struct str_list){&alone, 1},
			o->launcher);
	return true;
}

void
run_nodes_keep(struct run_nodes *nodes, const struct pool *p)
{
	if (nodes->job.nodes_n && p->nodes_n)
		nodes->remote.nodes = (struct str_list){p->nodes, p->nodes_n};
}

size_t
run_nodes_slots(const struct run_nodes *nodes)
{
	size_t n = 0;

	for (size_t i = 0; i < nodes->job.nodes_n; i++)
		if (str_list_has(nodes->remote.nodes, nodes->job.nodes[i].name))
			n += nodes->job.nodes[i].processors;
	return n;
}

/* See run_nodes.h. */
#include "compat/run/run_nodes.h"

#include "runner/cluster/batch_systems.h"
#include "runner/process/install_paths.h"
#include "runner/resources/pool_request.h"

#define SECOND_NS 1000000000u
/* After that long without a message an agent is lost. */
#define SILENCE_S 60u
/* A batch system ends all processes of a job within this time. */
#define DOUBT_NS SECOND_NS
/* After that long without an answer a batch system is not there. */
#define ANSWER_S 15u

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
static void
use_job(struct run_context *c, const struct options *o, struct run_nodes *nodes)
{
	const struct cluster_job *job = &nodes->job;

	set_remote(c->arena, o, nodes, names_of(c->arena, job),
		o->engine.launcher.n ? o->engine.launcher : job->launcher);
}

static void
say_conversion(struct run_context *c, const struct engine_options *o, const char *why)
{
	console_fmt(c->console, CHANNEL_ERROR,
		"Warning: --engine=%s: %s; this machine runs the tests\n",
		o->system->name, why);
}

static struct cluster_access
access_by(const struct engine_options *o)
{
	const struct cluster_settings *s = NULL;
	uint64_t seconds;

	for (size_t i = 0; i < BATCH_SYSTEMS_N; i++)
		if (batch_systems[i] == o->system)
			s = &o->settings[i];
	INVARIANT(s);
	seconds = s->init_timeout ? s->init_timeout : ANSWER_S;
	return (struct cluster_access){o->system, s, seconds * SECOND_NS};
}

static bool
find_job(struct run_context *c, const struct options *options, struct run_nodes *nodes)
{
	const struct engine_options *o = &options->engine;
	const char *const *environment = (const char *const *)environ;
	struct cluster_access by = access_by(o);
	const char *why = NULL;

	nodes->asks = !o->system->inside(environment).n;
	if (nodes->asks)
		return true;
	if (cluster_job_inside(
		    c->arena, &by, environment, &nodes->job, &why, &c->interrupted)) {
		use_job(c, options, nodes);
		return true;
	}
	if (c->interrupted)
		return false;
	nodes->job = (struct cluster_job){.nodes_n = 0};
	say_conversion(c, o, why);
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

/* ---- a job of cctr's own --------------------------------------------------------- */

static uint64_t
slots_of_type(const struct resource_groups *g, const char *type)
{
	uint64_t n = 0;

	for (size_t i = 0; i < g->n; i++)
		for (size_t k = 0; k < g->v[i].n; k++)
			if (str_is(g->v[i].v[k].type, type))
				n += g->v[i].v[k].slots;
	return n;
}

static void
keep_larger(uint64_t *most, uint64_t n)
{
	if (n > *most)
		*most = n;
}

/* Each part of the job can run each of the tests; there are as many as -j needs. */
static struct cluster_request
request_for(const struct options *o, const struct selection *selection)
{
	struct cluster_request r = {
		.processors = 1, .options = str_vec_list(&o->engine.system_options)};

	for (size_t i = 0; i < selection->n; i++) {
		const struct properties *p =
			selection->suite->tests[selection->v[i].test].properties;
		const struct resource_groups *g = &p->resource_groups;

		keep_larger(
			&r.processors, p->processors > 0 ? (uint64_t)p->processors : 1);
		keep_larger(&r.processors, slots_of_type(g, POOL_PROCESSORS));
		keep_larger(&r.memory_bytes, slots_of_type(g, "mem") << 20);
		keep_larger(&r.gpus, slots_of_type(g, "gpus"));
	}
	r.nodes = (o->schedule.parallel + r.processors - 1) / r.processors;
	return r;
}

static void
say_waiting(void *context, struct str id, struct str reason)
{
	struct run_context *c = context;

	console_fmt(c->console, CHANNEL_OUTPUT, "Waiting for job %.*s: %.*s\n",
		STR_ARG(id), STR_ARG(reason));
}

bool
run_nodes_ask(struct run_context *c, const struct run_settings *s,
	const struct selection *selection, struct run_nodes *nodes)
{
	const struct engine_options *o = &s->options.engine;
	struct cluster_request r = request_for(&s->options, selection);
	const char *why = NULL;

	if (!nodes->asks || !selection->n)
		return true;
	nodes->own = (struct own_job){.by = access_by(o),
		.directory = s->temporary,
		.waits = say_waiting,
		.context = c};
	own_jobs_give_back(c->arena, s->temporary, &nodes->own.by, &c->diag);
	console_diag(c->console, &c->diag);
	switch (own_job_open(c->arena, &nodes->own, &r, (const char *const *)environ,
		&nodes->job, &why, &c->interrupted)) {
	case OWN_JOB_RUNS:
		use_job(c, &s->options, nodes);
		return true;
	case OWN_JOB_NO_SYSTEM:
		say_conversion(c, o, why);
		return true;
	case OWN_JOB_REFUSED:
		diag_error(&c->diag, NO_PLACE, "cctr: --engine=%s: %s", o->system->name,
			why);
		console_diag(c->console, &c->diag);
		return false;
	case OWN_JOB_INTERRUPTED:
		break;
	}
	return false;
}

void
run_nodes_close(struct run_context *c, struct run_nodes *nodes)
{
	const char *why = NULL;

	if (own_job_close(c->arena, &nodes->own, &why))
		return;
	diag_warning(&c->diag, NO_PLACE, "job %.*s could not be given back: %s",
		STR_ARG(nodes->own.name), why);
	console_diag(c->console, &c->diag);
}

/* ---------------------------------------------------------------------------------- */

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

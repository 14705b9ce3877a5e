/* See run_nodes.h. */
#include "compat/run/run_nodes.h"

#include "runner/base/files.h"
#include "runner/cluster/batch_systems.h"
#include "runner/cluster/pilot.h"
#include "runner/cluster/pilot_plan.h"
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
	nodes->remote.have_places = true;
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
		keep_larger(&r.gpus, slots_of_type(g, POOL_GPUS));
	}
	r.nodes = (o->schedule.parallel + r.processors - 1) / r.processors;
	return r;
}

/* ---- pilots ---------------------------------------------------------------------- */

#define QUEUED_MOST 10u
#define IDLE_S 30u

static struct pilot_size
size_for(const struct properties *p)
{
	const struct resource_groups *g = &p->resource_groups;
	struct pilot_size s = {
		.processors = p->processors > 0 ? (uint64_t)p->processors : 1,
		.memory_mib = slots_of_type(g, "mem"),
		.tmp_mib = slots_of_type(g, "tmp"),
		.gpus = slots_of_type(g, POOL_GPUS)};

	keep_larger(&s.processors, slots_of_type(g, POOL_PROCESSORS));
	return s;
}

static struct pilot_plan
plan_pilots(
	struct run_context *c, const struct options *o, const struct selection *selection)
{
	struct pilot_size *sizes = NEW_ARRAY(c->arena, struct pilot_size, selection->n);

	for (size_t i = 0; i < selection->n; i++)
		sizes[i] = size_for(
			selection->suite->tests[selection->v[i].test].properties);
	return pilot_plan_make(c->arena, sizes, selection->n, o->schedule.parallel);
}

/* The node is the place of the pilot: what it asks for. */
static struct cluster_node
node_of_pilot(struct arena *a, const struct pilot_size *s, size_t number)
{
	struct cluster_node n = {.name = str_fmt(a, "pilot%zu", number),
		.processors = s->processors,
		.memory_bytes = s->memory_mib << 20,
		.tmp_bytes = s->tmp_mib << 20};
	str_vec gpus = {0};

	for (uint64_t i = 0; i < s->gpus; i++)
		VEC_PUSH(a, &gpus, str_fmt(a, "%llu", (unsigned long long)i));
	n.gpus = str_vec_list(&gpus);
	return n;
}

static struct str_list
launcher_of_pilots(struct arena *a, const struct options *o, struct str directory,
	const struct cluster_access *by, const struct cluster_node *n)
{
	struct str *agent = NEW_ARRAY(a, struct str, 2);
	struct pilot p = {.by = *by,
		.directory = directory,
		.launcher = o->engine.launcher,
		.agent = {agent, 2},
		.request = {.processors = n->processors,
			.memory_bytes = n->memory_bytes,
			.tmp_bytes = n->tmp_bytes,
			.gpus = n->gpus.n,
			.options = str_vec_list(&o->engine.system_options)}};
	struct str_list rest;
	str_vec words = {0};

	agent[0] = program_path(a);
	agent[1] = STR("--agent");
	rest = pilot_words(a, &p);
	VEC_PUSH(a, &words, agent[0]);
	for (size_t i = 0; i < rest.n; i++)
		VEC_PUSH(a, &words, rest.v[i]);
	return str_vec_list(&words);
}

static void
use_pilots(struct run_context *c, const struct run_settings *s,
	const struct cluster_access *by, const struct pilot_plan *plan,
	struct run_nodes *nodes)
{
	struct cluster_node *v = NEW_ARRAY(c->arena, struct cluster_node, plan->pilots);
	struct remote_pilot *pilots =
		NEW_ARRAY(c->arena, struct remote_pilot, plan->pilots);
	size_t n = 0;

	for (size_t i = 0; i < plan->n; i++) {
		struct str_list words = {0};

		for (size_t k = 0; k < plan->v[i].pilots; k++, n++) {
			v[n] = node_of_pilot(c->arena, &plan->v[i].size, n + 1);
			if (!k)
				words = launcher_of_pilots(c->arena, &s->options,
					path_join(c->arena, s->directory, s->temporary),
					by, &v[n]);
			pilots[n] = (struct remote_pilot){words, (uint32_t)i};
		}
	}
	nodes->job = (struct cluster_job){
		.system = by->system, .settings = by->settings, .nodes = v, .nodes_n = n};
	set_remote(c->arena, &s->options, nodes, names_of(c->arena, &nodes->job),
		(struct str_list){0});
	nodes->remote.have_places = true;
	nodes->are_pilots = true;
	nodes->remote.pilots = pilots;
	nodes->remote.groups_n = plan->n;
	nodes->remote.queued_most = by->settings->n_max_queued_jobs
					    ? by->settings->n_max_queued_jobs
					    : QUEUED_MOST;
	nodes->remote.idle_ns =
		(by->settings->idle_limit ? by->settings->idle_limit : IDLE_S) *
		SECOND_NS;
}

static bool
ask_pilots(struct run_context *c, const struct run_settings *s,
	const struct selection *selection, struct run_nodes *nodes)
{
	const struct engine_options *o = &s->options.engine;
	const struct cluster_access *by = &nodes->own.by;
	struct pilot_plan plan = plan_pilots(c, &s->options, selection);
	const char *why = NULL;
	struct str text;

	if (cluster_run(c->arena, by, o->system->probe(c->arena), &text, &why,
		    &c->interrupted)) {
		use_pilots(c, s, by, &plan, nodes);
		return true;
	}
	if (c->interrupted)
		return false;
	say_conversion(c, o, why);
	return true;
}

/* The pilots of the nodes that the run uses. */
static void
keep_pilots(struct run_nodes *nodes, struct arena *a)
{
	struct str_list kept = nodes->remote.nodes;
	struct remote_pilot *pilots = NEW_ARRAY(a, struct remote_pilot, kept.n);

	for (size_t i = 0; i < kept.n; i++)
		for (size_t k = 0; k < nodes->job.nodes_n; k++)
			if (str_eq(kept.v[i], nodes->job.nodes[k].name))
				pilots[i] = nodes->remote.pilots[k];
	nodes->remote.pilots = pilots;
}

/* ---- one job --------------------------------------------------------------------- */

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
	if (o->system->gives_pilots)
		return ask_pilots(c, s, selection, nodes);
	switch (own_job_open(c->arena, &nodes->own, &r, (const char *const *)environ,
		&nodes->job, &why, &c->interrupted)) {
	case OWN_JOB_RUNS:
		use_job(c, &s->options, nodes);
		return true;
	case OWN_JOB_NO_SYSTEM:
		say_conversion(c, o, why);
		return true;
	case OWN_JOB_REFUSED:
	case OWN_JOB_LOST:
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
run_nodes_imagine(struct run_context *c, const struct run_settings *s,
	const struct selection *selection, struct run_nodes *nodes)
{
	const struct engine_options *o = &s->options.engine;
	struct cluster_access by;
	struct pilot_plan plan;

	if (!o->system || !o->system->gives_pilots || !selection->n ||
		o->system->inside((const char *const *)environ).n)
		return;
	by = access_by(o);
	plan = plan_pilots(c, &s->options, selection);
	use_pilots(c, s, &by, &plan, nodes);
	nodes->are_pilots = false; /* there are none to give back */
}

void
run_nodes_close(struct run_context *c, struct run_nodes *nodes)
{
	const char *why = NULL;

	/* Those of pilots that did not end in time. */
	if (nodes->are_pilots) {
		own_jobs_give_back(
			c->arena, nodes->own.directory, &nodes->own.by, &c->diag);
		console_diag(c->console, &c->diag);
		return;
	}
	if (own_job_close(c->arena, &nodes->own, &why))
		return;
	diag_warning(&c->diag, NO_PLACE, "job %.*s could not be given back: %s",
		STR_ARG(nodes->own.name), why);
	console_diag(c->console, &c->diag);
}

/* ---------------------------------------------------------------------------------- */

void
run_nodes_keep(struct arena *a, struct run_nodes *nodes, const struct pool *p)
{
	if (!nodes->job.nodes_n || !p->nodes_n)
		return;
	nodes->remote.nodes = (struct str_list){p->nodes, p->nodes_n};
	if (nodes->are_pilots)
		keep_pilots(nodes, a);
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

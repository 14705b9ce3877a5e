/* See run_nodes.h. */
#include "compat/run/run_nodes.h"

#include <stdlib.h>
#include <time.h>

#include "runner/base/environment.h"
#include "runner/base/files.h"
#include "runner/cluster/batch_systems.h"
#include "runner/cluster/job_nice.h"
#include "runner/process/program_build.h"
#include "runner/remote/agent.h"
#include "runner/resources/pool_request.h"

#define SECOND_NS 1000000000u
/* After that long without a message an agent is lost. */
#define SILENCE_S 60u
/* A batch system ends all processes of a job within this time. */
#define DOUBT_NS SECOND_NS
/* After that long without an answer a batch system is not there. */
#define ANSWER_S 15u

enum { IMAGINED_MOST = 65536 }; /* nodes of a simulation */

struct gpu_session
run_gpu_session(struct arena *a)
{
	const struct gpu_variables here = {getenv("CUDA_VISIBLE_DEVICES"),
		getenv("CUDA_DEVICE_ORDER"), getenv("ROCR_VISIBLE_DEVICES"),
		getenv("HIP_VISIBLE_DEVICES")};

	return gpu_session_of(a, &here);
}

static void
set_remote(const struct run_context *c, const struct options *o, struct run_nodes *nodes,
	struct str_list names, struct str_list launcher)
{
	struct arena *a = c->arena;
	uint64_t chosen_s = o->engine.node_timeout_s;
	uint64_t silence_s = chosen_s ? chosen_s : SILENCE_S;

	nodes->are_remote = true;
	nodes->remote = (struct remote_options){
		.here = c->directory,
		.nodes = names,
		.launcher = launcher,
		.agent = agent_words(a),
		.program = program_build(a, CCTR_VERSION),
		.silence_ns = silence_s * SECOND_NS,
		.patience_ns = silence_s * SECOND_NS,
		.doubt_ns = DOUBT_NS,
		.is_compact = o->schedule.affinity,
		.has_lost = NEW(a, bool),
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

static bool
has_gpus(const struct cluster_job *job)
{
	for (size_t i = 0; i < job->nodes_n; i++)
		if (job->nodes[i].gpus.n)
			return true;
	return false;
}

/* A launcher of the user's own starts agents on the nodes of the job. */
static void
use_job(struct run_context *c, const struct options *o, struct run_nodes *nodes)
{
	const struct cluster_job *job = &nodes->job;

	set_remote(c, o, nodes, names_of(c->arena, job),
		o->engine.launcher.n ? o->engine.launcher : job->launcher);
	nodes->remote.have_places = true;
	nodes->remote.have_gpus = has_gpus(job);
}

/* This machine takes the place of the batch system. */
static void
convert_to_local(struct run_context *c, const struct engine_options *o,
	struct run_nodes *nodes, const char *why)
{
	nodes->is_converted = true;
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
	const char *const *environment = environment_own();
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
	convert_to_local(c, o, nodes, why);
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
		set_remote(c, &s->options, nodes,
			o->nodes.n ? o->nodes : (struct str_list){&alone, 1},
			o->launcher);
	return true;
}

/* ---- a job of cctr's own --------------------------------------------------------- */

static struct pilot_size
size_for(const struct properties *p)
{
	const struct resource_groups *g = &p->resource_groups;
	struct pilot_size of_groups = {
		.processors = pool_slots_in_groups(g, POOL_PROCESSORS),
		.memory_mib = pool_slots_in_groups(g, POOL_MEMORY),
		.tmp_mib = pool_slots_in_groups(g, "tmp"),
		.gpus = pool_slots_in_groups(g, POOL_GPUS)};
	struct pilot_size own = {
		.processors = p->processors > 0 ? (uint64_t)p->processors : 1};

	return pilot_size_join(of_groups, own);
}

/* What each of the tests asks for. */
static const struct pilot_size *
sizes_for(struct arena *a, const struct selection *selection)
{
	struct pilot_size *sizes = NEW_ARRAY(a, struct pilot_size, selection->n);

	for (size_t i = 0; i < selection->n; i++)
		sizes[i] = size_for(selected_test(selection, i)->properties);
	return sizes;
}

/* The most whole nodes that a test asks for; 0: none does. */
static uint64_t
whole_nodes_for(const struct selection *selection)
{
	int most = 1;

	for (size_t i = 0; i < selection->n; i++) {
		int n = selected_test(selection, i)->properties->nodes;

		most = n > most ? n : most;
	}
	return most > 1 ? (uint64_t)most : 0;
}

static struct cluster_request
request_for(struct arena *a, const struct options *o, const struct selection *selection)
{
	struct cluster_request r = pilot_plan_one_job(
		sizes_for(a, selection), selection->n, o->schedule.parallel);

	r.options = str_vec_list(&o->engine.system_options);
	r.whole_nodes = whole_nodes_for(selection);
	if (r.nodes < r.whole_nodes)
		r.nodes = r.whole_nodes;
	return r;
}

/* Only tests that name their nodes can have them as a whole. No one says what the nodes
 * of a launcher have: they share the processors of -j. */
static void
give_places(struct arena *a, const struct options *o, const struct selection *selection,
	struct run_nodes *nodes)
{
	struct str_list names = nodes->remote.nodes;
	struct cluster_request r = request_for(a, o, selection);
	uint64_t share = (o->schedule.parallel + names.n - 1) / names.n;
	struct cluster_node *v = NEW_ARRAY(a, struct cluster_node, names.n);

	for (size_t i = 0; i < names.n; i++)
		v[i] = (struct cluster_node){.name = names.v[i],
			.processors = share > r.processors ? share : r.processors};
	nodes->job = (struct cluster_job){.nodes = v, .nodes_n = names.n};
	nodes->remote.have_places = true;
}

/* ---- pilots ---------------------------------------------------------------------- */

/* Pilots, and what is beside them. */
struct pilots_choice {
	struct pilot_plan plan;
	struct cluster_node *local; /* this machine; NULL: it takes no test */
	bool is_local_enough; /* the run is one of this machine alone */
};

static bool
have_gpus(const struct pilot_size *sizes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (sizes[i].gpus)
			return true;
	return false;
}

/* Whether a partition has nodes of the batch system alone. */
static bool
needs_system(const struct options *o)
{
	const partition_texts *texts = &o->resources.partitions;

	for (size_t i = 0; i < texts->n; i++)
		if (str_is(texts->v[i].engine, o->engine.system->name))
			return true;
	return false;
}

/* false after messages. */
static bool
choose_pilots(struct run_context *c, const struct options *o,
	const struct selection *selection, struct pilots_choice *choice)
{
	struct arena *a = c->arena;
	const struct local_gpus gpus = {
		run_gpu_session(a), o->resources.gpu_backend, "--gpu-backend"};
	const struct cluster_node *first; /* takes what fits there */
	const struct pilot_size *sizes;

	choice->local = o->engine.has_local ? NEW(a, struct cluster_node) : NULL;
	if (choice->local && !pilots_local_node(a, choice->local, &gpus, &c->diag)) {
		console_diag(c->console, &c->diag);
		return false;
	}
	console_diag(c->console, &c->diag);
	sizes = sizes_for(a, selection);
	first = choice->local;
	if (first && o->schedule.parallel <= first->processors && needs_system(o))
		first = NULL;
	choice->plan = pilots_plan(a, sizes, selection->n, o->schedule.parallel, first);
	/* Tests that share GPUs of this machine need its pool. */
	choice->is_local_enough = !choice->plan.pilots && !have_gpus(sizes, selection->n);
	return true;
}

static void
use_pilots(struct run_context *c, const struct run_settings *s,
	const struct cluster_access *by, const struct pilots_choice *choice,
	struct run_nodes *nodes)
{
	struct arena *a = c->arena;
	const struct options *o = &s->options;
	struct pilot common = {.by = *by,
		.directory = path_join(a, s->directory, s->temporary),
		.launcher = o->engine.launcher,
		.agent = agent_words(a),
		.request = {.options = str_vec_list(&o->engine.system_options)}};

	set_remote(c, o, nodes, (struct str_list){0}, (struct str_list){0});
	nodes->job =
		pilots_make(a, &choice->plan, &common, choice->local, &nodes->remote);
	nodes->remote.have_places = true;
	nodes->remote.have_gpus = has_gpus(&nodes->job);
	nodes->are_pilots = true;
	nodes->pilots = choice->plan;
	nodes->pilot = common;
}

/* Where this machine is enough, no one else is asked. */
static bool
ask_pilots(struct run_context *c, const struct run_settings *s,
	const struct selection *selection, struct run_nodes *nodes)
{
	const struct engine_options *o = &s->options.engine;
	const struct cluster_access *by = &nodes->own.by;
	struct pilots_choice choice;
	const char *why = NULL;
	struct str text;

	if (!choose_pilots(c, &s->options, selection, &choice))
		return false;
	if (choice.is_local_enough)
		return true;
	if (!choice.plan.pilots || cluster_run(c->arena, by, o->system->probe(c->arena),
					   &text, &why, &c->interrupted)) {
		use_pilots(c, s, by, &choice, nodes);
		return true;
	}
	if (c->interrupted)
		return false;
	convert_to_local(c, o, nodes, why);
	return true;
}

/* ---- one job --------------------------------------------------------------------- */

static void
say_waiting(void *context, struct str id, struct str reason)
{
	struct run_context *c = context;

	console_fmt(c->console, CHANNEL_OUTPUT, "Waiting for job %.*s: %.*s\n",
		STR_ARG(id), STR_ARG(reason));
}

/* Where no job has so many whole nodes, other tests can run in another one. */
static enum own_job_end
open_job(struct run_context *c, struct run_nodes *nodes, struct cluster_request r,
	const char **why)
{
	const char *const *environment = environment_own();
	enum own_job_end end = own_job_open(c->arena, &nodes->own, &r, environment,
		&nodes->job, why, &c->interrupted);

	if (end != OWN_JOB_REFUSED || !r.whole_nodes)
		return end;
	console_fmt(c->console, CHANNEL_ERROR,
		"Warning: no job with %llu whole nodes: %s; another one is asked for\n",
		(unsigned long long)r.whole_nodes, *why);
	if (!own_job_close(c->arena, &nodes->own, why))
		return end;
	r.whole_nodes = 0;
	return own_job_open(c->arena, &nodes->own, &r, environment, &nodes->job, why,
		&c->interrupted);
}

bool
run_nodes_ask(struct run_context *c, const struct run_settings *s,
	const struct selection *selection, struct run_nodes *nodes)
{
	const struct engine_options *o = &s->options.engine;
	const char *why = NULL;

	if (nodes->are_remote && !o->system && whole_nodes_for(selection))
		give_places(c->arena, &s->options, selection, nodes);
	if (!nodes->asks || !selection->n)
		return true;
	nodes->own = (struct own_job){.by = access_by(o),
		.directory = s->temporary,
		.waits = say_waiting,
		.context = c};
	own_jobs_give_back(c->arena, s->temporary, &nodes->own.by,
		"an earlier run, which was killed", &c->diag);
	console_diag(c->console, &c->diag);
	if (!whole_nodes_for(selection))
		return ask_pilots(c, s, selection, nodes);
	switch (open_job(c, nodes, request_for(c->arena, &s->options, selection), &why)) {
	case OWN_JOB_RUNS:
		use_job(c, &s->options, nodes);
		return true;
	case OWN_JOB_NO_SYSTEM:
		convert_to_local(c, o, nodes, why);
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

/* A job in which every part has a node of its own. */
static void
imagine_job(struct run_context *c, const struct options *o,
	const struct selection *selection, struct run_nodes *nodes)
{
	struct arena *a = c->arena;
	struct cluster_request r = request_for(a, o, selection);
	size_t n = r.nodes < IMAGINED_MOST ? (size_t)r.nodes : IMAGINED_MOST;
	struct cluster_node *v = NEW_ARRAY(a, struct cluster_node, n);

	for (size_t i = 0; i < n; i++)
		v[i] = pilots_node(a, str_fmt(a, "node%zu", i + 1), &r);
	nodes->job = (struct cluster_job){.nodes = v, .nodes_n = n};
	use_job(c, o, nodes);
}

/* Outside of a job. */
static bool
imagine_nodes(struct run_context *c, const struct run_settings *s,
	const struct selection *selection, struct run_nodes *nodes)
{
	struct pilots_choice choice;
	struct cluster_access by;

	if (whole_nodes_for(selection)) {
		imagine_job(c, &s->options, selection, nodes);
		return true;
	}
	if (!choose_pilots(c, &s->options, selection, &choice))
		return false;
	if (choice.is_local_enough)
		return true;
	by = access_by(&s->options.engine);
	use_pilots(c, s, &by, &choice, nodes);
	nodes->are_pilots = false; /* there are none to give back */
	return true;
}

bool
run_nodes_imagine(struct run_context *c, const struct run_settings *s,
	const struct selection *selection, struct run_nodes *nodes)
{
	const struct batch_system *system = s->options.engine.system;

	if (!system && !whole_nodes_for(selection))
		return true;
	if (system && selection->n && !system->inside(environment_own()).n)
		return imagine_nodes(c, s, selection, nodes);
	return run_nodes_find(c, s, nodes);
}

/* Where a node of a job was lost, perhaps the whole job has ended: how. One that cctr has
 * not asked for has no name by which Grid Engine would say so. */
static void
say_end_of_job(struct run_context *c, const struct run_nodes *nodes)
{
	struct job_report report = {.state = JOB_UNKNOWN};
	struct own_job job = nodes->own;

	if (!nodes->job.nodes_n || !nodes->job.id.n || !*nodes->remote.has_lost ||
		(!job.path && nodes->job.system->show_end))
		return;
	job.by = (struct cluster_access){
		nodes->job.system, nodes->job.settings, ANSWER_S * SECOND_NS};
	job.id = nodes->job.id;
	if (!own_job_ended(c->arena, &job, environment_own(), &report))
		return;
	diag_warning(&c->diag, NO_PLACE, "job %.*s has ended: %.*s", STR_ARG(job.id),
		STR_ARG(report.reason));
	console_diag(c->console, &c->diag);
}

void
run_nodes_close(struct run_context *c, struct run_nodes *nodes)
{
	const char *why = NULL;

	/* Those of pilots that did not end in time. */
	if (nodes->are_pilots) {
		own_jobs_give_back(c->arena, nodes->own.directory, &nodes->own.by,
			"a pilot, which did not end in time", &c->diag);
		console_diag(c->console, &c->diag);
		return;
	}
	say_end_of_job(c, nodes);
	if (own_job_close(c->arena, &nodes->own, &why))
		return;
	diag_warning(&c->diag, NO_PLACE, "job %.*s could not be given back: %s",
		STR_ARG(nodes->own.name), why);
	console_diag(c->console, &c->diag);
}

/* ---------------------------------------------------------------------------------- */

/* The places in the job of the nodes that the run uses. */
static const uint32_t *
places_of(struct arena *a, const struct cluster_job *job, struct str_list names)
{
	struct map known = map_in(a);
	uint32_t *places = NEW_ARRAY(a, uint32_t, names.n);

	for (size_t i = 0; i < job->nodes_n; i++)
		map_set(&known, job->nodes[i].name, (uint32_t)i);
	for (size_t i = 0; i < names.n; i++) {
		places[i] = map_get(&known, names.v[i]);
		INVARIANT(places[i] != MAP_NONE);
	}
	return places;
}

void
run_nodes_keep(struct arena *a, struct run_nodes *nodes, const struct pool *p)
{
	struct cluster_job *job = &nodes->job;
	struct str_list names = {p->nodes, p->nodes_n};
	struct cluster_node *kept = NEW_ARRAY(a, struct cluster_node, names.n);
	struct remote_pilot *pilots = NEW_ARRAY(a, struct remote_pilot, names.n);
	const uint32_t *places;

	if (!job->nodes_n || !names.n)
		return;
	places = places_of(a, job, names);
	for (size_t i = 0; i < names.n; i++) {
		kept[i] = job->nodes[places[i]];
		if (nodes->remote.pilots)
			pilots[i] = nodes->remote.pilots[places[i]];
	}
	job->nodes = kept;
	job->nodes_n = names.n;
	nodes->remote.nodes = names;
	nodes->remote.has_local = nodes->remote.has_local && places[0] == 0;
	if (nodes->remote.pilots)
		nodes->remote.pilots = pilots;
}

/* How many tests with one processor can run at a time on the nodes that a batch system
 * has given; 0: it has given none. */
static size_t
count_slots(const struct run_nodes *nodes)
{
	size_t n = 0;

	for (size_t i = 0; i < nodes->job.nodes_n; i++)
		n += nodes->job.nodes[i].processors;
	return n;
}

size_t
run_nodes_parallel(const struct run_nodes *nodes, const struct schedule_options *o)
{
	size_t slots = count_slots(nodes);

	return slots && (!o->has_parallel || o->parallel_is_chosen) ? slots : o->parallel;
}

struct str
run_nodes_from(
	struct arena *a, const struct engine_options *o, const struct run_nodes *nodes)
{
	const struct cluster_job *job = &nodes->job;

	if (!job->nodes_n || !o->system)
		return STR_NONE;
	return job->id.n ? str_fmt(a, "those of job %.*s of %s", STR_ARG(job->id),
				   o->system->title)
			 : str_fmt(a, "for which a run would ask %s", o->system->title);
}

const struct str *
run_nodes_engines(struct arena *a, const struct run_nodes *nodes, const struct pool *p)
{
	struct str *engines = NEW_ARRAY(a, struct str, p->nodes_n);

	if (!nodes->remote.has_local)
		return NULL;
	for (size_t i = 0; i < p->nodes_n; i++)
		engines[i] = i ? str_of(nodes->job.system->name) : STR(ENGINE_LOCAL);
	return engines;
}

/* ---- nice values ----------------------------------------------------------------- */

/* How long the run is expected to take: the longest path, or all work by so many slots.
 */
static double
expected_seconds(const struct plan *p, size_t parallel)
{
	double path = 0, work = 0;

	for (node_id i = 0; i < p->n; i++) {
		int processors = p->nodes[i].test->properties->processors;

		path = p->pressure[i] > path ? p->pressure[i] : path;
		work += p->expected[i].seconds * (processors > 1 ? processors : 1);
	}
	return path > work / (double)parallel ? path : work / (double)parallel;
}

void
run_nodes_set_nice(
	struct arena *a, const struct plan *p, size_t parallel, struct run_nodes *nodes)
{
	const struct pilot_plan *plan = &nodes->pilots;
	const struct cluster_settings *s = nodes->pilot.by.settings;
	double *pressure = NEW_ARRAY(a, double, plan->n);
	uint64_t *nice = NEW_ARRAY(a, uint64_t, plan->n);
	double end_s;

	if (!nodes->are_pilots || !str_is(s->use_nice, "true") || !p->pressure)
		return;
	end_s = (double)time(NULL) + expected_seconds(p, parallel);
	for (node_id i = 0; i < p->n; i++) {
		struct pilot_size size = size_for(p->nodes[i].test->properties);
		size_t g = pilot_plan_group(plan, &size);

		if (g < plan->n && p->pressure[i] > pressure[g])
			pressure[g] = p->pressure[i];
	}
	for (size_t g = 0; g < plan->n; g++)
		nice[g] = job_nice(s->time_origin, s->nice_factor, end_s, pressure[g]);
	pilots_set_nice(a, plan, &nodes->pilot, nice, &nodes->remote);
}

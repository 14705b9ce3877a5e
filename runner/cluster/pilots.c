/* See pilots.h. */
#include "runner/cluster/pilots.h"

#include "runner/base/host_name.h"
#include "runner/resources/machine.h"
#include "runner/resources/pool_request.h"

#define SECOND_NS 1000000000u
#define QUEUED_MOST 10u
#define IDLE_S 30u

struct cluster_node
pilots_node(struct arena *a, struct str name, const struct cluster_request *r)
{
	struct cluster_node n = {.name = name,
		.processors = r->processors,
		.memory_bytes = r->memory_bytes,
		.tmp_bytes = r->tmp_bytes};
	str_vec gpus = {0};

	for (uint64_t i = 0; i < r->gpus; i++)
		VEC_PUSH(a, &gpus, str_fmt(a, "%llu", (unsigned long long)i));
	n.gpus = str_vec_list(&gpus);
	return n;
}

/* The agent's program is the pilot's, too. */
static struct str_list
words_of_pilot(struct arena *a, const struct pilot *p)
{
	struct str_list rest = pilot_words(a, p);
	str_vec words = {0};

	VEC_PUSH(a, &words, p->agent.v[0]);
	VEC_PUSH_ALL(a, &words, rest);
	return str_vec_list(&words);
}

static struct str_list
names_of_gpus(struct arena *a, const struct pool *p)
{
	uint32_t type = pool_type(p, STR(POOL_GPUS));
	str_vec names = {0};

	for (size_t i = 0; type != MAP_NONE && i < p->types[type].n; i++)
		VEC_PUSH(a, &names, p->types[type].v[i].id);
	return str_vec_list(&names);
}

bool
pilots_local_node(struct arena *a, struct cluster_node *n, const struct local_gpus *gpus,
	struct diag *d)
{
	const struct machine_source here = {.root = STR("")};
	struct machine machine;
	struct pool pool;
	uint32_t processors, memory;

	if (!machine_probe(a, &here, &machine, d))
		return false;
	machine_keep_visible(a, &machine, &gpus->session);
	if (!machine_choose_gpus(a, &machine, gpus->backend, gpus->option, d))
		return false;
	pool = machine_pool(a, &machine);
	processors = pool_type(&pool, STR(POOL_PROCESSORS));
	memory = pool_type(&pool, STR(POOL_MEMORY));
	*n = (struct cluster_node){
		.name = host_name(a, STR("localhost")), .processors = 1};
	if (processors != MAP_NONE && pool.types[processors].n)
		n->processors = pool.types[processors].n;
	if (memory != MAP_NONE && pool.types[memory].n)
		n->memory_bytes = pool.types[memory].v[0].slots << 20;
	n->gpus = names_of_gpus(a, &pool);
	return true;
}

static bool
fits_on(const struct pilot_size *s, const struct cluster_node *n)
{
	return s->processors <= n->processors && s->memory_mib <= n->memory_bytes >> 20 &&
	       s->tmp_mib <= n->tmp_bytes >> 20 && s->gpus <= n->gpus.n;
}

struct pilot_plan
pilots_plan(struct arena *a, const struct pilot_size *tests, size_t n, uint64_t parallel,
	const struct cluster_node *local)
{
	struct pilot_size *others = NEW_ARRAY(a, struct pilot_size, n);
	size_t others_n = 0;

	if (!local)
		return pilot_plan_make(a, tests, n, parallel);
	if (parallel > local->processors)
		return pilot_plan_make(a, tests, n, parallel - local->processors);
	for (size_t i = 0; i < n; i++)
		if (!fits_on(&tests[i], local))
			others[others_n++] = tests[i];
	return pilot_plan_make(a, others, others_n, parallel);
}

/* nice: see struct cluster_request. */
static struct str_list
words_of_group(struct arena *a, const struct pilot *common, const struct pilot_group *g,
	uint64_t nice)
{
	struct pilot p = *common;

	pilot_size_ask(&g->size, &p.request);
	p.request.nice = nice;
	return words_of_pilot(a, &p);
}

struct cluster_job
pilots_make(struct arena *a, const struct pilot_plan *plan, const struct pilot *common,
	const struct cluster_node *local, struct remote_options *o)
{
	const struct cluster_settings *s = common->by.settings;
	size_t most = plan->pilots + 1, n = 0, numbered = 0;
	struct cluster_node *nodes = NEW_ARRAY(a, struct cluster_node, most);
	struct remote_pilot *pilots = NEW_ARRAY(a, struct remote_pilot, most);
	struct str *names = NEW_ARRAY(a, struct str, most);

	o->has_local = local != NULL;
	if (local) {
		names[n] = local->name;
		nodes[n++] = *local;
	}

	for (size_t i = 0; i < plan->n; i++) {
		const struct pilot_group *g = &plan->v[i];
		struct cluster_request r = common->request;
		struct str_list words = words_of_group(a, common, g, 0);

		pilot_size_ask(&g->size, &r);
		for (size_t k = 0; k < g->pilots; k++, n++) {
			nodes[n] = pilots_node(a, str_fmt(a, "pilot%zu", ++numbered), &r);
			names[n] = nodes[n].name;
			pilots[n] = (struct remote_pilot){words, (uint32_t)i};
		}
	}
	o->nodes = (struct str_list){names, n};
	o->pilots = pilots;
	o->groups_n = plan->n;
	o->counts_gpus = common->by.system->counts_gpus;
	o->queued_most = s->n_max_queued_jobs ? s->n_max_queued_jobs : QUEUED_MOST;
	o->idle_ns = (s->idle_limit ? s->idle_limit : IDLE_S) * SECOND_NS;
	return (struct cluster_job){
		.system = common->by.system, .settings = s, .nodes = nodes, .nodes_n = n};
}

void
pilots_set_nice(struct arena *a, const struct pilot_plan *plan,
	const struct pilot *common, const uint64_t *nice, struct remote_options *o)
{
	struct remote_pilot *pilots = NEW_ARRAY(a, struct remote_pilot, o->nodes.n);
	struct str_list *words = NEW_ARRAY(a, struct str_list, plan->n);

	for (size_t i = 0; i < plan->n; i++)
		words[i] = words_of_group(a, common, &plan->v[i], nice[i]);
	for (size_t i = 0; i < o->nodes.n; i++) {
		pilots[i] = o->pilots[i];
		if (pilots[i].words.n)
			pilots[i].words = words[pilots[i].group];
	}
	o->pilots = pilots;
}

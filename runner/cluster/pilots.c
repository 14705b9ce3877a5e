/* See pilots.h. */
#include "runner/cluster/pilots.h"

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
	for (size_t i = 0; i < rest.n; i++)
		VEC_PUSH(a, &words, rest.v[i]);
	return str_vec_list(&words);
}

struct cluster_job
pilots_make(struct arena *a, const struct pilot_plan *plan, const struct pilot *common,
	struct remote_options *o)
{
	const struct cluster_settings *s = common->by.settings;
	struct cluster_node *nodes = NEW_ARRAY(a, struct cluster_node, plan->pilots);
	struct remote_pilot *pilots = NEW_ARRAY(a, struct remote_pilot, plan->pilots);
	struct str *names = NEW_ARRAY(a, struct str, plan->pilots);
	size_t n = 0;

	for (size_t i = 0; i < plan->n; i++) {
		const struct pilot_group *g = &plan->v[i];
		struct pilot p = *common;
		struct str_list words;

		pilot_size_ask(&g->size, &p.request);
		words = words_of_pilot(a, &p);
		for (size_t k = 0; k < g->pilots; k++, n++) {
			nodes[n] =
				pilots_node(a, str_fmt(a, "pilot%zu", n + 1), &p.request);
			names[n] = nodes[n].name;
			pilots[n] = (struct remote_pilot){words, (uint32_t)i};
		}
	}
	o->nodes = (struct str_list){names, n};
	o->pilots = pilots;
	o->groups_n = plan->n;
	o->queued_most = s->n_max_queued_jobs ? s->n_max_queued_jobs : QUEUED_MOST;
	o->idle_ns = (s->idle_limit ? s->idle_limit : IDLE_S) * SECOND_NS;
	return (struct cluster_job){
		.system = common->by.system, .settings = s, .nodes = nodes, .nodes_n = n};
}

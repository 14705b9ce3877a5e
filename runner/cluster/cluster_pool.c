/* See cluster_pool.h. */
#include "runner/cluster/cluster_pool.h"

#include "runner/resources/machine.h"
#include "runner/resources/pool_request.h"
#include "runner/resources/pool_sources.h"

static void
add_gpus(struct arena *a, struct pool *p, const struct str_list *gpus)
{
	struct resource_type *t;

	if (!gpus->n)
		return;
	t = pool_add_type(a, p, STR("gpus"));
	t->n = gpus->n;
	t->v = NEW_ARRAY(a, struct resource_instance, t->n);
	for (size_t i = 0; i < t->n; i++)
		t->v[i] = (struct resource_instance){.id = gpus->v[i], .slots = 1};
	pool_order_instances(t);
}

static struct pool
pool_of_node(struct arena *a, const struct cluster_node *n)
{
	struct pool p = {.n = 0};
	uint64_t mebibytes = n->memory_bytes >> 20;

	pool_number_instances(
		a, pool_add_type(a, &p, STR(POOL_PROCESSORS)), n->processors, 1);
	add_gpus(a, &p, &n->gpus);
	if (mebibytes)
		pool_number_instances(a, pool_add_type(a, &p, STR("mem")), 1,
			mebibytes < POOL_SLOTS_MOST ? mebibytes : POOL_SLOTS_MOST);
	return p;
}

struct pool
cluster_pool(struct arena *a, const struct cluster_job *job)
{
	struct str *names = NEW_ARRAY(a, struct str, job->nodes_n);
	struct pool *parts = NEW_ARRAY(a, struct pool, job->nodes_n);

	for (size_t i = 0; i < job->nodes_n; i++) {
		names[i] = job->nodes[i].name;
		parts[i] = pool_of_node(a, &job->nodes[i]);
	}
	return pool_join(a, names, parts, job->nodes_n);
}

/* See cluster_pool.h. */
#include "runner/cluster/cluster_pool.h"

#include "runner/resources/pool_request.h"
#include "runner/resources/pool_sources.h"

static void
add_gpus(struct arena *a, struct pool *p, const struct str_list *gpus)
{
	struct resource_type *t;

	if (!gpus->n)
		return;
	t = pool_add_type(a, p, STR(POOL_GPUS));
	t->n = gpus->n;
	t->v = NEW_ARRAY(a, struct resource_instance, t->n);
	for (size_t i = 0; i < t->n; i++)
		t->v[i] = (struct resource_instance){.id = gpus->v[i], .slots = 1};
	pool_order_instances(t);
}

/* One instance, with a slot for each MiB. */
static void
add_amount(struct arena *a, struct pool *p, struct str type, uint64_t bytes)
{
	uint64_t mebibytes = bytes >> 20;

	if (mebibytes)
		pool_number_instances(a, pool_add_type(a, p, type), 1,
			mebibytes < POOL_SLOTS_MOST ? mebibytes : POOL_SLOTS_MOST);
}

static struct pool
pool_of_node(struct arena *a, const struct cluster_node *n)
{
	struct pool p = {.n = 0};

	pool_number_instances(
		a, pool_add_type(a, &p, STR(POOL_PROCESSORS)), n->processors, 1);
	add_gpus(a, &p, &n->gpus);
	add_amount(a, &p, STR(POOL_MEMORY), n->memory_bytes);
	add_amount(a, &p, STR("tmp"), n->tmp_bytes);
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

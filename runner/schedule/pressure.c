/*
 * The pressure of a test is the longest expected path from it to the end of the run. A
 * test that takes much of something leaves gaps when it starts late, so that a larger
 * share makes it more urgent.
 *
 * The order need not be topological: the scheduler only looks at tests that are ready.
 */
#include "runner/schedule/pressure.h"

#include <stdlib.h>
#include <string.h>

/* Found with tests/bench schedule. */
#define SHARE_WEIGHT 2.0

/* One pass over the dependencies, last ones first. */
static double *
pressure_of(struct arena *a, const struct plan *p)
{
	double *pressure = NEW_ARRAY(a, double, p->n);

	for (size_t k = p->n; k-- > 0;) {
		node_id i = p->topological[k];
		const struct node *t = &p->nodes[i];

		for (uint32_t u = 0; u < t->users_n; u++)
			if (pressure[t->users[u]] > pressure[i])
				pressure[i] = pressure[t->users[u]];
		pressure[i] += p->expected[i].seconds;
	}
	return pressure;
}

/* How much of the slots of the largest instance the requirement takes. */
static double
share_of_type(const struct pool *pool, const struct requirement *q)
{
	uint32_t type = pool_type(pool, q->type);
	uint64_t most = 0;

	if (type == MAP_NONE)
		return 0;
	for (size_t i = 0; i < pool->types[type].n; i++)
		if (pool->types[type].v[i].slots > most)
			most = pool->types[type].v[i].slots;
	return q->slots > most ? 0 : (double)q->slots / (double)most;
}

/* The largest share that the test takes of anything, 0 to 1. */
static double
share_of(const struct plan_options *o, const struct test *t)
{
	const struct properties *needs = t->properties;
	double share = needs->processors / (double)o->parallel;

	if (needs->run_serial || share > 1)
		share = 1;
	for (size_t g = 0; o->pool && g < needs->resource_groups.n; g++)
		for (size_t i = 0; i < needs->resource_groups.v[g].n; i++) {
			double of_type =
				share_of_type(o->pool, &needs->resource_groups.v[g].v[i]);

			if (of_type > share)
				share = of_type;
		}
	return share;
}

struct urgency {
	double value;
	node_id node;
	bool failed_last;
};

static int
by_urgency(const void *left, const void *right)
{
	const struct urgency *a = left, *b = right;

	if (a->failed_last != b->failed_last)
		return a->failed_last ? -1 : 1;
	if (a->value != b->value)
		return a->value > b->value ? -1 : 1;
	return (a->node > b->node) - (a->node < b->node);
}

void
plan_rank_by(struct arena *scratch, struct plan *p, const double *value)
{
	struct arena_mark mark = arena_mark(scratch);
	struct urgency *v = NEW_ARRAY(scratch, struct urgency, p->n);

	for (node_id i = 0; i < p->n; i++)
		v[i] = (struct urgency){value[i], i, p->nodes[i].failed_last};
	if (p->n)
		qsort(v, p->n, sizeof *v, by_urgency);
	for (uint32_t k = 0; k < p->n; k++) {
		p->nodes[v[k].node].rank = k;
		p->order[k] = v[k].node;
	}
	arena_rewind(scratch, mark);
}

void
pressure_rank(struct arena *a, struct plan *p, double share_weight)
{
	struct arena_mark mark = arena_mark(a);
	double *value = NEW_ARRAY(a, double, p->n);

	for (node_id i = 0; i < p->n; i++)
		value[i] = p->pressure[i] * (1 + share_weight * p->share[i]);
	plan_rank_by(a, p, value);
	arena_rewind(a, mark);
}

void
order_by_pressure(struct arena *a, struct plan *p, const struct plan_options *o)
{
	double *share = NEW_ARRAY(a, double, p->n);
	node_id *before = NEW_ARRAY(a, node_id, p->n);

	p->expected = expected_times(a, p->selection, o->recorded);
	p->pressure = pressure_of(a, p);
	for (node_id i = 0; i < p->n; i++)
		share[i] = share_of(o, p->nodes[i].test);
	p->share = share;
	if (p->n)
		memcpy(before, p->order, p->n * sizeof *before);
	p->ctest_order = before;
	p->reserve = o->reserve ? o->reserve : 1;
	pressure_rank(a, p, SHARE_WEIGHT);
}

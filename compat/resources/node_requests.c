/* See node_requests.h. */
#include "compat/resources/node_requests.h"

#include <limits.h>
#include <string.h>

/* The sum of the slots, or more than INT_MAX; 0: the test does not have the requirement.
 */
static uint64_t
nodes_of(const struct properties *p)
{
	const struct resource_groups *g = &p->resource_groups;
	uint64_t n = 0;

	for (size_t i = 0; i < g->n; i++)
		for (size_t k = 0; k < g->v[i].n; k++)
			if (str_is(g->v[i].v[k].type, NODES_TYPE))
				n += n > INT_MAX ? 0 : g->v[i].v[k].slots;
	return n;
}

bool
node_requests_are_there(const struct selection *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (nodes_of(selected_test(s, i)->properties))
			return true;
	return false;
}

/* Without the requirement; a group that has nothing else is dropped. */
static struct resource_groups
other_requirements(struct arena *a, const struct resource_groups *from)
{
	struct resource_groups g = *from;

	g.v = NEW_ARRAY(a, struct resource_group, from->n);
	g.n = 0;
	for (size_t i = 0; i < from->n; i++) {
		const struct resource_group *all = &from->v[i];
		struct resource_group *kept = &g.v[g.n];

		kept->v = NEW_ARRAY(a, struct requirement, all->n);
		for (size_t k = 0; k < all->n; k++)
			if (!str_is(all->v[k].type, NODES_TYPE))
				kept->v[kept->n++] = all->v[k];
		g.n += kept->n > 0;
	}
	return g;
}

static void
add_defect(struct arena *a, struct properties *p, struct str text)
{
	p->defect = p->defect.n
			    ? str_fmt(a, "%.*s\n%.*s", STR_ARG(p->defect), STR_ARG(text))
			    : text;
}

static const struct properties *
count_nodes(struct arena *a, const struct properties *from, uint64_t nodes)
{
	struct properties *p = NEW(a, struct properties);

	*p = *from;
	p->resource_groups = other_requirements(a, &from->resource_groups);
	/* A defect is reported where the test fits. */
	p->nodes = 1;
	if (nodes > INT_MAX)
		add_defect(a, p,
			STR("RESOURCE_GROUPS requests more than 2147483647 nodes."));
	else if (from->nodes > 1 && (uint64_t)from->nodes != nodes)
		add_defect(a, p,
			str_fmt(a,
				"RESOURCE_GROUPS requests %llu nodes, but CCTR_NODES is "
				"%d.",
				(unsigned long long)nodes, from->nodes));
	else
		p->nodes = (int)nodes;
	return p;
}

void
node_requests_count(struct arena *a, struct selection *s)
{
	struct suite *suite = NEW(a, struct suite);
	struct test *tests = NEW_ARRAY(a, struct test, s->suite->n);

	*suite = *s->suite;
	suite->tests = tests;
	memcpy(tests, s->suite->tests, suite->n * sizeof *tests);
	for (size_t i = 0; i < s->n; i++) {
		struct test *t = &tests[s->v[i].test];
		uint64_t nodes = nodes_of(t->properties);

		if (nodes)
			t->properties = count_nodes(a, t->properties, nodes);
	}
	s->suite = suite;
}

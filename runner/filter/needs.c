/*
 * The graph has a node for each test, for each name and for each fixture, so that its
 * edges are as many as the declarations: a test needs names and fixtures, a name needs
 * the tests that have it, a fixture needs its setups.
 */
#include "runner/filter/needs.h"

struct edge {
	uint32_t from, to;
};
/* The edges by their beginning: those of node i are v[first[i]] to v[first[i + 1] - 1].
 */
struct edges {
	uint32_t *first, *v;
};
struct needs {
	struct arena *arena;
	size_t tests_n, n;
	struct edges needed, needing;
};

struct gathering {
	struct arena *a;
	const struct suite *suite;
	struct map names, fixtures;
	VEC(struct edge) edges;
};

static void
number_all(struct gathering *g)
{
	map_reserve(&g->names, g->suite->n);
	for (size_t t = 0; t < g->suite->n; t++) {
		const struct properties *p = g->suite->tests[t].properties;

		map_number(&g->names, g->suite->tests[t].name);
		for (size_t i = 0; i < p->fixtures_setup.n; i++)
			map_number(&g->fixtures, p->fixtures_setup.v[i]);
	}
}

static void
add_edge(struct gathering *g, size_t from, size_t to)
{
	VEC_PUSH(g->a, &g->edges, (struct edge){(uint32_t)from, (uint32_t)to});
}

/* Adds an edge from the test to each name that is known. base: the node of name 0. */
static void
add_needed(struct gathering *g, size_t test, const struct map *known, size_t base,
	struct str_list names)
{
	for (size_t i = 0; i < names.n; i++) {
		uint32_t at = map_get(known, names.v[i]);

		if (at != MAP_NONE)
			add_edge(g, test, base + at);
	}
}

static void
gather_edges(struct gathering *g)
{
	size_t names = g->suite->n, fixtures = names + g->names.n;

	for (size_t t = 0; t < g->suite->n; t++) {
		const struct test *test = &g->suite->tests[t];
		const struct properties *p = test->properties;

		add_edge(g, names + map_get(&g->names, test->name), t);
		add_needed(g, t, &g->names, names, p->depends);
		add_needed(g, t, &g->fixtures, fixtures, p->fixtures_required);
		for (size_t i = 0; i < p->fixtures_setup.n; i++)
			add_edge(g,
				fixtures + map_get(&g->fixtures, p->fixtures_setup.v[i]),
				t);
	}
}

/* Sorts the edges by one of their ends. */
static struct edges
sort_edges(const struct gathering *g, size_t nodes, bool by_others)
{
	struct edges e = {NEW_ARRAY(g->a, uint32_t, nodes + 2),
		NEW_ARRAY(g->a, uint32_t, g->edges.n)};

	for (size_t i = 0; i < g->edges.n; i++)
		e.first[2 + (by_others ? g->edges.v[i].to : g->edges.v[i].from)]++;
	for (size_t i = 2; i < nodes + 2; i++)
		e.first[i] += e.first[i - 1];
	for (size_t i = 0; i < g->edges.n; i++) {
		struct edge one = g->edges.v[i];

		e.v[e.first[1 + (by_others ? one.to : one.from)]++] =
			by_others ? one.from : one.to;
	}
	return e;
}

struct needs *
needs_build(struct arena *a, const struct suite *s)
{
	struct gathering g = {
		.a = a, .suite = s, .names = map_in(a), .fixtures = map_in(a)};
	struct needs *n = NEW(a, struct needs);

	INVARIANT(s);
	number_all(&g);
	gather_edges(&g);
	n->arena = a;
	n->tests_n = s->n;
	n->n = s->n + g.names.n + g.fixtures.n;
	n->needed = sort_edges(&g, n->n, false);
	n->needing = sort_edges(&g, n->n, true);
	return n;
}

void
needs_add(const struct needs *n, bool *set, bool by_others)
{
	const struct edges *e = by_others ? &n->needing : &n->needed;
	struct arena_mark mark = arena_mark(n->arena);
	bool *seen = NEW_ARRAY(n->arena, bool, n->n);
	uint32_t *found = NEW_ARRAY(n->arena, uint32_t, n->n);
	size_t found_n = 0;

	for (uint32_t t = 0; t < n->tests_n; t++)
		if (set[t]) {
			seen[t] = true;
			found[found_n++] = t;
		}
	for (size_t i = 0; i < found_n; i++)
		for (uint32_t k = e->first[found[i]]; k < e->first[found[i] + 1]; k++)
			if (!seen[e->v[k]]) {
				seen[e->v[k]] = true;
				found[found_n++] = e->v[k];
			}
	for (size_t t = 0; t < n->tests_n; t++)
		set[t] = seen[t];
	arena_rewind(n->arena, mark);
}

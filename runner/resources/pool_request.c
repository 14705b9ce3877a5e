/* RESOURCE_GROUPS and PROCESSORS as one request. See pool_request.h. */
#include "runner/resources/pool_request.h"

#include <string.h>

uint64_t
pool_slots_in_groups(const struct resource_groups *g, const char *type)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < g->n; i++)
		for (size_t k = 0; k < g->v[i].n; k++)
			if (str_is(g->v[i].v[k].type, type))
				sum += g->v[i].v[k].slots;
	return sum;
}

/* The slots of the node that has most, but not more than wanted. A pool has many nodes,
 * and most often the first one has as many. */
static uint64_t
slots_of_type(const struct resource_type *t, uint64_t wanted)
{
	uint64_t most = 0, sum = 0;

	for (size_t i = 0; i < t->n && most < wanted; i++) {
		sum = i && t->v[i].node == t->v[i - 1].node ? sum : 0;
		sum += t->v[i].slots;
		if (sum > most)
			most = sum;
	}
	return most < wanted ? most : wanted;
}

uint64_t
pool_processors(const struct pool *p)
{
	uint32_t type =
		p && p->counts_processors ? pool_type(p, STR(POOL_PROCESSORS)) : MAP_NONE;
	uint64_t sum = 0;

	for (; p && type < p->n; type += (uint32_t)pool_types_n(p))
		for (size_t i = 0; i < p->types[type].n; i++)
			sum += p->types[type].v[i].slots;
	return sum;
}

uint64_t
pool_processors_besides(
	const struct pool *p, uint32_t partition, const struct properties *t)
{
	uint64_t wanted = t->processors > 0 ? (uint64_t)t->processors : 1, held;
	uint32_t type = p && p->counts_processors
				? pool_type_in(p, partition, STR(POOL_PROCESSORS))
				: MAP_NONE;

	if (type == MAP_NONE)
		return 0;
	wanted = slots_of_type(&p->types[type], wanted);
	if (!wanted)
		wanted = 1;
	held = pool_slots_in_groups(&t->resource_groups, POOL_PROCESSORS);
	return wanted > held ? wanted - held : 0;
}

static bool
is_listed(const struct pool *p, const struct requirement *q)
{
	uint32_t type = pool_type(p, q->type);

	return type != MAP_NONE && p->types[type].is_listed && q->slots != 1;
}

/* More than there are stay more than there are. */
static uint64_t
pieces_of(const struct pool *p, uint32_t partition, const struct requirement *q)
{
	uint64_t most;

	if (!is_listed(p, q))
		return 1;
	most = p->types[pool_type_in(p, partition, q->type)].n + 1;
	return q->slots < most ? q->slots : most;
}

static struct resource_group
spread_group(struct arena *a, const struct pool *p, uint32_t partition,
	const struct resource_group *from)
{
	struct resource_group g = {NULL, 0};
	size_t n = 0;

	for (size_t i = 0; i < from->n; i++)
		n += pieces_of(p, partition, &from->v[i]);
	g.v = NEW_ARRAY(a, struct requirement, n);
	for (size_t i = 0; i < from->n; i++) {
		const struct requirement *q = &from->v[i];
		uint64_t pieces = pieces_of(p, partition, q);

		for (uint64_t k = 0; k < pieces; k++)
			g.v[g.n++] = (struct requirement){
				q->type, is_listed(p, q) ? 1 : q->slots, q->instance};
	}
	return g;
}

struct resource_groups
pool_spread_listed(struct arena *a, const struct pool *p, struct resource_groups g)
{
	const struct resource_group *from = g.v;
	bool is_spread = false;

	for (size_t i = 0; i < p->n; i++)
		is_spread = is_spread || p->types[i].is_listed;
	if (!is_spread)
		return g;
	g.v = NEW_ARRAY(a, struct resource_group, g.n);
	for (size_t i = 0; i < g.n; i++)
		g.v[i] = spread_group(a, p, g.partition, &from[i]);
	return g;
}

struct resource_groups
pool_request_in(struct arena *a, const struct pool *p, uint32_t partition,
	const struct properties *t)
{
	uint64_t besides = pool_processors_besides(p, partition, t);
	struct resource_groups g = t->resource_groups;
	struct resource_group *v, *last;

	INVARIANT(a && t);
	g.partition = partition;
	if (p)
		g = pool_spread_listed(a, p, g);
	g.nodes = t->nodes > 1 ? (uint64_t)t->nodes : 0;
	if (!besides)
		return g;
	v = NEW_ARRAY(a, struct resource_group, g.n + 1);
	if (g.n)
		memcpy(v, g.v, g.n * sizeof *v);
	last = &v[g.n];
	*last = (struct resource_group){
		NEW_ARRAY(a, struct requirement, besides), besides};
	for (uint64_t i = 0; i < besides; i++)
		last->v[i] =
			(struct requirement){.type = STR(POOL_PROCESSORS), .slots = 1};
	g.v = v;
	g.n++;
	return g;
}

struct resource_groups
pool_request(struct arena *a, const struct pool *p, const struct properties *t)
{
	return pool_request_in(a, p, 0, t);
}

void
pool_request_key(struct buf *b, const struct resource_groups *g)
{
	buf_number(b, g->partition, 0);
	buf_char(b, ' ');
	buf_number(b, g->nodes, 0);
	buf_z(b, " nodes,");
	for (size_t i = 0; i < g->n; i++)
		for (size_t k = 0; k < g->v[i].n; k++) {
			buf_str(b, g->v[i].v[k].type);
			buf_char(b, ':');
			buf_number(b, g->v[i].v[k].slots, 0);
			buf_char(b, ',');
		}
}

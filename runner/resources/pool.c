/*
 * Taking and returning instances of the pool. Types do not influence each other: the
 * requirements of a test are packed type by type, in the order of groups and
 * requirements, which decides between equal ones.
 */
#include "runner/resources/pool.h"

#include "runner/base/sort.h"

/* One requirement, with the instance that is found for it. */
struct demand {
	uint32_t type, at; /* at: position among all requirements of the test */
	uint32_t instance;
	uint64_t slots;
};

struct request {
	const struct pool *pool;
	struct arena *scratch;
	struct demand *v; /* by type, then position */
	size_t n;
	bool is_whole; /* treat the pool as empty: nothing counts as held */
	uint64_t limit; /* of the packer */
	uint64_t nodes; /* as many whole nodes; 0: a part of one */
	uint32_t partition;
	uint32_t only_node; /* from 1; 0: any */
	uint32_t *whole; /* set by place_on_idle: these nodes */
	/* set by place_on: the sum of squares of the slots that stay free, by type */
	double left;
};

size_t
pool_types_n(const struct pool *p)
{
	return p->partitions_n ? p->n / p->partitions_n : p->n;
}

uint32_t
pool_type(const struct pool *p, struct str name)
{
	bool is_known = false;
	size_t i;
	int order;

	BISECT(i, pool_types_n(p),
		(order = str_order(p->types[i].name, name), is_known |= order == 0,
			order >= 0));
	return is_known ? (uint32_t)i : MAP_NONE;
}

uint32_t
pool_type_in(const struct pool *p, uint32_t partition, struct str name)
{
	uint32_t type = pool_type(p, name);

	INVARIANT(!partition || partition < p->partitions_n);
	return type == MAP_NONE ? type : partition * (uint32_t)pool_types_n(p) + type;
}

SORT_BY(sort_by_type, struct demand, ASCENDING(type) ASCENDING(at))

SORT_BY(sort_by_position, struct demand, ASCENDING(at))

/* false: the pool lacks one of the types. */
static bool
gather_demands(struct request *r, const struct resource_groups *g)
{
	size_t n = 0;

	for (size_t i = 0; i < g->n; i++)
		n += g->v[i].n;
	r->v = NEW_ARRAY(r->scratch, struct demand, n);
	for (size_t i = 0; i < g->n; i++)
		for (size_t k = 0; k < g->v[i].n; k++) {
			const struct requirement *q = &g->v[i].v[k];
			uint32_t type = pool_type_in(r->pool, g->partition, q->type);

			if (type == MAP_NONE)
				return false;
			r->v[r->n] = (struct demand){
				.type = type, .at = (uint32_t)r->n, .slots = q->slots};
			r->n++;
		}
	sort_by_type(r->v, r->n);
	return true;
}

size_t
pool_first_on(const struct resource_type *t, uint32_t node)
{
	size_t i;

	BISECT(i, t->n, t->v[i].node >= node);
	return i;
}

/* Packs the n demands of one type that start at v into the node's instances. */
static enum pack_result
place_type(struct request *r, struct demand *v, size_t n, uint32_t node)
{
	const struct resource_type *t = &r->pool->types[v->type];
	struct arena_mark mark = arena_mark(r->scratch);
	size_t first = pool_first_on(t, node), bins = pool_first_on(t, node + 1) - first;
	uint64_t *free_slots = NEW_ARRAY(r->scratch, uint64_t, bins);
	uint64_t *need = NEW_ARRAY(r->scratch, uint64_t, n);
	uint32_t *instance = NEW_ARRAY(r->scratch, uint32_t, n);
	struct pack_rules rules = {r->pool->placement, r->limit};
	enum pack_result result;
	double left = 0;

	for (size_t i = 0; i < bins; i++) {
		const struct resource_instance *in = &t->v[first + i];

		free_slots[i] = in->slots - (r->is_whole ? 0 : in->held);
		left += (double)free_slots[i];
	}
	for (size_t i = 0; i < n; i++) {
		need[i] = v[i].slots;
		left -= (double)need[i];
	}
	r->left += left * left;
	result = pack(r->scratch, free_slots, bins, need, n, instance, &rules);
	for (size_t i = 0; i < n && result == PACK_FOUND; i++)
		v[i].instance = (uint32_t)(first + instance[i]);
	arena_rewind(r->scratch, mark);
	return result;
}

/* The empty pool has all its nodes, also those that may come. */
static bool
may_use_node(const struct request *r, uint32_t node)
{
	const enum pool_presence *presence = r->pool->presence;

	if (!presence)
		return true;
	return presence[node] == POOL_NODE_HERE ||
	       (r->is_whole && presence[node] == POOL_NODE_AWAY);
}

/* The worst result of all types; one that does not fit is worse than one that is not
 * known. */
static enum pack_result
place_on(struct request *r, uint32_t node, uint32_t *blocking)
{
	enum pack_result worst = PACK_FOUND;

	r->left = 0;
	for (size_t start = 0, end; start < r->n; start = end) {
		enum pack_result result;

		for (end = start; end < r->n && r->v[end].type == r->v[start].type;)
			end++;
		result = place_type(r, &r->v[start], end - start, node);
		if (result == PACK_FOUND)
			continue;
		if (worst == PACK_FOUND || result == PACK_IMPOSSIBLE)
			*blocking = r->v[start].type;
		worst = result;
		if (!r->is_whole || result == PACK_IMPOSSIBLE)
			return result;
	}
	return worst;
}

/* A node that has enough free slots in all, and an instance that is large enough, and
 * what would be left there. */
struct candidate {
	uint32_t node; /* MAP_NONE: none */
	double left;
};

static bool
is_before(const struct candidate *a, const struct candidate *b)
{
	return a->node != MAP_NONE && (b->node == MAP_NONE || a->left > b->left ||
					      (a->left == b->left && a->node < b->node));
}

/* Nodes below one place in the trees of free slots: the first of them, and at most what
 * would be left on any. MAP_NONE: all have too few free slots of a type. */
static struct candidate
measure_nodes(const struct request *r, size_t at)
{
	const struct resource_type *types = r->pool->types;
	struct candidate below = {.node = 0};
	size_t leaves = r->n ? types[r->v[0].type].free_nodes->leaves : 1;

	for (size_t i = 0, end; i < r->n; i = end) {
		const struct free_slots *most = &types[r->v[i].type].free_nodes->v[at];
		double left = (double)most->sum;

		for (end = i; end < r->n && r->v[end].type == r->v[i].type; end++) {
			left -= (double)r->v[end].slots;
			if (r->v[end].slots > most->largest)
				left = -1;
		}
		if (left < 0 || !most->is_usable)
			return (struct candidate){.node = MAP_NONE};
		below.left += left * left;
	}
	while (at < leaves)
		at *= 2;
	below.node = (uint32_t)(at - leaves);
	return below;
}

/* Whether it is known without packing that the node has too few free slots. */
static bool
lacks_slots(const struct request *r, uint32_t node)
{
	const struct free_nodes *f =
		r->n ? r->pool->types[r->v[0].type].free_nodes : NULL;

	return !r->is_whole && f && measure_nodes(r, f->leaves + node).node == MAP_NONE;
}

/* Of several nodes: places the test on the node where most is left; on the first of equal
 * nodes. */
static enum pack_result
place_on_best(struct request *r, uint32_t *blocking)
{
	enum pack_result result, found = PACK_IMPOSSIBLE;
	size_t nodes = r->pool->nodes_n;
	uint32_t best = 0, last = 0;
	double most = 0;

	for (uint32_t node = 0; node < nodes; node++) {
		if (!may_use_node(r, node) || lacks_slots(r, node))
			continue;
		result = place_on(r, node, blocking);
		if (result == PACK_FOUND && (found != PACK_FOUND || r->left > most)) {
			most = r->left;
			best = node;
		}
		if (result == PACK_FOUND || found == PACK_IMPOSSIBLE)
			found = result;
		last = node;
	}
	*blocking = (uint32_t)r->pool->n;
	if (found == PACK_FOUND && best != last)
		found = place_on(r, best, blocking);
	return found;
}

/* Looks for a node below that place which is better than *best, and after *after, in the
 * order of is_before. */
static void
search_nodes(const struct request *r, size_t at, const struct candidate *after,
	struct candidate *best)
{
	size_t leaves = r->pool->types[r->v[0].type].free_nodes->leaves;
	struct candidate below = measure_nodes(r, at), left, right;
	bool is_right_first;

	if (!is_before(&below, best))
		return;
	if (at >= leaves) {
		if (after->node == MAP_NONE || is_before(after, &below))
			*best = below;
		return;
	}
	left = measure_nodes(r, 2 * at);
	right = measure_nodes(r, 2 * at + 1);
	is_right_first = is_before(&right, &left);
	search_nodes(r, 2 * at + is_right_first, after, best);
	search_nodes(r, 2 * at + !is_right_first, after, best);
}

/* The best candidate after that one, in the order of is_before. */
static struct candidate
next_candidate(const struct request *r, const struct candidate *after)
{
	struct candidate best = {.node = MAP_NONE};

	search_nodes(r, 1, after, &best);
	return best;
}

/* As place_on_best. Packing is tried on few nodes: nearly always the first candidate has
 * a place. */
static enum pack_result
place_by_sums(struct request *r, uint32_t *blocking)
{
	enum { MOST_TRIES = 4 };
	struct candidate at = {.node = MAP_NONE};

	for (int i = 0; i < MOST_TRIES; i++) {
		at = next_candidate(r, &at);
		if (at.node == MAP_NONE)
			break;
		if (place_on(r, at.node, blocking) == PACK_FOUND)
			return PACK_FOUND;
	}
	*blocking = (uint32_t)r->pool->n;
	return at.node == MAP_NONE ? PACK_IMPOSSIBLE : place_on_best(r, blocking);
}

static bool
is_node_idle(const struct pool *p, uint32_t partition, uint32_t node)
{
	size_t n = pool_types_n(p);

	for (size_t i = partition * n; i < (partition + 1) * n; i++) {
		const struct resource_type *t = &p->types[i];

		for (size_t k = pool_first_on(t, node); k < t->n && t->v[k].node == node;
			k++)
			if (t->v[k].held)
				return false;
	}
	return true;
}

/* Whether the partition, and no other, has some of the node. */
static bool
is_node_of(const struct pool *p, uint32_t partition, uint32_t node)
{
	bool is_own = !p->partitions_n;

	for (uint32_t i = 0; i < p->n && p->partitions_n; i++) {
		const struct resource_type *t = &p->types[i];
		size_t k = pool_first_on(t, node);

		if (k == t->n || t->v[k].node != node)
			continue;
		if (pool_partition_of_type(p, i) != partition)
			return false;
		is_own = true;
	}
	return is_own;
}

/* The first nodes of which nothing is held, and which have room for the test. */
static enum pack_result
place_on_idle(struct request *r, uint32_t *blocking)
{
	const struct pool *p = r->pool;
	size_t found = 0, unknown = 0;

	r->whole = NEW_ARRAY(r->scratch, uint32_t, p->nodes_n);
	for (uint32_t node = 0; node < p->nodes_n && found < r->nodes; node++) {
		enum pack_result result;

		if (!may_use_node(r, node) || !is_node_of(p, r->partition, node) ||
			!(r->is_whole || is_node_idle(p, r->partition, node)))
			continue;
		result = place_on(r, node, blocking);
		if (result == PACK_FOUND)
			r->whole[found++] = node;
		unknown += result == PACK_UNKNOWN;
	}
	*blocking = (uint32_t)p->n;
	if (found == r->nodes)
		return place_on(r, r->whole[0], blocking);
	return found + unknown < r->nodes ? PACK_IMPOSSIBLE : PACK_UNKNOWN;
}

static enum pack_result
place_on_only(struct request *r, uint32_t *blocking)
{
	*blocking = (uint32_t)r->pool->n;
	return may_use_node(r, r->only_node - 1) ? place_on(r, r->only_node - 1, blocking)
						 : PACK_IMPOSSIBLE;
}

static enum pack_result
place_all(struct request *r, uint32_t *blocking)
{
	if (r->nodes)
		return place_on_idle(r, blocking);
	if (r->only_node)
		return place_on_only(r, blocking);
	if (r->pool->prefers_first && may_use_node(r, 0) && !lacks_slots(r, 0) &&
		place_on(r, 0, blocking) == PACK_FOUND)
		return PACK_FOUND;
	if (r->pool->nodes_n <= 1 && may_use_node(r, 0))
		return place_on(r, 0, blocking);
	return r->is_whole || r->pool->nodes_n <= 1 || !r->n ? place_on_best(r, blocking)
							     : place_by_sums(r, blocking);
}

enum pool_fit
pool_fit(const struct pool *p, struct arena *scratch, const struct resource_groups *g)
{
	static const enum pool_fit fit_of[] = {[PACK_FOUND] = POOL_FITS,
		[PACK_IMPOSSIBLE] = POOL_FITS_NOWHERE,
		[PACK_UNKNOWN] = POOL_FIT_UNKNOWN};
	struct arena_mark mark = arena_mark(scratch);
	struct request r = {.pool = p,
		.scratch = scratch,
		.is_whole = true,
		.limit = PACK_THOROUGHLY,
		.nodes = g->nodes,
		.partition = g->partition,
		.only_node = g->only_node};
	enum pack_result result = PACK_IMPOSSIBLE;
	uint32_t blocking;

	INVARIANT(p && scratch && g);
	if (gather_demands(&r, g))
		result = place_all(&r, &blocking);
	arena_rewind(scratch, mark);
	return fit_of[result];
}

bool
pool_could_fit(
	const struct pool *p, struct arena *scratch, const struct resource_groups *g)
{
	return pool_fit(p, scratch, g) != POOL_FITS_NOWHERE;
}

/* At least as many instances as any so many nodes have. */
static size_t
instances_of_nodes(const struct pool *p, uint64_t nodes)
{
	size_t all = 0;

	for (size_t i = 0; i < p->n; i++) {
		const struct resource_type *t = &p->types[i];
		size_t most = 0, n = 0;

		for (size_t k = 0; k < t->n; k++) {
			n = k && t->v[k].node == t->v[k - 1].node ? n + 1 : 1;
			most = n > most ? n : most;
		}
		all += most * (size_t)nodes;
	}
	return all;
}

static void
shape_grant(struct arena *a, const struct pool *p, const struct resource_groups *g,
	struct grant *grant)
{
	size_t n = g->n + (g->nodes > 0);

	*grant = (struct grant){NEW_ARRAY(a, struct grant_group, n), n};
	for (size_t i = 0; i < g->n; i++)
		grant->v[i] = (struct grant_group){
			NEW_ARRAY(a, struct grant_unit, g->v[i].n), g->v[i].n};
	if (g->nodes && g->nodes <= p->nodes_n)
		grant->v[g->n].v =
			NEW_ARRAY(a, struct grant_unit, instances_of_nodes(p, g->nodes));
}

uint32_t
pool_instance(const struct pool *p, uint32_t type, uint32_t node, struct str id)
{
	const struct resource_type *t = &p->types[type];
	size_t first = pool_first_on(t, node), last = pool_first_on(t, node + 1), i;

	BISECT(i, last - first, str_order(t->v[first + i].id, id) >= 0);
	i += first;
	return i < last && str_eq(t->v[i].id, id) ? (uint32_t)i : MAP_NONE;
}

static uint64_t
free_of(const struct resource_instance *in)
{
	return in->slots - in->held;
}

/* The largest number of free slots of an instance on the node. at_most: it is known that
 * none has more. */
static uint64_t
largest_on(const struct resource_type *t, uint32_t node, uint64_t at_most)
{
	uint64_t largest = 0;

	for (size_t i = pool_first_on(t, node);
		i < t->n && t->v[i].node == node && largest < at_most; i++)
		if (free_of(&t->v[i]) > largest)
			largest = free_of(&t->v[i]);
	return largest;
}

static bool
is_here(const struct pool *p, uint32_t node)
{
	return !p->presence || p->presence[node] == POOL_NODE_HERE;
}

void
pool_count_free(struct arena *a, struct pool *p)
{
	for (size_t i = 0; i < p->n && p->nodes_n > 1; i++) {
		struct resource_type *t = &p->types[i];
		size_t k = 0;

		if (t->free_nodes)
			continue;
		t->free_nodes = free_nodes_new(a, p->nodes_n);
		for (uint32_t node = 0; node < p->nodes_n; node++) {
			struct free_slots slots = {.is_usable = is_here(p, node)};

			for (; k < t->n && t->v[k].node == node; k++)
				slots.sum += free_of(&t->v[k]);
			slots.largest = largest_on(t, node, UINT64_MAX);
			free_nodes_set(t->free_nodes, node, slots);
		}
	}
}

/* So many slots of an instance that has too many have come back. */
static void
lose_excess(struct resource_instance *in, uint64_t n)
{
	n = n < in->excess ? n : in->excess;
	in->excess -= n;
	in->slots -= n;
	in->lacks += n;
}

/* Changes what is held of the instance by its type's requirements. */
static void
hold_slots(struct resource_type *t, struct resource_instance *in, uint64_t held)
{
	uint64_t before = free_of(in), after = in->slots - held;
	struct free_slots slots;

	in->held = held;
	if (in->excess && after) {
		lose_excess(in, after);
		after = free_of(in);
	}
	if (!t->free_nodes || after == before)
		return;
	slots = free_nodes_get(t->free_nodes, in->node);
	slots.sum += after - before;
	if (after > slots.largest)
		slots.largest = after;
	else if (before == slots.largest)
		slots.largest = largest_on(t, in->node, before);
	free_nodes_set(t->free_nodes, in->node, slots);
}

/* The part of the instance that this type has, which is one of the same name; NULL: it
 * has none. */
static struct resource_instance *
find_part(const struct resource_type *t, const struct resource_instance *of)
{
	size_t i;

	BISECT(i, t->n, t->v[i].number >= of->number);
	return i < t->n && t->v[i].number == of->number ? &t->v[i] : NULL;
}

/* What other runs leave of the instance, less what is held of it here. */
static uint64_t
free_beside_others(
	const struct pool *p, uint32_t type, const struct resource_instance *in)
{
	uint32_t types = (uint32_t)pool_types_n(p);
	uint64_t used = in->elsewhere;

	if (used >= in->whole)
		return 0;
	for (uint32_t t = type % types; t < p->n; t += types) {
		const struct resource_instance *part = find_part(&p->types[t], in);

		used += part ? part->held - part->others : 0;
	}
	return used < in->whole ? in->whole - used : 0;
}

static void
hold_for_others(struct pool *p, struct resource_type *t, struct resource_instance *in,
	uint64_t others)
{
	uint64_t own = in->held - in->others;

	p->shared_n += (others > 0) - (in->others > 0);
	in->others = others;
	hold_slots(t, in, own + others);
}

/* No part of the instance has more that is free than other runs leave of it. */
static void
leave_parts(struct pool *p, uint32_t type, const struct resource_instance *in)
{
	uint32_t types = (uint32_t)pool_types_n(p);
	uint64_t most = free_beside_others(p, type, in);

	for (uint32_t t = type % types; t < p->n; t += types) {
		struct resource_instance *part = find_part(&p->types[t], in);

		if (part && free_of(part) > most)
			hold_for_others(p, &p->types[t], part,
				part->others + free_of(part) - most);
	}
}

static void
charge_unit(struct pool *p, const struct grant_unit *u)
{
	struct resource_type *t = &p->types[u->type];
	struct resource_instance *in = &t->v[u->instance];

	hold_slots(t, in, in->held + u->slots);
	t->holders++;
	if (in->elsewhere)
		leave_parts(p, u->type, in);
}

static void
charge_pool(struct pool *p, const struct request *r)
{
	for (size_t i = 0; i < r->n; i++)
		charge_unit(p, &(struct grant_unit){
				       r->v[i].type, r->v[i].instance, r->v[i].slots});
}

/* Takes what is left on the node. */
static void
add_rest_of_node(
	struct pool *p, uint32_t partition, uint32_t node, struct grant_group *rest)
{
	uint32_t n = (uint32_t)pool_types_n(p);

	for (uint32_t i = partition * n; i < (partition + 1) * n; i++) {
		struct resource_type *t = &p->types[i];

		for (size_t k = pool_first_on(t, node); k < t->n && t->v[k].node == node;
			k++) {
			struct resource_instance *in = &t->v[k];

			if (in->lacks && !in->slots)
				continue;
			rest->v[rest->n++] =
				(struct grant_unit){i, (uint32_t)k, free_of(in)};
			hold_slots(t, in, in->slots);
			t->holders++;
		}
	}
}

static void
fill_grant(const struct request *r, size_t groups, struct grant *grant)
{
	const struct demand *next = r->v;

	sort_by_position(r->v, r->n);
	for (size_t i = 0; i < groups; i++)
		for (size_t k = 0; k < grant->v[i].n; k++, next++)
			grant->v[i].v[k] = (struct grant_unit){
				next->type, next->instance, next->slots};
}

static bool
take_request(struct pool *p, struct request *r, const struct resource_groups *g,
	struct grant *grant, uint32_t *blocking)
{
	struct arena_mark mark;
	bool taken;

	pool_count_free(r->scratch, p);
	if (!grant->v)
		shape_grant(r->scratch, p, g, grant);
	INVARIANT(grant->n == g->n + (g->nodes > 0));
	r->nodes = g->nodes;
	r->partition = g->partition;
	r->only_node = g->only_node;
	*blocking = MAP_NONE;
	mark = arena_mark(r->scratch);
	taken = gather_demands(r, g) && place_all(r, blocking) == PACK_FOUND;
	if (taken) {
		charge_pool(p, r);
		fill_grant(r, g->n, grant);
		if (g->nodes)
			grant->v[g->n].n = 0;
		for (size_t i = 0; i < g->nodes; i++)
			add_rest_of_node(p, g->partition, r->whole[i], &grant->v[g->n]);
	}
	arena_rewind(r->scratch, mark);
	return taken;
}

bool
pool_take(struct pool *p, struct arena *a, const struct resource_groups *g,
	struct grant *grant, uint32_t *blocking)
{
	struct request r = {.pool = p, .scratch = a, .limit = PACK_QUICKLY};

	return take_request(p, &r, g, grant, blocking);
}

bool
pool_is_idle(const struct pool *p)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->types[i].holders)
			return false;
	return true;
}

bool
pool_take_alone(struct pool *p, struct arena *a, const struct resource_groups *g,
	struct grant *grant)
{
	struct request r = {.pool = p, .scratch = a, .limit = PACK_AT_LAST};
	uint32_t blocking;

	INVARIANT(pool_is_idle(p));
	return take_request(p, &r, g, grant, &blocking);
}

bool
pool_take_unit(struct pool *p, const struct grant_unit *u)
{
	if (u->slots > free_of(&p->types[u->type].v[u->instance]))
		return false;
	charge_unit(p, u);
	return true;
}

void
pool_return(struct pool *p, const struct grant *grant)
{
	for (size_t i = 0; i < grant->n; i++)
		for (size_t k = 0; k < grant->v[i].n; k++) {
			const struct grant_unit *u = &grant->v[i].v[k];
			struct resource_type *t = &p->types[u->type];
			struct resource_instance *in = &t->v[u->instance];

			INVARIANT(in->held >= u->slots && t->holders > 0);
			hold_slots(t, in, in->held - u->slots);
			t->holders--;
			t->released++;
		}
}

void
pool_leave_arena(struct pool *p)
{
	for (size_t i = 0; i < p->n; i++)
		p->types[i].free_nodes = NULL;
}

void
pool_return_slots(struct pool *p, struct grant_unit *u, uint64_t slots)
{
	struct resource_type *t = &p->types[u->type];
	struct resource_instance *in = &t->v[u->instance];

	INVARIANT(slots <= u->slots && slots <= in->held);
	hold_slots(t, in, in->held - slots);
	u->slots -= slots;
	t->released++;
}

/* ---- other runs ------------------------------------------------------------------ */

void
pool_set_others(struct pool *p, uint32_t type, uint32_t instance, uint64_t slots)
{
	struct resource_instance *in = &p->types[type].v[instance];
	uint64_t room = in->slots - (in->held - in->others), left;

	if (p->partitions_n) {
		in->elsewhere = slots;
		left = free_beside_others(p, type, in);
		slots = room > left ? room - left : 0;
	}
	hold_for_others(p, &p->types[type], in, slots < room ? slots : room);
}

/* Whether what other runs hold counts as held. */
static void
count_others(struct pool *p, bool counts)
{
	for (size_t i = 0; i < p->n; i++) {
		struct resource_type *t = &p->types[i];

		for (size_t k = 0; k < t->n; k++)
			if (t->v[k].others)
				hold_slots(t, &t->v[k],
					counts ? t->v[k].held + t->v[k].others
					       : t->v[k].held - t->v[k].others);
	}
}

bool
pool_has_place(struct pool *p, struct arena *scratch, const struct resource_groups *g)
{
	struct request r = {.pool = p,
		.scratch = scratch,
		.limit = PACK_QUICKLY,
		.nodes = g->nodes,
		.partition = g->partition,
		.only_node = g->only_node};
	struct arena_mark mark;
	uint32_t blocking;
	bool fits;

	pool_count_free(scratch, p);
	mark = arena_mark(scratch);
	fits = gather_demands(&r, g) && place_all(&r, &blocking) == PACK_FOUND;
	arena_rewind(scratch, mark);
	return fits;
}

bool
pool_would_fit(struct pool *p, struct arena *scratch, const struct resource_groups *g)
{
	bool fits;

	count_others(p, false);
	fits = pool_has_place(p, scratch, g);
	count_others(p, true);
	return fits;
}

/* ---- nodes ----------------------------------------------------------------------- */

void
pool_set_presence(
	struct arena *a, struct pool *p, uint32_t node, enum pool_presence presence)
{
	INVARIANT(node < p->nodes_n);
	if (!p->presence)
		p->presence = NEW_ARRAY(a, enum pool_presence, p->nodes_n);
	p->presence[node] = presence;
	for (size_t i = 0; i < p->n; i++) {
		struct free_nodes *f = p->types[i].free_nodes;
		struct free_slots slots =
			f ? free_nodes_get(f, node) : (struct free_slots){.sum = 0};

		slots.is_usable = is_here(p, node);
		if (f)
			free_nodes_set(f, node, slots);
	}
}

/* The node has other slots of the type. */
static void
recount(struct resource_type *t, uint32_t node)
{
	struct free_slots slots;

	if (!t->free_nodes)
		return;
	slots = free_nodes_get(t->free_nodes, node);
	slots.sum = 0;
	for (size_t i = pool_first_on(t, node); i < t->n && t->v[i].node == node; i++)
		slots.sum += free_of(&t->v[i]);
	slots.largest = largest_on(t, node, UINT64_MAX);
	free_nodes_set(t->free_nodes, node, slots);
}

void
pool_cut_instance(struct pool *p, uint32_t type, size_t instance, uint64_t most)
{
	struct resource_instance *in = &p->types[type].v[instance];
	uint64_t all = in->slots + in->lacks, slots = most < all ? most : all;

	in->excess = slots < in->held ? in->held - slots : 0;
	in->slots = slots + in->excess;
	in->lacks = all - in->slots;
	recount(&p->types[type], in->node);
}

static void
name_instances(struct resource_type *t, bool is_divided, uint32_t node,
	const struct str_list *ids)
{
	size_t n = 0;

	for (size_t i = pool_first_on(t, node); i < t->n && t->v[i].node == node;
		i++, n++) {
		size_t at = is_divided ? t->v[i].number : n;

		if (at < ids->n)
			t->v[i].id = ids->v[at];
	}
}

void
pool_name_instances(struct pool *p, uint32_t node, struct str type, struct str_list ids)
{
	uint32_t at = pool_type(p, type);

	str_list_sort(ids);
	for (; at < p->n; at += (uint32_t)pool_types_n(p))
		name_instances(&p->types[at], p->partitions_n > 0, node, &ids);
}

size_t
pool_count_nodes(const struct pool *p, enum pool_presence presence)
{
	size_t n = 0;

	for (size_t i = 0; i < p->nodes_n; i++)
		n += (p->presence ? p->presence[i] : POOL_NODE_HERE) == presence;
	return n;
}

uint32_t
pool_node_of(const struct pool *p, const struct grant *grant)
{
	for (size_t i = 0; i < grant->n && p->nodes_n; i++)
		if (grant->v[i].n) {
			const struct grant_unit *u = &grant->v[i].v[0];

			return p->types[u->type].v[u->instance].node;
		}
	return MAP_NONE;
}

struct str_list
pool_ids_held(
	struct arena *a, const struct pool *p, const struct grant *grant, struct str type)
{
	uint32_t node = pool_node_of(p, grant);
	str_vec ids = {0};

	for (size_t i = 0; i < grant->n; i++)
		for (size_t k = 0; k < grant->v[i].n; k++) {
			const struct resource_type *t = &p->types[grant->v[i].v[k].type];
			const struct resource_instance *in =
				&t->v[grant->v[i].v[k].instance];

			if (str_eq(t->name, type) && in->node == node)
				VEC_PUSH(a, &ids, in->id);
		}
	return str_vec_list(&ids);
}

uint32_t
pool_partition_of(const struct pool *p, const struct grant *grant)
{
	for (size_t i = 0; i < grant->n; i++)
		if (grant->v[i].n)
			return pool_partition_of_type(p, grant->v[i].v[0].type);
	return 0;
}

struct pool_nodes
pool_nodes_of(struct arena *a, const struct pool *p, const struct grant *grant)
{
	struct pool_nodes found = {NEW_ARRAY(a, uint32_t, p->nodes_n), 0};

	for (size_t i = 0; i < grant->n && p->nodes_n; i++)
		for (size_t k = 0; k < grant->v[i].n; k++) {
			const struct grant_unit *u = &grant->v[i].v[k];
			uint32_t node = p->types[u->type].v[u->instance].node;

			/* Units of one node follow each other. */
			if (!found.n || found.v[found.n - 1] != node)
				found.v[found.n++] = node;
		}
	return found;
}

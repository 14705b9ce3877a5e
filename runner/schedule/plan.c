/*
 * The dependency graph, its cycle check, ctest's start order, and the order by pressure.
 *
 * One topological pass decides whether there is a cycle; only if there is one, the
 * strongly connected components tell whose it is. Nothing recurses: the depth of the
 * graph is the user's. Costs are compared as float, since ctest keeps them so: costs that
 * differ in digits that a float does not hold are a tie, and ties go by number.
 */
#include "runner/schedule/plan.h"

#include <stdlib.h>
#include <string.h>

#include "runner/base/sort.h"
#include "runner/resources/pool_request.h"

struct planner {
	struct arena *a;
	const struct selection *s;
	struct plan *plan;
	const struct plan_options *o;
	float *cost;
};

/* ---- graph ----------------------------------------------------------------------- */

static void
connect_users(struct planner *p)
{
	struct node *nodes = p->plan->nodes;
	const struct selection *s = p->s;
	node_id *users;
	size_t edges = 0;

	for (node_id i = 0; i < s->n; i++) {
		edges += s->v[i].depends_n;
		nodes[i].test = selected_test(s, i);
		nodes[i].number = s->v[i].number;
		nodes[i].failed_last = p->o->recorded && p->o->recorded[i].failed_last;
		nodes[i].waits = (uint32_t)s->v[i].depends_n;
		for (size_t k = 0; k < s->v[i].depends_n; k++)
			nodes[s->v[i].depends[k]].users_n++;
	}
	users = NEW_ARRAY(p->a, node_id, edges);
	for (node_id i = 0; i < s->n; i++) {
		nodes[i].users = users;
		users += nodes[i].users_n;
		nodes[i].users_n = 0;
	}
	for (node_id i = 0; i < s->n; i++)
		for (size_t k = 0; k < s->v[i].depends_n; k++) {
			struct node *from = &nodes[s->v[i].depends[k]];

			from->users[from->users_n++] = i;
		}
}

/* Take away whatever waits for nothing; false: what is left waits in a circle, or for one
 * that does. */
static bool
sort_topologically(struct planner *p)
{
	struct plan *plan = p->plan;
	uint32_t *waits = NEW_ARRAY(p->a, uint32_t, plan->n);
	size_t found = 0, taken = 0;

	p->plan->topological = NEW_ARRAY(p->a, node_id, plan->n);
	for (node_id i = 0; i < plan->n; i++) {
		waits[i] = plan->nodes[i].waits;
		if (waits[i] == 0)
			p->plan->topological[found++] = i;
	}
	while (taken < found) {
		const struct node *t = &plan->nodes[p->plan->topological[taken++]];

		for (uint32_t k = 0; k < t->users_n; k++)
			if (--waits[t->users[k]] == 0)
				p->plan->topological[found++] = t->users[k];
	}
	return found == plan->n;
}

/* Tarjan's components with a stack of its own. */
struct components {
	const struct selected *v;
	uint32_t *order, *low; /* 0: not seen yet */
	size_t *edge; /* how many dependencies were followed */
	node_id *path, *open; /* being visited; not yet in a component */
	bool *is_open;
	size_t path_n, open_n;
	uint32_t clock;
	node_id first; /* lowest node on a cycle so far */
};

static void
enter_node(struct components *c, node_id i)
{
	c->order[i] = c->low[i] = ++c->clock;
	c->path[c->path_n++] = i;
	c->open[c->open_n++] = i;
	c->is_open[i] = true;
}

/* All dependencies of i are done: close its component if i is its root. */
static void
leave_node(struct components *c, node_id i, bool has_loop)
{
	bool is_cycle;

	c->path_n--;
	if (c->path_n && c->low[i] < c->low[c->path[c->path_n - 1]])
		c->low[c->path[c->path_n - 1]] = c->low[i];
	if (c->low[i] != c->order[i])
		return;
	is_cycle = has_loop || c->open[c->open_n - 1] != i;
	for (node_id member = MAP_NONE; member != i;) {
		member = c->open[--c->open_n];
		c->is_open[member] = false;
		if (is_cycle && member < c->first)
			c->first = member;
	}
}

static bool
depends_on_itself(const struct selected *v, node_id i)
{
	for (size_t k = 0; k < v[i].depends_n; k++)
		if (v[i].depends[k] == i)
			return true;
	return false;
}

static void
walk_components(struct components *c, node_id root)
{
	enter_node(c, root);
	while (c->path_n) {
		node_id i = c->path[c->path_n - 1], d;

		if (c->edge[i] == c->v[i].depends_n) {
			leave_node(c, i, depends_on_itself(c->v, i));
			continue;
		}
		d = c->v[i].depends[c->edge[i]++];
		if (!c->order[d])
			enter_node(c, d);
		else if (c->is_open[d] && c->order[d] < c->low[i])
			c->low[i] = c->order[d];
	}
}

/* The first node, by number, from which its own dependencies lead back to it. */
static node_id
first_on_cycle(const struct planner *p)
{
	size_t n = p->plan->n;
	struct components c = {
		.v = p->s->v,
		.order = NEW_ARRAY(p->a, uint32_t, n),
		.low = NEW_ARRAY(p->a, uint32_t, n),
		.edge = NEW_ARRAY(p->a, size_t, n),
		.path = NEW_ARRAY(p->a, node_id, n),
		.open = NEW_ARRAY(p->a, node_id, n),
		.is_open = NEW_ARRAY(p->a, bool, n),
		.first = MAP_NONE,
	};

	for (node_id i = 0; i < n; i++)
		if (!c.order[i])
			walk_components(&c, i);
	return c.first;
}

/* ---- costs ----------------------------------------------------------------------- */

static void
find_costs(struct planner *p)
{
	const struct plan_options *o = p->o;

	p->cost = NEW_ARRAY(p->a, float, p->plan->n);
	if (o->random)
		srand(o->seed);
	for (node_id i = 0; i < p->plan->n; i++) {
		float cost = (float)p->plan->nodes[i].test->properties->cost;

		if (o->random)
			cost = (float)rand();
		if (cost == 0 && o->parallel > 1 && o->recorded)
			cost = (float)o->recorded[i].cost;
		p->cost[i] = cost;
		p->plan->nodes[i].cost = cost;
	}
}

/* Stable, cost descending: a merge of runs that double. */
static void
sort_by_cost(const struct planner *p, node_id *v, size_t n)
{
	struct arena_mark mark = arena_mark(p->a);
	node_id *from = v, *to = NEW_ARRAY(p->a, node_id, n), *swap;

	for (size_t run = 1; run < n; run *= 2) {
		for (size_t start = 0; start < n; start += 2 * run) {
			size_t a = start, mid = start + run < n ? start + run : n;
			size_t b = mid, end = mid + run < n ? mid + run : n;

			for (size_t k = start; k < end; k++) {
				bool right =
					a == mid ||
					(b < end && p->cost[from[b]] > p->cost[from[a]]);

				to[k] = right ? from[b++] : from[a++];
			}
		}
		swap = from;
		from = to;
		to = swap;
	}
	if (from != v)
		memcpy(v, from, n * sizeof *v);
	arena_rewind(p->a, mark);
}

/* ---- order ----------------------------------------------------------------------- */

static void
rank_node(struct plan *plan, node_id i, uint32_t *next)
{
	plan->nodes[i].rank = *next;
	plan->order[(*next)++] = i;
}

/* By cost, each test right after those of its dependencies that have no place yet. */
static void
order_serially(struct planner *p)
{
	size_t n = p->plan->n, depth;
	node_id *by_cost = NEW_ARRAY(p->a, node_id, n);
	node_id *path = NEW_ARRAY(p->a, node_id, n);
	size_t *edge = NEW_ARRAY(p->a, size_t, n);
	bool *seen = NEW_ARRAY(p->a, bool, n);
	uint32_t next = 0;

	for (node_id i = 0; i < n; i++)
		by_cost[i] = i;
	sort_by_cost(p, by_cost, n);
	for (size_t k = 0; k < n; k++) {
		if (seen[by_cost[k]])
			continue;
		seen[by_cost[k]] = true;
		path[0] = by_cost[k];
		for (depth = 1; depth;) {
			node_id i = path[depth - 1], d;
			const struct selected *t = &p->s->v[i];

			if (edge[i] == t->depends_n) {
				rank_node(p->plan, i, &next);
				depth--;
				continue;
			}
			d = t->depends[edge[i]++];
			if (!seen[d]) {
				seen[d] = true;
				path[depth++] = d;
			}
		}
	}
}

/* How many users follow on the longest way to a test that does not go first; -1 for one
 * that goes first and that no other leads to. */
static int64_t *
levels_of(const struct planner *p, int64_t *deepest)
{
	int64_t *level = NEW_ARRAY(p->a, int64_t, p->plan->n);

	*deepest = -1;
	for (node_id i = 0; i < p->plan->n; i++)
		level[i] = p->plan->nodes[i].failed_last ? -1 : 0;
	for (size_t k = p->plan->n; k-- > 0;) {
		node_id i = p->plan->topological[k];
		const struct selected *t = &p->s->v[i];

		if (level[i] > *deepest)
			*deepest = level[i];
		for (size_t e = 0; e < t->depends_n && level[i] >= 0; e++)
			if (level[t->depends[e]] <= level[i])
				level[t->depends[e]] = level[i] + 1;
	}
	return level;
}

/* Failed last time; then level by level, the deepest first, each by cost. */
static void
order_in_parallel(struct planner *p)
{
	size_t n = p->plan->n;
	int64_t deepest, *level = levels_of(p, &deepest);
	size_t *end = NEW_ARRAY(p->a, size_t, (size_t)(deepest + 2));
	node_id *sorted = NEW_ARRAY(p->a, node_id, n);
	uint32_t next = 0;
	size_t start = 0;

	for (node_id i = 0; i < n; i++)
		if (p->plan->nodes[i].failed_last)
			rank_node(p->plan, i, &next);
		else
			end[deepest - level[i] + 1]++;
	for (int64_t l = 0; l <= deepest; l++)
		end[l + 1] += end[l];
	for (node_id i = 0; i < n; i++)
		if (!p->plan->nodes[i].failed_last)
			sorted[end[deepest - level[i]]++] = i;
	for (int64_t l = 0; l <= deepest; start = end[l++]) {
		sort_by_cost(p, &sorted[start], end[l] - start);
		for (size_t k = start; k < end[l]; k++)
			rank_node(p->plan, sorted[k], &next);
	}
}

/* ---- order by pressure ----------------------------------------------------------- */

/*
 * The pressure of a test is the longest expected path from it to the end of the run. A
 * test that takes much of something leaves gaps when it starts late, so that a larger
 * share makes it more urgent.
 *
 * The order need not be topological: the scheduler only looks at tests that are ready.
 */

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

/* What a type of the pool has. */
struct type_size {
	uint64_t all, largest; /* slots of all instances, and of the largest one */
};

static struct type_size *
sizes_of(struct arena *a, const struct pool *pool)
{
	struct type_size *sizes = NEW_ARRAY(a, struct type_size, pool->n);

	for (size_t t = 0; t < pool->n; t++)
		for (size_t i = 0; i < pool->types[t].n; i++) {
			uint64_t slots = pool->types[t].v[i].slots;

			sizes[t].all += slots;
			if (slots > sizes[t].largest)
				sizes[t].largest = slots;
		}
	return sizes;
}

/* 0: more than there is. */
static double
part_of(uint64_t slots, uint64_t of)
{
	return slots > of || !slots ? 0 : (double)slots / (double)of;
}

/* The largest share that the test takes of anything, 0 to 1: of the slots of the largest
 * instance of a type, or of all processors of the pool. sizes: of the pool, if there is
 * one. */
static double
share_of(
	const struct plan_options *o, const struct type_size *sizes, const struct test *t)
{
	const struct properties *needs = t->properties;
	double nodes = needs->nodes > 1 ? needs->nodes : 1;
	double share = nodes * needs->processors / (double)o->parallel, part;
	uint64_t processors = pool_processors_besides(o->pool, 0, needs);

	if (needs->run_serial || share > 1)
		share = 1;
	for (size_t g = 0; o->pool && g < needs->resource_groups.n; g++)
		for (size_t i = 0; i < needs->resource_groups.v[g].n; i++) {
			const struct requirement *q = &needs->resource_groups.v[g].v[i];
			uint32_t type = pool_type(o->pool, q->type);

			part = type == MAP_NONE ? 0
						: part_of(q->slots, sizes[type].largest);
			share = part > share ? part : share;
		}
	if (!processors)
		return share;
	part = part_of(processors, sizes[pool_type(o->pool, STR(POOL_PROCESSORS))].all);
	return part > share ? part : share;
}

struct urgency {
	double value;
	node_id node;
	bool failed_last;
};

SORT_BY(sort_urgencies, struct urgency,
	DESCENDING(failed_last) DESCENDING(value) ASCENDING(node))

void
plan_rank(struct plan *p, const node_id *order)
{
	for (uint32_t k = 0; k < p->n; k++) {
		p->nodes[order[k]].rank = k;
		p->order[k] = order[k];
	}
}

void
plan_rank_part(struct arena *scratch, struct plan *p, const struct plan *by,
	const uint32_t *of, uint32_t part)
{
	struct arena_mark mark = arena_mark(scratch);
	node_id *order = NEW_ARRAY(scratch, node_id, p->n);
	size_t next = 0;

	INVARIANT(by->n == p->n);
	for (size_t rank = 0; rank < p->n; rank++) {
		order[rank] = p->order[rank];
		if (of[order[rank]] != part)
			continue;
		while (of[by->order[next]] != part)
			next++;
		order[rank] = by->order[next++];
	}
	plan_rank(p, order);
	arena_rewind(scratch, mark);
}

void
plan_rank_by(struct arena *scratch, struct plan *p, const double *value)
{
	struct arena_mark mark = arena_mark(scratch);
	struct urgency *v = NEW_ARRAY(scratch, struct urgency, p->n);

	INVARIANT(value || !p->n);
	for (node_id i = 0; i < p->n; i++)
		v[i] = (struct urgency){value[i], i, p->nodes[i].failed_last};
	sort_urgencies(v, p->n);
	for (size_t k = 0; k < p->n; k++)
		p->order[k] = v[k].node;
	plan_rank(p, p->order);
	arena_rewind(scratch, mark);
}

void
plan_rank_by_pressure(struct arena *a, struct plan *p, double share_weight)
{
	struct arena_mark mark = arena_mark(a);
	double *value = NEW_ARRAY(a, double, p->n);

	INVARIANT(p->pressure && p->share);
	for (node_id i = 0; i < p->n; i++)
		value[i] = p->pressure[i] * (1 + share_weight * p->share[i]);
	plan_rank_by(a, p, value);
	arena_rewind(a, mark);
}

static void
order_by_pressure(struct arena *a, struct plan *p, const struct plan_options *o)
{
	double *share = NEW_ARRAY(a, double, p->n);
	node_id *before = NEW_ARRAY(a, node_id, p->n);
	const struct type_size *sizes = o->pool ? sizes_of(a, o->pool) : NULL;

	p->expected = expected_times(a, p->selection, o->recorded);
	p->pressure = pressure_of(a, p);
	for (node_id i = 0; i < p->n; i++)
		share[i] = share_of(o, sizes, p->nodes[i].test);
	p->share = share;
	if (p->n)
		memcpy(before, p->order, p->n * sizeof *before);
	p->ctest_order = before;
	p->reserve = o->reserve ? o->reserve : 1;
	plan_rank_by_pressure(a, p, SHARE_WEIGHT);
}

/* ---- the plan -------------------------------------------------------------------- */

struct plan *
plan_build(struct arena *a, const struct selection *s, const struct plan_options *o,
	const struct test **culprit)
{
	struct plan *plan = NEW(a, struct plan);
	struct planner p = {.a = a, .s = s, .plan = plan, .o = o};

	INVARIANT(o->parallel > 0 && o->reserve <= RESERVE_MOST);
	*plan = (struct plan){.selection = s, .n = s->n};
	plan->nodes = NEW_ARRAY(a, struct node, s->n);
	plan->order = NEW_ARRAY(a, node_id, s->n);
	connect_users(&p);
	if (!sort_topologically(&p)) {
		*culprit = plan->nodes[first_on_cycle(&p)].test;
		return NULL;
	}
	find_costs(&p);
	if (o->parallel > 1)
		order_in_parallel(&p);
	else
		order_serially(&p);
	if (o->schedule == SCHEDULE_PRESSURE && !o->random)
		order_by_pressure(a, plan, o);
	return plan;
}

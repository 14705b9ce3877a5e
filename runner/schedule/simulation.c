/*
 * The loop of run.c with a heap of ends in the place of an engine; and the bounds, each a
 * sum or a longest way over the plan.
 */
#include "runner/schedule/simulation.h"

#include <string.h>

#include "runner/base/heap.h"
#include "runner/resources/pool_request.h"
#include "runner/schedule/request_class.h"

struct simulator {
	struct arena *a;
	const struct plan *plan;
	const struct simulation_options *o;
	struct simulation result;
	struct scheduler *scheduler;
	VEC(node_id) started; /* that take time, in the order of their starts */
	heap ends; /* indices into started, by the time of the end */
	double now_s;
};

/* ---- what ends next -------------------------------------------------------------- */

/* A time that is not negative has the order of its bits. */
static uint64_t
key_of(double at_s)
{
	uint64_t key;

	memcpy(&key, &at_s, sizeof key);
	return key;
}

static double
time_of(uint64_t key)
{
	double at_s;

	memcpy(&at_s, &key, sizeof at_s);
	return at_s;
}

/* Of tests that end at the same time, the one that started first ends first. */
static void
push_end(struct simulator *s, node_id node, double at_s)
{
	heap_push_by_id(s->a, &s->ends, key_of(at_s), (uint32_t)s->started.n);
	VEC_PUSH(s->a, &s->started, node);
}

/* Takes no time when the pool is too small for it. */
static void
start_test(struct simulator *s, const struct action *next)
{
	struct watch *w = s->o->watch;
	node_id node = next->node;

	if (next->soon != MAP_NONE)
		__builtin_prefetch(&s->o->duration_s[next->soon]);
	if (s->o->started_s)
		s->o->started_s[node] = s->now_s;
	if (s->o->places && next->grant)
		s->o->places[node] =
			pool_nodes_of(s->a, s->o->scheduler.pool, next->grant);
	if (w)
		watch_started(w, node, s->now_s);
	s->result.refused += next->fits_nowhere;
	if (!next->fits_nowhere && s->o->duration_s[node] > 0) {
		push_end(s, node, s->now_s + s->o->duration_s[node]);
		return;
	}
	if (w)
		watch_ended(w, node, s->now_s);
	scheduler_ended(s->scheduler, node);
}

static void
wait_for_end(struct simulator *s)
{
	struct watch *w = s->o->watch;
	node_id node;

	if (w)
		watch_settled(w, s->now_s);
	node = s->started.v[s->ends.v[0].id];
	s->now_s = time_of(s->ends.v[0].key);
	heap_pop_by_id(&s->ends);
	if (w)
		watch_ended(w, node, s->now_s);
	scheduler_ended(s->scheduler, node);
}

static void
run_plan(struct simulator *s)
{
	for (;;) {
		struct action next;

		scheduler_time(s->scheduler, s->now_s);
		next = scheduler_next(s->scheduler, SIZE_MAX);
		if (next.kind == ACT_DONE)
			return;
		if (next.kind == ACT_WAIT)
			wait_for_end(s);
		else
			start_test(s, &next);
	}
}

/* ---- bounds ---------------------------------------------------------------------- */

static bool
could_run(const struct simulator *s, node_id i)
{
	const struct pool *pool = s->o->scheduler.pool;
	struct resource_groups g = pool_request_in(s->a, pool,
		request_part(&s->o->scheduler, i), s->plan->nodes[i].test->properties);

	return s->o->duration_s[i] > 0 &&
	       (pool ? pool_could_fit(pool, s->a, &g) : !g.nodes);
}

static double
slots_of(const struct simulator *s, node_id i)
{
	return (double)request_slots(&s->o->scheduler, s->plan, i);
}

static void
add_types(const struct simulator *s, node_id node, double seconds, double *by_type)
{
	const struct scheduler_options *o = &s->o->scheduler;
	struct resource_groups g = pool_request_in(s->a, o->pool, request_part(o, node),
		s->plan->nodes[node].test->properties);
	double nodes = g.nodes ? (double)g.nodes : 1;

	for (size_t i = 0; i < g.n; i++)
		for (size_t k = 0; k < g.v[i].n; k++) {
			const struct requirement *q = &g.v[i].v[k];

			by_type[pool_type_in(o->pool, g.partition, q->type)] +=
				seconds * nodes * (double)q->slots;
		}
}

static double
longest_way(const struct simulator *s, const double *seconds)
{
	const struct plan *p = s->plan;
	double *start = NEW_ARRAY(s->a, double, p->n), longest = 0;

	for (size_t k = 0; k < p->n; k++) {
		node_id i = p->topological[k];
		double end = start[i] + seconds[i];

		if (end > longest)
			longest = end;
		for (uint32_t u = 0; u < p->nodes[i].users_n; u++)
			if (end > start[p->nodes[i].users[u]])
				start[p->nodes[i].users[u]] = end;
	}
	return longest;
}

struct locks {
	struct map names;
	VEC(struct simulation_bound) v;
	uint32_t busiest;
};

static void
add_locks(struct arena *a, struct locks *l, const struct str_list *names, double seconds)
{
	for (size_t i = 0; i < names->n; i++) {
		uint32_t at = map_number(&l->names, names->v[i]);

		if (at == l->v.n)
			VEC_PUSH(a, &l->v,
				(struct simulation_bound){names->v[i], 0, MAP_NONE});
		l->v.v[at].seconds += seconds;
		if (l->v.v[at].seconds > l->v.v[l->busiest].seconds)
			l->busiest = at;
	}
}

static double
slots_of_type(const struct resource_type *t)
{
	double sum = 0;

	for (size_t i = 0; i < t->n; i++)
		sum += (double)t->v[i].slots;
	return sum;
}

static void
add_bound(struct simulator *s, struct str name, double seconds)
{
	struct simulation *r = &s->result;

	if (seconds > r->lower_bound_s) {
		r->lower_bound_s = seconds;
		r->lower_bound = (uint32_t)r->bounds_n;
	}
	r->bounds[r->bounds_n++] = (struct simulation_bound){name, seconds, MAP_NONE};
}

static struct str
name_type(const struct simulator *s, uint32_t type)
{
	const struct pool *pool = s->o->scheduler.pool;
	struct str name = pool->types[type].name;

	if (!pool->partitions_n)
		return str_fmt(s->a, "resource %.*s", STR_ARG(name));
	return str_fmt(s->a, "resource %.*s of %.*s", STR_ARG(name),
		STR_ARG(s->o->scheduler.parts->v[pool_partition_of_type(pool, type)]
				.name));
}

static void
add_type_bounds(struct simulator *s, double alone, const double *by_type)
{
	const struct pool *pool = s->o->scheduler.pool;

	for (uint32_t t = 0; pool && t < pool->n; t++) {
		const struct resource_type *type = &pool->types[t];

		if (by_type[t] <= 0)
			continue;
		add_bound(s, name_type(s, t), alone + by_type[t] / slots_of_type(type));
		s->result.bounds[s->result.bounds_n - 1].type = t;
	}
}

static void
find_bounds(struct simulator *s)
{
	const struct pool *pool = s->o->scheduler.pool;
	size_t n = s->plan->n, types = pool ? pool->n : 0;
	double parallel = (double)s->o->scheduler.parallel, alone = 0;
	double *seconds = NEW_ARRAY(s->a, double, n);
	double *by_type = NEW_ARRAY(s->a, double, types);
	struct locks locks = {.names = map_in(s->a)};

	for (node_id i = 0; i < n; i++) {
		const struct properties *p = s->plan->nodes[i].test->properties;

		if (!could_run(s, i))
			continue;
		seconds[i] = s->o->duration_s[i];
		s->result.work_s +=
			seconds[i] * (p->run_serial ? parallel : slots_of(s, i));
		add_locks(s->a, &locks, &p->resource_locks, seconds[i]);
		if (p->run_serial)
			alone += seconds[i];
		else if (pool)
			add_types(s, i, seconds[i], by_type);
	}
	s->result.bounds = NEW_ARRAY(s->a, struct simulation_bound, types + 3);
	add_bound(s, STR("work"), s->result.work_s / parallel);
	add_bound(s, STR("critical path"), longest_way(s, seconds));
	if (locks.v.n)
		add_bound(s,
			str_fmt(s->a, "lock %.*s",
				STR_ARG(locks.v.v[locks.busiest].name)),
			locks.v.v[locks.busiest].seconds);
	add_type_bounds(s, alone, by_type);
}

struct simulation
simulation_run(struct arena *a, const struct plan *p, const struct simulation_options *o)
{
	struct simulator s = {.a = a, .plan = p, .o = o};

	INVARIANT(o->duration_s);
	INVARIANT(o->scheduler.parallel > 0);
	s.result.tests = p->n;
	if (!o->without_bounds)
		find_bounds(&s);
	s.scheduler = scheduler_new(a, p, &o->scheduler);
	if (o->watch)
		watch_begin(o->watch, s.scheduler, o->scheduler.finished, 0);
	run_plan(&s);
	if (o->scheduler.pool)
		pool_leave_arena(o->scheduler.pool);
	s.result.makespan_s = s.now_s;
	if (s.now_s > 0)
		s.result.utilisation =
			s.result.work_s / ((double)o->scheduler.parallel * s.now_s);
	return s.result;
}

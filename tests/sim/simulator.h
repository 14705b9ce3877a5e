/*
 * Tests in simulated time: a plan, how long each of its tests runs, and the trace of what
 * happened: "+a" a started, ".a" it ended. A test that takes no time is refused: it ends
 * before anything else is asked. Tests that end at the same time end by number, and after
 * each end whatever fits is started.
 *
 * Beside the scheduler there is the rule itself, without any cleverness (naive_): a walk
 * over all tests by rank after each end. Both run the same world and must leave the same
 * trace.
 */
#ifndef CCTR_TESTS_SIM_SIMULATOR_H
#define CCTR_TESTS_SIM_SIMULATOR_H

#include <string.h>

#include "runner/resources/pool_sources.h"
#include "runner/schedule/scheduler.h"
#include "runner/resources/pool_request.h"
#include "tests/unit/pool_text.h"

struct world {
	struct arena *a;
	const struct plan *plan;
	size_t parallel;
	const char *pool_text; /* NULL: none */
	bool is_made; /* the pool, by the first test */
	unsigned *duration; /* by node */
	bool rewalk;
	/* Usable slots after the k-th end, or NULL; where it runs out, and when nothing
	 * runs any more, all are. */
	const size_t *usable;
	size_t usable_n;
};

/* Of a pool with cpus every test takes some. */
static inline struct pool
world_pool(const struct world *w)
{
	struct pool p = pool_of(w->a, w->pool_text ? w->pool_text : "");

	p.counts_processors = pool_type(&p, STR(POOL_PROCESSORS)) != MAP_NONE;
	return p;
}

/* What runs, and when it ends. */
struct clock {
	unsigned now, *ends; /* by node; 0: does not run */
	size_t running;
};

static inline struct world
world_of(struct arena *a, const char *suite, size_t parallel, const char *failed)
{
	struct world w = {.a = a, .parallel = parallel};
	struct selection *s = NEW(a, struct selection);
	struct filter everything = {.use_union = false};
	struct str_list failed_names = text_list(a, str_of(failed));
	struct recorded *recorded;
	struct plan_options o = {.parallel = parallel};
	const struct test *culprit = NULL;

	*s = select_tests(a, suite_of(a, suite), &everything);
	recorded = NEW_ARRAY(a, struct recorded, s->n);
	for (size_t i = 0; i < s->n; i++)
		recorded[i].failed_last =
			str_list_has(failed_names, s->suite->tests[s->v[i].test].name);
	o.recorded = recorded;
	w.plan = plan_build(a, s, &o, &culprit);
	INVARIANT(w.plan);
	w.duration = NEW_ARRAY(a, unsigned, s->n);
	for (size_t i = 0; i < s->n; i++)
		w.duration[i] = 1;
	return w;
}

/* The same tests by pressure; expected: seconds by node, 0 where nothing is known. */
static inline void
plan_by_pressure(struct world *w, const double *expected)
{
	const struct selection *s = w->plan->selection;
	struct recorded *recorded = NEW_ARRAY(w->a, struct recorded, s->n);
	struct pool *pool = NEW(w->a, struct pool);
	struct plan_options o = {.parallel = w->parallel,
		.schedule = SCHEDULE_PRESSURE,
		.pool = pool,
		.recorded = recorded};
	const struct test *culprit = NULL;

	*pool = world_pool(w);
	for (size_t i = 0; i < s->n; i++)
		recorded[i].seconds = expected[i];
	w->plan = plan_build(w->a, s, &o, &culprit);
	INVARIANT(w->plan);
}

static inline void
say(struct buf *trace, const struct world *w, char what, node_id node)
{
	buf_char(trace, what);
	buf_str(trace, w->plan->nodes[node].test->name);
}

/* The next that ends; time goes on. */
static inline node_id
clock_next(struct clock *c, size_t n)
{
	node_id first = MAP_NONE;

	for (node_id i = 0; i < n; i++)
		if (c->ends[i] && (first == MAP_NONE || c->ends[i] < c->ends[first]))
			first = i;
	INVARIANT(first != MAP_NONE);
	c->now = c->ends[first];
	c->ends[first] = 0;
	c->running--;
	return first;
}

static inline void
clock_start(struct clock *c, node_id node, unsigned duration)
{
	c->ends[node] = c->now + duration;
	c->running++;
}

static inline size_t
usable_now(const struct world *w, size_t round, size_t running)
{
	return running && round < w->usable_n ? w->usable[round] : SIZE_MAX;
}

/* ---- a pool that a test makes ---------------------------------------------------- */

static inline struct pool
pool_without(const struct world *w)
{
	const struct resource_groups **asked =
		NEW_ARRAY(w->a, const struct resource_groups *, w->plan->n);

	for (node_id i = 0; i < w->plan->n; i++)
		asked[i] = &w->plan->nodes[i].test->properties->resource_groups;
	return pool_awaited(w->a, asked, w->plan->n);
}

static inline void
make_pool(const struct world *w, struct scheduler *s, struct pool *pool,
	const struct pool *known)
{
	if (w->pool_text)
		pool_fill(pool, known);
	scheduler_pool_is_known(s, w->pool_text != NULL);
}

/* ---- the scheduler --------------------------------------------------------------- */

/* Called at each start; may be NULL. */
typedef void simulator_check(void *context, const struct world *w, const struct clock *c,
	const struct action *started, const struct pool *pool);

static inline struct buf
simulate(const struct world *w, simulator_check *check, void *context)
{
	struct buf trace = {.arena = w->a};
	struct pool known = world_pool(w);
	struct pool pool = w->is_made ? pool_without(w) : known;
	struct scheduler_options o = {.parallel = w->parallel,
		.pool = w->pool_text || w->is_made ? &pool : NULL,
		.rewalk_after_refusal = w->rewalk};
	struct scheduler *s = scheduler_new(w->a, w->plan, &o);
	struct clock c = {.ends = NEW_ARRAY(w->a, unsigned, w->plan->n)};
	size_t round = 0, running = 0;

	buf_z(&trace, "");
	for (;;) {
		/* how many ran when the walk began */
		struct action a;
		node_id node;

		scheduler_time(s, c.now);
		a = scheduler_next(s, usable_now(w, round, running));
		node = a.node;
		if (a.kind == ACT_DONE)
			return trace;
		if (a.kind == ACT_WAIT) {
			node = clock_next(&c, w->plan->n);
			round++;
			running = c.running;
		} else {
			if (check)
				check(context, w, &c, &a, &pool);
			say(&trace, w, '+', node);
			if (w->duration[node] && !a.fits_nowhere) {
				clock_start(&c, node, w->duration[node]);
				continue;
			}
		}
		say(&trace, w, '.', node);
		if (w->is_made && node == 0)
			make_pool(w, s, &pool, &known);
		scheduler_ended(s, node);
	}
}

/* ---- the rule -------------------------------------------------------------------- */

struct naive {
	const struct world *w;
	struct buf trace;
	struct pool pool;
	struct clock clock;
	bool *started, *ended;
	struct grant *grants;
	size_t used, usable;
	bool serial_runs;
};

static inline const struct properties *
naive_properties(const struct naive *n, node_id i)
{
	return n->w->plan->nodes[i].test->properties;
}

static inline size_t
naive_slots(const struct naive *n, node_id i)
{
	size_t wanted = (size_t)naive_properties(n, i)->processors;

	return wanted < n->w->parallel ? wanted : n->w->parallel;
}

static inline bool
naive_shares_lock(const struct naive *n, node_id i, node_id k)
{
	const struct str_list *mine = &naive_properties(n, i)->resource_locks;

	for (size_t l = 0; l < mine->n; l++)
		if (str_list_has(naive_properties(n, k)->resource_locks, mine->v[l]))
			return true;
	return false;
}

static inline struct resource_groups
naive_request(const struct naive *n, node_id i)
{
	return pool_request(n->w->a, &n->pool, naive_properties(n, i));
}

static inline bool
naive_needs_pool(const struct naive *n, node_id i)
{
	struct resource_groups g = naive_request(n, i);

	return n->w->pool_text && g.n && pool_could_fit(&n->pool, n->w->a, &g);
}

static inline bool
naive_fits(struct naive *n, node_id i)
{
	const struct selected *t = &n->w->plan->selection->v[i];
	size_t limit = n->usable < n->w->parallel ? n->usable : n->w->parallel;
	struct resource_groups request = naive_request(n, i);
	uint32_t blocking;

	if (n->serial_runs || (naive_properties(n, i)->run_serial && n->clock.running))
		return false;
	for (size_t k = 0; k < t->depends_n; k++)
		if (!n->ended[t->depends[k]])
			return false;
	if (n->used + naive_slots(n, i) > limit)
		return false;
	for (node_id k = 0; k < n->w->plan->n; k++)
		if (n->clock.ends[k] && naive_shares_lock(n, i, k))
			return false;
	return !naive_needs_pool(n, i) ||
	       pool_take(&n->pool, n->w->a, &request, &n->grants[i], &blocking);
}

static inline void
naive_end(struct naive *n, node_id i)
{
	say(&n->trace, n->w, '.', i);
	n->ended[i] = true;
	n->used -= naive_slots(n, i);
	n->serial_runs = false;
	if (naive_needs_pool(n, i))
		pool_return(&n->pool, &n->grants[i]);
}

/* true: something was refused. */
static inline bool
naive_walk(struct naive *n)
{
	bool refused = false;

	for (size_t rank = 0; rank < n->w->plan->n; rank++) {
		node_id i = n->w->plan->order[rank];
		bool fits_nowhere = n->w->pool_text && naive_request(n, i).n &&
				    !naive_needs_pool(n, i);

		if (n->started[i] || !naive_fits(n, i))
			continue;
		n->started[i] = true;
		n->used += naive_slots(n, i);
		say(&n->trace, n->w, '+', i);
		if (n->w->duration[i] && !fits_nowhere) {
			n->serial_runs = naive_properties(n, i)->run_serial;
			clock_start(&n->clock, i, n->w->duration[i]);
		} else {
			naive_end(n, i);
			refused = true;
		}
	}
	return refused;
}

static inline struct buf
naive_simulate(const struct world *w)
{
	size_t size = w->plan->n;
	struct naive n = {.w = w,
		.trace = {.arena = w->a},
		.pool = world_pool(w),
		.clock = {.ends = NEW_ARRAY(w->a, unsigned, size)},
		.started = NEW_ARRAY(w->a, bool, size),
		.ended = NEW_ARRAY(w->a, bool, size),
		.grants = NEW_ARRAY(w->a, struct grant, size)};

	buf_z(&n.trace, "");
	for (size_t round = 0;; round++) {
		n.usable = usable_now(w, round, n.clock.running);
		while (naive_walk(&n) && (w->rewalk || !n.clock.running))
			;
		if (!n.clock.running)
			return n.trace;
		naive_end(&n, clock_next(&n.clock, size));
	}
}

#endif

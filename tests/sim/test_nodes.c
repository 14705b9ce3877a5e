/* Nodes of the pool that come, are away for a while, and are gone: every test ends once,
 * runs only where its grant is, and waits for no node that will not come. Tests with
 * whole nodes have them alone. */
#include <stddef.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/sim/random_world.h"

enum { ROUNDS = 20000, NODES = 3, TESTS = 10 };

struct nodes_world {
	struct arena *a;
	uint64_t seed;
	struct pool pool;
	const struct plan *plan;
	struct scheduler *scheduler;
	enum pool_presence presence[NODES];
	struct node_limits limits[NODES];
	uint32_t *on; /* by node of the plan: 1 + the pool's node; 0: does not run */
	unsigned *ends; /* by node of the plan */
	unsigned *has; /* by node of the plan: a bit for each of the pool's nodes */
	size_t running;
};

static struct pool
random_pool(struct nodes_world *w)
{
	struct str *names = NEW_ARRAY(w->a, struct str, NODES);
	struct pool parts[NODES], p;

	for (size_t i = 0; i < NODES; i++) {
		names[i] = str_fmt(w->a, "n%zu", i);
		parts[i] = pool_of(w->a, str_fmt(w->a, "cpus 0=1 1=1 2=%u; gpus 0=%u 1=1",
						 (unsigned)below(&w->seed, 2),
						 (unsigned)below(&w->seed, 3))
						 .p);
	}
	p = pool_join(w->a, names, parts, NODES);
	p.counts_processors = true;
	return p;
}

static void
make_random_world(struct nodes_world *w)
{
	struct arena *a = w->a;
	struct buf suite = {.arena = a};
	struct filter everything = {.use_union = false};
	struct selection *s = NEW(a, struct selection);
	struct scheduler_options o = {.parallel = 8};
	struct plan_options po = {.parallel = 8};
	const struct test *culprit;

	for (size_t i = 0; i < TESTS; i++) {
		buf_fmt(&suite, "%st%zu slots=%u", i ? "; " : "", i,
			1 + (unsigned)below(&w->seed, 4));
		if (below(&w->seed, 3) == 0)
			buf_fmt(&suite, " groups=gpus:%u",
				1 + (unsigned)below(&w->seed, 2));
		if (below(&w->seed, 5) == 0)
			buf_fmt(&suite, " nodes=%u", 1 + (unsigned)below(&w->seed, 4));
		if (i && below(&w->seed, 4) == 0)
			buf_fmt(&suite, " after=t%u", (unsigned)below(&w->seed, i));
		if (below(&w->seed, 8) == 0)
			buf_z(&suite, " serial");
		if (below(&w->seed, 6) == 0)
			buf_z(&suite, " lock=l");
	}
	*s = select_tests(a, suite_of(a, suite.p), &everything);
	w->pool = random_pool(w);
	w->on = NEW_ARRAY(a, uint32_t, s->n);
	w->ends = NEW_ARRAY(a, unsigned, s->n);
	w->has = NEW_ARRAY(a, unsigned, s->n);
	if (below(&w->seed, 2)) {
		struct recorded *recorded = NEW_ARRAY(a, struct recorded, s->n);

		for (size_t i = 0; i < s->n; i++)
			recorded[i].seconds = 1 + (double)below(&w->seed, 9);
		po.schedule = SCHEDULE_PRESSURE;
		po.recorded = recorded;
	}
	po.pool = o.pool = &w->pool;
	w->plan = plan_build(a, s, &po, &culprit);
	w->scheduler = scheduler_new(a, w->plan, &o);
}

/* The node may have less than the pool was told, each time that it comes. */
static void
limit_node(struct nodes_world *w, uint32_t node)
{
	w->limits[node] = (struct node_limits){
		.processors = below(&w->seed, 4), .gpus = below(&w->seed, 3)};
	scheduler_limit_node(w->scheduler, node, &w->limits[node]);
}

static void
set_presence(struct nodes_world *w, uint32_t node, enum pool_presence presence)
{
	if (presence == POOL_NODE_HERE)
		limit_node(w, node);
	w->presence[node] = presence;
	scheduler_set_presence(w->scheduler, node, presence);
	for (node_id i = 0; i < w->plan->n && presence != POOL_NODE_HERE; i++)
		if (w->on[i] == node + 1) {
			w->on[i] = 0;
			w->running--;
			scheduler_again(w->scheduler, i);
		}
}

static void
end_test(struct nodes_world *w, node_id i)
{
	w->on[i] = 0;
	w->ends[i]++;
	scheduler_ended(w->scheduler, i);
}

static size_t
count(const struct nodes_world *w, enum pool_presence presence)
{
	return pool_count_nodes(&w->pool, presence);
}

static bool
has_whole_nodes(const struct nodes_world *w, node_id i)
{
	return w->plan->nodes[i].test->properties->nodes > 1;
}

/* All that tests hold on the node is there. */
static void
check_limits(const struct nodes_world *w, uint32_t node)
{
	for (size_t i = 0; i < w->pool.n; i++) {
		const struct resource_type *t = &w->pool.types[i];
		uint64_t most = str_is(t->name, "cpus") ? w->limits[node].processors
							: w->limits[node].gpus;
		uint64_t held = 0;

		for (size_t k = 0; k < t->n; k++)
			held += t->v[k].node == node && t->v[k].held;
		assert_true(!most || held <= most);
	}
}

/* It has as many nodes as it wants; no other test has one of them that is not shared. */
static void
check_nodes(struct nodes_world *w, const struct action *a)
{
	struct pool_nodes nodes = pool_nodes_of(w->a, &w->pool, a->grant);
	bool is_whole = has_whole_nodes(w, a->node);
	unsigned has = 0;

	for (size_t i = 0; i < nodes.n; i++) {
		assert_int_equal(w->presence[nodes.v[i]], POOL_NODE_HERE);
		has |= 1u << nodes.v[i];
	}
	assert_int_equal(
		nodes.n, is_whole ? w->plan->nodes[a->node].test->properties->nodes : 1);
	for (node_id i = 0; i < w->plan->n; i++)
		if (w->on[i] && (is_whole || has_whole_nodes(w, i)))
			assert_int_equal(w->has[i] & has, 0);
	w->has[a->node] = has;
}

static void
start(struct nodes_world *w, const struct action *a)
{
	assert_int_equal(w->on[a->node], 0);
	assert_int_equal(w->ends[a->node], 0);
	if (a->fits_nowhere) {
		assert_true(!a->lacks_node || count(w, POOL_NODE_GONE));
		end_test(w, a->node);
		return;
	}
	assert_true(a->pool_node < NODES);
	assert_int_equal(w->presence[a->pool_node], POOL_NODE_HERE);
	check_nodes(w, a);
	check_limits(w, a->pool_node);
	w->on[a->node] = a->pool_node + 1;
	w->running++;
}

/* Something happens: a test ends, or a node comes or goes. Sooner or later every node is
 * here or gone. */
static void
happen(struct nodes_world *w)
{
	node_id i = (node_id)below(&w->seed, w->plan->n);
	uint32_t node = (uint32_t)below(&w->seed, NODES);

	if (w->running && below(&w->seed, 3)) {
		while (!w->on[i])
			i = (i + 1) % w->plan->n;
		w->running--;
		end_test(w, i);
	} else if (w->presence[node] != POOL_NODE_GONE) {
		bool is_gone = below(&w->seed, 12) == 0;

		if (w->presence[node] == POOL_NODE_HERE && !is_gone && w->running &&
			below(&w->seed, 3))
			return;
		set_presence(w, node,
			is_gone                               ? POOL_NODE_GONE
			: w->presence[node] == POOL_NODE_AWAY ? POOL_NODE_HERE
							      : POOL_NODE_AWAY);
	}
}

static void
every_test_ends_once(void **state)
{
	(void)state;
	for (uint64_t round = 0; round < ROUNDS; round++) {
		struct arena *a = arena_open();
		struct nodes_world w = {.a = a, .seed = round};
		struct action next;
		double now_s = 0;

		make_random_world(&w);
		for (uint32_t i = 0; i < NODES; i++)
			set_presence(&w, i, POOL_NODE_AWAY);
		for (;;) {
			scheduler_time(w.scheduler, now_s++);
			next = scheduler_next(w.scheduler, SIZE_MAX);
			if (next.kind == ACT_DONE)
				break;
			if (next.kind == ACT_START)
				start(&w, &next);
			else
				happen(&w);
		}
		for (node_id i = 0; i < w.plan->n; i++)
			assert_int_equal(w.ends[i], 1);
		arena_close(a);
	}
}

/* A wide test runs when the node is back that it was lost with, and no test waits when no
 * node can come. */
static void
a_lost_test_waits_for_its_node(void **state)
{
	struct arena *a = arena_open();
	struct nodes_world w = {.a = a};
	struct filter everything = {.use_union = false};
	struct selection s = select_tests(
		a, suite_of(a, "w groups=gpus:2; x groups=gpus:1"), &everything);
	struct str *names = NEW_ARRAY(a, struct str, 2);
	struct pool parts[] = {pool_of(a, "gpus 0=2"), pool_of(a, "gpus 0=1")};
	struct plan_options po = {.parallel = 8};
	struct scheduler_options o = {.parallel = 8, .pool = &w.pool};
	const struct test *culprit;
	struct action first, next;

	(void)state;
	names[0] = STR("n0");
	names[1] = STR("n1");
	w.pool = pool_join(a, names, parts, 2);
	w.plan = plan_build(a, &s, &po, &culprit);
	w.scheduler = scheduler_new(a, w.plan, &o);
	first = scheduler_next(w.scheduler, SIZE_MAX);
	assert_int_equal(first.pool_node, 0);
	next = scheduler_next(w.scheduler, SIZE_MAX);
	assert_int_equal(next.pool_node, 1);
	scheduler_set_presence(w.scheduler, 0, POOL_NODE_AWAY);
	scheduler_again(w.scheduler, first.node);
	scheduler_ended(w.scheduler, next.node);
	assert_int_equal(scheduler_next(w.scheduler, SIZE_MAX).kind, ACT_WAIT);
	scheduler_set_presence(w.scheduler, 0, POOL_NODE_HERE);
	next = scheduler_next(w.scheduler, SIZE_MAX);
	assert_int_equal(next.kind, ACT_START);
	assert_int_equal(next.node, first.node);
	assert_false(scheduler_next(w.scheduler, SIZE_MAX).kind == ACT_DONE);
	scheduler_set_presence(w.scheduler, 0, POOL_NODE_GONE);
	scheduler_again(w.scheduler, first.node);
	next = scheduler_next(w.scheduler, SIZE_MAX);
	assert_true(next.kind == ACT_START && next.fits_nowhere && next.lacks_node);
	scheduler_ended(w.scheduler, next.node);
	assert_int_equal(scheduler_next(w.scheduler, SIZE_MAX).kind, ACT_DONE);
	arena_close(a);
}

/* It waited for more than its node turns out to have. */
static void
a_test_that_lacks_something_does_not_wait(void **state)
{
	struct arena *a = arena_open();
	struct nodes_world w = {.a = a};
	struct filter everything = {.use_union = false};
	struct selection s = select_tests(
		a, suite_of(a, "x groups=cpus:1; w groups=cpus:1/cpus:1"), &everything);
	struct str name = STR("n0");
	struct pool part = pool_of(a, "cpus 0=1 1=1");
	struct plan_options po = {.parallel = 8};
	struct scheduler_options o = {.parallel = 8, .pool = &w.pool};
	const struct test *culprit;
	struct action next;

	(void)state;
	w.pool = pool_join(a, &name, &part, 1);
	w.plan = plan_build(a, &s, &po, &culprit);
	w.scheduler = scheduler_new(a, w.plan, &o);
	scheduler_set_presence(w.scheduler, 0, POOL_NODE_AWAY);
	assert_int_equal(scheduler_next(w.scheduler, SIZE_MAX).kind, ACT_WAIT);
	scheduler_limit_node(w.scheduler, 0, &(struct node_limits){.processors = 1});
	scheduler_set_presence(w.scheduler, 0, POOL_NODE_HERE);
	next = scheduler_next(w.scheduler, SIZE_MAX);
	assert_true(next.kind == ACT_START && !next.fits_nowhere);
	assert_int_equal(scheduler_next(w.scheduler, SIZE_MAX).kind, ACT_WAIT);
	scheduler_ended(w.scheduler, next.node);
	next = scheduler_next(w.scheduler, SIZE_MAX);
	assert_true(next.kind == ACT_START && next.fits_nowhere && !next.lacks_node);
	scheduler_ended(w.scheduler, next.node);
	assert_int_equal(scheduler_next(w.scheduler, SIZE_MAX).kind, ACT_DONE);
	arena_close(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_test_ends_once),
		cmocka_unit_test(a_lost_test_waits_for_its_node),
		cmocka_unit_test(a_test_that_lacks_something_does_not_wait),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("nodes", tests, NULL, NULL);
}

/* pool with several nodes: all of a test on one of them, and which. */
#include "runner/resources/pool_sources.h"
#include "runner/schedule/scheduler.h"
#include "tests/unit/pool_text.h"
#include "tests/unit/unit.h"

enum { NODES = 9, HOLDERS = 4 };

static struct pool
pool_of_nodes(struct arena *a, const char *text)
{
	struct str rest = str_of(text);
	struct str *names = NEW_ARRAY(a, struct str, NODES);
	struct pool parts[NODES];
	size_t n = 0;

	while (rest.n) {
		struct str one = text_piece(&rest, '|');

		names[n] = str_fmt(a, "n%zu", n);
		parts[n++] = pool_of(a, str_z(a, one));
	}
	return pool_join(a, names, parts, n);
}

/* ---- one request, idle nodes ----------------------------------------------------- */

static const struct {
	const char *pool, *groups, *expected; /* node: instances; NULL: fits nowhere */
} requests[] = {
	{"gpus 0=2 1=2 | gpus 0=4", "gpus:2", "0: 0"},
	{"gpus 0=2 1=2 | gpus 0=5", "gpus:2", "1: 0"},
	{"gpus 0=2 1=2 | gpus 0=4", "gpus:3", "1: 0"},
	{"gpus 0=2 1=2 | gpus 0=4", "gpus:3/gpus:2", NULL},
	{"gpus 0=2 1=2 | gpus 0=4", "gpus:2/gpus:2", "0: 0 1"},
	{"gpus 0=2 1=2 | gpus 0=4", "gpus:1/gpus:1/gpus:1", "0: 0 1 1"},
	/* what is left of the types that are asked for, and of no others */
	{"gpus 0=2; mem 0=900 | gpus 0=3; mem 0=1", "gpus:1", "1: 0"},
	{"gpus 0=2; mem 0=900 | gpus 0=3; mem 0=1", "gpus:1,mem:1", "0: 0 0"},
	{"gpus 0=2 | cpus 0=1", "gpus:1,cpus:1", NULL},
	{"gpus 0=2 | gpus 0=1; cpus 0=1", "gpus:1,cpus:1", "1: 0 0"},
	{"gpus 0=2 | gpus 0=1; cpus 0=1 | gpus 0=1; cpus 0=1", "cpus:1", "1: 0"},
	{"cpus 0=1 | gpus | mem 0=1", "gpus:0", NULL},
	{"cpus 0=1 | gpus 3=0", "gpus:0", "1: 3"},
	{"cpus 0=1 | gpus 3=0", "zoo:0", NULL},
};

static const char *
text(struct arena *a, const struct pool *p, const struct grant *grant)
{
	struct buf b = {.arena = a};

	for (size_t g = 0; g < grant->n; g++)
		for (size_t k = 0; k < grant->v[g].n; k++) {
			const struct grant_unit *u = &grant->v[g].v[k];
			const struct resource_instance *in =
				&p->types[u->type].v[u->instance];

			if (!b.n)
				buf_fmt(&b, "%u:", (unsigned)in->node);
			assert_true(b.p[0] == (char)('0' + in->node));
			buf_fmt(&b, " %.*s", STR_ARG(in->id));
		}
	return b.p;
}

static void
tests_are_on_one_node(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS(requests); i++) {
		struct arena *a = arena_open();
		struct pool p = pool_of_nodes(a, requests[i].pool);
		struct resource_groups g = text_groups(a, str_of(requests[i].groups));
		struct grant grant = {.v = NULL};
		uint32_t blocking;
		bool could = pool_fit(&p, a, &g) == POOL_FITS;

		if (could != (requests[i].expected != NULL))
			fail_msg("row %zu: fits: %d", i, could);
		assert_int_equal(pool_take(&p, a, &g, &grant, &blocking), could);
		if (could)
			assert_string_equal(text(a, &p, &grant), requests[i].expected);
		arena_close(a);
	}
}

/* The instances of a node get its names in order, those of other nodes and types keep
 * theirs. */
static void
instances_get_the_names_of_their_node(void **state)
{
	struct arena *a = *state;
	struct pool p =
		pool_of_nodes(a, "gpus 0=1 1=1; mem 0=9 | mem 0=9; gpus 0=1 1=1 2=1");
	struct resource_groups g = text_groups(a, STR("gpus:1/gpus:1/gpus:1,mem:1"));
	struct str names[] = {STR("b"), STR("a")};
	struct grant grant = {.v = NULL};
	struct str_list held;
	uint32_t blocking;

	pool_name_instances(&p, 1, STR("gpus"), (struct str_list){names, ROWS(names)});
	assert_true(pool_take(&p, a, &g, &grant, &blocking));
	held = pool_ids_held(a, &p, &grant, STR("gpus"));
	assert_int_equal(held.n, 3);
	assert_true(str_is(held.v[0], "a") && str_is(held.v[1], "b") &&
		    str_is(held.v[2], "2"));
	held = pool_ids_held(a, &p, &grant, STR("mem"));
	assert_true(held.n == 1 && str_is(held.v[0], "0"));
}

/* ---- one after the other --------------------------------------------------------- */

static const struct {
	size_t holder;
	const char *groups; /* NULL: given back */
	const char *expected; /* NULL: not now */
} steps[] = {
	{0, "gpus:2", "0: 0"},
	{1, "gpus:2", "1: 0"},
	{2, "gpus:2/gpus:1", NULL},
	{2, "gpus:2", "0: 1"},
	{3, "gpus:2", NULL},
	{0, NULL, NULL},
	{3, "gpus:1,cpus:1", "1: 0 0"},
	{0, "gpus:2", "0: 0"},
	{1, NULL, NULL},
	{1, "gpus:1", "1: 0"},
};

static void
held_nodes_are_passed(void **state)
{
	struct arena *a = arena_open();
	struct pool p = pool_of_nodes(a, "gpus 0=2 1=2 | gpus 0=3; cpus 0=1");
	struct grant grants[HOLDERS] = {{.v = NULL}};
	uint32_t blocking;

	(void)state;
	for (size_t i = 0; i < ROWS(steps); i++) {
		struct grant *grant = &grants[steps[i].holder];
		struct resource_groups g;
		bool taken;

		if (!steps[i].groups) {
			pool_return(&p, grant);
			continue;
		}
		g = text_groups(a, str_of(steps[i].groups));
		*grant = (struct grant){.v = NULL};
		taken = pool_take(&p, a, &g, grant, &blocking);
		if (taken != (steps[i].expected != NULL))
			fail_msg("step %zu: taken: %d", i, taken);
		if (taken)
			assert_string_equal(text(a, &p, grant), steps[i].expected);
		else
			assert_int_equal(blocking, p.n);
	}
	arena_close(a);
}

static void
the_first_node_may_be_preferred(void **state)
{
	static const char *const nodes[] = {"0: 0", "0: 0", "1: 0", NULL};
	struct arena *a = arena_open();
	struct pool p = pool_of_nodes(a, "gpus 0=2 | gpus 0=9 | cpus 0=1");
	struct resource_groups one = text_groups(a, str_of("gpus:1"));
	struct resource_groups other = text_groups(a, str_of("cpus:1"));
	struct grant grants[] = {{.v = NULL}, {.v = NULL}, {.v = NULL}, {.v = NULL}};
	uint32_t blocking;

	(void)state;
	p.prefers_first = true;
	for (size_t i = 0; nodes[i]; i++) {
		assert_true(pool_take(&p, a, &one, &grants[i], &blocking));
		assert_string_equal(text(a, &p, &grants[i]), nodes[i]);
	}
	assert_true(pool_take(&p, a, &other, &grants[3], &blocking));
	assert_string_equal(text(a, &p, &grants[3]), "2: 0");
	pool_return(&p, &grants[0]);
	pool_set_presence(a, &p, 0, POOL_NODE_AWAY);
	assert_true(pool_take(&p, a, &one, &grants[0], &blocking));
	assert_string_equal(text(a, &p, &grants[0]), "1: 0");
	arena_close(a);
}

/* ---- what nodes lack ------------------------------------------------------------- */

static void
nodes_have_no_more_than_is_found(void **state)
{
	static const struct {
		struct node_limits limits;
		const char *text;
		const char *fits, *fits_not; /* on the first node */
	} rows[] = {
		{{0, 0, 0}, "", "cpus:1/cpus:1/cpus:1/gpus:1/gpus:1/mem:900", "mem:901"},
		{{8, 8, 5000}, "", "cpus:1/cpus:1/cpus:1/gpus:1/gpus:1/mem:900",
			"gpus:1/gpus:1/gpus:1"},
		{{2, 1, 300},
			"2 of 3 slots of 'cpus', 1 of 2 slots of 'gpus', 300 of 900 "
			"slots "
			"of 'mem'",
			"cpus:1/cpus:1/gpus:1/mem:300", "cpus:1/cpus:1/cpus:1"},
		{{0, 1, 0}, "1 of 2 slots of 'gpus'", "cpus:1/cpus:1/cpus:1/gpus:1",
			"gpus:1/gpus:1"},
		{{0, 0, 300}, "300 of 900 slots of 'mem'", "gpus:1/gpus:1/mem:300",
			"mem:301"},
	};
	struct arena *a = arena_open();
	struct pool p =
		pool_of_nodes(a, "cpus 0=1 1=1 2=1; gpus 4=1 7=1; mem 0=900 | mem 0=1");
	struct grant grant = {.v = NULL};
	uint32_t blocking;

	(void)state;
	/* Free slots of nodes are counted from the first grant on. */
	assert_true(
		pool_take(&p, a, &(struct resource_groups){.n = 0}, &grant, &blocking));
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct resource_groups fits = text_groups(a, str_of(rows[i].fits));
		struct resource_groups not = text_groups(a, str_of(rows[i].fits_not));

		assert_int_equal(node_limits_set(a, &p, 0, &rows[i].limits),
			rows[i].text[0] != '\0');
		assert_false(node_limits_set(a, &p, 0, &rows[i].limits));
		assert_true(str_is(node_limits_text(a, &p, 0), rows[i].text));
		assert_int_equal(pool_fit(&p, a, &not ), POOL_FITS_NOWHERE);
		grant = (struct grant){.v = NULL};
		assert_false(pool_take(&p, a, &not, &grant, &blocking));
		grant = (struct grant){.v = NULL};
		assert_true(pool_take(&p, a, &fits, &grant, &blocking));
		pool_return(&p, &grant);
	}
	arena_close(a);
}

/* What is held stays held, and what is not there is not given with a whole node. */
static void
limits_come_late(void **state)
{
	struct arena *a = arena_open();
	struct pool p = pool_of_nodes(a, "cpus 0=1 1=1 2=1 | cpus 0=1");
	struct resource_groups all = text_groups(a, str_of("cpus:1/cpus:1/cpus:1"));
	struct resource_groups whole = {.nodes = 1};
	struct grant grant = {.v = NULL}, other = {.v = NULL};
	uint32_t blocking;

	(void)state;
	assert_true(pool_take(&p, a, &all, &grant, &blocking));
	node_limits_set(a, &p, 0, &(struct node_limits){.processors = 2});
	assert_int_equal(p.types[0].v[2].slots, 1);
	pool_return(&p, &grant);
	assert_int_equal(p.types[0].v[2].slots, 0);
	assert_true(pool_take(&p, a, &whole, &other, &blocking));
	assert_string_equal(text(a, &p, &other), "0: 0 1");
	arena_close(a);
}

static unsigned
below(unsigned *seed, size_t n)
{
	*seed = *seed * 1103515245 + 12345;
	return (unsigned)(*seed / 65536 % n);
}

static bool
is_here(const struct pool *p, uint32_t node)
{
	return !p->presence || p->presence[node] == POOL_NODE_HERE;
}

/* The node that a look at each node alone chooses: it fits there, and most is left. */
static uint32_t
node_by_looks(struct arena *a, const struct pool *p, const struct resource_groups *g)
{
	uint32_t best = MAP_NONE;
	double most = -1;

	for (uint32_t node = 0; node < p->nodes_n; node++) {
		struct pool one = pool_of_one(a, p, node);
		struct grant grant = {.v = NULL};
		double left = 0;
		uint32_t blocking;

		for (size_t t = 0; t < one.n; t++)
			one.types[t].holders = 0;
		one.presence = NULL;
		if (!is_here(p, node) || !pool_take(&one, a, g, &grant, &blocking))
			continue;
		for (size_t t = 0; t < one.n; t++) {
			double of_type = 0;

			for (size_t i = 0; i < one.types[t].n; i++)
				of_type += (double)(one.types[t].v[i].slots -
						    one.types[t].v[i].held);
			if (one.types[t].holders)
				left += of_type * of_type;
		}
		if (left > most) {
			most = left;
			best = node;
		}
	}
	return best;
}

static void
the_best_node_is_chosen(void **state)
{
	static const char *const groups[] = {"gpus:1", "gpus:2", "gpus:2/gpus:1",
		"gpus:1,mem:3", "mem:5", "gpus:3/gpus:1,mem:1"};
	static const char *const pools[] = {
		"gpus 0=4; mem 0=6 | gpus 0=2 1=2; mem 0=6 | gpus 0=1 1=3; mem 0=6",
		"gpus 0=2 1=3; mem 0=9 | gpus 0=5; mem 0=7 | gpus 0=1 1=1 2=3; mem 0=8",
		"gpus 0=2; mem 0=3 | gpus 0=1 1=1; mem 0=9 | mem 0=9 | gpus 0=5 | gpus "
		"0=3; mem 0=6 | gpus 0=3; mem 0=6 | gpus 0=3; mem 0=6 | gpus 0=2 1=2; "
		"mem 0=2 | gpus 0=4; mem 0=1"};
	unsigned seed = 1;

	(void)state;
	for (size_t round = 0; round < 450; round++) {
		struct arena *a = arena_open();
		struct pool p = pool_of_nodes(a, pools[round % ROWS(pools)]);
		struct grant grants[12] = {{.v = NULL}};

		for (int step = 0; step < 40; step++) {
			struct grant *grant = &grants[below(&seed, 12)];
			struct resource_groups g = text_groups(
				a, str_of(groups[below(&seed, ROWS(groups))]));
			uint32_t blocking, node;

			if (below(&seed, 8) == 0)
				pool_set_presence(a, &p,
					(uint32_t)below(&seed, p.nodes_n),
					(enum pool_presence)below(&seed, 3));
			if (grant->v) {
				pool_return(&p, grant);
				grant->v = NULL;
				continue;
			}
			node = node_by_looks(a, &p, &g);
			if (pool_take(&p, a, &g, grant, &blocking))
				assert_int_equal(pool_node_of(&p, grant), node);
			else {
				assert_int_equal(node, MAP_NONE);
				grant->v = NULL;
			}
		}
		arena_close(a);
	}
}

/* ---- whole nodes ----------------------------------------------------------------- */

/* By a look at each node: the first so many that are idle, and have room for the groups.
 */
static size_t
idle_nodes_by_looks(struct arena *a, const struct pool *p,
	const struct resource_groups *groups, uint32_t *found)
{
	struct resource_groups g = {.v = groups->v, .n = groups->n};
	size_t n = 0;

	for (uint32_t node = 0; node < p->nodes_n && n < groups->nodes; node++) {
		struct pool one = pool_of_one(a, p, node);
		struct grant grant = {.v = NULL};
		uint64_t held = 0;
		uint32_t blocking;

		for (size_t t = 0; t < one.n; t++)
			for (size_t i = 0; i < one.types[t].n; i++)
				held += one.types[t].v[i].held;
		one.presence = NULL;
		if (is_here(p, node) && !held &&
			pool_take(&one, a, &g, &grant, &blocking))
			found[n++] = node;
	}
	return n;
}

static bool
is_among(const uint32_t *nodes, size_t n, uint32_t node)
{
	while (n && nodes[n - 1] != node)
		n--;
	return n > 0;
}

/* The grant has all of these nodes, and nothing else has changed. */
static void
assert_whole(struct arena *a, const struct pool *p, const struct grant *grant,
	const uint32_t *nodes, size_t n, uint64_t held_before)
{
	struct pool_nodes got = pool_nodes_of(a, p, grant);
	uint64_t held_elsewhere = 0;

	assert_int_equal(got.n, n);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(got.v[i], nodes[i]);
	assert_int_equal(pool_node_of(p, grant), nodes[0]);
	for (size_t t = 0; t < p->n; t++)
		for (size_t i = 0; i < p->types[t].n; i++) {
			const struct resource_instance *in = &p->types[t].v[i];

			if (is_among(nodes, n, in->node))
				assert_int_equal(in->held, in->slots);
			else
				held_elsewhere += in->held;
		}
	assert_int_equal(held_elsewhere, held_before);
}

static uint64_t
held_of(const struct pool *p)
{
	uint64_t held = 0;

	for (size_t t = 0; t < p->n; t++)
		for (size_t i = 0; i < p->types[t].n; i++)
			held += p->types[t].v[i].held;
	return held;
}

static void
whole_nodes_are_idle_ones(void **state)
{
	static const char *const groups[] = {
		"gpus:1", "gpus:2", "mem:5", "gpus:2/gpus:1,mem:1", "gpus:3"};
	static const char *const pools[] = {
		"gpus 0=4; mem 0=6 | gpus 0=2 1=2; mem 0=6 | gpus 0=1 1=3; mem 0=6",
		"gpus 0=2; mem 0=3 | gpus 0=1 1=1; mem 0=9 | mem 0=9 | gpus 0=5 | gpus "
		"0=3; mem 0=6 | gpus 0=3; mem 0=6 | gpus 0=3; mem 0=6 | gpus 0=2 1=2; "
		"mem 0=2 | gpus 0=4; mem 0=1",
		"gpus 0=4; mem 0=6"};
	unsigned seed = 1;
	size_t wholes = 0;

	(void)state;
	for (size_t round = 0; round < 450; round++) {
		struct arena *a = arena_open();
		struct pool p = pool_of_nodes(a, pools[round % ROWS(pools)]);
		struct grant grants[6] = {{.v = NULL}};

		for (int step = 0; step < 40; step++) {
			struct grant *grant = &grants[below(&seed, 6)];
			struct resource_groups g = text_groups(
				a, str_of(groups[below(&seed, ROWS(groups))]));
			uint32_t blocking, nodes[NODES];
			uint64_t held = held_of(&p);
			size_t n;

			if (below(&seed, 8) == 0)
				pool_set_presence(a, &p,
					(uint32_t)below(&seed, p.nodes_n),
					(enum pool_presence)below(&seed, 3));
			if (grant->v) {
				pool_return(&p, grant);
				grant->v = NULL;
				continue;
			}
			g.nodes = below(&seed, 2) ? 2 + below(&seed, 3) : 0;
			n = idle_nodes_by_looks(a, &p, &g, nodes);
			if (!pool_take(&p, a, &g, grant, &blocking)) {
				assert_int_equal(held_of(&p), held);
				assert_true(!g.nodes || n < g.nodes);
				assert_int_equal(blocking, g.nodes ? p.n : blocking);
				grant->v = NULL;
			} else if (g.nodes) {
				assert_int_equal(n, g.nodes);
				assert_whole(a, &p, grant, nodes, n, held);
				wholes++;
			}
		}
		for (size_t i = 0; i < ROWS(grants); i++)
			if (grants[i].v)
				pool_return(&p, &grants[i]);
		assert_int_equal(held_of(&p), 0);
		arena_close(a);
	}
	assert_in_range(wholes, 200, SIZE_MAX);
}

static void
whole_nodes_that_are_too_many_fit_nowhere(void **state)
{
	static const struct {
		const char *groups;
		uint64_t nodes;
		enum pool_fit fit;
	} rows_of_nodes[] = {
		{"cpus:1", 2, POOL_FITS},
		{"cpus:1", 3, POOL_FITS},
		{"cpus:1", 4, POOL_FITS_NOWHERE},
		{"cpus:1,gpus:1", 2, POOL_FITS},
		{"cpus:1,gpus:1", 3, POOL_FITS_NOWHERE},
		{"cpus:3", 2, POOL_FITS_NOWHERE},
		{"", 3, POOL_FITS},
		{"", 4, POOL_FITS_NOWHERE},
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows_of_nodes); i++) {
		struct arena *a = arena_open();
		struct pool p = pool_of_nodes(
			a, "cpus 0=2; gpus 0=1 | cpus 0=2 | cpus 0=4; gpus 0=1");
		struct resource_groups g =
			text_groups(a, str_of(rows_of_nodes[i].groups));

		g.nodes = rows_of_nodes[i].nodes;
		assert_int_equal(pool_fit(&p, a, &g), rows_of_nodes[i].fit);
		arena_close(a);
	}
}

/* ---- waiting --------------------------------------------------------------------- */

/* One node lacks what the other has: whatever comes back is news to who waits. */
static void
waiting_ends_on_any_node(void **state)
{
	static const char *const first[] = {
		"a groups=gpus:2; b groups=cpus:2", "b groups=cpus:2; a groups=gpus:2"};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct arena *a = arena_open();
		struct pool p =
			pool_of_nodes(a, "cpus 0=1; gpus 0=2 | cpus 0=2; gpus 0=1");
		struct filter everything = {.use_union = false};
		struct selection s = select_tests(a,
			suite_of(a,
				str_fmt(a, "%s; c groups=cpus:1,gpus:1", first[i / 2]).p),
			&everything);
		struct plan_options po = {.parallel = 8, .pool = &p};
		struct scheduler_options so = {.parallel = 8, .pool = &p};
		const struct test *culprit;
		struct plan *plan = plan_build(a, &s, &po, &culprit);
		struct scheduler *run = scheduler_new(a, plan, &so);
		struct action started[2];

		started[0] = scheduler_next(run, SIZE_MAX);
		started[1] = scheduler_next(run, SIZE_MAX);
		assert_int_equal(started[0].kind, ACT_START);
		assert_int_equal(started[1].kind, ACT_START);
		assert_int_equal(scheduler_next(run, SIZE_MAX).kind, ACT_WAIT);
		scheduler_ended(run, started[i % 2].node);
		assert_int_equal(scheduler_next(run, SIZE_MAX).kind, ACT_START);
		arena_close(a);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tests_are_on_one_node),
		cmocka_unit_test_setup_teardown(
			instances_get_the_names_of_their_node, open_arena, close_arena),
		cmocka_unit_test(held_nodes_are_passed),
		cmocka_unit_test(the_best_node_is_chosen),
		cmocka_unit_test(the_first_node_may_be_preferred),
		cmocka_unit_test(nodes_have_no_more_than_is_found),
		cmocka_unit_test(limits_come_late),
		cmocka_unit_test(whole_nodes_are_idle_ones),
		cmocka_unit_test(whole_nodes_that_are_too_many_fit_nowhere),
		cmocka_unit_test(waiting_ends_on_any_node),
	};

	return run_unit_tests("pool_nodes", tests, NULL, NULL);
}

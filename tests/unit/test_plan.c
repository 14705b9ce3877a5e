/* plan: cycles, and ctest's start order. Orders were observed with ctest 3.25.1. */
#include <stdlib.h>

#include "runner/schedule/plan.h"
#include "tests/unit/pool_text.h"
#include "tests/unit/unit.h"

/* "a:5 b:100 !c": recorded costs and times, and tests that failed last time. */
static struct recorded *
recorded_of(struct arena *a, const struct selection *s, const char *text)
{
	struct recorded *v = NEW_ARRAY(a, struct recorded, s->n);
	struct str rest = str_of(text);

	while (rest.n) {
		struct str one = text_piece(&rest, ' ');
		bool failed = str_begins(one, STR("!"));
		struct str name = text_piece(&one, ':');

		if (failed)
			name = str_from(name, 1);
		for (size_t i = 0; i < s->n; i++)
			if (str_eq(s->suite->tests[s->v[i].test].name, name)) {
				v[i].failed_last = failed;
				v[i].cost = v[i].seconds = str_double(one);
			}
	}
	return v;
}

static struct plan *
plan_of(struct arena *a, const char *suite, struct plan_options o, const char *recorded,
	const struct test **culprit)
{
	struct filter everything = {.use_union = false};
	struct selection *s = NEW(a, struct selection);

	*s = select_tests(a, suite_of(a, suite), &everything);
	o.recorded = recorded ? recorded_of(a, s, recorded) : NULL;
	return plan_build(a, s, &o, culprit);
}

static const char costs[] =
	"a; b cost=5; c; d cost=5; e cost=5 after=c,a; f cost=-1; g cost=0.5";
static const char earlier[] = "a:1 b:100 c:7 !d:8 e:2 f:20 !g:20";
static const char diamond[] =
	"top after=left,right; left after=base; right after=base; base";

static const struct {
	const char *suite;
	size_t parallel;
	const char *recorded, *order;
} orders[] = {
	{"a; b; c", 1, NULL, "a b c"},
	{"a; b; c", 2, NULL, "a b c"},
	/* serially: by cost, each after its dependencies; nothing recorded counts */
	{costs, 1, NULL, "b d a c e g f"},
	{costs, 1, earlier, "b d a c e g f"},
	{diamond, 1, NULL, "base left right top"},
	{"u after=b,a; a; b", 1, NULL, "a b u"},
	{"x; u cost=1 after=b; a; b after=a", 1, NULL, "a b u x"},
	/* in parallel: levels first, then cost; recorded costs where none is declared */
	{costs, 2, NULL, "a c b d e g f"},
	{costs, 2, earlier, "d g c a b e f"},
	{costs, 2, "c:7", "c a b d e g f"},
	{diamond, 2, NULL, "base left right top"},
	{diamond, 2, "right:3", "base right left top"},
	{"x cost=9; u after=b; a; b after=a", 2, NULL, "a b x u"},
	/* failed last time: before everything, by number */
	{diamond, 2, "!top !right:2", "top right base left"},
	{"a; b; c after=b", 2, "!b !c", "b c a"},
	/* a float holds no more digits */
	{"a cost=16777216; b cost=16777217; c cost=16777220", 1, NULL, "c a b"},
	{"a cost=1.00000000001; b cost=1.00000000002", 2, NULL, "a b"},
	{"", 1, NULL, ""},
	{"", 2, NULL, ""},
};

static void
order_is_that_of_ctest(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS(orders); i++) {
		struct arena *a = arena_open();
		const struct test *culprit = NULL;
		struct plan_options o = {.parallel = orders[i].parallel};
		struct plan *p =
			plan_of(a, orders[i].suite, o, orders[i].recorded, &culprit);
		struct buf got = {.arena = a};

		assert_non_null(p);
		for (size_t k = 0; k < p->n; k++) {
			assert_int_equal(p->nodes[p->order[k]].rank, k);
			buf_fmt(&got, "%s%.*s", k ? " " : "",
				STR_ARG(p->nodes[p->order[k]].test->name));
		}
		if (!str_is(buf_as_str(&got), orders[i].order))
			fail_msg("row %zu: got \"%s\", expected \"%s\"", i, got.p,
				orders[i].order);
		arena_close(a);
	}
}

/* By pressure: the longest way first, with what it takes of slots and resources. */
static const struct {
	const char *suite, *recorded, *order, *pressure;
} pressures[] = {
	{"a cost=1; b cost=3; c cost=2", NULL, "b c a", "1 3 2"},
	{"x cost=4; a cost=1; b cost=4 after=a", NULL, "a x b", "4 5 4"},
	{"x cost=4; a cost=1; b cost=2 after=a; c cost=3 after=a", NULL, "x a c b",
		"4 4 2 3"},
	/* what is recorded, and the median where nothing is */
	{"a; b; c; d", "a:1 b:5 c:2", "b c d a", "1 5 2 2"},
	/* failed last time */
	{"a cost=1; b cost=9; c cost=2 after=a", "!c", "c b a", "3 9 2"},
	/* a share of everything: three times as urgent */
	{"a cost=2; b cost=1 slots=4; c cost=1", NULL, "a b c", "2 1 1"},
	{"a cost=1.9; b cost=1 slots=4; c cost=1; d cost=1 serial", NULL, "b d a c",
		"1.9 1 1 1"},
	{"a cost=1; b cost=0.8 groups=g:2; c cost=0.8 groups=g:1", NULL, "b c a",
		"1 0.8 0.8"},
	{"", NULL, "", ""},
};

static void
pressure_is_the_longest_way(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS(pressures); i++) {
		struct arena *a = arena_open();
		struct pool pool = pool_of(a, "g x=1 y=2");
		struct plan_options o = {
			.parallel = 4, .schedule = SCHEDULE_PRESSURE, .pool = &pool};
		const struct test *culprit = NULL;
		struct plan *p = plan_of(
			a, pressures[i].suite, o, pressures[i].recorded, &culprit);
		struct buf order = {.arena = a}, pressure = {.arena = a};

		assert_non_null(p);
		buf_z(&order, "");
		buf_z(&pressure, "");
		for (size_t k = 0; k < p->n; k++) {
			buf_fmt(&order, "%s%.*s", k ? " " : "",
				STR_ARG(p->nodes[p->order[k]].test->name));
			buf_fmt(&pressure, "%s%g", k ? " " : "", p->pressure[k]);
		}
		if (!str_is(buf_as_str(&order), pressures[i].order) ||
			!str_is(buf_as_str(&pressure), pressures[i].pressure))
			fail_msg("row %zu: got \"%s\", \"%s\"", i, order.p, pressure.p);
		arena_close(a);
	}
}

static const struct {
	const char *suite, *culprit; /* NULL: no cycle */
} cycles[] = {
	{"a; b after=c; c after=d; d after=c,e; e after=e", "c"},
	{"a; b after=c; c", NULL},
	{"a after=a", "a"},
	{"a after=nobody", NULL},
	{"a after=b; b after=c; c after=a", "a"},
	/* waits for a circle, is in none */
	{"a after=c; b after=b,c; c", "b"},
	/* between two circles, in none */
	{"m after=x; x after=y; y after=x; p after=q,m; q after=p", "x"},
	{"a after=b,c; b after=c; c", NULL},
	/* a cleanup that uses what it cleans up */
	{"s setup=F; c cleanup=F needs=F", "c"},
	{"s setup=F needs=F", "s"},
};

static void
cycles_have_a_culprit(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS(cycles); i++)
		for (size_t parallel = 1; parallel < 3; parallel++) {
			struct arena *a = arena_open();
			const struct test *culprit = NULL;
			struct plan_options o = {.parallel = parallel};
			struct plan *p = plan_of(a, cycles[i].suite, o, NULL, &culprit);

			assert_int_equal(p == NULL, cycles[i].culprit != NULL);
			if (cycles[i].culprit &&
				!str_is(culprit->name, cycles[i].culprit))
				fail_msg("row %zu: %.*s", i, STR_ARG(culprit->name));
			arena_close(a);
		}
}

/* The costs are rand()'s, in the order of numbers. */
static void
random_order_follows_the_seed(void **state)
{
	(void)state;
	for (unsigned seed = 0; seed < 20; seed++) {
		struct arena *a = arena_open();
		const struct test *culprit = NULL;
		struct plan_options o = {
			.parallel = 1 + seed % 2, .random = true, .seed = seed};
		struct plan *p = plan_of(
			a, "a cost=3; b; c; d; e; f; g; h", o, "a:4 b:9", &culprit);
		float cost[8];

		assert_non_null(p);
		srand(seed);
		for (size_t i = 0; i < 8; i++)
			cost[i] = (float)rand();
		for (size_t k = 1; k < 8; k++)
			assert_true(cost[p->order[k - 1]] >= cost[p->order[k]]);
		arena_close(a);
	}
}

static void
edges_lead_to_users(void **state)
{
	struct arena *a = arena_open();
	const struct test *culprit = NULL;
	struct plan *p =
		plan_of(a, diamond, (struct plan_options){.parallel = 1}, NULL, &culprit);

	(void)state;
	assert_non_null(p);
	assert_int_equal(p->nodes[0].waits, 2);
	assert_int_equal(p->nodes[0].users_n, 0);
	assert_int_equal(p->nodes[3].waits, 0);
	assert_int_equal(p->nodes[3].users_n, 2);
	assert_int_equal(p->nodes[3].users[0], 1);
	assert_int_equal(p->nodes[3].users[1], 2);
	assert_int_equal(p->nodes[1].number, 2);
	arena_close(a);
}

/* Layers of two tests, each after both of the layer before: ctest walks 2^layers ways.
 * And a chain as deep as it is long. */
static void
deep_graphs_take_no_longer_than_flat_ones(void **state)
{
	enum { LAYERS = 20000 };
	struct arena *a = arena_open();
	struct buf layers = {.arena = a}, chain = {.arena = a};
	const struct test *culprit = NULL;

	(void)state;
	buf_z(&layers, "a0; b0");
	buf_z(&chain, "a0");
	for (int i = 1; i < LAYERS; i++) {
		buf_fmt(&layers, "; a%d after=a%d,b%d; b%d after=b%d,a%d", i, i - 1,
			i - 1, i, i - 1, i - 1);
		buf_fmt(&chain, "; a%d after=a%d", i, i - 1);
	}
	for (size_t parallel = 1; parallel < 3; parallel++) {
		struct plan_options o = {.parallel = parallel};
		struct plan *p = plan_of(a, layers.p, o, NULL, &culprit);

		assert_non_null(p);
		for (size_t k = 0; k < p->n; k++)
			assert_int_equal(p->order[k], k);
		assert_non_null(plan_of(a, chain.p, o, NULL, &culprit));
		o.schedule = SCHEDULE_PRESSURE;
		p = plan_of(a, chain.p, o, NULL, &culprit);
		assert_non_null(p);
		assert_true(p->pressure[0] == LAYERS);
	}
	arena_close(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(order_is_that_of_ctest),
		cmocka_unit_test(pressure_is_the_longest_way),
		cmocka_unit_test(cycles_have_a_culprit),
		cmocka_unit_test(random_order_follows_the_seed),
		cmocka_unit_test(edges_lead_to_users),
		cmocka_unit_test(deep_graphs_take_no_longer_than_flat_ones),
	};

	return run_unit_tests("plan", tests, NULL, NULL);
}

/* simulation: makespans and bounds, in ctest's order and by pressure. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "runner/resources/pool_sources.h"
#include "runner/schedule/simulation.h"
#include "tests/unit/pool_text.h"

#define ROWS(table) (sizeof(table) / sizeof *(table))

/* Durations are the costs. */
static struct simulation
run(struct arena *a, const char *suite, const char *pool_text, size_t parallel,
	enum schedule schedule)
{
	struct filter everything = {.use_union = false};
	struct selection *s = NEW(a, struct selection);
	struct pool *pool = NEW(a, struct pool);
	struct plan_options o = {.parallel = parallel, .schedule = schedule};
	struct simulation_options so = {.scheduler = {.parallel = parallel}};
	const struct test *culprit;
	struct plan *p;
	double *seconds;

	*s = select_tests(a, suite_of(a, suite), &everything);
	if (pool_text) {
		*pool = pool_of(a, pool_text);
		o.pool = so.scheduler.pool = pool;
	}
	p = plan_build(a, s, &o, &culprit);
	assert_non_null(p);
	seconds = NEW_ARRAY(a, double, s->n);
	for (size_t i = 0; i < s->n; i++)
		seconds[i] = p->nodes[i].test->properties->cost;
	so.duration_s = seconds;
	return simulation_run(a, p, &so);
}

static const struct {
	const char *suite, *pool;
	size_t parallel;
	double ctest, pressure, bound;
	const char *why;
} rows[] = {
	{"a cost=2; b cost=3", NULL, 1, 5, 5, 5, "work"},
	{"a cost=2; b cost=3", NULL, 2, 3, 3, 3, "critical path"},
	{"a cost=2 after=b; b cost=3; c cost=1", NULL, 2, 5, 5, 5, "critical path"},
	{"a cost=2 lock=l; b cost=3 lock=l; c cost=1", NULL, 3, 5, 5, 5, "lock l"},
	{"a cost=2 serial; b cost=2; c cost=2", NULL, 2, 4, 4, 4, "work"},
	{"a cost=4 groups=g:2; b cost=4 groups=g:2; c cost=1 groups=g:1", "g x=3", 8, 8,
		8, 17 / 3.0, "resource g"},
	/* too large for the pool: takes no time and no part in any bound */
	{"a cost=4 groups=g:9; b cost=1", "g x=3", 2, 1, 1, 1, "critical path"},
	/* the long way first, whatever the levels are */
	{"x cost=9; a cost=1; b cost=1 after=a; c cost=1; d cost=1 after=c", NULL, 2, 10,
		9, 9, "critical path"},
	/* small ones first spread over all instances, and the large ones wait */
	{"a cost=3 groups=g:1; b cost=3 groups=g:1; c cost=3 groups=g:1; d cost=3 "
	 "groups=g:1;"
	 "x cost=3 groups=g:4; y cost=3 groups=g:4; z cost=3 groups=g:4",
		"g 0=4 1=4 2=4 3=4", 8, 6, 3, 3, "critical path"},
	{"", NULL, 2, 0, 0, 0, "work"},
};

static void
makespans_and_bounds(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct arena *a = arena_open();
		struct simulation theirs = run(
			a, rows[i].suite, rows[i].pool, rows[i].parallel, SCHEDULE_CTEST);
		struct simulation ours = run(a, rows[i].suite, rows[i].pool,
			rows[i].parallel, SCHEDULE_PRESSURE);

		if (fabs(theirs.makespan_s - rows[i].ctest) > 1e-9 ||
			fabs(ours.makespan_s - rows[i].pressure) > 1e-9)
			fail_msg("row %zu: makespans %g and %g", i, theirs.makespan_s,
				ours.makespan_s);
		if (fabs(ours.lower_bound_s - rows[i].bound) > 1e-9 ||
			!str_is(ours.bounds[ours.lower_bound].name, rows[i].why))
			fail_msg("row %zu: bound %g", i, ours.lower_bound_s);
		assert_true(ours.utilisation <= 1 + 1e-9);
		arena_close(a);
	}
}

/* A setup, a test that needs all slots, and a chain after it, among many that need one.
 */
static void
wide_tests_do_not_starve(void **state)
{
	struct arena *a = arena_open();
	struct buf suite = {.arena = a};
	struct simulation theirs, ours;

	(void)state;
	for (int i = 0; i < 40; i++)
		buf_fmt(&suite, "s%d cost=1;", i);
	buf_z(&suite,
		"setup cost=0.3; wide slots=4 cost=1 after=setup; c0 cost=2 after=wide");
	for (int i = 1; i < 5; i++)
		buf_fmt(&suite, "; c%d cost=2 after=c%d", i, i - 1);
	theirs = run(a, suite.p, NULL, 4, SCHEDULE_CTEST);
	ours = run(a, suite.p, NULL, 4, SCHEDULE_PRESSURE);
	assert_true(fabs(theirs.makespan_s - 21.3) < 0.01);
	assert_true(ours.makespan_s < 14.01);
	assert_true(fabs(ours.lower_bound_s - 54.3 / 4) < 0.01);
	arena_close(a);
}

/* Refused tests count, and take no part. */
static void
refused_tests_take_no_part(void **state)
{
	struct arena *a = arena_open();
	struct simulation r = run(a, "a cost=1 groups=g:9; b cost=1 groups=g:2", "g x=3",
		2, SCHEDULE_PRESSURE);

	(void)state;
	assert_int_equal(r.tests, 2);
	assert_int_equal(r.refused, 1);
	assert_true(fabs(r.work_s - 1) < 1e-9 && fabs(r.utilisation - 0.5) < 1e-9);
	arena_close(a);
}

/* What the simulation allocates is gone after it, and tests still find the nodes. */
static void
the_pool_outlives_the_arena(void **state)
{
	struct arena *a = arena_open(), *scratch = arena_open();
	struct str names[] = {STR("n1"), STR("n2")};
	struct pool parts[] = {pool_of(a, "g x=2"), pool_of(a, "g x=1")};
	struct pool pool = pool_join(a, names, parts, 2);
	struct filter everything = {.use_union = false};
	struct selection s = select_tests(
		a, suite_of(a, "a cost=1 groups=g:1; b cost=1 groups=g:2"), &everything);
	struct plan_options o = {
		.parallel = 2, .schedule = SCHEDULE_PRESSURE, .pool = &pool};
	const struct test *culprit;
	struct plan *p = plan_build(a, &s, &o, &culprit);
	double seconds[] = {1, 1};
	struct simulation_options so = {
		.scheduler = {.parallel = 2, .pool = &pool}, .duration_s = seconds};
	struct simulation r = simulation_run(scratch, p, &so);
	const struct resource_groups *g = &p->nodes[1].test->properties->resource_groups;
	struct grant grant = {NULL, 0};
	uint32_t blocking;

	(void)state;
	assert_int_equal(r.refused, 0);
	arena_close(scratch);
	for (size_t i = 0; i < pool.n; i++)
		assert_null(pool.types[i].free_nodes);
	pool_set_presence(a, &pool, 1, POOL_NODE_AWAY);
	assert_true(pool_take(&pool, a, g, &grant, &blocking));
	assert_int_equal(pool_node_of(&pool, &grant), 0);
	arena_close(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(makespans_and_bounds),
		cmocka_unit_test(wide_tests_do_not_starve),
		cmocka_unit_test(refused_tests_take_no_part),
		cmocka_unit_test(the_pool_outlives_the_arena),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("simulation", tests, NULL, NULL);
}

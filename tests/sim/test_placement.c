/* placement in simulated time: what --resource-placement changes, and what it does not.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "runner/schedule/simulation.h"
#include "tests/unit/hard_request.h"
#include "tests/unit/pool_text.h"

#define ROWS(table) (sizeof(table) / sizeof *(table))

/* Durations are the costs. */
static struct simulation
run(struct arena *a, const char *suite, const char *pool_text, enum pack_order placement)
{
	struct filter everything = {.use_union = false};
	struct selection s = select_tests(a, suite_of(a, suite), &everything);
	struct pool pool = pool_of(a, pool_text);
	struct plan_options o = {.parallel = 16, .pool = &pool};
	struct simulation_options so = {.scheduler = {.parallel = 16, .pool = &pool}};
	const struct test *culprit;
	struct plan *p;
	double *seconds = NEW_ARRAY(a, double, s.n);

	pool.placement = placement;
	p = plan_build(a, &s, &o, &culprit);
	assert_non_null(p);
	for (size_t i = 0; i < s.n; i++)
		seconds[i] = p->nodes[i].test->properties->cost;
	so.duration_s = seconds;
	return simulation_run(a, p, &so);
}

#define SMALL(name) name " cost=3 groups=g:1; "
#define LARGE(name) name " cost=3 groups=g:4; "
#define SMALL_FIRST SMALL("a") SMALL("b") SMALL("c") SMALL("d")

static const struct {
	const char *suite, *pool;
	double spread, pack;
} rows[] = {
	/* four small ones on four instances leave none for the large ones */
	{SMALL_FIRST LARGE("x") LARGE("y") LARGE("z"), "g 0=4 1=4 2=4 3=4", 6, 3},
	{SMALL_FIRST "x cost=3 groups=g:4/g:4/g:4", "g 0=4 1=4 2=4 3=4", 6, 3},
	{SMALL_FIRST, "g 0=1 1=1 2=1 3=1", 3, 3},
	/* the small instance for the small test */
	{"a cost=3 groups=g:1; x cost=3 groups=g:8", "g 0=8 1=2", 6, 3},
	/* best fit alone leads nowhere: 5 and 5 in 10, 4 and 4 and 2 in 10 */
	{"a cost=3 groups=g:5/g:4/g:4/g:5/g:2", "g 0=10 1=10", 3, 3},
	{"a cost=3 groups=g:3/g:2/g:2", "g 0=3 1=4", 3, 3},
	/* spread finds what is exactly full by going back */
	{"a cost=3 groups=g:3/g:2/g:2", "g 0=4 1=3", 3, 3},
};

static void
packing_leaves_room(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct arena *a = arena_open();
		struct simulation spread =
			run(a, rows[i].suite, rows[i].pool, PACK_SPREAD);
		struct simulation packed =
			run(a, rows[i].suite, rows[i].pool, PACK_TIGHT);

		if (fabs(spread.makespan_s - rows[i].spread) > 1e-9 ||
			fabs(packed.makespan_s - rows[i].pack) > 1e-9)
			fail_msg("row %zu: spread %g, pack %g", i, spread.makespan_s,
				packed.makespan_s);
		assert_int_equal(spread.refused + packed.refused, 0);
		arena_close(a);
	}
}

/* ---- what is not known ----------------------------------------------------------- */

/* It is not refused while something runs, delays no other test, and does not hang the
 * run. */
static void
what_is_not_known_is_tried_last(void **state)
{
	struct arena *a = arena_open();
	struct pool pool = pool_of(a, hard_pool(a).p);
	struct buf suite = {.arena = a};
	struct filter everything = {.use_union = false};
	struct plan_options po = {.parallel = 4, .pool = &pool};
	struct scheduler_options so = {.parallel = 4, .pool = &pool};
	const struct test *culprit;
	struct selection s;
	struct scheduler *run;
	struct action first, last;

	(void)state;
	buf_fmt(&suite, "a; hard groups=%.*s; b after=a groups=g:1",
		STR_ARG(hard_groups(a)));
	s = select_tests(a, suite_of(a, suite.p), &everything);
	assert_int_equal(
		pool_fit(&pool, a, &s.suite->tests[1].properties->resource_groups),
		POOL_FIT_UNKNOWN);
	run = scheduler_new(a, plan_build(a, &s, &po, &culprit), &so);
	first = scheduler_next(run, SIZE_MAX);
	assert_int_equal(first.kind, ACT_START);
	assert_int_equal(first.node, 0);
	assert_int_equal(scheduler_next(run, SIZE_MAX).kind, ACT_WAIT);
	/* b starts beside it or before it; with nothing running it is found out */
	scheduler_ended(run, 0);
	for (first = scheduler_next(run, SIZE_MAX);
		first.kind == ACT_START && first.node == 2;
		first = scheduler_next(run, SIZE_MAX)) {
		assert_int_equal(scheduler_next(run, SIZE_MAX).kind, ACT_WAIT);
		scheduler_ended(run, 2);
	}
	assert_int_equal(first.kind, ACT_START);
	assert_int_equal(first.node, 1);
	assert_true(first.fits_nowhere);
	scheduler_ended(run, 1);
	last = scheduler_next(run, SIZE_MAX);
	if (last.kind == ACT_START) {
		assert_int_equal(last.node, 2);
		scheduler_ended(run, 2);
		last = scheduler_next(run, SIZE_MAX);
	}
	assert_int_equal(last.kind, ACT_DONE);
	arena_close(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(packing_leaves_room),
		cmocka_unit_test(what_is_not_known_is_tried_last),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("placement", tests, NULL, NULL);
}

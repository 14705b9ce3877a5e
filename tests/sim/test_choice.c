/* choice: of several orders the one that is expected to take the least time. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "runner/schedule/choice.h"
#include "runner/schedule/simulation.h"
#include "tests/unit/pool_text.h"

struct makespans {
	double ctest, pressure, chosen;
};

static double
makespan(struct arena *a, const struct plan *p, const struct scheduler_options *so)
{
	struct simulation_options o = {
		.scheduler = *so, .duration_s = NEW_ARRAY(a, double, p->n)};

	for (node_id i = 0; i < p->n; i++)
		((double *)o.duration_s)[i] = p->nodes[i].test->properties->cost;
	return simulation_run(a, p, &o).makespan_s;
}

static struct plan *
plan_with(struct arena *a, const struct selection *s, size_t parallel, struct pool *pool,
	enum schedule schedule)
{
	struct plan_options o = {
		.parallel = parallel, .schedule = schedule, .pool = pool};
	const struct test *culprit = NULL;
	struct plan *p = plan_build(a, s, &o, &culprit);

	assert_non_null(p);
	return p;
}

/* What tests take is their cost. */
static struct makespans
makespans_of(struct arena *a, const char *suite, size_t parallel, const char *pool_text)
{
	struct filter everything = {.use_union = false};
	struct selection *s = NEW(a, struct selection);
	struct pool *pool = NULL;
	struct scheduler_options o = {.parallel = parallel};
	struct makespans m;
	struct plan *p;

	*s = select_tests(a, suite_of(a, suite), &everything);
	if (pool_text) {
		pool = NEW(a, struct pool);
		*pool = pool_of(a, pool_text);
		o.pool = pool;
	}
	p = plan_with(a, s, parallel, pool, SCHEDULE_CTEST);
	choose_order(a, p, &o, CHOICE_STARTS);
	assert_null(p->promised_s);
	m.ctest = makespan(a, p, &o);
	p = plan_with(a, s, parallel, pool, SCHEDULE_PRESSURE);
	m.pressure = makespan(a, p, &o);
	choose_order(a, p, &o, CHOICE_STARTS);
	m.chosen = makespan(a, p, &o);
	return m;
}

static const struct {
	const char *suite, *pool;
	size_t parallel;
	double ctest, pressure, chosen;
} rows[] = {
	{"a cost=2; b cost=3", NULL, 2, 3, 3, 3},
	/* longest first is not best: 3 3 | 2 2 2 */
	{"a cost=3; b cost=3; c cost=2; d cost=2; e cost=2", NULL, 2, 7, 7, 6},
};

static void
better_orders_are_found(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct arena *a = arena_open();
		struct makespans m =
			makespans_of(a, rows[i].suite, rows[i].parallel, rows[i].pool);

		if (m.ctest != rows[i].ctest || m.pressure != rows[i].pressure ||
			m.chosen != rows[i].chosen)
			fail_msg("row %zu: %g %g %g", i, m.ctest, m.pressure, m.chosen);
		arena_close(a);
	}
}

static unsigned
below(uint64_t *seed, unsigned n)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)((*seed >> 33) % n);
}

static const char *
random_suite(struct arena *a, uint64_t *seed)
{
	struct buf suite = {.arena = a};
	unsigned n = 5 + below(seed, 60);

	for (unsigned i = 0; i < n; i++) {
		buf_fmt(&suite, "%st%u cost=%u", i ? "; " : "", i, 5 + below(seed, 200));
		if (i && below(seed, 3) == 0)
			buf_fmt(&suite, " after=t%u", below(seed, i));
		if (below(seed, 5) == 0)
			buf_fmt(&suite, " slots=%u", 1 + below(seed, 6));
		if (below(seed, 12) == 0)
			buf_z(&suite, " serial");
		if (below(seed, 6) == 0)
			buf_fmt(&suite, " lock=%c", "klm"[below(seed, 3)]);
		if (below(seed, 3) == 0)
			buf_fmt(&suite, " groups=g:%u", 1 + below(seed, 5));
	}
	return suite.p;
}

/* Where the times are right, what is chosen is never worse than ctest's order. */
static void
no_choice_is_worse_than_ctest(void **state)
{
	uint64_t seed = 4;
	unsigned better = 0;

	(void)state;
	for (unsigned round = 0; round < 300; round++) {
		struct arena *a = arena_open();
		const char *suite = random_suite(a, &seed);
		struct makespans m = makespans_of(
			a, suite, 2 + below(&seed, 7), round % 2 ? "g a=4 b=4" : NULL);

		if (m.chosen > m.ctest * (1 + 1e-9))
			fail_msg("round %u: %g, in ctest's order %g", round, m.chosen,
				m.ctest);
		better += m.chosen < m.pressure;
		arena_close(a);
	}
	assert_true(better > 100);
}

/* Without budget, and where no time is known, the order stays. */
static void
no_choice_without_reason(void **state)
{
	struct arena *a = arena_open();
	struct filter everything = {.use_union = false};
	struct selection s = select_tests(
		a, suite_of(a, "a cost=3; b cost=3; c cost=2; d"), &everything);
	struct selection unknown =
		select_tests(a, suite_of(a, "a; b; c; d"), &everything);
	struct scheduler_options o = {.parallel = 2};
	struct plan *p = plan_with(a, &s, 2, NULL, SCHEDULE_PRESSURE);

	(void)state;
	choose_order(a, p, &o, 10);
	assert_null(p->promised_s);
	choose_order(a, p, &o, CHOICE_STARTS);
	assert_non_null(p->promised_s);
	p = plan_with(a, &unknown, 2, NULL, SCHEDULE_PRESSURE);
	choose_order(a, p, &o, CHOICE_STARTS);
	assert_null(p->promised_s);
	arena_close(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(better_orders_are_found),
		cmocka_unit_test(no_choice_is_worse_than_ctest),
		cmocka_unit_test(no_choice_without_reason),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("choice", tests, NULL, NULL);
}

/* pilot_plan: how tests are grouped, and how groups share the processors. */
#include "runner/cluster/pilots.h"
#include "tests/unit/unit.h"

static void
amounts_are_rounded_up(void **state)
{
	static const uint64_t rows[][2] = {{0, 0}, {1, 1}, {8, 8}, {9, 10}, {10, 10},
		{16, 16}, {17, 20}, {100, 112}, {1000, 1024}, {1025, 1280}};

	for (size_t i = 0; i < ROWS(rows); i++) {
		uint64_t most = rows[i][1];
		struct pilot_size same[] = {{1, rows[i][0], 0, 0}, {1, most, 0, 0}};
		struct pilot_size more[] = {{1, rows[i][0], 0, 0}, {1, most + 1, 0, 0}};

		assert_int_equal(pilot_plan_make(*state, same, 2, 1).n, 1);
		assert_int_equal(pilot_plan_make(*state, more, 2, 1).n, 2);
	}
}

/* "pilots x processors/memory/tmp/gpus of tests" for each group. */
static const char *
plan_text(struct arena *a, const struct pilot_size *tests, size_t n, uint64_t parallel)
{
	struct pilot_plan p = pilot_plan_make(a, tests, n, parallel);
	struct buf b = {.arena = a};
	size_t pilots = 0;

	buf_z(&b, "");
	for (size_t i = 0; i < p.n; i++) {
		const struct pilot_size *s = &p.v[i].size;

		pilots += p.v[i].pilots;
		buf_fmt(&b, "%s%zu x %d/%d/%d/%d of %zu", i ? ", " : "", p.v[i].pilots,
			(int)s->processors, (int)s->memory_mib, (int)s->tmp_mib,
			(int)s->gpus, p.v[i].tests);
	}
	assert_int_equal(p.pilots, pilots);
	return buf_as_str(&b).p;
}

static void
tests_are_grouped(void **state)
{
	static const struct pilot_size same[] = {{1, 0, 0, 0}, {1, 0, 0, 0},
		{1, 0, 0, 0}},
				       near[] = {{1, 97, 0, 0}, {1, 112, 0, 0},
					       {1, 101, 0, 0}, {1, 113, 0, 0}},
				       mixed[] = {{1, 0, 0, 0}, {4, 0, 0, 0},
					       {1, 0, 0, 2}, {1, 0, 0, 0}, {1, 0, 9, 0}};

	assert_string_equal(plan_text(*state, same, 0, 4), "");
	assert_string_equal(plan_text(*state, same, 3, 1), "1 x 1/0/0/0 of 3");
	assert_string_equal(plan_text(*state, same, 3, 2), "2 x 1/0/0/0 of 3");
	assert_string_equal(plan_text(*state, same, 3, 64), "3 x 1/0/0/0 of 3");
	assert_string_equal(
		plan_text(*state, near, 4, 4), "1 x 1/113/0/0 of 1, 3 x 1/112/0/0 of 3");
	assert_string_equal(plan_text(*state, mixed, 5, 8),
		"1 x 1/0/0/2 of 1, 1 x 4/0/0/0 of 1, 1 x 1/0/9/0 of 1, 2 x 1/0/0/0 of 2");
}

/* Each test is in the group whose pilots are for it. */
static void
tests_find_their_group(void **state)
{
	static const struct pilot_size tests[] = {{1, 97, 0, 0}, {1, 113, 0, 0},
		{4, 0, 0, 0}, {1, 0, 0, 2}, {1, 112, 0, 0}, {1, 0, 9, 0}},
				       other = {3, 0, 0, 0};
	struct pilot_plan p = pilot_plan_make(*state, tests, ROWS(tests), 8);
	size_t found[ROWS(tests)] = {0};

	for (size_t i = 0; i < ROWS(tests); i++) {
		size_t g = pilot_plan_group(&p, &tests[i]);

		assert_true(g < p.n);
		found[g]++;
		assert_true(p.v[g].size.memory_mib >= tests[i].memory_mib);
	}
	for (size_t g = 0; g < p.n; g++)
		assert_int_equal(found[g], p.v[g].tests);
	assert_int_equal(pilot_plan_group(&p, &other), p.n);
}

static void
one_job_is_for_all(void **state)
{
	static const struct pilot_size tests[] = {
		{1, 100, 0, 2}, {3, 0, 7, 0}, {2, 200, 5, 1}};
	static const struct {
		size_t tests;
		uint64_t parallel, nodes, processors, memory_mib, tmp_mib, gpus;
	} rows[] = {
		{0, 4, 4, 1, 0, 0, 0},
		{1, 4, 4, 1, 100, 0, 2},
		{2, 4, 2, 3, 100, 7, 2},
		{3, 1, 1, 3, 200, 7, 2},
		{3, 6, 2, 3, 200, 7, 2},
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct cluster_request r =
			pilot_plan_one_job(tests, rows[i].tests, rows[i].parallel);

		assert_int_equal(r.nodes, rows[i].nodes);
		assert_int_equal(r.processors, rows[i].processors);
		assert_int_equal(r.memory_bytes >> 20, rows[i].memory_mib);
		assert_int_equal(r.tmp_bytes >> 20, rows[i].tmp_mib);
		assert_int_equal(r.gpus, rows[i].gpus);
	}
}

/* This machine has four processors and 1000 MiB. */
static void
this_machine_comes_first(void **state)
{
	static const struct pilot_size tests[] = {{1, 0, 0, 0}, {4, 1000, 0, 0},
		{1, 0, 0, 1}, {1, 1001, 0, 0}, {1, 0, 1, 0}};
	static const struct {
		size_t tests;
		uint64_t parallel;
		size_t groups, pilots;
	} rows[] = {
		/* it has room for all of them */
		{2, 1, 0, 0},
		{2, 4, 0, 0},
		/* what does not fit there */
		{3, 1, 1, 1},
		{4, 4, 2, 2},
		{5, 4, 3, 3},
		/* what is too much for it */
		{1, 6, 1, 1},
		{2, 8, 2, 2},
	};
	struct cluster_node local = {
		.processors = 4, .memory_bytes = (uint64_t)1000 << 20};

	for (size_t i = 0; i < ROWS(rows); i++) {
		struct pilot_plan p = pilots_plan(
			*state, tests, rows[i].tests, rows[i].parallel, &local);

		if (p.n != rows[i].groups || p.pilots != rows[i].pilots)
			fail_msg("row %zu: %zu groups, %zu pilots", i, p.n, p.pilots);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(amounts_are_rounded_up),
		cmocka_unit_test(tests_are_grouped),
		cmocka_unit_test(tests_find_their_group),
		cmocka_unit_test(one_job_is_for_all),
		cmocka_unit_test(this_machine_comes_first),
	};

	return run_unit_tests("pilot_plan", tests, open_arena, close_arena);
}

/* simulate: times from a file, and what is said. */
#include "compat/run/simulate.h"
#include "tests/unit/suite_text.h"
#include "tests/unit/text_file.h"
#include "tests/unit/unit.h"

static const struct {
	const char *text;
	size_t errors;
	const char *seconds; /* of a, b, b, c; before: 1 2 3 4 */
} files[] = {
	{"", 0, "1 2 3 4"},
	{"cctr-timings 1\n7.5 1 - a\n1 1 - nobody\n", 0, "7.5 2 3 4"},
	{"cctr-timings 1\n5 1 - b\n1000 1 - c\n", 0, "1 5 5 1000"},
	{"cctr-timings 1\n1 1 - a\n2 1 Debug a\n", 0, "2 2 3 4"},
	{"cctr-timings 1\n-1 1 - a\n", 1, NULL},
	{"{\"a\": 1}", 1, NULL},
};

static struct selection *
selection_of(struct arena *a, const char *suite)
{
	struct filter everything = {.use_union = false};
	struct selection *s = NEW(a, struct selection);

	*s = select_tests(a, suite_of(a, suite), &everything);
	return s;
}

static void
given_times_replace_others(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS(files); i++) {
		struct arena *a = arena_open();
		struct diag d = diag_in(a);
		struct selection *s = selection_of(a, "a; b; b; c");
		struct recorded v[4] = {
			{1, false, 0}, {2, false, 0}, {3, false, 0}, {4, false, 0}};
		struct buf got = {.arena = a};
		struct simulated_times o = {
			text_file(a, "timings", str_of(files[i].text)), STR("Debug")};
		const struct recorded *read = simulate_recorded(a, &o, s, v, &d);

		assert_int_equal(read != NULL, files[i].seconds != NULL);
		assert_int_equal(d.errors, files[i].errors);
		for (size_t k = 0; read && k < 4; k++)
			buf_fmt(&got, "%s%g", k ? " " : "", read[k].cost);
		if (read && !str_is(buf_as_str(&got), files[i].seconds))
			fail_msg("row %zu: %s", i, got.p);
		arena_close(a);
	}
}

static void
missing_files_are_errors(void **state)
{
	struct arena *a = arena_open();
	struct diag d = diag_in(a);
	struct selection *s = selection_of(a, "a");
	struct recorded v = {1, false, 0};
	struct simulated_times o = {.file = STR("/nowhere/timings")};

	(void)state;
	assert_null(simulate_recorded(a, &o, s, &v, &d));
	assert_int_equal(d.errors, 1);
	arena_close(a);
}

static void
results_are_said(void **state)
{
	struct arena *a = arena_open();
	struct selection *s = selection_of(a, "a; b; c disabled; d");
	struct recorded v[4] = {
		{3, false, 3}, {1, false, 1}, {50, false, 50}, {0, false, 0}};
	struct plan_options o = {.parallel = 2, .recorded = v};
	const struct test *culprit;
	struct plan *p = plan_build(a, s, &o, &culprit);
	struct simulate_request r = {
		.plan = p, .recorded = v, .scheduler = {.parallel = 2}};
	struct buf out = {.arena = a};
	struct explanation e = explanation_in(out.arena);

	(void)state;
	assert_non_null(p);
	/* d takes the median of 1, 3 and 50 */
	simulate(&out, &e, &r);
	assert_string_equal(out.p, "Simulated 4 tests with -j2, in ctest's order\n\n"
				   "Makespan              4.00 sec\n"
				   "Lower bound           3.50 sec (work)\n"
				   "          3.50 sec work\n"
				   "          3.00 sec critical path\n"
				   "Utilisation           87.5 %\n"
				   "Guessed times            1 tests\n");
	arena_close(a);
}

/* b failed without a time, which says something only where there are times. */
static void
what_could_not_start_takes_no_time(void **state)
{
	static const struct {
		double recorded_of_a, a, b;
		const char *guesses;
	} rows[] = {{3, 3, 0, ""}, {0, 1, 1, "Guessed times            2 tests\n"}};
	struct arena *a = *state;
	struct selection *s = selection_of(a, "a; b");

	for (size_t i = 0; i < ROWS(rows); i++) {
		struct recorded v[2] = {{3, true, rows[i].recorded_of_a}, {0, true, 0}};
		struct plan_options o = {.parallel = 2, .recorded = v};
		const struct test *culprit;
		struct plan *p = plan_build(a, s, &o, &culprit);
		size_t guesses;
		const double *seconds = durations_of(a, p, v, &guesses);
		struct simulate_request r = {
			.plan = p, .recorded = v, .scheduler = {.parallel = 2}};
		struct buf out = {.arena = a};
		struct explanation e = explanation_in(a);
		struct str said;

		assert_true(seconds[0] == rows[i].a);
		assert_true(seconds[1] == rows[i].b);
		simulate(&out, &e, &r);
		said = buf_as_str(&out);
		said = str_from(said, str_search(said, STR("Guessed")));
		assert_true(str_is(said, rows[i].guesses));
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(given_times_replace_others),
		cmocka_unit_test(missing_files_are_errors),
		cmocka_unit_test(results_are_said),
		cmocka_unit_test_setup_teardown(
			what_could_not_start_takes_no_time, open_arena, close_arena),
	};

	return run_unit_tests("simulate", tests, NULL, NULL);
}

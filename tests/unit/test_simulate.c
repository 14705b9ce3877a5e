/* simulate: times from a JSON file, and what is said. */
#include "compat/run/simulate.h"
#include "tests/unit/suite_text.h"
#include "tests/unit/text_file.h"
#include "tests/unit/unit.h"

static const struct {
	const char *text;
	size_t errors;
	const char *seconds; /* of a, b, b, c; before: 1 2 3 4 */
} files[] = {
	{"{}", 0, "1 2 3 4"},
	{"{\"a\": 7.5, \"nobody\": 1}", 0, "7.5 2 3 4"},
	{"{\"b\": 0, \"c\": 1e3}", 0, "1 0 0 1000"},
	{"{\"a\": \"x\", \"b\": -1, \"c\": null}", 3, NULL},
	{"{\"a\": 1e999}", 1, NULL},
	{"[1]", 1, NULL},
	{"", 1, NULL},
	{"{\"a\": 1", 1, NULL},
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
files_are_objects_of_seconds(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS(files); i++) {
		struct arena *a = arena_open();
		struct diag d = diag_in(a);
		struct selection *s = selection_of(a, "a; b; b; c");
		struct recorded v[4] = {
			{1, false, 0}, {2, false, 0}, {3, false, 0}, {4, false, 0}};
		struct buf got = {.arena = a};
		const struct recorded *read = simulate_recorded(
			a, text_file(a, "times.json", str_of(files[i].text)), s, v, &d);

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

	(void)state;
	assert_null(simulate_recorded(a, STR("/nowhere/times.json"), s, &v, &d));
	assert_int_equal(d.errors, 1);
	arena_close(a);
}

static void
results_are_said(void **state)
{
	struct arena *a = arena_open();
	struct selection *s = selection_of(a, "a; b; c disabled; d");
	struct recorded v[4] = {
		{3, false, 0}, {1, false, 0}, {50, false, 0}, {0, false, 0}};
	struct plan_options o = {.parallel = 2, .recorded = v};
	const struct test *culprit;
	struct plan *p = plan_build(a, s, &o, &culprit);
	struct simulate_request r = {
		.plan = p, .recorded = v, .scheduler = {.parallel = 2}};
	struct buf out = {.arena = a};

	(void)state;
	assert_non_null(p);
	/* d takes the median of 1, 3 and 50 */
	simulate(&out, &r);
	assert_string_equal(out.p, "Simulated 4 tests with -j2, in ctest's order\n\n"
				   "Makespan              4.00 sec\n"
				   "Lower bound           3.50 sec (work)\n"
				   "          3.50 sec work\n"
				   "          3.00 sec critical path\n"
				   "Utilisation           87.5 %\n");
	arena_close(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_are_objects_of_seconds),
		cmocka_unit_test(missing_files_are_errors),
		cmocka_unit_test(results_are_said),
	};

	return run_unit_tests("simulate", tests, NULL, NULL);
}

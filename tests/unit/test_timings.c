/* Files of times: what runs make of them, how versions are merged, what is damaged. */
#include "runner/run/timings.h"
#include "tests/unit/suite_text.h"
#include "tests/unit/text_file.h"
#include "tests/unit/unit.h"

#include <unistd.h>

static struct result
result_of(const struct test *t, enum verdict_kind kind, double seconds)
{
	return (struct result){.test = t,
		.verdict = {.kind = kind},
		.outcome = {
			.ending = kind == VERDICT_NOT_RUN ? END_NOT_STARTED : END_EXITED,
			.duration_ns = (uint64_t)(seconds * 1e9)}};
}

#define HEAD "cctr-timings 1\n"

/* The file after a run, from what it was. */
static struct str
update(struct arena *a, struct str text, struct str configuration,
	const struct suite *suite, const struct tally *tally)
{
	struct diag d = diag_in(a);
	struct timings_file file = {
		.path = text_file(a, "timings", text), .is_named = true};

	assert_true(timings_save(a, &file, configuration, suite, tally, &d));
	assert_int_equal(d.entries.n, 0);
	assert_true(file_read(a, file.path.p, &text));
	return text;
}

/* One result after the other is added to the file. */
static void
results(void **state)
{
	static const struct {
		enum verdict_kind kind;
		double seconds;
		const char *text;
	} rows[] = {
		{VERDICT_NOT_RUN, 0, HEAD},
		{VERDICT_FAILED, 1, HEAD "1 0 - a\n"},
		{VERDICT_FAILED, 1.09, HEAD "1 0 - a\n"},
		{VERDICT_TIMEOUT, 60, HEAD "60 0 - a\n"},
		{VERDICT_PASSED, 2, HEAD "2 1 - a\n"},
		{VERDICT_FAILED, 9, HEAD "2 1 - a\n"},
		{VERDICT_PASSED, 2.2, HEAD "2 1 - a\n"},
		{VERDICT_PASSED, 1.82, HEAD "2 1 - a\n"},
		{VERDICT_PASSED, 4.004, HEAD "3 2 - a\n"},
		{VERDICT_SKIPPED, 0, HEAD "3 2 - a\n"},
		{VERDICT_PASSED, 4.2, HEAD "3.4 3 - a\n"},
		{VERDICT_PASSED, 4.2, HEAD "3.6 4 - a\n"},
		{VERDICT_PASSED, 6, HEAD "4.08 5 - a\n"},
		{VERDICT_PASSED, 6, HEAD "4.4 6 - a\n"},
		{VERDICT_PASSED, 6, HEAD "4.63 7 - a\n"},
		{VERDICT_PASSED, 6, HEAD "4.8 8 - a\n"},
		{VERDICT_PASSED, 12, HEAD "5.7 8 - a\n"},
		{VERDICT_PASSED, 1e10, HEAD "125000000 8 - a\n"},
	};
	struct arena *a = arena_open();
	struct test test = {.name = STR("a")};
	struct str text = STR("");

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct tally tally = {0};

		VEC_PUSH(a, &tally.results,
			result_of(&test, rows[i].kind, rows[i].seconds));
		text = update(a, text, STR_NONE, NULL, &tally);
		if (!str_is(text, rows[i].text))
			fail_msg("row %zu: got %s", i, text.p);
	}
	arena_close(a);
}

/* A short test is as good as equal within 5 ms, and no time is none. */
static void
short_tests(void **state)
{
	struct arena *a = arena_open();
	struct test tests[] = {
		{.name = STR("a")}, {.name = STR("b")}, {.name = STR("new")}};
	struct tally tally = {0};

	(void)state;
	VEC_PUSH(a, &tally.results, result_of(&tests[0], VERDICT_PASSED, 0.006));
	VEC_PUSH(a, &tally.results, result_of(&tests[1], VERDICT_PASSED, 0.0071234));
	VEC_PUSH(a, &tally.results, result_of(&tests[2], VERDICT_PASSED, 0));
	assert_true(str_is(
		update(a, STR(HEAD "0.001 1 - a\n0.001 1 - b\n"), STR_NONE, NULL, &tally),
		HEAD "0.001 1 - a\n0.00406 2 - b\n0.000001 1 - new\n"));
	arena_close(a);
}

/* Sorted, with each test and configuration once, however versions were joined. */
static void
merged_versions(void **state)
{
	static const struct {
		const char *text, *merged;
	} rows[] = {
		{HEAD "2 1 - b\n1 1 - a\n", HEAD "1 1 - a\n2 1 - b\n"},
		{HEAD "1 1 Release a\n2 1 Debug a\n3 1 - a\n",
			HEAD "3 1 - a\n2 1 Debug a\n1 1 Release a\n"},
		{HEAD "1 1 - a\n" HEAD "4 2 - a\n", HEAD "3 3 - a\n"},
		{HEAD "1 8 - a\n2 8 - a\n", HEAD "1.5 8 - a\n"},
		{HEAD "1 1 - a\n600 0 - a\n", HEAD "1 1 - a\n"},
		{HEAD "600 0 - a\n1 1 - a\n", HEAD "1 1 - a\n"},
		{HEAD "1.2345678 1 - a b  c\n", HEAD "1.234567 1 - a b  c\n"},
		{HEAD "1 1 -  a\n", HEAD "1 1 -  a\n"},
	};
	struct arena *a = arena_open();
	struct test test = {.name = STR("none")};
	struct tally tally = {0};

	(void)state;
	VEC_PUSH(a, &tally.results, result_of(&test, VERDICT_NOT_RUN, 0));
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct str text = update(a, str_of(rows[i].text), STR_NONE, NULL, &tally);

		if (!str_is(text, rows[i].merged))
			fail_msg("row %zu: got %s", i, text.p);
	}
	arena_close(a);
}

/* What no line can hold is left out. */
static void
names_without_a_line(void **state)
{
	struct arena *a = arena_open();
	struct test tests[] = {{.name = STR("two\nlines")}, {.name = STR("")}};
	struct test plain = {.name = STR("plain")};
	struct tally tally = {0};

	(void)state;
	for (size_t i = 0; i < ROWS(tests); i++)
		VEC_PUSH(a, &tally.results, result_of(&tests[i], VERDICT_PASSED, 1));
	assert_true(str_is(update(a, STR(""), STR_NONE, NULL, &tally), HEAD));
	tally.results.v[0] = result_of(&plain, VERDICT_PASSED, 1);
	assert_true(str_is(update(a, STR(""), STR("a b"), NULL, &tally), HEAD));
	assert_true(str_is(update(a, STR(""), STR("Debug"), NULL, &tally),
		HEAD "1 1 Debug plain\n"));
	arena_close(a);
}

static void
damaged(void **state)
{
	static const struct {
		const char *text;
		unsigned line; /* 0: it is right */
	} rows[] = {
		{"", 0},
		{HEAD, 0},
		{HEAD "1 1 - a\n1.5 8 - a b\n", 0},
		{"cctr-timings 2\n", 1},
		{"garbage", 1},
		{HEAD "1 9 - a\n", 2},
		{HEAD "1 1 - a\n\n", 3},
		{HEAD "1 1 a\n", 2},
		{HEAD "1 1 - \n", 2},
		{HEAD "1 1  a\n", 2},
		{HEAD "-1 1 - a\n", 2},
		{HEAD "1. 1 - a\n", 2},
		{HEAD ".5 1 - a\n", 2},
		{HEAD "1.5x 1 - a\n", 2},
		{HEAD "1e3 1 - a\n", 2},
		{HEAD "1000000000 1 - a\n", 2},
		{HEAD "1 1 - a\n<<<<<<< HEAD\n", 3},
		{HEAD "1 1", 2},
	};
	struct arena *a = arena_open();

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++)
		for (int is_named = 0; is_named < 2; is_named++) {
			struct diag d = diag_in(a);
			struct timings_file file = {
				.path = text_file(a, "timings", str_of(rows[i].text)),
				.is_named = is_named};
			struct timings t;
			bool is_right = timings_load(a, &file, &t, &d);
			unsigned line = d.entries.n ? d.entries.v[0].at.line : 0;

			if (line != rows[i].line || is_right != (!line || !is_named) ||
				d.errors != (is_named && line) || (line && t.v.n))
				fail_msg("row %zu, named %d", i, is_named);
		}
	arena_close(a);
}

/* Tests that the suite does not have stay, until they are more than it has. */
static void
bounded(void **state)
{
	static const struct {
		const char *text, *kept;
	} rows[] = {
		{HEAD "1 1 - a\n1 1 - x\n1 1 Debug y\n1 1 Debug z\n",
			HEAD "1 1 - a\n1 1 - x\n1 1 Debug y\n1 1 Debug z\n"},
		{HEAD "1 1 - a\n1 1 - x\n1 1 - y\n1 1 Debug y\n1 1 Debug z\n",
			HEAD "1 1 - a\n1 1 Debug y\n1 1 Debug z\n"},
	};
	struct arena *a = arena_open();
	struct suite *suite = suite_of(a, "a");
	struct tally tally = {0};

	(void)state;
	VEC_PUSH(a, &tally.results, result_of(&suite->tests[0], VERDICT_NOT_RUN, 0));
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct str text =
			update(a, str_of(rows[i].text), STR_NONE, suite, &tally);

		if (!str_is(text, rows[i].kept))
			fail_msg("row %zu: got %s", i, text.p);
	}
	arena_close(a);
}

static void
times_of_tests(void **state)
{
	struct arena *a = arena_open();
	struct diag d = diag_in(a);
	struct suite *suite = suite_of(a, "a; b; c; d");
	struct filter everything = {.use_union = false};
	struct selection s = select_tests(a, suite, &everything);
	struct recorded *recorded = NEW_ARRAY(a, struct recorded, s.n);
	struct timings_file file = {.path = text_file(a, "timings",
					    STR(HEAD "1 1 Debug a\n2 1 Release a\n"
						     "3 0 - b\n4 1 Old b\n5 1 Old c\n"
						     "6 1 Old z\n"))};
	struct timings t;

	(void)state;
	assert_true(timings_load(a, &file, &t, &d));
	timings_fill(&t, STR("Release"), &s, recorded);
	assert_true(recorded[0].seconds == 2 && recorded[1].seconds == 3 &&
		    recorded[2].seconds == 5 && recorded[3].seconds == 0);
	arena_close(a);
}

/* A missing file is empty, unless it must be there; what cannot be read is an error of a
 * file that the user named, else a warning. It is not overwritten. */
static void
files_that_are_not_there(void **state)
{
	struct arena *a = arena_open();
	struct test test = {.name = STR("a")};
	struct tally tally = {0};
	struct timings t;

	(void)state;
	VEC_PUSH(a, &tally.results, result_of(&test, VERDICT_PASSED, 1));
	for (int is_named = 0; is_named < 2; is_named++) {
		struct diag d = diag_in(a);
		struct timings_file file = {
			.path = STR("/no/such/folder/timings"), .is_named = is_named};

		assert_true(timings_load(a, &file, &t, &d));
		assert_int_equal(d.entries.n, 0);
		assert_false(timings_save(a, &file, STR_NONE, NULL, &tally, &d));
		assert_int_equal(d.errors, 1);
		file.path = text_folder();
		assert_int_equal(timings_load(a, &file, &t, &d), !is_named);
		assert_int_equal(d.entries.n, 2);
		assert_int_equal(d.errors, 1 + is_named);
		assert_false(timings_save(a, &file, STR_NONE, NULL, &tally, &d));
		assert_int_equal(d.errors, 2 + is_named);
		file.path = path_join(a, text_folder(), STR("none"));
		file.must_exist = true;
		assert_int_equal(timings_load(a, &file, &t, &d), !is_named);
	}
	arena_close(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(results),
		cmocka_unit_test(short_tests),
		cmocka_unit_test(merged_versions),
		cmocka_unit_test(names_without_a_line),
		cmocka_unit_test(damaged),
		cmocka_unit_test(bounded),
		cmocka_unit_test(times_of_tests),
		cmocka_unit_test(files_that_are_not_there),
	};

	return run_unit_tests("timings", tests, NULL, NULL);
}

/* CTestCostData.txt: what is read, and what ctest 3.25 makes of the same file and run. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "compat/records/cost_data.h"
#include "tests/unit/report_fixture.h"
#include "tests/unit/suite_text.h"
#include "tests/unit/text_file.h"
#include "tests/unit/unit.h"

enum { OLD = 3025, NEW = 4004 };

/* Tests a, b, c with COST 100, d with COST 50; a and c pass in 1 s, d and b fail. */
static struct fixture *
four_tests(unsigned version)
{
	static const char *const names[] = {"a", "b", "c", "d"};
	struct fixture *f = fixture_open(version);

	for (size_t i = 0; i < 4; i++)
		fixture_add(f, names[i]);
	f->properties[2].cost = 100;
	f->properties[3].cost = 50;
	return f;
}

static void
run_four(struct fixture *f, struct report *r)
{
	static const struct play plays[] = {
		{.test = 2, .seconds = 1},
		{.test = 3, .verdict = {.kind = VERDICT_FAILED}, .seconds = 1},
		{.test = 0, .seconds = 1},
		{.test = 1, .verdict = {.kind = VERDICT_TIMEOUT}, .seconds = 1},
	};

	for (size_t i = 0; i < 4; i++)
		fixture_play(f, r, &plays[i]);
}

static struct cost_data *
load(struct arena *a, const struct dialect *dialect, const char *text, size_t parallel)
{
	return cost_data_load(
		a, dialect, text_file(a, "CTestCostData.txt", str_of(text)), parallel);
}

/* The text of the file that it writes. */
static struct str
saved(struct arena *a, struct cost_data *c, const struct selection *s,
	const struct tally *t)
{
	struct diag d = diag_in(a);
	struct str text;

	assert_true(cost_data_save(a, c, s, t, &d));
	assert_true(file_read(
		a, path_join(a, text_folder(), STR("CTestCostData.txt")).p, &text));
	return text;
}

static void
test_update(void **state)
{
	static const struct {
		unsigned version;
		size_t parallel;
		const char *before, *after;
	} rows[] = {
		{OLD, 1, "", "a 1 1\nb 0 0\nc 1 1\nd 0 50\n"},
		{OLD, 2, "a 4 2.5\nb 7 0.25\nzz 1 3\nc 4 1\nd 4 1\n---\na\n",
			"a 5 2.2\nb 7 0.25\nzz 1 3\nc 5 80.2\nd 4 50\n"},
		{OLD, 1, "a 4 2.5\nb 7 0.25\nzz 01 3.00\nc 4 1\nd 4 1\n---\na\n",
			"a 5 0.2\nb 7 0\nzz 1 3\nc 5 80.2\nd 4 50\n"},
		{OLD, 2, "a 4 2.5\n\nb 7 0.25\n", "a 5 2.2\nb 0 0\nc 1 1\nd 0 50\n"},
		{OLD, 2, "a 4 2.5\r\nc 1 1 1\nb x y\n",
			"a 5 2.2\nc 2 50.5\nb 0 0\nd 0 50\n"},
		{OLD, 2, "zz     1 5\nyy    1 5\n",
			"zz 0 0\nyy 0 1\na 1 1\nb 0 0\nc 1 1\nd 0 50\n"},
		{OLD, 2, " a 4 2.5\na\t4\t5\nb 3 2e3",
			" 0 4\na 1 1\nb 0 0\nc 1 1\nd 0 50\n"},
		{OLD, 2, "a 4294967298 1\n", "a 3 1\nb 0 0\nc 1 1\nd 0 50\n"},
		{OLD, 2, "a 2147483647 1\n", "a 2147483647 1\nb 0 0\nc 1 1\nd 0 50\n"},
		{OLD, 2, "a 4 2.5\na 9 9\n",
			"a 10 2.35\na 10 2.35\nb 0 0\nc 1 1\nd 0 50\n"},
		{OLD, 2, "x y 3 1.5\n", "x 0 3\na 1 1\nb 0 0\nc 1 1\nd 0 50\n"},
		{NEW, 2, "x y 3 1.5\n", "x y 3 1.5\na 1 1\nb 0 0\nc 1 1\nd 0 50\n"},
		{NEW, 2, "a 3\nb 2 2\n", "a 1 1\nb 0 0\nc 1 1\nd 0 50\n"},
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct fixture *f = four_tests(rows[i].version);
		struct cost_data *c =
			load(f->a, &f->dialect, rows[i].before, rows[i].parallel);
		struct str want = str_fmt(f->a, "%s---\nd\nb\n", rows[i].after);

		run_four(f, cost_data_listen(c, &f->selection));
		assert_string_equal(saved(f->a, c, &f->selection, &f->tally).p, want.p);
		fixture_close(f);
	}
}

/* Every passed attempt counts when it listens; the last one when it does not. */
static void
test_attempts(void **state)
{
	static const struct play plays[] = {
		{.test = 0, .seconds = 1, .again = true},
		{.test = 0, .seconds = 2, .run = 2, .again = true},
		{.test = 0, .seconds = 6, .run = 3},
	};
	static const char *const wanted[] = {"a 3 3\n---\n", "a 1 6\n---\n"};

	(void)state;
	for (size_t listens = 0; listens < 2; listens++) {
		struct fixture *f = fixture_open(OLD);
		struct cost_data *c = load(f->a, &f->dialect, "", 1);
		struct cost_data *deaf = load(f->a, &f->dialect, "", 1);
		struct report *r;

		fixture_add(f, "a");
		r = cost_data_listen(c, &f->selection);
		for (size_t i = 0; i < 3; i++)
			fixture_play(f, r, &plays[i]);
		assert_string_equal(
			saved(f->a, listens ? deaf : c, &f->selection, &f->tally).p,
			wanted[listens]);
		fixture_close(f);
	}
}

static void
test_recorded(void **state)
{
	struct fixture *f = four_tests(OLD);
	struct cost_data *c =
		load(f->a, &f->dialect, "b 2 0.5\na 1 3\nb 4 9\n---\nd\nb\nother\n\n", 2);
	const struct recorded *r = cost_data_recorded(f->a, c, &f->selection);

	(void)state;
	assert_true(r[0].cost == 3 && !r[0].failed_last);
	assert_true(r[1].cost == 0.5 && r[1].failed_last);
	assert_true(r[2].cost == 0 && !r[2].failed_last);
	assert_true(r[3].cost == 0 && r[3].failed_last);
	fixture_close(f);
}

static void
test_missing_file(void **state)
{
	struct fixture *f = four_tests(OLD);
	struct cost_data *c =
		cost_data_load(f->a, &f->dialect, STR("/nowhere/CTestCostData.txt"), 1);

	(void)state;
	assert_true(cost_data_recorded(f->a, c, &f->selection)[0].cost == 0);
	assert_false(cost_data_save(f->a, c, &f->selection, &f->tally, &f->diag));
	assert_int_equal(f->diag.errors, 1);
	fixture_close(f);
}

/* Names are looked up, not searched for: many tests with a file from an earlier run. */
static void
test_many(void **state)
{
	enum { TESTS = 32000 };
	struct arena *a = arena_open();
	struct buf suite = {.arena = a}, file = {.arena = a};
	struct filter everything = {.use_union = false};
	struct plan_options o = {.parallel = 2};
	struct tally t = {.passed = 0};
	struct dialect dialect = dialect_of(OLD);
	const struct test *culprit;
	struct selection s;
	struct cost_data *c;
	struct str written;
	clock_t began;

	(void)state;
	for (unsigned i = 0; i < TESTS; i++) {
		buf_fmt(&suite, "%stest_%u", i ? ";" : "", i);
		buf_fmt(&file, "test_%u 1 %u\n", i, i % 100 + 1);
	}
	buf_z(&file, "---\n");
	began = clock();
	s = select_tests(a, suite_of(a, suite.p), &everything);
	c = load(a, &dialect, file.p, 2);
	o.recorded = cost_data_recorded(a, c, &s);
	assert_non_null(plan_build(a, &s, &o, &culprit));
	assert_true(o.recorded[TESTS - 1].cost > 0);
	written = saved(a, c, &s, &t);
	assert_true((double)(clock() - began) / CLOCKS_PER_SEC < 1);
	assert_true(str_eq(written, buf_as_str(&file)));
	arena_close(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_update),
		cmocka_unit_test(test_attempts),
		cmocka_unit_test(test_recorded),
		cmocka_unit_test(test_missing_file),
		cmocka_unit_test(test_many),
	};

	return run_unit_tests("cost_data", tests, NULL, NULL);
}

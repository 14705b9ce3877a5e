/* past: results by run, flaky tests, failures and slowdowns, from attempts in memory. */
#include "runner/history/past.h"
#include "tests/unit/unit.h"

enum { TESTS_MOST = 16, RECORDS_MOST = 64 };

struct fixture {
	struct history_run runs[RECORDS_MOST];
	struct history_record records[TESTS_MOST][RECORDS_MOST];
	struct history_of_test tests[TESTS_MOST];
	struct history_content content;
};

/* Runs 1 to n, of one commit each. */
static struct fixture *
fixture_of(struct arena *a, size_t runs)
{
	struct fixture *f = NEW(a, struct fixture);

	for (size_t i = 0; i < runs; i++)
		f->runs[i] = (struct history_run){.id = (int64_t)i + 1,
			.began_us = (int64_t)(i + 1) * 1000,
			.commit = str_fmt(a, "%zu", i + 1)};
	f->content = (struct history_content){
		.runs = f->runs, .runs_n = runs, .tests = f->tests};
	return f;
}

/* The latest attempt comes last. */
static void
add(struct fixture *f, size_t test, int64_t run, const char *verdict, double seconds)
{
	struct history_of_test *t = &f->tests[test];

	t->v = f->records[test];
	memmove(t->v + 1, t->v, t->n * sizeof *t->v);
	t->n++;
	t->v[0] = (struct history_record){.run = run,
		.attempt = {.verdict = str_of(verdict),
			.began_us = run * 1000,
			.wall_us = (uint64_t)(seconds * 1e6)}};
}

/* runs: a letter for each: p, f, s; two letters without a blank are one run. */
static const struct {
	const char *runs;
	size_t passed, failed, skipped, flaky, failing;
	int64_t since; /* the run; 0: it does not fail */
} rows[] = {
	{"", 0, 0, 0, 0, 0, 0},
	{"p p p", 3, 0, 0, 0, 0, 0},
	{"p p f", 2, 1, 0, 0, 1, 3},
	{"f f f", 0, 3, 0, 0, 3, 1},
	{"p f f", 1, 2, 0, 0, 2, 2},
	{"f p", 1, 1, 0, 0, 0, 0},
	/* until it passes, and until it fails */
	{"p fp p", 3, 0, 0, 1, 0, 0},
	{"p ppf", 1, 1, 0, 1, 1, 2},
	{"ff p", 1, 1, 0, 0, 0, 0},
	/* skipped is neither */
	{"p f s f", 1, 2, 1, 0, 2, 2},
	{"p f s", 1, 1, 1, 0, 0, 0},
	{"sp", 1, 0, 0, 0, 0, 0},
	/* not run and canceled are nothing */
	{"p f n", 1, 1, 0, 0, 1, 2},
	{"p c", 1, 0, 0, 0, 0, 0},
	{"n", 0, 0, 0, 0, 0, 0},
};

static void
add_letter(struct fixture *f, char letter, int64_t run)
{
	add(f, 0, run,
		letter == 'p'   ? "passed"
		: letter == 's' ? "skipped"
		: letter == 'n' ? "not run"
				: "failed",
		1);
	if (letter == 'c')
		f->tests[0].v[0].attempt.why = STR("canceled");
}

static void
results(void **state)
{
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct fixture *f = fixture_of(*state, 8);
		int64_t run = 1;
		struct past p;
		const struct past_test *t;

		for (const char *c = rows[i].runs; *c; c++)
			if (*c == ' ')
				run++;
			else
				add_letter(f, *c, run);
		p = past_of(*state, &f->content, 1);
		t = &p.tests[0];
		if (t->passed != rows[i].passed || t->failed != rows[i].failed ||
			t->skipped != rows[i].skipped || t->flaky != rows[i].flaky ||
			t->runs != t->passed + t->failed + t->skipped ||
			t->failing != rows[i].failing ||
			(t->failing_since ? t->failing_since->run : 0) != rows[i].since)
			fail_msg("row %zu: %zu passed, %zu failed, %zu skipped, %zu "
				 "flaky, %zu failing",
				i, t->passed, t->failed, t->skipped, t->flaky,
				t->failing);
	}
}

static void
turns(void **state)
{
	static const char *const verdicts[] = {
		"passed", "failed", "skipped", "passed", "failed"};
	struct fixture *f = fixture_of(*state, 5);
	struct past p;

	for (size_t i = 0; i < ROWS(verdicts); i++)
		add(f, 0, (int64_t)i + 1, verdicts[i], 1);
	p = past_of(*state, &f->content, 1);
	assert_int_equal(p.tests[0].turns, 0); /* each time another commit */
	assert_false(past_is_flaky(&p.tests[0]));
	f->runs[3].commit = f->runs[4].commit;
	p = past_of(*state, &f->content, 1);
	assert_int_equal(
		p.tests[0].turns, 1); /* something was mended, and not committed */
	assert_false(past_is_flaky(&p.tests[0]));
	f->runs[1].commit = f->runs[4].commit;
	p = past_of(*state, &f->content, 1);
	assert_int_equal(p.tests[0].turns, 2);
	assert_true(past_is_flaky(&p.tests[0]));
	/* unknown commits are not equal */
	for (size_t i = 0; i < 5; i++)
		f->runs[i].commit = STR_NONE;
	p = past_of(*state, &f->content, 1);
	assert_int_equal(p.tests[0].turns, 0);
}

/* Twelve tests of about a second, for 24 runs. */
static struct fixture *
add_even(struct arena *a)
{
	struct fixture *f = fixture_of(a, 24);

	for (int64_t run = 1; run <= 24; run++)
		for (size_t i = 0; i < 12; i++)
			add(f, i, run, "passed",
				1 + (double)((size_t)run * (i + 3) % 7) / 100);
	return f;
}

static void
multiply(struct fixture *f, size_t test, int64_t first, int64_t last, uint64_t by)
{
	for (size_t i = 0; i < f->tests[test].n; i++)
		if (f->records[test][i].run >= first && f->records[test][i].run <= last)
			f->records[test][i].attempt.wall_us *= by;
}

static size_t
count_slow(const struct past *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n; i++)
		n += p->tests[i].slow.is_there;
	return n;
}

static void
slow_tests(void **state)
{
	struct fixture *f = add_even(*state);
	struct past p = past_of(*state, &f->content, 12);

	assert_int_equal(count_slow(&p), 0);
	assert_false(p.slow.is_there);
	assert_int_equal(p.runs, 24);
	assert_int_equal(p.first->id, 1);
	assert_int_equal(p.last->id, 24);
	multiply(f, 5, 20, 24, 2);
	p = past_of(*state, &f->content, 12);
	assert_int_equal(count_slow(&p), 1);
	assert_true(p.tests[5].slow.is_there);
	assert_int_equal(p.tests[5].slow.runs, 5);
	assert_int_equal(p.tests[5].slow.began_us, 20000);
	assert_true(str_is(p.tests[5].slow.commit, "20"));
	assert_true(p.tests[5].slow.before > 0.9 && p.tests[5].slow.before < 1.1);
	assert_true(p.tests[5].slow.now > 1.8 && p.tests[5].slow.now < 2.2);
	assert_false(p.slow.is_there);
}

/* A machine that is busy for some runs makes no test slow; one that stays slow is
 * reported of the runs. */
static void
slow_runs(void **state)
{
	struct fixture *f = add_even(*state);
	struct past p;

	for (size_t i = 0; i < 12; i++)
		multiply(f, i, 23, 24, 3);
	p = past_of(*state, &f->content, 12);
	assert_int_equal(count_slow(&p), 0);
	assert_false(p.slow.is_there);
	for (size_t i = 0; i < 12; i++)
		multiply(f, i, 18, 22, 3);
	p = past_of(*state, &f->content, 12);
	assert_int_equal(count_slow(&p), 0);
	assert_true(p.slow.is_there);
	assert_int_equal(p.slow.runs, 7);
	assert_true(str_is(p.slow.commit, "18"));
	assert_true(p.slow.now > 2.5 * p.slow.before);
}

/* One slow time says nothing, and times of failures do not count. */
static void
no_slow_tests(void **state)
{
	struct fixture *f = add_even(*state);
	struct past p;

	multiply(f, 5, 24, 24, 100);
	for (int64_t run = 20; run <= 24; run++)
		f->records[6][24 - run].attempt.verdict = STR("timeout");
	multiply(f, 6, 20, 24, 100);
	p = past_of(*state, &f->content, 12);
	assert_int_equal(count_slow(&p), 0);
	assert_true(p.tests[6].expected_s < 1.1);
	assert_int_equal(p.tests[6].failing, 5);
}

/* Attempts of runs that the history has dropped. */
static void
dropped_runs(void **state)
{
	struct fixture *f = add_even(*state);
	struct past p;

	f->content.runs += 10;
	f->content.runs_n -= 10;
	multiply(f, 5, 19, 24, 4);
	p = past_of(*state, &f->content, 12);
	assert_int_equal(p.runs, 14);
	assert_int_equal(p.tests[5].runs, 24);
	assert_true(p.tests[5].slow.is_there);
	assert_null(past_run(&f->content, 10));
	assert_int_equal(past_run(&f->content, 11)->id, 11);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(results, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(turns, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(slow_tests, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(slow_runs, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(no_slow_tests, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(dropped_runs, open_arena, close_arena),
	};

	return run_unit_tests("past", tests, NULL, NULL);
}

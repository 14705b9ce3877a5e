/* expected: where the time of a test comes from. */
#include "runner/schedule/expected.h"
#include "tests/unit/suite_text.h"
#include "tests/unit/unit.h"

/* recorded: per test the cost, and "/" and the seconds if known; commands: one letter per
 * test; expected: seconds, and
 * "?" after a guess. */
static const struct {
	const char *suite, *recorded, *commands, *expected;
} rows[] = {
	{"", "", "", ""},
	{"a; b", "0 0", "xy", "1? 1?"},
	/* COST; what ctest recorded is no time */
	{"a cost=5; b cost=5; c", "0 2 3", "xyz", "5 5 5?"},
	{"a; b", "2 3", "xy", "1? 1?"},
	{"a cost=-1; b", "7 0/3", "xy", "0 3"},
	/* sums of it are numbers */
	{"a cost=inf; b cost=1e308; c", "0 0 0", "xyy", "1e+09 1e+09 1e+09?"},
	/* CCTR_EXPECTED_SECONDS, before COST */
	{"a cost=5 seconds=2; b seconds=3; c seconds=4", "0 9 9/7", "xyz", "2 3 7"},
	{"a cost=-1 seconds=2; b", "0 0/3", "xy", "0 3"},
	/* what earlier runs took, before COST */
	{"a cost=150; b; c", "75/0.5 9/2 4/4", "xyz", "0.5 2 4"},
	{"a cost=-1; b; c", "7/5 0/3 0", "xyx", "0 3 0?"},
	/* the same executable */
	{"a; b; c", "0/2 0/4 0", "xxx", "2 4 3?"},
	{"a; b; c label=l; d label=l", "0/2 0 0/8 0", "xyzx", "2 5? 8 2?"},
	/* the first label that a test with a time has */
	{"a label=l; b label=l; c label=k,l; d", "0/2 0/4 0 0/9", "wxyz", "2 4 3? 9"},
	{"a label=k; b label=l; c label=k,l", "0/2 0/4 0", "xyz", "2 4 2?"},
	/* the median of all */
	{"a; b; c; d", "0/1 0/100 0/3 0", "wxyz", "1 100 3 3?"},
	{"a; b; c", "0/1 0/3 0", "xyz", "1 3 2?"},
};

static void
read_record(struct str text, struct recorded *r)
{
	r->cost = str_double(text_piece(&text, '/'));
	r->seconds = text.n ? str_double(text) : 0;
}

static void
times_come_from_the_nearest(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct arena *a = arena_open();
		struct filter everything = {.use_union = false};
		struct suite *suite = suite_of(a, rows[i].suite);
		struct str text = str_of(rows[i].recorded);
		struct recorded *recorded = NEW_ARRAY(a, struct recorded, suite->n);
		struct selection s;
		struct expected *e;
		struct buf got = {.arena = a};

		for (size_t k = 0; k < suite->n; k++) {
			struct test *t = (struct test *)&suite->tests[k];

			t->command = (struct str_list){NEW(a, struct str), 1};
			t->command.v[0] = str_cut(rows[i].commands + k, 1);
			read_record(text_piece(&text, ' '), &recorded[k]);
		}
		s = select_tests(a, suite, &everything);
		e = expected_times(a, &s, recorded);
		buf_z(&got, "");
		for (size_t k = 0; k < s.n; k++)
			buf_fmt(&got, "%s%g%s", k ? " " : "", e[k].seconds,
				e[k].is_guess ? "?" : "");
		if (!str_is(buf_as_str(&got), rows[i].expected))
			fail_msg("row %zu: got \"%s\"", i, got.p);
		arena_close(a);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_come_from_the_nearest),
	};

	return run_unit_tests("expected", tests, NULL, NULL);
}

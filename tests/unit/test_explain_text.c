/* explain_text: what is said of waits, ways and gains that were recorded. */
#include "compat/report/explain_text.h"
#include "tests/unit/pool_text.h"
#include "tests/unit/unit.h"

/* Tests 0 to 5 are a to f; they ended at 1 to 6, but f. */
static const char suite_text[] = "a setup=F; b needs=F; c cleanup=F; d after=a; e; f";
static const double started_s[] = {0, 0, 2, 1, 2, NEVER_S};
static const double ended_s[] = {1, 2, 3, 4, 5, NEVER_S};

static const struct {
	node_id node;
	struct wait wait;
	const char *said;
} rows[] = {
	{3, {.why = {.kind = BLOCKED_BY_DEPENDENCY, .node = 0}, .to_s = 1}, "after a"},
	{1, {.why = {.kind = BLOCKED_BY_DEPENDENCY, .node = 0}, .to_s = 1, .passed = 3},
		"fixture F, set up by a"},
	{2, {.why = {.kind = BLOCKED_BY_DEPENDENCY, .node = 1}, .to_s = 1},
		"fixture F, used by b"},
	{2, {.why = {.kind = BLOCKED_BY_DEPENDENCY, .node = 0}, .to_s = 1},
		"fixture F, set up by a"},
	{0, {.why = {.kind = BLOCKED_BY_LOCK, .node = 1, .name = {"db", 2}}, .to_s = 1},
		"lock db, held by b"},
	{0,
		{.why = {.kind = BLOCKED_BY_LOCK, .node = 1, .name = {"\0groups", 7}},
			.to_s = 1},
		"resources, held by b"},
	{0,
		{.why = {.kind = BLOCKED_BY_SLOTS, .wanted = 4, .is_free = 1},
			.holders = {{1, 0}, {5, 0}},
			.holders_n = 2,
			.passed = 1,
			.to_s = 1},
		"processors: needs 4, 1 free, held by b until 2.00, f; 1 other started"},
	{0,
		{.why = {.kind = BLOCKED_BY_SLOTS, .wanted = 1, .is_free = 0},
			.holders = {{1, 0}, {2, 0}, {3, 0}, {4, 0}},
			.holders_n = 9,
			.passed = 2,
			.to_s = 1},
		"processors: needs 1, 0 free, held by b until 2.00, c until 3.00, "
		"d until 4.00, e until 5.00 and 5 more; 2 others started"},
	{0,
		{.why = {.kind = BLOCKED_BY_PROCESSORS, .wanted = 2, .is_free = 1},
			.to_s = 1},
		"processors to itself: needs 2, 1 free"},
	{0, {.why = {.kind = BLOCKED_BY_LOAD, .wanted = 1, .is_free = 0}, .to_s = 1},
		"load: needs 1, 0 free"},
	{0,
		{.why = {.kind = BLOCKED_BY_OTHERS},
			.holders = {{1, 0}},
			.holders_n = 1,
			.to_s = 1},
		"runs alone, waits for b until 2.00"},
	{0, {.why = {.kind = BLOCKED_BY_SERIAL, .node = 1}, .to_s = 1}, "b runs alone"},
	{0,
		{.why = {.kind = BLOCKED_BY_RESOURCE,
			 .name = {"gpus", 4},
			 .wanted = 2,
			 .is_free = 1,
			 .instance = 1},
			.holders = {{3, 3}},
			.holders_n = 1,
			.to_s = 1},
		"gpus: needs 2 on one instance, g1 has 1 of 4 free, "
		"held by d (3) until 4.00"},
	{0,
		{.why = {.kind = BLOCKED_BY_RESOURCE,
			 .name = {"gpus", 4},
			 .wanted = 3,
			 .is_free = 2,
			 .instance = MAP_NONE},
			.to_s = 1},
		"gpus: needs 3, 2 free"},
	{0,
		{.why = {.kind = BLOCKED_BY_RESOURCE,
			 .name = {"gpus", 4},
			 .wanted = 3,
			 .is_free = 3,
			 .instance = MAP_NONE},
			.to_s = 1},
		"gpus: needs 3, 3 free but not where it fits"},
	{0,
		{.why = {.kind = BLOCKED_BY_LEASE, .name = {"gpus", 4}, .node = 4},
			.to_s = 1},
		"gpus: kept for e"},
	{0, {.why = {.kind = BLOCKED_BY_RESERVATION, .node = 4}, .to_s = 1},
		"reserved for e"},
	{0,
		{.why = {.kind = BLOCKED_BY_RESERVATION, .node = 4, .until_s = 7.5},
			.to_s = 1},
		"reserved for e from 7.50"},
	{0, {.why = {.kind = BLOCKED_BY_RANK}, .to_s = 1}, "others come first"},
	{0, {.why = {.kind = BLOCKED_BY_STOP}, .to_s = 1}, "nothing starts any more"},
};

static struct account
account_of(struct arena *a, const char *suite)
{
	struct filter everything = {.use_union = false};
	struct selection *s = NEW(a, struct selection);
	struct pool *pool = NEW(a, struct pool);
	struct plan_options o = {.parallel = 4};
	const struct test *culprit;

	*s = select_tests(a, suite_of(a, suite), &everything);
	*pool = pool_of(a, "gpus g0=4 g1=4");
	return (struct account){.plan = plan_build(a, s, &o, &culprit),
		.pool = pool,
		.times = {started_s, ended_s},
		.end_s = 9};
}

static void
reasons_are_said(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct arena *a = arena_open();
		struct account account = account_of(a, suite_text);
		struct watched t = {.node = rows[i].node};
		struct buf out = {.arena = a};
		struct str expected =
			str_fmt(a, "          0.00         1.00 sec %s\n", rows[i].said);

		VEC_PUSH(a, &t.waits, rows[i].wait);
		explain_waits(&out, &account, &t);
		if (!str_ends(buf_as_str(&out), expected))
			fail_msg("row %zu: %s", i, out.p);
		arena_close(a);
	}
}

static void
add_wait(struct arena *a, struct watched *t, double from_s, double to_s)
{
	struct wait w = {.why.kind = BLOCKED_BY_RANK, .from_s = from_s, .to_s = to_s};

	VEC_PUSH(a, &t->waits, w);
}

static void
times_stand_before_the_reasons(void **state)
{
	struct arena *a = arena_open();
	struct account account = account_of(a, suite_text);
	struct watched t = {.node = 3};
	struct buf out = {.arena = a};

	(void)state;
	add_wait(a, &t, 0, 0.004);
	add_wait(a, &t, 0.004, 1);
	explain_waits(&out, &account, &t);
	assert_string_equal(out.p, "Explained     d\n\n"
				   "Start                 1.00 sec\n"
				   "End                   4.00 sec\n"
				   "Wait                  1.00 sec\n"
				   "          0.00         1.00 sec others come first\n");
	arena_close(a);
}

static void
reasons_of_tests_that_did_not_run(void **state)
{
	struct arena *a = arena_open();
	struct account account = account_of(a, suite_text);
	struct str reasons[6] = {[1] = STR("Disabled"), [5] = STR("stopped")};
	struct watched refused = {.node = 1}, stopped = {.node = 5};
	struct buf out = {.arena = a};

	(void)state;
	account.reasons = reasons;
	explain_waits(&out, &account, &refused);
	explain_waits(&out, &account, &stopped);
	assert_string_equal(out.p, "Explained     b\n\n"
				   "Start                never\n"
				   "Reason        Disabled\n"
				   "Wait                  0.00 sec\n"
				   "Explained     f\n\n"
				   "Start                never\n"
				   "Reason        stopped\n"
				   "Wait                  9.00 sec\n");
	arena_close(a);
}

static void
tests_that_never_start_wait_to_the_end(void **state)
{
	struct arena *a = arena_open();
	struct account account = account_of(a, suite_text);
	struct watched t = {.node = 5};
	struct buf out = {.arena = a};

	(void)state;
	explain_waits(&out, &account, &t);
	assert_string_equal(out.p, "Explained     f\n\n"
				   "Start                never\n"
				   "Wait                  9.00 sec\n");
	arena_close(a);
}

static void
tests_of_an_earlier_run_have_no_times(void **state)
{
	struct arena *a = arena_open();
	struct account account = account_of(a, suite_text);
	bool finished[6] = {[2] = true};
	struct watched t = {.node = 2};
	struct buf out = {.arena = a};

	(void)state;
	account.finished = finished;
	explain_waits(&out, &account, &t);
	assert_string_equal(out.p, "Explained     c\n\n"
				   "Start         earlier run\n");
	arena_close(a);
}

/* n waits of a second each: how many lines, and how many are said to be left out. */
static const struct {
	size_t waits, lines;
	const char *left_out;
} lengths[] = {
	{0, 0, NULL}, {20, 20, NULL}, {21, 21, " 1 more\n"}, {999, 21, " 979 more\n"}};

static void
long_lists_are_cut_short(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS(lengths); i++) {
		struct arena *a = arena_open();
		struct account account = account_of(a, suite_text);
		struct watched t = {.node = 0};
		struct buf out = {.arena = a};
		size_t lines = 0;

		for (size_t k = 0; k < lengths[i].waits; k++)
			add_wait(a, &t, (double)k, (double)k + 1);
		explain_waits(&out, &account, &t);
		for (size_t k = 0; k < out.n; k++)
			lines += out.p[k] == '\n';
		assert_int_equal(lines, 5 + lengths[i].lines);
		if (lengths[i].left_out)
			assert_true(
				str_has(buf_as_str(&out), str_of(lengths[i].left_out)));
		arena_close(a);
	}
}

static void
ways_are_said(void **state)
{
	struct arena *a = arena_open();
	struct account account = account_of(a, suite_text);
	struct steps s = {.seconds = 7};
	static const struct step v[] = {{.node = 0}, {.node = 1, .kind = STEP_DEPENDENCY},
		{.node = 2, .kind = STEP_LOCK, .name = {"db", 2}},
		{.node = 3, .kind = STEP_RESOURCE, .name = {"gpus", 4}},
		{.node = 4, .kind = STEP_ALONE}, {.node = 4, .kind = STEP_SLOTS}};
	struct buf out = {.arena = a};

	(void)state;
	for (size_t i = 0; i < ROWS(v); i++)
		VEC_PUSH(a, &s.v, v[i]);
	explain_steps(&out, &account, &s);
	assert_string_equal(out.p, "Critical path         7.00 sec\n"
				   "          0.00         1.00 sec a\n"
				   "          0.00         2.00 sec b, dependency\n"
				   "          2.00         3.00 sec c, lock db\n"
				   "          1.00         4.00 sec d, resource gpus\n"
				   "          2.00         5.00 sec e, alone\n"
				   "          2.00         5.00 sec e, processors\n");
	arena_close(a);
}

static void
gains_are_said(void **state)
{
	struct arena *a = arena_open();
	struct buf out = {.arena = a};
	static const struct gain v[] = {{{"-j5", 3}, 6.9}, {{"gpus", 4}, 9.9999999}};

	(void)state;
	explain_gains(&out, 10, v, 2);
	assert_string_equal(out.p, "One more\n"
				   "          6.90 sec  -31.0 % -j5\n"
				   "         10.00 sec   +0.0 % gpus\n");
	out.n = 0;
	explain_gains(&out, 0, v, 1);
	assert_string_equal(out.p, "One more\n"
				   "          6.90 sec   +0.0 % -j5\n");
	arena_close(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reasons_are_said),
		cmocka_unit_test(times_stand_before_the_reasons),
		cmocka_unit_test(reasons_of_tests_that_did_not_run),
		cmocka_unit_test(tests_that_never_start_wait_to_the_end),
		cmocka_unit_test(tests_of_an_earlier_run_have_no_times),
		cmocka_unit_test(long_lists_are_cut_short),
		cmocka_unit_test(ways_are_said),
		cmocka_unit_test(gains_are_said),
	};

	return run_unit_tests("explain_text", tests, NULL, NULL);
}

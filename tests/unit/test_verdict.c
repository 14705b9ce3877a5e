/*
 * What outcomes mean. The rows were seen with ctest 3.25: every combination of ending,
 * WILL_FAIL, SKIP_RETURN_CODE and the three kinds of expressions, each found and not.
 */
#include <errno.h>
#include <signal.h>

#include "compat/format/regex.h"
#include "runner/model/verdict.h"
#include "tests/unit/unit.h"

/* One expression that the output "hit" has, one that it has not, both. */
enum which { NONE, HIT, MISS, MISS_HIT };

struct row {
	enum ending ending;
	int code; /* exit code, signal or refusal */
	bool will_fail;
	enum which pass, fail, skip; /* not searched in if a setup is missing */
	int skip_code; /* -1: none */
	enum verdict_kind kind;
	enum reason_kind reason;
};

static const struct row rows[] = {
	{END_EXITED, 0, false, NONE, NONE, NONE, -1, VERDICT_PASSED, REASON_NONE},
	{END_EXITED, 3, false, NONE, NONE, NONE, -1, VERDICT_FAILED, REASON_NONE},
	{END_EXITED, 0, true, NONE, NONE, NONE, -1, VERDICT_FAILED, REASON_NONE},
	{END_EXITED, 3, true, NONE, NONE, NONE, -1, VERDICT_PASSED, REASON_NONE},
	/* PASS_REGULAR_EXPRESSION: the exit code does not count. */
	{END_EXITED, 3, false, HIT, NONE, NONE, -1, VERDICT_PASSED,
		REASON_REQUIRED_FOUND},
	{END_EXITED, 3, false, MISS_HIT, NONE, NONE, -1, VERDICT_PASSED,
		REASON_REQUIRED_FOUND},
	{END_EXITED, 0, false, MISS, NONE, NONE, -1, VERDICT_FAILED,
		REASON_REQUIRED_NOT_FOUND},
	{END_EXITED, 0, true, HIT, NONE, NONE, -1, VERDICT_FAILED, REASON_REQUIRED_FOUND},
	{END_EXITED, 0, true, MISS, NONE, NONE, -1, VERDICT_PASSED,
		REASON_REQUIRED_NOT_FOUND},
	/* FAIL_REGULAR_EXPRESSION beats it. */
	{END_EXITED, 0, false, NONE, HIT, NONE, -1, VERDICT_FAILED, REASON_ERROR_FOUND},
	{END_EXITED, 0, false, NONE, MISS_HIT, NONE, -1, VERDICT_FAILED,
		REASON_ERROR_FOUND},
	{END_EXITED, 0, false, NONE, MISS, NONE, -1, VERDICT_PASSED, REASON_NONE},
	{END_EXITED, 0, false, HIT, HIT, NONE, -1, VERDICT_FAILED, REASON_ERROR_FOUND},
	{END_EXITED, 0, false, MISS, HIT, NONE, -1, VERDICT_FAILED, REASON_ERROR_FOUND},
	{END_EXITED, 0, false, HIT, MISS, NONE, -1, VERDICT_PASSED,
		REASON_REQUIRED_FOUND},
	{END_EXITED, 0, true, NONE, HIT, NONE, -1, VERDICT_PASSED, REASON_ERROR_FOUND},
	/* SKIP_REGULAR_EXPRESSION beats all, for a test that exited. */
	{END_EXITED, 0, false, NONE, NONE, HIT, -1, VERDICT_SKIPPED, REASON_SKIP_FOUND},
	{END_EXITED, 9, true, MISS, HIT, HIT, -1, VERDICT_SKIPPED, REASON_SKIP_FOUND},
	{END_EXITED, 0, false, NONE, NONE, MISS, -1, VERDICT_PASSED, REASON_NONE},
	{END_EXITED, 0, false, NONE, NONE, MISS_HIT, -1, VERDICT_SKIPPED,
		REASON_SKIP_FOUND},
	/* SKIP_RETURN_CODE skips with whatever reason there is. */
	{END_EXITED, 3, false, NONE, NONE, NONE, 3, VERDICT_SKIPPED, REASON_NONE},
	{END_EXITED, 3, true, MISS, NONE, NONE, 3, VERDICT_SKIPPED,
		REASON_REQUIRED_NOT_FOUND},
	{END_EXITED, 3, false, NONE, HIT, NONE, 3, VERDICT_SKIPPED, REASON_ERROR_FOUND},
	{END_EXITED, 3, false, NONE, NONE, HIT, 3, VERDICT_SKIPPED, REASON_SKIP_FOUND},
	{END_EXITED, 3, false, NONE, NONE, NONE, 4, VERDICT_FAILED, REASON_NONE},
	{END_EXITED, 0, false, NONE, NONE, NONE, 0, VERDICT_SKIPPED, REASON_NONE},
	/* Signals and limits: reasons are shown, nothing else counts. */
	{END_SIGNALLED, SIGSEGV, false, NONE, NONE, NONE, -1, VERDICT_SEGFAULT,
		REASON_NONE},
	{END_SIGNALLED, SIGSEGV, true, HIT, NONE, NONE, -1, VERDICT_SEGFAULT,
		REASON_REQUIRED_FOUND},
	{END_SIGNALLED, SIGILL, true, NONE, NONE, HIT, 0, VERDICT_ILLEGAL,
		REASON_SKIP_FOUND},
	{END_SIGNALLED, SIGINT, false, MISS, NONE, NONE, -1, VERDICT_INTERRUPT,
		REASON_REQUIRED_NOT_FOUND},
	{END_SIGNALLED, SIGFPE, false, NONE, HIT, NONE, -1, VERDICT_NUMERICAL,
		REASON_ERROR_FOUND},
	{END_SIGNALLED, SIGTERM, true, NONE, NONE, NONE, SIGTERM, VERDICT_OTHER_FAULT,
		REASON_NONE},
	{END_TIMED_OUT, 0, true, HIT, NONE, NONE, 0, VERDICT_TIMEOUT,
		REASON_REQUIRED_FOUND},
	{END_TIMED_OUT, 0, false, NONE, NONE, HIT, 0, VERDICT_TIMEOUT, REASON_SKIP_FOUND},
	/* Not started: searched in nothing, but for fixtures. */
	{END_NOT_STARTED, REFUSED_DISABLED, true, MISS, HIT, HIT, 0, VERDICT_DISABLED,
		REASON_REQUIRED_NOT_FOUND},
	{END_NOT_STARTED, REFUSED_FIXTURE, false, MISS, NONE, NONE, -1, VERDICT_NOT_RUN,
		REASON_NONE},
	{END_NOT_STARTED, REFUSED_FIXTURE_SKIP, false, MISS, NONE, NONE, -1,
		VERDICT_SKIPPED, REASON_NONE},
	{END_NOT_STARTED, REFUSED_RESOURCES, false, NONE, NONE, NONE, -1, VERDICT_NOT_RUN,
		REASON_NONE},
	{END_NOT_STARTED, REFUSED_RESOURCES_SKIP, true, NONE, NONE, NONE, -1,
		VERDICT_SKIPPED, REASON_NONE},
	{END_NOT_STARTED, REFUSED_DIRECTORY, false, HIT, NONE, NONE, -1, VERDICT_NOT_RUN,
		REASON_REQUIRED_NOT_FOUND},
	{END_NOT_STARTED, REFUSED_DEFECT, true, NONE, NONE, NONE, 0, VERDICT_NOT_RUN,
		REASON_NONE},
	{END_NOT_STARTED, REFUSED_CONFIGURATION, true, NONE, NONE, NONE, 0,
		VERDICT_NOT_RUN, REASON_NONE},
	{END_NOT_STARTED, REFUSED_REQUIRED_FILE, true, NONE, NONE, NONE, 0,
		VERDICT_NOT_RUN, REASON_NONE},
	{END_NOT_STARTED, REFUSED_EXECUTABLE, true, NONE, NONE, NONE, 0, VERDICT_NOT_RUN,
		REASON_NONE},
	{END_NOT_STARTED, REFUSED_ENVIRONMENT, true, HIT, NONE, NONE, 0,
		VERDICT_BAD_COMMAND, REASON_REQUIRED_NOT_FOUND},
	{END_NOT_STARTED, REFUSED_START, false, NONE, NONE, NONE, 0, VERDICT_BAD_COMMAND,
		REASON_NONE},
};

static struct pattern_list
patterns(struct arena *a, struct match_set *set, enum which w)
{
	struct pattern_list l = {NEW_ARRAY(a, const struct pattern *, 2), 0};
	struct str why;

	if (w == MISS || w == MISS_HIT)
		l.v[l.n++] = match_set_get(set, STR("miss"), &why);
	if (w == HIT || w == MISS_HIT)
		l.v[l.n++] = match_set_get(set, STR("^h.t"), &why);
	return l;
}

static struct outcome
outcome_of(const struct row *r)
{
	struct outcome o = {.ending = r->ending};

	if (r->ending == END_NOT_STARTED)
		o.refusal = (enum refusal_kind)r->code;
	else
		o.output = STR("hit\n");
	o.exit_code = r->ending == END_EXITED ? r->code : 0;
	o.signal = r->ending == END_SIGNALLED ? r->code : 0;
	return o;
}

static bool
is_of_fixture(const struct outcome *o)
{
	return o->refusal == REFUSED_FIXTURE || o->refusal == REFUSED_FIXTURE_SKIP;
}

static void
combinations(void **state)
{
	struct arena *a = arena_open();
	struct match_set *set = match_set_open(a, regex_parse);

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		const struct row *r = &rows[i];
		struct properties p = properties_default;
		struct test t = {.properties = &p};
		struct outcome o = outcome_of(r);
		struct verdict v;

		o.lacks_setup = is_of_fixture(&o);
		p.will_fail = r->will_fail;
		p.pass = patterns(a, set, r->pass);
		p.fail = patterns(a, set, r->fail);
		p.skip = patterns(a, set, r->skip);
		p.has_skip_return_code = r->skip_code >= 0;
		p.skip_return_code = r->skip_code;
		v = verdict_judge(&t, &o);
		if (v.kind != r->kind || v.reason != r->reason)
			print_message("row %zu\n", i);
		assert_int_equal(v.kind, r->kind);
		assert_int_equal(v.reason, r->reason);
		if (v.reason == REASON_NONE || v.reason == REASON_REQUIRED_NOT_FOUND)
			assert_int_equal(v.pattern.n, 0);
		else
			assert_true(str_is(v.pattern, "^h.t"));
	}
	match_set_close(set);
	arena_close(a);
}

/* A test without the setup of its fixture is searched in for nothing, whatever it was
 * refused for first. */
static void
without_setup(void **state)
{
	struct arena *a = arena_open();
	struct match_set *set = match_set_open(a, regex_parse);
	struct properties p = properties_default;
	struct test t = {.properties = &p};
	struct outcome o = {.ending = END_NOT_STARTED, .refusal = REFUSED_RESOURCES};
	struct verdict v;

	(void)state;
	p.pass = patterns(a, set, MISS);
	assert_int_equal(verdict_judge(&t, &o).reason, REASON_REQUIRED_NOT_FOUND);
	o.lacks_setup = true;
	v = verdict_judge(&t, &o);
	assert_int_equal(v.kind, VERDICT_NOT_RUN);
	assert_int_equal(v.reason, REASON_NONE);
	match_set_close(set);
	arena_close(a);
}

/* An expression that does not compile is as one that is not found. */
static void
broken_expression(void **state)
{
	static const struct pattern broken = {{"(", 1}, NULL};
	const struct pattern *list[] = {&broken};
	struct properties p = properties_default;
	struct test t = {.properties = &p};
	struct outcome o = {.ending = END_EXITED, .output = STR("(\n")};

	(void)state;
	p.fail = p.skip = (struct pattern_list){list, 1};
	assert_int_equal(verdict_judge(&t, &o).kind, VERDICT_PASSED);
	p.pass = (struct pattern_list){list, 1};
	assert_int_equal(verdict_judge(&t, &o).kind, VERDICT_FAILED);
}

/* Lost output fails whatever exits, WILL_FAIL and skip codes notwithstanding. */
static void
output_lost(void **state)
{
	struct properties p = properties_default;
	struct test t = {.properties = &p};
	struct outcome o = {.ending = END_EXITED, .lost_output = EIO};

	(void)state;
	assert_int_equal(verdict_judge(&t, &o).kind, VERDICT_FAILED);
	assert_int_equal(verdict_judge(&t, &o).lost_output, EIO);
	p.will_fail = true;
	assert_int_equal(verdict_judge(&t, &o).kind, VERDICT_FAILED);
	p.has_skip_return_code = true;
	assert_int_equal(verdict_judge(&t, &o).kind, VERDICT_FAILED);
	o.ending = END_TIMED_OUT;
	assert_int_equal(verdict_judge(&t, &o).kind, VERDICT_TIMEOUT);
	o.ending = END_SIGNALLED;
	o.signal = SIGPIPE;
	assert_int_equal(verdict_judge(&t, &o).kind, VERDICT_FAILED);
	o.signal = SIGSEGV;
	assert_int_equal(verdict_judge(&t, &o).kind, VERDICT_SEGFAULT);
}

/* Whoever should have made something and has not has failed, where it could have passed.
 */
static void
nothing_made(void **state)
{
	static const struct {
		enum ending ending;
		int exit_code;
		bool will_fail, is_skipped;
		enum verdict_kind kind;
	} made[] = {
		{END_EXITED, 0, false, false, VERDICT_FAILED},
		{END_EXITED, 1, false, false, VERDICT_FAILED},
		{END_EXITED, 0, true, false, VERDICT_PASSED},
		{END_EXITED, 1, true, false, VERDICT_PASSED},
		{END_EXITED, 7, false, true, VERDICT_SKIPPED},
		{END_SIGNALLED, 0, false, false, VERDICT_OTHER_FAULT},
		{END_TIMED_OUT, 0, false, false, VERDICT_TIMEOUT},
		{END_NOT_STARTED, 0, false, false, VERDICT_NOT_RUN},
	};

	(void)state;
	for (size_t i = 0; i < ROWS(made); i++) {
		struct properties p = properties_default;
		struct test t = {.properties = &p};
		struct outcome o = {.ending = made[i].ending,
			.exit_code = made[i].exit_code,
			.signal = SIGKILL,
			.made_nothing = true};
		struct verdict v;

		p.will_fail = made[i].will_fail;
		p.has_skip_return_code = made[i].is_skipped;
		p.skip_return_code = 7;
		v = verdict_judge(&t, &o);
		assert_int_equal(v.kind, made[i].kind);
		assert_true(v.made_nothing);
	}
}

/* Whatever it did: also where it ended with 0 before it was killed. */
static void
canceled(void **state)
{
	static const enum ending endings[] = {
		END_EXITED, END_SIGNALLED, END_TIMED_OUT, END_NOT_STARTED};

	(void)state;
	for (size_t i = 0; i < ROWS(endings); i++)
		for (int fails = 0; fails < 2; fails++) {
			struct properties p = properties_default;
			struct test t = {.properties = &p};
			struct outcome o = {.ending = endings[i],
				.signal = SIGKILL,
				.refusal = REFUSED_CANCELED,
				.is_canceled = true};
			struct verdict v;

			p.will_fail = fails;
			p.has_skip_return_code = true;
			v = verdict_judge(&t, &o);
			assert_int_equal(v.kind, endings[i] == END_NOT_STARTED
							 ? VERDICT_NOT_RUN
							 : VERDICT_FAILED);
			assert_int_equal(v.is_canceled, endings[i] != END_NOT_STARTED);
		}
}

static void
totals_and_names(void **state)
{
	static const struct {
		enum verdict_kind kind;
		bool is_pass, is_uncounted;
	} kinds[] = {
		{VERDICT_PASSED, true, false},
		{VERDICT_FAILED, false, false},
		{VERDICT_TIMEOUT, false, false},
		{VERDICT_SKIPPED, true, false},
		{VERDICT_DISABLED, false, true},
		{VERDICT_NOT_RUN, false, false},
		{VERDICT_BAD_COMMAND, false, false},
		{VERDICT_SEGFAULT, false, false},
		{VERDICT_ILLEGAL, false, false},
		{VERDICT_INTERRUPT, false, false},
		{VERDICT_NUMERICAL, false, false},
	};

	(void)state;
	for (size_t i = 0; i < ROWS(kinds); i++) {
		assert_int_equal(verdict_is_pass(kinds[i].kind), kinds[i].is_pass);
		assert_int_equal(
			verdict_is_uncounted(kinds[i].kind), kinds[i].is_uncounted);
	}
	assert_false(verdict_is_pass(VERDICT_OTHER_FAULT));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(combinations),
		cmocka_unit_test(without_setup),
		cmocka_unit_test(broken_expression),
		cmocka_unit_test(output_lost),
		cmocka_unit_test(nothing_made),
		cmocka_unit_test(canceled),
		cmocka_unit_test(totals_and_names),
	};

	return run_unit_tests("verdict", tests, NULL, NULL);
}

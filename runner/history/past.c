/*
 * See past.h. Two causes make a time longer: the test, and the machine in that run. The
 * times of a run are divided by the median of its tests' times, each as a multiple of the
 * test's median: the first step of Tukey's median polish (Exploratory Data Analysis,
 * 1977). What is slower in all tests together is reported of the run.
 */
#include "runner/history/past.h"

#include "runner/base/numbers.h"
#include "runner/history/rank_sum.h"
#include "runner/history/robust.h"

/* Of the tests that are named as slower about so many are so by chance. */
#define FALSE_SHARE 0.05
#define RUN_CHANCE 0.01
enum { RUN_TESTS_LEAST = 10, RESULTS_MOST = 50, NO_RUN = -1 };

enum result_kind { RESULT_NONE, RESULT_PASSED, RESULT_FAILED, RESULT_SKIPPED };

struct result {
	enum result_kind kind;
	const struct history_record *first; /* the latest attempt */
	const struct history_record *passed; /* the latest that has passed; NULL: none */
	bool is_flaky;
};
typedef VEC(struct result) result_vec;

struct timed {
	ptrdiff_t run; /* index of content->runs; NO_RUN: the history does not have it */
	const struct history_record *record;
	double seconds;
};
struct times {
	struct timed v[RESULTS_MOST]; /* passed, the latest first */
	size_t n;
	double median;
};

struct analysis {
	struct arena *a;
	const struct history_content *content;
	struct past past;
	struct times *times; /* of each test */
	double *speeds; /* of each run: the usual time is 1; 0: too few tests */
	size_t *tests_of; /* of each run: how many have passed */
	struct rank_sum *ranks;
};

/* ---- attempts -------------------------------------------------------------------- */

static enum result_kind
kind_of(const struct history_attempt *a)
{
	if (str_is(a->verdict, "passed"))
		return RESULT_PASSED;
	if (str_is(a->verdict, "skipped"))
		return RESULT_SKIPPED;
	if (str_is(a->verdict, "not run") || str_is(a->why, "canceled"))
		return RESULT_NONE;
	return RESULT_FAILED;
}

/* The attempts of one test by run, the latest first. */
static result_vec
group_results(struct arena *a, const struct history_of_test *t)
{
	result_vec all = {0};

	for (size_t i = 0; i < t->n; i++) {
		const struct history_record *r = &t->v[i];
		enum result_kind kind = kind_of(&r->attempt);
		struct result *last = all.n ? &all.v[all.n - 1] : NULL;

		if (kind == RESULT_NONE)
			continue;
		if (!last || last->first->run != r->run) {
			VEC_PUSH(a, &all, (struct result){.kind = kind, .first = r});
			last = &all.v[all.n - 1];
		}
		last->is_flaky = last->is_flaky ||
				 (last->kind != kind && last->kind != RESULT_SKIPPED &&
					 kind != RESULT_SKIPPED);
		if (kind == RESULT_PASSED && !last->passed)
			last->passed = r;
	}
	return all;
}

const struct history_run *
past_run(const struct history_content *content, int64_t id)
{
	size_t i = 0;

	BISECT(i, content->runs_n, content->runs[i].id >= id);
	return i < content->runs_n && content->runs[i].id == id ? &content->runs[i]
								: NULL;
}

static struct str
commit_at(const struct history_content *content, const struct history_record *r)
{
	const struct history_run *run = past_run(content, r->run);

	return run ? run->commit : STR_NONE;
}

/* ---- results --------------------------------------------------------------------- */

static void
count_results(struct past_test *t, const result_vec *all)
{
	bool goes_on = true;

	for (size_t i = 0; i < all->n; i++) {
		const struct result *r = &all->v[i];

		t->runs++;
		t->passed += r->kind == RESULT_PASSED;
		t->failed += r->kind == RESULT_FAILED;
		t->skipped += r->kind == RESULT_SKIPPED;
		t->flaky += r->is_flaky;
		goes_on = goes_on && r->kind != RESULT_PASSED;
		if (goes_on && r->kind == RESULT_FAILED) {
			t->failing++;
			t->failing_since = r->first;
		}
	}
	t->latest = all->n ? all->v[0].first : NULL;
	if (all->n && all->v[0].kind != RESULT_FAILED) {
		t->failing = 0;
		t->failing_since = NULL;
	}
}

static void
count_turns(
	const struct history_content *content, struct past_test *t, const result_vec *all)
{
	const struct result *later = NULL;

	for (size_t i = 0; i < all->n; i++) {
		const struct result *r = &all->v[i];
		struct str commit = commit_at(content, r->first);

		if (r->kind == RESULT_SKIPPED)
			continue;
		if (later && later->kind != r->kind && commit.n &&
			str_eq(commit, commit_at(content, later->first)))
			t->turns++;
		later = r;
	}
}

static double
seconds_of(const struct history_attempt *a)
{
	return a->wall_us ? (double)a->wall_us / 1e6 : 1e-6;
}

/* As history_estimate says. */
static double
expect_seconds(const struct history_of_test *t, enum result_kind kind)
{
	double v[ROBUST_MOST];
	size_t n = 0;

	for (size_t i = 0; i < t->n && n < ROBUST_MOST; i++)
		if (kind_of(&t->v[i].attempt) == kind &&
			(kind == RESULT_PASSED || t->v[i].attempt.wall_us))
			v[n++] = seconds_of(&t->v[i].attempt);
	return robust_next(v, n);
}

bool
past_is_flaky(const struct past_test *t)
{
	return t->flaky || t->turns >= 2;
}

/* ---- times ----------------------------------------------------------------------- */

static void
take_times(const struct analysis *s, struct times *t, const result_vec *all)
{
	const struct history_content *content = s->content;
	double v[RESULTS_MOST];

	for (size_t i = 0; i < all->n && t->n < RESULTS_MOST; i++) {
		const struct history_record *r = all->v[i].passed;
		const struct history_run *run = r ? past_run(content, r->run) : NULL;

		if (!r)
			continue;
		t->v[t->n] = (struct timed){.run = run ? run - content->runs : NO_RUN,
			.record = r,
			.seconds = seconds_of(&r->attempt)};
		v[t->n] = t->v[t->n].seconds;
		t->n++;
		if (run)
			s->tests_of[run - content->runs]++;
	}
	t->median = numbers_median(v, t->n);
}

/* How slow each run was. */
static void
find_speeds(const struct analysis *s)
{
	size_t runs = s->content->runs_n;
	double **ratios = NEW_ARRAY(s->a, double *, runs);
	size_t *n = NEW_ARRAY(s->a, size_t, runs);

	for (size_t i = 0; i < runs; i++)
		ratios[i] = NEW_ARRAY(s->a, double, s->tests_of[i]);
	for (size_t i = 0; i < s->past.n; i++)
		for (size_t k = 0; k < s->times[i].n; k++) {
			const struct timed *t = &s->times[i].v[k];

			if (t->run != NO_RUN)
				ratios[t->run][n[t->run]++] =
					t->seconds / s->times[i].median;
		}
	for (size_t i = 0; i < runs; i++)
		s->speeds[i] =
			n[i] < RUN_TESTS_LEAST ? 0 : numbers_median(ratios[i], n[i]);
}

static struct past_slowdown
describe_change(struct rank_change c, double *latest_first, size_t n)
{
	return (struct past_slowdown){.chance = c.chance,
		.runs = c.later_n,
		.now = numbers_median(latest_first, c.later_n),
		.before = numbers_median(latest_first + c.later_n, n - c.later_n)};
}

static void
find_slow_test(struct analysis *s, size_t test)
{
	const struct times *t = &s->times[test];
	struct past_slowdown *slow = &s->past.tests[test].slow;
	const struct timed *since;
	double v[RESULTS_MOST];
	struct rank_change c;

	for (size_t i = 0; i < t->n; i++) {
		double speed = t->v[i].run == NO_RUN ? 0 : s->speeds[t->v[i].run];

		v[i] = t->v[i].seconds / (speed > 0 ? speed : 1);
	}
	c = rank_sum_change(s->ranks, v, t->n);
	*slow = (struct past_slowdown){.chance = c.chance};
	if (!c.later_n)
		return;
	since = &t->v[c.later_n - 1];
	*slow = describe_change(c, v, t->n);
	slow->began_us = since->record->attempt.began_us;
	slow->commit = commit_at(s->content, since->record);
}

static void
find_slow_run(struct analysis *s)
{
	double v[RESULTS_MOST];
	size_t of[RESULTS_MOST], n = 0;
	struct rank_change c;

	for (size_t i = s->content->runs_n; i-- > 0 && n < RESULTS_MOST;)
		if (s->speeds[i] > 0) {
			of[n] = i;
			v[n++] = s->speeds[i];
		}
	c = rank_sum_change(s->ranks, v, n);
	if (!c.later_n || c.chance > RUN_CHANCE)
		return;
	s->past.slow = describe_change(c, v, n);
	s->past.slow.is_there = true;
	s->past.slow.began_us = s->content->runs[of[c.later_n - 1]].began_us;
	s->past.slow.commit = s->content->runs[of[c.later_n - 1]].commit;
}

static void
choose_slow_tests(struct analysis *s)
{
	double *chances = NEW_ARRAY(s->a, double, s->past.n), limit;
	size_t n = 0;

	for (size_t i = 0; i < s->past.n; i++) {
		find_slow_test(s, i);
		if (s->past.tests[i].slow.runs)
			chances[n++] = s->past.tests[i].slow.chance;
	}
	limit = rank_sum_limit(s->a, chances, n, FALSE_SHARE);
	for (size_t i = 0; i < s->past.n; i++) {
		struct past_slowdown *slow = &s->past.tests[i].slow;

		slow->is_there = slow->runs && slow->chance <= limit;
	}
}

/* ---- all ------------------------------------------------------------------------- */

/* ran: by index of content->runs. */
static void
note_runs(
	const struct history_content *content, const struct history_of_test *t, bool *ran)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct history_run *run = past_run(content, t->v[i].run);

		if (run)
			ran[run - content->runs] = true;
	}
}

static void
count_runs(struct past *p, const struct history_content *content, const bool *ran)
{
	for (size_t i = 0; i < content->runs_n; i++) {
		if (!ran[i])
			continue;
		p->runs++;
		p->last = &content->runs[i];
		p->first = p->first ? p->first : p->last;
	}
}

struct past
past_of(struct arena *a, const struct history_content *content, size_t n)
{
	struct analysis s = {.a = a,
		.content = content,
		.past = {.tests = NEW_ARRAY(a, struct past_test, n), .n = n},
		.times = NEW_ARRAY(a, struct times, n),
		.speeds = NEW_ARRAY(a, double, content->runs_n),
		.tests_of = NEW_ARRAY(a, size_t, content->runs_n),
		.ranks = rank_sum_new(a)};
	bool *ran = NEW_ARRAY(a, bool, content->runs_n);

	for (size_t i = 0; i < n; i++) {
		const struct history_of_test *all = &content->tests[i];
		struct past_test *t = &s.past.tests[i];
		result_vec results = group_results(a, all);

		t->attempts = all->n;
		count_results(t, &results);
		count_turns(content, t, &results);
		t->expected_s = expect_seconds(all, RESULT_PASSED);
		if (t->expected_s <= 0)
			t->expected_s = expect_seconds(all, RESULT_FAILED);
		take_times(&s, &s.times[i], &results);
		note_runs(content, all, ran);
	}
	count_runs(&s.past, content, ran);
	find_speeds(&s);
	choose_slow_tests(&s);
	find_slow_run(&s);
	return s.past;
}

/*
 * scheduler: scenarios with their traces, and random plans against the rule itself.
 * Traces of scenarios that say so were observed with ctest 3.25.1.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <time.h>

#include "tests/sim/random_world.h"

#define ROWS(table) (sizeof(table) / sizeof *(table))

/* "a:3 d:0": how long tests run that do not run for 1. */
static void
set_durations(struct world *w, const char *text)
{
	struct str rest = str_of(text);

	while (rest.n) {
		struct str one = text_piece(&rest, ' '), name = text_piece(&one, ':');

		for (size_t i = 0; i < w->plan->n; i++)
			if (str_eq(w->plan->nodes[i].test->name, name))
				w->duration[i] = (unsigned)str_int(one);
	}
}

static const char walk[] = "d; x; u after=d; y; z";
static const char serials[] = "s1 serial; x; s2 serial; y; w slots=3; y2; s3 serial; y3";
static const char layers[] = "d after=e; e; u after=d; v after=u";

static const struct {
	const char *suite, *failed, *durations, *pool;
	size_t parallel;
	bool rewalk;
	const char *trace;
} scenarios[] = {
	{"", "", "", NULL, 1, false, ""},
	{"a; b; c", "", "", NULL, 1, false, "+a.a+b.b+c.c"},
	{"a; b; c", "", "a:3", NULL, 2, false, "+a+b.b+c.c.a"},
	{"a; b; c", "", "", NULL, 8, false, "+a+b+c.a.b.c"},
	{"a after=b; b", "", "", NULL, 2, false, "+b.b+a.a"},
	/* observed: the walk goes on after a refused test */
	{walk, "u", "d:0 x:2 u:2 y:3 z:2", NULL, 2, false, "+d.d+x+y.x+u.y+z.u.z"},
	{walk, "u", "d:0 x:2 u:2 y:3 z:2", NULL, 1, false, "+d.d+x.x+u.u+y.y+z.z"},
	{walk, "", "d:0 x:2 u:2 y:3 z:2", NULL, 2, false, "+d.d+x+u.x+y.u+z.z.y"},
	{walk, "u", "d:0 x:2 u:2 y:3 z:4", NULL, 5, false, "+d.d+x+y+z.x+u.y.u.z"},
	/* the same in newer releases, which start from the top again */
	{walk, "u", "d:0 x:2 u:2 y:3 z:4", NULL, 5, true, "+d.d+x+y+z+u.x.u.y.z"},
	/* observed: serial and capped tests */
	{serials, "", "s1:0 x:3 s2:0 y:2 w:0", NULL, 2, false,
		"+s1.s1+x+y.y+y2.x+y3.y2.y3+s2.s2+w.w+s3.s3"},
	{serials, "", "s1:0 x:5 s2:0 y:2 w:0", NULL, 3, false,
		"+s1.s1+x+y+y2.y2+y3.y.y3.x+s2.s2+w.w+s3.s3"},
	{serials, "", "s1:0 s2:0 w:0", NULL, 1, false,
		"+s1.s1+x.x+s2.s2+y.y+w.w+y2.y2+s3.s3+y3.y3"},
	{serials, "", "s1:0 x:4 s2:0 y:3 w:0 y3:2", NULL, 8, false,
		"+s1.s1+x+y+w.w+y2+y3.y2.y3.y.x+s2.s2+s3.s3"},
	/* where ctest 3.25 forgets the rest, because nothing that ran ends */
	{layers, "v,u,d", "d:0 e:0 u:0", NULL, 2, false, "+e.e+d.d+u.u+v.v"},
	{layers, "", "d:0 e:0 u:0", NULL, 1, false, "+e.e+d.d+u.u+v.v"},
	/* locks */
	{"a lock=l; b lock=l; c lock=k,l; d lock=k", "", "", NULL, 4, false,
		"+a+d.a+b.d.b+c.c"},
	{"a lock=l; b lock=l; c", "", "a:0", NULL, 2, false, "+a.a+b+c.b.c"},
	/* wide tests wait, narrow ones pass them */
	{"a; w slots=2; b; c", "", "a:2 b:3", NULL, 2, false, "+a+b.a+c.b.c+w.w"},
	{"w slots=9; a", "", "", NULL, 4, false, "+w.w+a.a"},
	/* resources */
	{"a groups=g:2; b groups=g:2; c groups=g:1; d groups=g:9; e groups=h:1", "",
		"a:2", "g x=3", 4, false, "+a+c+d.d+e.e.c.a+b.b"},
	{"a groups=g:2; b groups=g:2", "", "", NULL, 2, false, "+a+b.a.b"},
	{"a groups=g:2,h:1; b groups=g:1; c groups=h:1", "", "a:2", "g x=2; h y=1", 3,
		false, "+a.a+b+c.b.c"},
};

static void
scenarios_leave_their_traces(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS(scenarios); i++) {
		struct arena *a = arena_open();
		struct world w = world_of(a, scenarios[i].suite, scenarios[i].parallel,
			scenarios[i].failed);
		struct buf got;

		w.pool_text = scenarios[i].pool;
		w.rewalk = scenarios[i].rewalk;
		set_durations(&w, scenarios[i].durations);
		got = simulate(&w, NULL, NULL);
		if (!str_is(buf_as_str(&got), scenarios[i].trace))
			fail_msg("scenario %zu: got %s, expected %s", i, got.p,
				scenarios[i].trace);
		got = naive_simulate(&w);
		if (!str_is(buf_as_str(&got), scenarios[i].trace))
			fail_msg("scenario %zu: the rule gives %s", i, got.p);
		arena_close(a);
	}
}

/* ---- random plans ---------------------------------------------------------------- */

static void
random_plans_follow_the_rule(void **state)
{
	uint64_t seed = 1;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		struct arena *a = arena_open();
		struct world w = random_world(a, &seed, 12);
		struct witness seen = {NEW_ARRAY(a, struct grant, w.plan->n),
			NEW_ARRAY(a, bool, w.plan->n)};
		struct buf got = simulate(&w, check_start, &seen),
			   rule = naive_simulate(&w);

		if (strcmp(got.p, rule.p) != 0)
			fail_msg("round %d: got %s, the rule gives %s", round, got.p,
				rule.p);
		for (node_id i = 0; i < w.plan->n; i++)
			assert_true(seen.started[i]);
		arena_close(a);
	}
}

/* By pressure there is no rule to compare with; what must hold, holds, be the expected
 * times right, wrong or unknown. */
static void
random_plans_by_pressure_keep_the_properties(void **state)
{
	uint64_t seed = 2;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		struct arena *a = arena_open();
		struct world w = random_world(a, &seed, 12);
		double *expected = NEW_ARRAY(a, double, w.plan->n);
		struct witness seen = {NEW_ARRAY(a, struct grant, w.plan->n),
			NEW_ARRAY(a, bool, w.plan->n)};
		unsigned trust = below(&seed, 3);

		for (node_id i = 0; i < w.plan->n; i++)
			expected[i] = trust == 0   ? 0
				      : trust == 1 ? w.duration[i]
						   : below(&seed, 30) / 8.0;
		plan_by_pressure(&w, expected);
		simulate(&w, check_start, &seen);
		for (node_id i = 0; i < w.plan->n; i++)
			assert_true(seen.started[i]);
		arena_close(a);
	}
}

/* A wide test that comes first by rank, and narrow ones that start beside it. */
struct passing {
	node_id wide;
	unsigned passed;
	bool is_over;
};

static void
count_passing(void *context, const struct world *w, const struct clock *c,
	const struct action *started, const struct pool *pool)
{
	struct passing *p = context;

	(void)w, (void)c, (void)pool;
	p->is_over = p->is_over || started->node == p->wide;
	p->passed += !p->is_over;
}

static void
nobody_is_passed_over_for_ever(void **state)
{
	enum { NARROW = 400 };
	static const char *const wides[] = {"wide after=first slots=64",
		"wide after=first serial", "wide after=first groups=g:9",
		"wide after=first lock=k,l slots=2"};
	uint64_t seed = 3;

	(void)state;
	for (int round = 0; round < 200; round++) {
		struct arena *a = arena_open();
		struct buf suite = {.arena = a};
		size_t parallel = 2 + below(&seed, 6);
		struct passing p = {.wide = 1};
		double *expected = NEW_ARRAY(a, double, NARROW + 2);
		bool knows = below(&seed, 2);
		struct world w;

		buf_fmt(&suite, "first; %s", wides[round % 4]);
		for (unsigned i = 0; i < NARROW; i++)
			buf_fmt(&suite, "; n%u groups=g:%u lock=%c", i,
				1 + below(&seed, 3), "klmnopqr"[below(&seed, 8)]);
		w = world_of(a, suite.p, parallel, "");
		w.pool_text = "g x=9";
		/* known and far too short; or unknown */
		for (unsigned i = 0; i < NARROW + 2; i++) {
			w.duration[i] = 1 + below(&seed, 20);
			expected[i] = knows ? i < 2 ? 1000 : 0.5 : 0;
		}
		expected[0] = expected[1] = 1000;
		plan_by_pressure(&w, expected);
		simulate(&w, count_passing, &p);
		assert_true(p.is_over);
		/* what ran beside "first" for as long as that did, is not counted as
		 * passing: at most twenty rounds of all slots */
		if (p.passed > 20 * parallel + 2 * parallel + 8 + parallel)
			fail_msg("round %d: overtaken %u times", round, p.passed);
		arena_close(a);
	}
}

/* ---- tests that are tried again -------------------------------------------------- */

struct retries {
	struct world w;
	struct pool pool;
	struct scheduler *s;
	struct clock c;
	struct witness seen; /* started: the last time */
	size_t starts, retries, refused;
};

static void
start_one(struct retries *r, const struct action *a)
{
	check_start(&r->seen, &r->w, &r->c, a, &r->pool);
	r->starts++;
	if (r->w.duration[a->node] && !a->fits_nowhere)
		clock_start(&r->c, a->node, r->w.duration[a->node]);
	else
		scheduler_ended(r->s, a->node);
}

/* Whether a test that depends on it has started is known here, too. */
static void
retry_one(struct retries *r, node_id node)
{
	bool has_user = false;

	if (!r->seen.started[node] || r->c.ends[node])
		return;
	for (node_id i = 0; i < r->w.plan->n; i++) {
		const struct selected *t = &r->w.plan->selection->v[i];

		for (size_t k = 0; k < t->depends_n; k++)
			has_user =
				has_user || (t->depends[k] == node && r->seen.started[i]);
	}
	assert_int_equal(scheduler_started_user(r->s, node) != MAP_NONE, has_user);
	r->refused += has_user;
	if (has_user)
		return;
	scheduler_retry(r->s, node);
	r->seen.started[node] = false;
	r->retries++;
}

static struct retries
play_retries(struct arena *a, uint64_t *seed)
{
	struct retries r = {.w = random_world(a, seed, 12)};
	size_t n = r.w.plan->n;
	double *expected = NEW_ARRAY(a, double, n);
	struct scheduler_options o = {
		.parallel = r.w.parallel, .rewalk_after_refusal = r.w.rewalk};
	struct action next;

	for (node_id i = 0; i < n; i++)
		expected[i] = below(seed, 30) / 8.0;
	if (below(seed, 2))
		plan_by_pressure(&r.w, expected);
	r.pool = world_pool(&r.w);
	o.pool = r.w.pool_text ? &r.pool : NULL;
	r.s = scheduler_new(a, r.w.plan, &o);
	r.c = (struct clock){.ends = NEW_ARRAY(a, unsigned, n)};
	r.seen = (struct witness){NEW_ARRAY(a, struct grant, n), NEW_ARRAY(a, bool, n)};
	for (;;) {
		scheduler_time(r.s, r.c.now);
		next = scheduler_next(r.s, SIZE_MAX);
		if (next.kind == ACT_DONE)
			break;
		if (next.kind == ACT_START) {
			start_one(&r, &next);
			continue;
		}
		for (unsigned i = below(seed, 3); i && r.retries < 2 * n; i--)
			retry_one(&r, below(seed, (unsigned)n));
		if (r.c.running)
			scheduler_ended(r.s, clock_next(&r.c, n));
	}
	assert_int_equal(r.starts, n + r.retries);
	assert_int_equal(scheduler_pending(r.s), 0);
	assert_true(pool_is_idle(&r.pool));
	return r;
}

static void
tests_are_tried_again(void **state)
{
	uint64_t seed = 4;
	size_t retries = 0, refused = 0;

	(void)state;
	for (int round = 0; round < 5000; round++) {
		struct arena *a = arena_open();
		struct retries r = play_retries(a, &seed);

		retries += r.retries;
		refused += r.refused;
		arena_close(a);
	}
	assert_true(retries > 5000 && refused > 500);
}

/* ---- the rest of the interface --------------------------------------------------- */

static void
nothing_starts_after_a_stop(void **state)
{
	struct arena *a = arena_open();
	struct world w = world_of(a, "a; b; c", 2, "");
	struct scheduler_options o = {.parallel = 2};
	struct scheduler *s = scheduler_new(a, w.plan, &o);

	(void)state;
	assert_int_equal(scheduler_next(s, SIZE_MAX).kind, ACT_START);
	assert_int_equal(scheduler_next(s, SIZE_MAX).kind, ACT_START);
	assert_int_equal(scheduler_running(s), 2);
	assert_int_equal(scheduler_slots_used(s), 2);
	scheduler_stop(s);
	scheduler_ended(s, 0);
	assert_int_equal(scheduler_next(s, SIZE_MAX).kind, ACT_WAIT);
	scheduler_ended(s, 1);
	assert_int_equal(scheduler_next(s, SIZE_MAX).kind, ACT_DONE);
	assert_int_equal(scheduler_running(s), 0);
	arena_close(a);
}

/* Tests that are done before the run starts are not started, and release their users. */
static void
finished_tests_are_done(void **state)
{
	static const bool finished[] = {true, false, true, false};
	struct arena *a = arena_open();
	struct world w = world_of(a, "a after=d; b after=a; c after=b; d", 4, "");
	struct scheduler_options o = {.parallel = 4, .finished = finished};
	struct scheduler *s = scheduler_new(a, w.plan, &o);
	struct action first = scheduler_next(s, SIZE_MAX),
		      second = scheduler_next(s, SIZE_MAX);

	(void)state;
	assert_int_equal(first.kind, ACT_START);
	assert_int_equal(second.kind, ACT_START);
	assert_int_equal(first.node + second.node, 1 + 3);
	assert_int_equal(scheduler_next(s, SIZE_MAX).kind, ACT_WAIT);
	scheduler_ended(s, 1);
	scheduler_ended(s, 3);
	assert_int_equal(scheduler_next(s, SIZE_MAX).kind, ACT_DONE);
	arena_close(a);
}

/* --test-load: no more slots than are usable, also when nothing runs. */
static void
usable_slots_are_a_limit(void **state)
{
	struct arena *a = arena_open();
	struct world w = world_of(a, "wide slots=3; a; b", 4, "");
	struct scheduler_options o = {.parallel = 4};
	struct scheduler *s = scheduler_new(a, w.plan, &o);

	(void)state;
	assert_int_equal(scheduler_next(s, 0).kind, ACT_WAIT);
	assert_int_equal(scheduler_next(s, 1).node, 1);
	assert_int_equal(scheduler_next(s, 1).kind, ACT_WAIT);
	assert_int_equal(scheduler_next(s, 2).node, 2);
	assert_int_equal(scheduler_next(s, 4).kind, ACT_WAIT);
	scheduler_ended(s, 1);
	assert_int_equal(scheduler_next(s, 3).kind, ACT_WAIT);
	assert_int_equal(scheduler_next(s, 4).node, 0);
	assert_int_equal(scheduler_next(s, 4).kind, ACT_WAIT);
	arena_close(a);
}

/* What keeps each test waiting, in the order of the tests. */
static void
assert_blockers(const struct world *w, const struct scheduler *s, const char *expected)
{
	static const char *const kinds[] = {[BLOCKED_NOT] = "-",
		[BLOCKED_BY_DEPENDENCY] = "after",
		[BLOCKED_BY_SLOTS] = "slots",
		[BLOCKED_BY_PROCESSORS] = "processors",
		[BLOCKED_BY_OTHERS] = "others",
		[BLOCKED_BY_SERIAL] = "serial",
		[BLOCKED_BY_LOCK] = "lock",
		[BLOCKED_BY_RESOURCE] = "resource",
		[BLOCKED_BY_LEASE] = "lease",
		[BLOCKED_BY_RESERVATION] = "reserved",
		[BLOCKED_BY_RANK] = "rank"};
	struct buf got = {.arena = w->a};

	for (node_id i = 0; i < w->plan->n; i++) {
		struct blocker b = scheduler_blocker(s, i);

		buf_fmt(&got, "%s%s", i ? " " : "", kinds[b.kind]);
		if (b.name.n)
			buf_fmt(&got, ":%.*s", STR_ARG(b.name));
		if (b.node != MAP_NONE)
			buf_fmt(&got, "(%.*s)",
				STR_ARG(w->plan->nodes[b.node].test->name));
	}
	assert_string_equal(got.p, expected);
}

static void
waiting_tests_say_why(void **state)
{
	struct arena *a = arena_open();
	struct world w = world_of(a,
		"a lock=l groups=g:2; b lock=k,l; c groups=g:2; d after=e,a; e slots=3; "
		"f serial; g",
		3, "");
	struct pool pool = pool_of(a, "g x=3");
	struct scheduler_options o = {.parallel = 3, .pool = &pool};
	struct scheduler *s = scheduler_new(a, w.plan, &o);

	(void)state;
	assert_blockers(&w, s, "rank rank rank after(a) rank rank rank");
	assert_int_equal(scheduler_next(s, SIZE_MAX).node, 0);
	assert_blockers(&w, s, "- lock:l(a) resource:g after(a) slots others rank");
	assert_int_equal(scheduler_next(s, SIZE_MAX).node, 6);
	assert_int_equal(scheduler_next(s, SIZE_MAX).kind, ACT_WAIT);
	scheduler_ended(s, 0);
	scheduler_ended(s, 6);
	assert_blockers(&w, s, "- rank rank after(e) rank rank -");
	assert_int_equal(scheduler_next(s, SIZE_MAX).node, 4);
	assert_blockers(&w, s, "- slots slots after(e) - others -");
	scheduler_ended(s, 4);
	for (node_id i = 1; i < 4; i++)
		assert_int_equal(scheduler_next(s, SIZE_MAX).node, i);
	for (node_id i = 1; i < 4; i++)
		scheduler_ended(s, i);
	assert_int_equal(scheduler_next(s, SIZE_MAX).node, 5);
	scheduler_ended(s, 5);
	assert_int_equal(scheduler_next(s, SIZE_MAX).kind, ACT_DONE);
	arena_close(a);
}

/* A narrow test that would run too long waits for the one that needs all slots. */
static void
reservations_say_for_whom(void **state)
{
	struct arena *a = arena_open();
	struct world w = world_of(a, "p; q; wide slots=2 after=q; long; y", 2, "");
	struct scheduler_options o = {.parallel = 2};
	static const double expected[] = {40, 15, 30, 39.5, 10};
	struct scheduler *s;

	(void)state;
	plan_by_pressure(&w, expected);
	s = scheduler_new(a, w.plan, &o);
	scheduler_time(s, 100);
	assert_int_equal(scheduler_next(s, SIZE_MAX).node, 1);
	assert_int_equal(scheduler_next(s, SIZE_MAX).node, 0);
	assert_int_equal(scheduler_next(s, SIZE_MAX).kind, ACT_WAIT);
	scheduler_time(s, 115);
	scheduler_ended(s, 1);
	assert_int_equal(scheduler_next(s, SIZE_MAX).node, 4);
	scheduler_time(s, 120);
	scheduler_ended(s, 4);
	assert_int_equal(scheduler_next(s, SIZE_MAX).kind, ACT_WAIT);
	assert_blockers(&w, s, "- - slots reserved(wide) -");
	assert_true(scheduler_blocker(s, 3).until_s == 140);
	arena_close(a);
}

/* Another run takes what "held" needs: at once, or while everything waits for "first" to
 * end so that "held" can start. No test of this run can give it back, and so all others
 * run meanwhile. */
static void
play_held(bool is_late)
{
	enum { HELD, FIRST, TESTS = 62 };
	static const uint64_t one[] = {1}, none[] = {0};
	struct arena *a = arena_open();
	struct buf suite = {.arena = a};
	double *expected = NEW_ARRAY(a, double, TESTS);
	struct pool pool = pool_of(a, "g x=1");
	struct scheduler_options o = {.parallel = 3, .pool = &pool};
	struct clock c = {.ends = NEW_ARRAY(a, unsigned, TESTS)};
	struct scheduler *s;
	struct world w;
	struct action next;
	size_t ended = 0;

	buf_fmt(&suite, "held groups=g:1; first%s", is_late ? " groups=g:1" : "");
	for (unsigned i = 2; i < TESTS; i++)
		buf_fmt(&suite, "; n%u", i);
	w = world_of(a, suite.p, 3, "");
	w.pool_text = "g x=1";
	expected[HELD] = 10;
	expected[FIRST] = 20;
	plan_by_pressure(&w, expected);
	s = scheduler_new(a, w.plan, &o);
	if (!is_late)
		scheduler_set_others(s, 0, one);
	while (scheduler_time(s, c.now), next = scheduler_next(s, SIZE_MAX),
		next.kind == ACT_START || c.running) {
		if (next.kind == ACT_START) {
			assert_int_not_equal(next.node, HELD);
			clock_start(&c, next.node, next.node == FIRST ? 50 : 2);
			scheduler_runs(s);
			continue;
		}
		next.node = clock_next(&c, TESTS);
		ended++;
		scheduler_ended(s, next.node);
		if (next.node == FIRST)
			scheduler_set_others(s, 0, one);
	}
	assert_int_equal(next.kind, ACT_WAIT);
	assert_int_equal(ended, TESTS - 1);
	scheduler_set_others(s, 0, none);
	assert_int_equal(scheduler_next(s, SIZE_MAX).node, HELD);
	arena_close(a);
}

static void
nothing_is_drained_in_vain(void **state)
{
	(void)state;
	play_held(false);
	play_held(true);
}

/* Many tests, few signatures, and a queue that mostly waits: a scan per event would take
 * hours. */
static void
long_queues_cost_nothing(void **state)
{
	enum { TESTS = 100000, SIGNATURES = 50, RUNNING = 8 };
	struct arena *a = arena_open();
	struct buf suite = {.arena = a};
	struct pool pool = pool_of(a, "g x=2 y=2");
	struct scheduler_options o = {.parallel = RUNNING, .pool = &pool};
	node_id queue[RUNNING];
	size_t queued = 0, ended = 0;
	struct scheduler *s;
	struct world w;

	(void)state;
	for (unsigned i = 0; i < TESTS; i++) {
		unsigned k = i % SIGNATURES;

		buf_fmt(&suite, "%st%u slots=%u lock=l%u", i ? ";" : "", i, 1 + k % 4,
			k % 13);
		if (k % 3 == 0)
			buf_fmt(&suite, " groups=g:%u", 1 + k % 2);
		if (i >= SIGNATURES && k % 5 == 0)
			buf_fmt(&suite, " after=t%u", i - SIGNATURES);
	}
	w = world_of(a, suite.p, RUNNING, "");
	s = scheduler_new(a, w.plan, &o);
	for (;;) {
		struct action next = scheduler_next(s, SIZE_MAX);

		if (next.kind == ACT_DONE)
			break;
		if (next.kind == ACT_START) {
			assert_true(queued < RUNNING);
			queue[queued++] = next.node;
			continue;
		}
		assert_true(queued > 0);
		scheduler_ended(s, queue[0]);
		ended++;
		memmove(queue, queue + 1, --queued * sizeof *queue);
	}
	assert_int_equal(ended, TESTS);
	arena_close(a);
}

/* Eight large tests run, sixty wait that each need nine places where eight are too small:
 * a search of 8! places, sixty times at each end, where one is enough. */
static void
queues_of_one_signature_are_tried_once(void **state)
{
	struct arena *a = arena_open();
	struct buf suite = {.arena = a}, got;
	clock_t began = clock();
	struct world w;

	(void)state;
	for (unsigned i = 0; i < 8; i++)
		buf_fmt(&suite, "%sl%u cost=9 groups=g:%u", i ? "; " : "", i, 41 + i);
	for (unsigned i = 0; i < 60; i++) {
		buf_fmt(&suite, "; q%02u groups=g:20", i);
		for (unsigned k = 0; k < 8; k++)
			buf_z(&suite, "/g:20");
	}
	w = world_of(a, suite.p, 64, "");
	w.pool_text = "g a=80 b=80 c=80 d=80 e=80 f=80 g=80 h=80";
	for (unsigned i = 0; i < 8; i++)
		w.duration[i] = i + 1;
	got = simulate(&w, NULL, NULL);
	assert_int_equal(got.n, 8 * 2 * 3 + 60 * 2 * 4);
	assert_true((double)(clock() - began) / CLOCKS_PER_SEC < 2);
	arena_close(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scenarios_leave_their_traces),
		cmocka_unit_test(random_plans_follow_the_rule),
		cmocka_unit_test(random_plans_by_pressure_keep_the_properties),
		cmocka_unit_test(nobody_is_passed_over_for_ever),
		cmocka_unit_test(tests_are_tried_again),
		cmocka_unit_test(nothing_starts_after_a_stop),
		cmocka_unit_test(finished_tests_are_done),
		cmocka_unit_test(usable_slots_are_a_limit),
		cmocka_unit_test(waiting_tests_say_why),
		cmocka_unit_test(reservations_say_for_whom),
		cmocka_unit_test(nothing_is_drained_in_vain),
		cmocka_unit_test(long_queues_cost_nothing),
		cmocka_unit_test(queues_of_one_signature_are_tried_once),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("scheduler", tests, NULL, NULL);
}

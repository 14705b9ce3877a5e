/* watch, critical: what is recorded of a plan in simulated time; and what --explain makes
 * of it. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "compat/report/explain_text.h"
#include "compat/run/explain.h"
#include "runner/schedule/simulation.h"
#include "tests/unit/pool_text.h"

#define ROWS(table) (sizeof(table) / sizeof *(table))

static struct explain_request
request_of(struct arena *a, const char *suite, const char *pool_text, size_t parallel,
	enum schedule schedule)
{
	struct filter everything = {.use_union = false};
	struct selection *s = NEW(a, struct selection);
	struct pool *pool = NULL;
	struct explain_request r = {.scheduler.parallel = parallel};
	struct recorded *recorded;
	const struct test *culprit;

	*s = select_tests(a, suite_of(a, suite), &everything);
	recorded = NEW_ARRAY(a, struct recorded, s->n);
	for (size_t i = 0; i < s->n; i++)
		recorded[i].seconds = s->suite->tests[s->v[i].test].properties->cost;
	if (pool_text) {
		pool = NEW(a, struct pool);
		*pool = pool_of(a, pool_text);
	}
	r.scheduler.pool = pool;
	r.recorded = recorded;
	r.options = (struct plan_options){.parallel = parallel,
		.schedule = schedule,
		.pool = pool,
		.recorded = recorded};
	r.plan = plan_build(a, s, &r.options, &culprit);
	assert_non_null(r.plan);
	return r;
}

/* Durations are the costs. What is said of the test t, from its waits or from its way. */
static const struct {
	const char *suite, *pool;
	size_t parallel;
	enum schedule schedule;
	const char *said; /* of its waits */
	const char *way;
} rows[] = {
	{"t cost=1", NULL, 1, SCHEDULE_CTEST, "", "0.00 1.00 t\n"},
	{"a cost=3; b cost=0.0004; t cost=0.0002", NULL, 1, SCHEDULE_CTEST,
		"0.00 3.00 processors: needs 1, 0 free, held by a until 3.00; "
		"1 other started\n",
		"0.00 3.00 a\n3.00 3.00 b, processors\n3.00 3.00 t, processors\n"},
	{"a cost=2; b cost=3; t cost=1 after=a,b", NULL, 2, SCHEDULE_CTEST,
		"0.00 2.00 after a\n2.00 3.00 after b\n",
		"0.00 3.00 b\n3.00 4.00 t, dependency\n"},
	{"a cost=2 setup=F; t cost=1 needs=F; b cost=1 cleanup=F", NULL, 2,
		SCHEDULE_CTEST, "0.00 2.00 fixture F, set up by a\n",
		"0.00 2.00 a\n2.00 3.00 t, dependency\n3.00 4.00 b, dependency\n"},
	{"a cost=4 lock=l; b cost=3 lock=l; t cost=1 lock=l", NULL, 4, SCHEDULE_CTEST,
		"0.00 4.00 lock l, held by a\n4.00 7.00 lock l, held by b\n",
		"0.00 4.00 a\n4.00 7.00 b, lock l\n7.00 8.00 t, lock l\n"},
	{"a cost=4; b cost=3; t cost=1 slots=2", NULL, 2, SCHEDULE_CTEST,
		"0.00 4.00 processors: needs 2, 0 free, held by a until 4.00, "
		"b until 3.00\n",
		"0.00 4.00 a\n4.00 5.00 t, processors\n"},
	/* one event of many, which change nothing of why */
	{"a cost=4; b cost=1; c cost=1; d cost=1; e cost=1; t cost=0.5 slots=2", NULL, 2,
		SCHEDULE_CTEST,
		"0.00 4.00 processors: needs 2, 0 free, held by a until 4.00, "
		"b until 1.00; 3 others started\n",
		"0.00 4.00 a\n4.00 4.50 t, processors\n"},
	{"a cost=4 serial; t cost=1", NULL, 4, SCHEDULE_CTEST, "0.00 4.00 a runs alone\n",
		"0.00 4.00 a\n4.00 5.00 t, alone\n"},
	{"a cost=4; t cost=1 serial", NULL, 4, SCHEDULE_CTEST,
		"0.00 4.00 runs alone, waits for a until 4.00\n",
		"0.00 4.00 a\n4.00 5.00 t, alone\n"},
	{"a cost=4 groups=g:1; b cost=3 groups=g:1; t cost=1 groups=g:2", "g x=2 y=2", 4,
		SCHEDULE_CTEST,
		"0.00 3.00 g: needs 2 on one instance, x has 1 of 2 free, "
		"held by a (1) until 4.00\n",
		"0.00 3.00 b\n3.00 4.00 t, resource g\n"},
	{"a cost=4 groups=g:1; t cost=1 groups=g:1/g:1", "g x=1 y=1", 4, SCHEDULE_CTEST,
		"0.00 4.00 g: needs 2, 1 free, held by a (1) until 4.00\n",
		"0.00 4.00 a\n4.00 5.00 t, resource g\n"},
	/* both take of g, but it is the slots that t waits for */
	{"a cost=4 groups=g:1; b cost=3; t cost=1 groups=g:1", "g x=9", 2, SCHEDULE_CTEST,
		"0.00 3.00 processors: needs 1, 0 free, held by a until 4.00, "
		"b until 3.00\n",
		"0.00 3.00 b\n3.00 4.00 t, processors\n"},
	{"a cost=4 groups=g:1; b cost=9; t cost=1 groups=g:1", "g x=9", 2, SCHEDULE_CTEST,
		"0.00 4.00 processors: needs 1, 0 free, held by a until 4.00, "
		"b until 9.00\n",
		"0.00 4.00 a\n4.00 5.00 t, processors\n"},
	/* by pressure a time is reserved for the wide one, which t would delay */
	{"a cost=5 slots=3; x cost=9 after=a; w cost=10 slots=4; t cost=8", NULL, 4,
		SCHEDULE_PRESSURE,
		"0.00 5.00 reserved for w from 5.00\n"
		"5.00 15.00 processors: needs 1, 0 free, held by w until 15.00\n",
		"0.00 5.00 a\n5.00 15.00 w, processors\n15.00 23.00 t, processors\n"},
	/* too large for the pool: takes no time */
	{"t cost=4 groups=g:9", "g x=1", 4, SCHEDULE_CTEST, "", "0.00 0.00 t\n"},
};

/* The rows of a text, without what they are aligned by. */
static struct str
rows_of(struct arena *a, const struct buf *said)
{
	struct str rest = buf_as_str(said);
	struct buf out = {.arena = a};

	buf_z(&out, "");
	while (rest.n) {
		struct str line = text_piece(&rest, '\n'), from;
		size_t at = str_search(line, STR(" sec "));

		if (at == line.n)
			continue;
		from = str_cut(line.p, at);
		buf_str(&out, text_piece(&from, ' '));
		buf_fmt(&out, " %.*s %.*s\n", STR_ARG(str_trim(from)),
			STR_ARG(str_from(line, at + 5)));
	}
	return buf_as_str(&out);
}

static node_id
node_of(const struct plan *p, const char *name)
{
	for (node_id i = 0; i < p->n; i++)
		if (str_is(p->nodes[i].test->name, name))
			return i;
	fail_msg("no test %s", name);
	return MAP_NONE;
}

static void
waits_and_ways(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct arena *a = arena_open();
		struct explain_request r = request_of(a, rows[i].suite, rows[i].pool,
			rows[i].parallel, rows[i].schedule);
		node_id t = node_of(r.plan, "t");
		struct watch *w = watch_new(a, r.plan, &t, 1);
		double *seconds = NEW_ARRAY(a, double, r.plan->n);
		struct simulation_options o = {
			.scheduler = r.scheduler, .duration_s = seconds, .watch = w};
		struct account account = {.plan = r.plan,
			.pool = r.scheduler.pool,
			.times = {w->started_s, w->ended_s}};
		struct buf waits = {.arena = a}, way = {.arena = a};
		struct course course;
		struct steps steps;
		struct str got;

		for (size_t k = 0; k < r.plan->n; k++)
			seconds[k] = r.recorded[k].seconds;
		simulation_run(a, r.plan, &o);
		explain_waits(&waits, &account, &w->v[0]);
		course = course_of(a, r.plan, &r.scheduler, account.times);
		steps = critical_path(a, r.plan, &course, t);
		explain_steps(&way, &account, &steps);
		got = rows_of(a, &waits);
		if (!str_is(got, rows[i].said))
			fail_msg("row %zu: %s", i, got.p);
		got = rows_of(a, &way);
		if (!str_is(got, rows[i].way))
			fail_msg("row %zu: %s", i, got.p);
		arena_close(a);
	}
}

/* Many tests end at once, and t has to do with the first of them. */
static void
check_first_of_many(const char *first, const char *last, enum step_kind kind)
{
	enum { MANY = 100 };
	struct arena *a = arena_open();
	struct buf suite = {.arena = a};
	struct explain_request r;
	double *started_s = NEW_ARRAY(a, double, MANY + 1);
	double *ended_s = NEW_ARRAY(a, double, MANY + 1);
	struct course course;
	struct steps steps;

	buf_fmt(&suite, "a0 cost=1 %s; ", first);
	for (int i = 1; i < MANY; i++)
		buf_fmt(&suite, "a%d cost=1; ", i);
	buf_fmt(&suite, "t cost=1 %s", last);
	r = request_of(a, buf_as_str(&suite).p, "g x=1", MANY + 1, SCHEDULE_CTEST);
	for (int i = 0; i < MANY; i++)
		ended_s[i] = 1;
	started_s[MANY] = 1;
	ended_s[MANY] = 2;
	course = course_of(a, r.plan, &r.scheduler, (struct times){started_s, ended_s});
	steps = critical_path(a, r.plan, &course, MANY);
	assert_int_equal(steps.v.n, 2);
	assert_int_equal(steps.v.v[0].node, 0);
	assert_int_equal(steps.v.v[1].kind, kind);
	arena_close(a);
}

static void
first_of_many(void **state)
{
	(void)state;
	check_first_of_many("", "after=a0", STEP_DEPENDENCY);
	check_first_of_many("lock=l", "lock=l", STEP_LOCK);
	check_first_of_many("groups=g:1", "groups=g:1", STEP_RESOURCE);
}

/* What is said of all tests together. */
static const struct {
	const char *suite, *pool;
	size_t parallel;
	const char *said;
} plans[] = {
	{"a cost=2; b cost=3", NULL, 1,
		"Makespan              5.00 sec\n"
		"Bottleneck            5.00 sec (work)\n"
		"One more\n"
		"          3.00 sec  -40.0 % -j2\n"},
	/* a second type is of no use, and neither is a slot */
	{"a cost=2 groups=g:1; b cost=2 groups=g:1; c cost=1 groups=h:1", "g x=1; h y=1",
		4,
		"Makespan              4.00 sec\n"
		"Bottleneck            4.00 sec (resource g)\n"
		"One more\n"
		"          4.00 sec   +0.0 % -j5\n"
		"          2.00 sec  -50.0 % g\n"
		"          4.00 sec   +0.0 % h\n"},
	/* the largest bound, where nothing helps */
	{"a cost=2 lock=l; b cost=3 lock=l", NULL, 3,
		"Makespan              5.00 sec\n"
		"Bottleneck            5.00 sec (lock l)\n"
		"One more\n"
		"          5.00 sec   +0.0 % -j4\n"},
	{"a cost=2; b cost=3 after=a", NULL, 2,
		"Makespan              5.00 sec\n"
		"Bottleneck            5.00 sec (critical path)\n"
		"One more\n"
		"          5.00 sec   +0.0 % -j3\n"},
};

static void
one_more_is_tried(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS(plans); i++) {
		struct arena *a = arena_open();
		struct explain_request r = request_of(a, plans[i].suite, plans[i].pool,
			plans[i].parallel, SCHEDULE_CTEST);
		struct explanation e = explanation_in(a);

		VEC_PUSH(a, &r.tests.v, 0);
		explain_plan(&e, &r);
		if (!str_ends(buf_as_str(&e.text), str_of(plans[i].said)))
			fail_msg("row %zu: %s", i, e.text.p);
		arena_close(a);
	}
}

static void
names_are_of_selected_tests(void **state)
{
	struct arena *a = arena_open();
	struct diag d = diag_in(a);
	struct explain_request r = request_of(a, "a; b; a", NULL, 1, SCHEDULE_CTEST);
	struct explained found = {{0}};
	str_vec names = {0};

	(void)state;
	VEC_PUSH(a, &names, STR("a"));
	assert_true(explain_find(a, &names, r.plan->selection, &found, &d));
	assert_int_equal(found.v.n, 2);
	VEC_PUSH(a, &names, STR("A"));
	assert_false(explain_find(a, &names, r.plan->selection, &found, &d));
	assert_int_equal(d.errors, 1);
	arena_close(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(waits_and_ways),
		cmocka_unit_test(first_of_many),
		cmocka_unit_test(one_more_is_tried),
		cmocka_unit_test(names_are_of_selected_tests),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("explain", tests, NULL, NULL);
}

/* A pool that a test makes is as good as one that was there before: the same tests start
 * at the same times, and hold the same. */
#include "tests/sim/random_world.h"

enum { ROUNDS = 3000 };

/* What was held, beside the trace. */
static void
note_grant(void *context, const struct world *w, const struct clock *c,
	const struct action *started, const struct pool *pool)
{
	struct buf *held = context;
	const struct grant *g = started->grant;

	(void)w;
	(void)c;
	buf_fmt(held, "%u%s", started->node, started->fits_nowhere ? "!" : "");
	for (size_t i = 0; g && i < g->n; i++)
		for (size_t k = 0; k < g->v[i].n; k++) {
			const struct grant_unit *u = &g->v[i].v[k];
			const struct resource_type *t = &pool->types[u->type];

			buf_fmt(held, " %.*s %.*s %llu", STR_ARG(t->name),
				STR_ARG(t->v[u->instance].id),
				(unsigned long long)u->slots);
		}
	buf_char(held, '\n');
}

static const char *
course_of(struct world *w, bool is_made)
{
	struct buf held = {.arena = w->a}, trace;

	w->is_made = is_made;
	trace = simulate(w, note_grant, &held);
	buf_str(&trace, buf_as_str(&held));
	return trace.p;
}

static void
expect_times(struct arena *a, struct world *w, uint64_t *seed)
{
	double *expected = NEW_ARRAY(a, double, w->plan->n);

	for (node_id i = 0; i < w->plan->n; i++)
		expected[i] = 1 + below(seed, 9);
	plan_by_pressure(w, expected);
}

static void
made_is_as_good_as_known(void **state)
{
	(void)state;
	for (uint64_t round = 0; round < ROUNDS; round++) {
		struct arena *a = arena_open();
		uint64_t seed = round;
		struct world w = random_world_with_maker(a, &seed, 12);
		const char *known, *made;

		if (round % 3 == 2)
			expect_times(a, &w, &seed);
		known = course_of(&w, false);
		made = course_of(&w, true);
		if (strcmp(known, made) != 0)
			fail_msg("round %u:\nknown %s\nmade  %s", (unsigned)round, known,
				made);
		arena_close(a);
	}
}

static const struct {
	const char *suite, *pool, *expected;
} rows[] = {
	/* none of "a" and "b" is tried before the pool is there */
	{"make setup=F; a groups=g:1 needs=F; b groups=g:1 needs=F; c", "g x=1",
		"+make+c.make+a.c.a+b.b"},
	/* too much for it, and a type that it has not */
	{"make setup=F; a groups=g:2 needs=F; b groups=h:1 needs=F", "g x=1",
		"+make.make+a.a+b.b"},
	/* no pool after all: nothing is asked for */
	{"make setup=F; a groups=g:2 needs=F; b groups=g:2 needs=F", NULL,
		"+make.make+a+b.a.b"},
	/* locks are held meanwhile */
	{"make setup=F; l lock=k; a groups=g:1 needs=F lock=k; b groups=g:1 needs=F",
		"g x=1 y=1", "+make+l.make+b.l+a.a.b"},
};

static void
traces(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct arena *a = arena_open();
		struct world w = world_of(a, rows[i].suite, 2, "");
		struct buf trace;

		w.pool_text = rows[i].pool;
		w.is_made = true;
		trace = simulate(&w, NULL, NULL);
		assert_string_equal(trace.p, rows[i].expected);
		arena_close(a);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(made_is_as_good_as_known),
		cmocka_unit_test(traces),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("awaited", tests, NULL, NULL);
}

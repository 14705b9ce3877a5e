/*
 * scheduler: what must hold for every plan, in both orders, with tests that are refused,
 * repeated or fail, a stop on failure, limited slots, and expectations that are right,
 * wrong or missing. CCTR_SIM_PLANS is how many plans are tried, CCTR_SIM_SEED the first
 * seed; a plan depends on its seed alone.
 */
#include <stdlib.h>

#include "runner/schedule/choice.h"
#include "tests/sim/random_world.h"

enum { PLANS = 100000, FEW = 12, MANY = 60 };

struct course {
	struct arena *a;
	struct world w;
	struct pool pool;
	struct scheduler *scheduler;
	struct clock clock;
	struct witness seen;
	unsigned *runs_left; /* by node: --repeat */
	bool *fails, *ended, stops_on_failure, is_stopped;
	bool all_guessed; /* no time is known, so that every test that overtakes is
			     counted */
	bool *was_ready; /* by node: when the walk began, see runner/schedule/scheduler.h
			  */
	unsigned *passed; /* by node: worse ones started while it was the best */
	size_t started, round, running;
};

static bool
is_ready(const struct course *c, node_id i)
{
	const struct selected *t = &c->w.plan->selection->v[i];

	for (size_t k = 0; k < t->depends_n; k++)
		if (!c->ended[t->depends[k]])
			return false;
	return !c->seen.started[i];
}

/* For one, and no other: who is best gets it next. */
static bool
waits_for_a_lock(const struct course *c, node_id i)
{
	const struct properties *p = c->w.plan->nodes[i].test->properties;

	if (p->resource_locks.n != 1)
		return false;
	for (node_id k = 0; k < c->w.plan->n; k++)
		for (size_t l = 0; c->clock.ends[k] && l < p->resource_locks.n; l++)
			if (str_list_has(
				    c->w.plan->nodes[k].test->properties->resource_locks,
				    p->resource_locks.v[l]))
				return true;
	return false;
}

/* The best test that could have started if there were room; it has a claim. Beside the
 * limit there are those that everything was drained for before it became ready. */
static void
count_passing(struct course *c, node_id started)
{
	const struct plan *p = c->w.plan;
	size_t limit = c->w.parallel > 4 ? 2 * c->w.parallel : 8;

	for (uint32_t rank = 0; rank < p->nodes[started].rank; rank++) {
		node_id i = p->order[rank];

		if (!is_ready(c, i))
			continue;
		/* Whether the lock is all it waits for is not seen from here. */
		if (!c->was_ready[i] || waits_for_a_lock(c, i))
			return;
		if (++c->passed[i] > 2 * limit)
			fail_msg("test %u was overtaken %u times", i, c->passed[i]);
		return;
	}
}

static void
started(struct course *c, const struct action *at)
{
	assert_false(c->is_stopped);
	if (c->all_guessed && !c->w.usable_n)
		count_passing(c, at->node);
	check_start(&c->seen, &c->w, &c->clock, at, &c->pool);
	c->started++;
	if (c->w.duration[at->node] && !at->fits_nowhere) {
		clock_start(&c->clock, at->node, c->w.duration[at->node]);
		return;
	}
	c->ended[at->node] = true;
	scheduler_ended(c->scheduler, at->node);
}

/* Once more, with all it holds, or over. */
static void
ended(struct course *c, node_id node)
{
	c->round++;
	c->running = c->clock.running;
	if (c->runs_left[node]) {
		c->runs_left[node]--;
		clock_start(&c->clock, node, c->w.duration[node]);
		return;
	}
	c->ended[node] = true;
	if (c->fails[node] && c->stops_on_failure) {
		c->is_stopped = true;
		scheduler_stop(c->scheduler);
	}
	scheduler_ended(c->scheduler, node);
}

static void
run(struct course *c)
{
	bool walks = false;

	for (;;) {
		struct action at;

		for (node_id i = 0; i < c->w.plan->n && !walks; i++)
			c->was_ready[i] = is_ready(c, i);

		scheduler_time(c->scheduler, 7 + c->clock.now);
		at = scheduler_next(
			c->scheduler, usable_now(&c->w, c->round, c->running));
		if (at.kind == ACT_DONE)
			break;
		walks = at.kind == ACT_START;
		if (walks)
			started(c, &at);
		else
			ended(c, clock_next(&c->clock, c->w.plan->n));
	}
	assert_int_equal(c->clock.running, 0);
	assert_int_equal(scheduler_running(c->scheduler), 0);
	assert_int_equal(scheduler_slots_used(c->scheduler), 0);
	if (!c->is_stopped)
		assert_int_equal(c->started, c->w.plan->n);
	for (size_t t = 0; t < c->pool.n; t++)
		assert_int_equal(c->pool.types[t].holders, 0);
}

/* By pressure, with one of the ways to know times, and perhaps an order that was chosen.
 */
static void
plan_again(struct course *c, struct scheduler_options *o, uint64_t *seed)
{
	double *expected = NEW_ARRAY(c->a, double, c->w.plan->n);
	unsigned trust = below(seed, 3);

	for (node_id i = 0; i < c->w.plan->n; i++) {
		struct properties *p =
			(struct properties *)c->w.plan->nodes[i].test->properties;

		if (p != &properties_default)
			p->cost = 0;
		expected[i] = trust == 0   ? 0
			      : trust == 1 ? c->w.duration[i]
					   : below(seed, 30) / 8.0;
	}
	plan_by_pressure(&c->w, expected);
	((struct plan *)c->w.plan)->reserve = 1 + below(seed, 4);
	c->all_guessed = trust == 0;
	if (below(seed, 3) == 0)
		choose_order(c->a, (struct plan *)c->w.plan, o, CHOICE_STARTS);
}

static void
one_plan(uint64_t seed)
{
	struct arena *a = arena_open();
	struct course c = {
		.a = a, .w = random_world(a, &seed, below(&seed, 4) ? FEW : MANY)};
	size_t n = c.w.plan->n;
	struct scheduler_options o = {
		.parallel = c.w.parallel, .rewalk_after_refusal = c.w.rewalk};

	c.pool = world_pool(&c.w);
	o.pool = c.w.pool_text ? &c.pool : NULL;
	if (below(&seed, 3))
		plan_again(&c, &o, &seed);
	c.scheduler = scheduler_new(a, c.w.plan, &o);
	c.clock.ends = NEW_ARRAY(a, unsigned, n);
	c.seen = (struct witness){NEW_ARRAY(a, struct grant, n), NEW_ARRAY(a, bool, n)};
	c.runs_left = NEW_ARRAY(a, unsigned, n);
	c.fails = NEW_ARRAY(a, bool, n);
	c.ended = NEW_ARRAY(a, bool, n);
	c.passed = NEW_ARRAY(a, unsigned, n);
	c.was_ready = NEW_ARRAY(a, bool, n);
	c.stops_on_failure = below(&seed, 4) == 0;
	for (size_t i = 0; i < n; i++) {
		c.fails[i] = below(&seed, 5) == 0;
		c.runs_left[i] = below(&seed, 4) == 0 ? below(&seed, 3) : 0;
	}
	run(&c);
	arena_close(a);
}

static uint64_t
number_from(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 10) : otherwise;
}

static void
random_plans_keep_the_properties(void **state)
{
	uint64_t first = number_from("CCTR_SIM_SEED", 1);
	uint64_t n = number_from("CCTR_SIM_PLANS", PLANS);

	print_message("# seeds %llu to %llu\n", (unsigned long long)first,
		(unsigned long long)(first + n - 1));
	for (uint64_t i = 0; i < n; i++) {
		*(uint64_t *)*state = first + i;
		one_plan(first + i);
	}
}

static int
say_seed(void **state)
{
	print_message(
		"# last seed %llu\n", (unsigned long long)*(const uint64_t *)*state);
	return 0;
}

int
main(void)
{
	uint64_t seed = 0;
	const struct CMUnitTest tests[] = {
		{"random_plans_keep_the_properties", random_plans_keep_the_properties,
			NULL, say_seed, &seed},
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("properties", tests, NULL, NULL);
}

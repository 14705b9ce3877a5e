/* Tests that ask for leases while others wait for the same resources, also for fixtures,
 * and with several nodes: nothing is held twice or lost, none waits for ever, and in the
 * end all has come back. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "runner/lease/lease_terms.h"
#include "tests/sim/random_world.h"

struct play {
	struct world w;
	struct pool pool;
	struct scheduler *s;
	struct clock c;
	size_t started;
	const struct grant **grants; /* by node, while it runs */
	bool has_nodes; /* of the pool */
};

/* Two of such a pool, and one more: in all of them each test has a node. */
static struct pool
two_nodes(struct arena *a, struct pool p)
{
	struct str *names = NEW_ARRAY(a, struct str, 3);
	struct pool parts[] = {p, p, pool_of(a, "cpus 0=4; g x=2")};

	names[0] = STR("n0");
	names[1] = STR("n1");
	names[2] = STR("n2");
	p = pool_join(a, names, parts, 3);
	p.counts_processors = true;
	return p;
}

static void
open_play(struct play *p)
{
	struct scheduler_options o = {.parallel = p->w.parallel};

	p->pool = world_pool(&p->w);
	if (p->has_nodes)
		p->pool = two_nodes(p->w.a, p->pool);
	if (p->w.pool_text)
		o.pool = &p->pool;
	p->grants = NEW_ARRAY(p->w.a, const struct grant *, p->w.plan->n);
	p->s = scheduler_new(p->w.a, p->w.plan, &o);
	p->c = (struct clock){.ends = NEW_ARRAY(p->w.a, unsigned, p->w.plan->n)};
}

/* Starts all that can. false: there is nothing more to do. */
static bool
start_tests(struct play *p)
{
	for (;;) {
		struct action a;

		scheduler_time(p->s, p->c.now);
		a = scheduler_next(p->s, SIZE_MAX);
		if (a.kind != ACT_START)
			return a.kind == ACT_WAIT;
		p->started++;
		p->grants[a.node] = a.grant;
		if (p->w.duration[a.node] && !a.fits_nowhere)
			clock_start(&p->c, a.node, p->w.duration[a.node]);
		else
			scheduler_ended(p->s, a.node);
	}
}

static void
end_next(struct play *p)
{
	scheduler_ended(p->s, clock_next(&p->c, p->w.plan->n));
	(void)scheduler_leases_changed(p->s);
}

static struct lease_answer
ask(struct play *p, node_id node, enum lease_verb verb, const char *id, const char *terms)
{
	struct arena *a = arena_open();
	struct lease_request q = {.id = id ? str_of(id) : STR_NONE, .now_s = p->c.now};
	const char *why;
	struct leases *l = scheduler_leases(p->s, node, &why);
	struct lease_answer answer;

	assert_non_null(l);
	assert_true(lease_terms_read(a, str_of(terms), &q.wanted, &why));
	q.seconds = verb == LEASE_LEND ? 1 + p->c.now % 3 : 0;
	answer = leases_ask(l, node, verb, &q);
	(void)scheduler_leases_changed(p->s);
	arena_close(a);
	return answer;
}

/* ---- who waits for whom ---------------------------------------------------------- */

/* A test asks again and again, so that something is always held; the wide one starts all
 * the same. */
static void
requests_do_not_starve_tests(void **state)
{
	struct play p = {.w = world_of(*state, "asks; wide groups=g:4", 4, "")};
	unsigned grants = 0;

	p.w.pool_text = "g x=4";
	p.w.duration[0] = 100;
	open_play(&p);
	/* The test asks before the wide one is tried. */
	assert_int_equal(scheduler_next(p.s, SIZE_MAX).kind, ACT_START);
	p.started = 1;
	clock_start(&p.c, 0, 100);
	assert_int_equal(ask(&p, 0, LEASE_NEW, "a", "g:1").status, LEASE_GRANTED);
	while (start_tests(&p) && p.started == 1 && grants < 1000) {
		const char *id = grants % 2 ? "a" : "b", *other = grants % 2 ? "b" : "a";

		if (ask(&p, 0, LEASE_NEW, id, "g:1").status != LEASE_GRANTED)
			assert_int_equal(
				ask(&p, 0, LEASE_CANCEL, id, "").status, LEASE_CANCELED);
		else
			grants++;
		(void)ask(&p, 0, LEASE_RELEASE, other, "");
	}
	assert_int_equal(p.started, 2);
	assert_in_range(grants, 8, 9);
}

/* Small tests follow each other, so that the pool is never free; the request for all of
 * it is granted before they have all run. */
static void
tests_do_not_starve_requests(void **state)
{
	struct buf suite = {.arena = *state};
	struct play p = {.started = 0};
	struct blocker why = {.kind = BLOCKED_NOT};
	size_t before;

	buf_z(&suite, "asks cost=9");
	for (int i = 0; i < 100; i++)
		buf_fmt(&suite, "; t%d groups=g:1", i);
	p.w = world_of(*state, buf_as_str(&suite).p, 3, "");
	p.w.pool_text = "g x=2";
	for (node_id i = 1; i < p.w.plan->n; i++)
		p.w.duration[i] = 2 + i % 2;
	p.w.duration[0] = 1000;
	open_play(&p);
	assert_true(start_tests(&p));
	assert_int_equal(p.started, 3);
	assert_int_equal(ask(&p, 0, LEASE_NEW, "all", "g:2").status, LEASE_PENDING);
	before = p.started;
	while (ask(&p, 0, LEASE_QUERY, "all", "").status == LEASE_PENDING) {
		why = scheduler_blocker(p.s, (node_id)p.w.plan->n - 1);
		end_next(&p);
		assert_true(start_tests(&p));
	}
	assert_int_equal(why.kind, BLOCKED_BY_LEASE);
	assert_true(why.node == 0 && str_is(why.name, "g"));
	assert_in_range(p.started - before, 8, 9);
	(void)ask(&p, 0, LEASE_RELEASE, "all", "");
	while (start_tests(&p))
		end_next(&p);
	assert_int_equal(p.started, 101);
}

/* The setup has a slot until the cleanup has ended, and a test that needs the rest runs
 * in between; one that is due, too. */
static void
leases_of_a_setup_end_with_the_cleanup(void **state)
{
	struct play p = {.w = world_of(*state,
				 "s setup=F; u needs=F groups=g:2; c cleanup=F; o "
				 "after=c groups=g:2",
				 2, "")};
	struct lease_request q = {.id = STR("x"), .fixture = STR("F")};
	const char *why;

	p.w.pool_text = "g x=3";
	for (node_id i = 0; i < 4; i++)
		p.w.duration[i] = 1;
	open_play(&p);
	assert_true(start_tests(&p));
	assert_int_equal(p.started, 1);
	assert_true(lease_terms_read(*state, STR("g:2"), &q.wanted, &why));
	assert_int_equal(
		leases_ask(scheduler_leases(p.s, 0, &why), 0, LEASE_NEW, &q).status,
		LEASE_DENIED);
	assert_true(lease_terms_read(*state, STR("g:1"), &q.wanted, &why));
	assert_int_equal(
		leases_ask(scheduler_leases(p.s, 0, &why), 0, LEASE_NEW, &q).status,
		LEASE_GRANTED);
	for (size_t ended = 0; ended < 3; ended++) {
		assert_int_equal(p.pool.types[0].v[0].held, ended == 1 ? 3 : 1);
		end_next(&p);
		assert_true(start_tests(&p));
		assert_int_equal(p.started, ended + 2);
	}
	assert_int_equal(p.pool.types[0].v[0].held, 2);
	end_next(&p);
	assert_false(start_tests(&p));
	assert_int_equal(p.pool.types[0].v[0].held, 0);
}

/* ---- what is lent for a known time ----------------------------------------------- */

/* The first test runs longest, lends of what it has, and needs it again when it said. The
 * times of all tests are known exactly. */
struct lending {
	struct play p;
	unsigned *slots; /* by node */
	unsigned all, back; /* slots of the pool; back: when; 0: nothing is lent */
	unsigned lent; /* slots */
	bool asks; /* for what it has lent, and waits for it */
	node_id head; /* the best test that waits; MAP_NONE: none does */
	unsigned promised; /* the head starts then, or earlier */
	size_t lends, waits, promises, backfilled;
};

static void
open_lending(struct lending *d, struct arena *a, uint64_t *seed)
{
	struct buf suite = {.arena = a};
	size_t n = 6 + below(seed, 10);
	double *expected = NEW_ARRAY(a, double, n), *urgency = NEW_ARRAY(a, double, n);
	struct plan *plan;

	*d = (struct lending){.slots = NEW_ARRAY(a, unsigned, n),
		.all = 4 + below(seed, 4),
		.head = MAP_NONE};
	for (size_t i = 0; i < n; i++) {
		bool is_large = i && below(seed, 3) == 0;

		d->slots[i] = is_large ? d->all - below(seed, 2) : 1 + below(seed, 2);
		expected[i] = 1 + below(seed, 9);
		urgency[i] = (double)(n - i);
	}
	d->slots[0] = 2 + below(seed, d->all - 2);
	expected[0] = 20 + below(seed, 40);
	for (size_t i = 0; i < n; i++)
		buf_fmt(&suite, "%st%zu groups=g:%u", i ? "; " : "", i, d->slots[i]);
	d->p.w = world_of(a, buf_as_str(&suite).p, 16, "");
	d->p.w.pool_text = str_fmt(a, "g x=%u", d->all).p;
	plan_by_pressure(&d->p.w, expected);
	plan = (struct plan *)(uintptr_t)d->p.w.plan;
	plan->reserve = 1;
	plan_rank_by(a, plan, urgency);
	for (size_t i = 0; i < n; i++)
		d->p.w.duration[i] = (unsigned)expected[i];
	open_play(&d->p);
	d->p.c.now = 1;
}

/* Of the running tests when that time has come; the first keeps what it has not lent. */
static unsigned
slots_used(const struct lending *d, unsigned at)
{
	unsigned used = 0;

	for (node_id k = 0; k < d->p.w.plan->n; k++)
		if (d->p.c.ends[k] > at)
			used += d->slots[k] - (k ? 0 : d->lent);
	return used;
}

/* By brute force: when the test starts if nothing else starts before it. */
static unsigned
time_of(const struct lending *d, node_id node)
{
	bool is_back = false;
	unsigned at = d->p.c.now;

	for (;; at++) {
		bool runs = d->p.c.ends[0] > at;
		unsigned used = slots_used(d, at) + (is_back && runs ? d->lent : 0);

		if (d->lent && !is_back && runs && at >= d->back &&
			used + d->lent <= d->all) {
			is_back = true;
			used += d->lent;
		}
		if (at > d->p.c.now && used + d->slots[node] <= d->all)
			return at;
	}
}

static void
lend_or_ask(struct lending *d, uint64_t *seed)
{
	unsigned now = d->p.c.now;
	struct lease_request q = {.id = STR(LEASE_OWN), .now_s = now};
	struct leases *l;
	const char *why;

	if (d->p.c.ends[0] <= now)
		return;
	l = scheduler_leases(d->p.s, 0, &why);
	if (d->lent && now >= d->back && !d->asks) {
		q.blocks = d->asks = true;
		(void)leases_ask(l, 0, LEASE_REACQUIRE, &q);
	} else if (!d->lent && below(seed, 4) == 0) {
		d->lent = 1 + below(seed, d->slots[0]);
		d->back = now + 1 + below(seed, 12);
		q.seconds = d->back - now;
		assert_true(lease_terms_read(
			d->p.w.a, str_fmt(d->p.w.a, "g:%u", d->lent), &q.wanted, &why));
		assert_int_equal(leases_ask(l, 0, LEASE_LEND, &q).status, LEASE_GRANTED);
		d->lends++;
	}
}

/* What it has asked for is granted when there is room, also to a test that waits. */
static void
look_at_request(struct lending *d)
{
	const struct leases *l = scheduler_all_leases(d->p.s);
	bool runs = d->p.c.ends[0] > d->p.c.now;

	assert_true(runs || !l || !leases_wait(l));
	if (!runs || (d->asks && !leases_wait(l))) {
		d->lent = 0;
		d->asks = false;
	}
	d->waits += d->asks;
	assert_true(!d->asks || slots_used(d, d->p.c.now) + d->lent > d->all);
}

static void
end_tests(struct lending *d)
{
	for (node_id k = 0; k < d->p.w.plan->n; k++)
		if (d->p.c.ends[k] == d->p.c.now) {
			d->p.c.ends[k] = 0;
			d->p.c.running--;
			scheduler_ended(d->p.s, k);
			(void)scheduler_leases_changed(d->p.s);
		}
}

/* Which test is the head now, and when it starts at the latest. */
static void
follow_head(struct lending *d, const bool *started)
{
	node_id head = 0;

	while (head < d->p.w.plan->n && started[head])
		head++;
	for (node_id k = head + 1; k < d->p.w.plan->n; k++)
		d->backfilled +=
			started[k] && d->p.c.ends[k] == d->p.c.now + d->p.w.duration[k];
	if (head == d->head)
		return;
	if (d->head != MAP_NONE && d->promised < d->p.c.now)
		fail_msg("test %u starts at %u, not at %u", d->head, d->p.c.now,
			d->promised);
	d->head = head < d->p.w.plan->n ? head : MAP_NONE;
	d->promises += d->lent && d->head != MAP_NONE;
	if (d->head != MAP_NONE)
		d->promised = time_of(d, head);
}

static void
lend_at_random(struct arena *a, uint64_t seed, struct lending *sum)
{
	struct lending d;
	bool *started;

	open_lending(&d, a, &seed);
	started = NEW_ARRAY(a, bool, d.p.w.plan->n);
	do {
		struct action at;

		end_tests(&d);
		look_at_request(&d);
		lend_or_ask(&d, &seed);
		(void)scheduler_leases_changed(d.p.s);
		look_at_request(&d);
		scheduler_time(d.p.s, d.p.c.now);
		while ((at = scheduler_next(d.p.s, SIZE_MAX)).kind == ACT_START) {
			started[at.node] = true;
			clock_start(&d.p.c, at.node, d.p.w.duration[at.node]);
		}
		assert_true(slots_used(&d, d.p.c.now) <= d.all);
		follow_head(&d, started);
		d.p.c.now++;
	} while (d.p.c.running || scheduler_pending(d.p.s));
	sum->lends += d.lends;
	sum->waits += d.waits;
	sum->promises += d.promises;
	sum->backfilled += d.backfilled;
}

/* Nothing that starts before the best test that waits makes it later than it would be if
 * nothing started, with what is lent until it is needed again. */
static void
lent_slots_delay_no_reserved_test(void **state)
{
	struct lending sum = {.lends = 0};

	(void)state;
	for (uint64_t seed = 1; seed <= 5000; seed++) {
		struct arena *a = arena_open();

		lend_at_random(a, seed, &sum);
		arena_close(a);
	}
	print_message("# %zu lends, %zu promises beside them, %zu tests backfilled, %zu "
		      "times a request waits\n",
		sum.lends, sum.promises, sum.backfilled, sum.waits);
	assert_true(sum.lends > 5000 && sum.promises > 5000);
	assert_true(sum.backfilled > 5000 && sum.waits > 500);
}

/* ---- random ---------------------------------------------------------------------- */

/* What the model of a lease is about. */
typedef void unit_visitor(
	void *context, node_id holder, const struct lease *e, const struct grant_unit *u);

static void
visit_units(const struct play *p, unit_visitor *visit, void *context)
{
	const struct leases *l = scheduler_all_leases(p->s);
	const struct lease *e;

	for (node_id k = 0; l && k < p->w.plan->n; k++)
		for (size_t at = 0; (e = leases_next(l, k, &at));)
			for (size_t i = 0; i < e->units.n; i++)
				visit(context, k, e, &e->units.v[i]);
}

struct slot_sum {
	const struct play *p;
	uint32_t type, instance;
	uint64_t slots;
};

static void
add_unit(void *context, node_id holder, const struct lease *e, const struct grant_unit *u)
{
	struct slot_sum *sum = context;

	(void)holder;
	(void)e;
	if (u->type == sum->type && u->instance == sum->instance)
		sum->slots += u->slots;
}

/* By brute force: what tests that run have from their start, and all leases. */
static void
check_held(const struct play *p, bool is_free)
{
	for (uint32_t t = 0; t < p->pool.n; t++)
		for (uint32_t i = 0; i < p->pool.types[t].n; i++) {
			const struct resource_instance *in = &p->pool.types[t].v[i];
			struct slot_sum sum = {p, t, i, 0};

			for (node_id k = 0; k < p->w.plan->n; k++)
				if (p->c.ends[k] && p->grants[k])
					sum.slots += held_of(p->grants[k], t, i);
			visit_units(p, add_unit, &sum);
			assert_int_equal(in->held, sum.slots);
			assert_true(in->held <= (is_free ? 0 : in->slots));
		}
}

/* A test leases on its node; what it inherits may be elsewhere. */
static void
check_node(
	void *context, node_id holder, const struct lease *e, const struct grant_unit *u)
{
	const struct play *p = context;

	if (p->pool.nodes_n > 1 && !e->is_inherited)
		assert_int_equal(p->pool.types[u->type].v[u->instance].node,
			pool_node_of(&p->pool, p->grants[holder]));
}

static void
add_fixture_unit(
	void *context, node_id holder, const struct lease *e, const struct grant_unit *u)
{
	(void)holder;
	*(uint64_t *)context += e->fixture.p ? u->slots : 0;
}

static uint64_t
count_for_fixtures(const struct play *p)
{
	uint64_t slots = 0;

	visit_units(p, add_fixture_unit, &slots);
	return slots;
}

static const struct properties *
properties_of(const struct play *p, node_id node)
{
	return p->w.plan->nodes[node].test->properties;
}

/* What fixtures have is there until the cleanup has ended. */
static void
end_and_check(struct play *p)
{
	uint64_t before = count_for_fixtures(p);
	node_id node = clock_next(&p->c, p->w.plan->n);

	scheduler_ended(p->s, node);
	(void)scheduler_leases_changed(p->s);
	if (properties_of(p, node)->fixtures_cleanup.n)
		assert_int_equal(count_for_fixtures(p), 0);
	else
		assert_true(count_for_fixtures(p) >= before);
}

/* A test asks, as far as it may. */
static void
ask_for_fixture(struct play *p, node_id node, const struct resource_groups *wanted)
{
	const char *why;
	struct leases *l = scheduler_leases(p->s, node, &why);
	struct lease_request q = {.id = STR("f"), .fixture = STR("F"), .wanted = *wanted};

	assert_non_null(l);
	(void)leases_ask(l, node, LEASE_NEW, &q);
	(void)scheduler_leases_changed(p->s);
}

static void
ask_at_random(struct play *p, node_id node, uint64_t *seed)
{
	static const char *const ids[] = {"x", "y", LEASE_OWN};
	static const char *const terms[] = {
		"g:1", "g:2", "g:1,g:1", "h:1", "g:1,h:1", "g:9"};
	static const enum lease_verb verbs[] = {LEASE_NEW, LEASE_NEW, LEASE_EXTEND,
		LEASE_RELEASE, LEASE_LEND, LEASE_REACQUIRE, LEASE_CANCEL};
	enum lease_verb verb = verbs[below(seed, ROWS(verbs))];
	bool has_terms = verb < LEASE_RELEASE || (verb <= LEASE_LEND && below(seed, 2));
	struct resource_groups wanted;
	const char *why;

	if (properties_of(p, node)->fixtures_setup.n && below(seed, 3) == 0) {
		assert_true(lease_terms_read(
			p->w.a, str_of(terms[below(seed, ROWS(terms))]), &wanted, &why));
		ask_for_fixture(p, node, &wanted);
		return;
	}
	(void)ask(p, node, verb, ids[below(seed, ROWS(ids))],
		has_terms ? terms[below(seed, ROWS(terms))] : "");
}

static size_t
play_at_random(struct arena *a, uint64_t seed)
{
	bool has_fixture = below(&seed, 2), has_nodes = has_fixture && below(&seed, 2);
	struct play p = {.w = has_fixture ? random_world_with_fixture(a, &seed)
					  : random_world(a, &seed, 12),
		.has_nodes = has_nodes};
	size_t n = p.w.plan->n, asked = 0;

	if (!has_nodes && below(&seed, 2)) {
		double *expected = NEW_ARRAY(a, double, n);

		for (size_t i = 0; i < n; i++)
			expected[i] = below(&seed, 5);
		plan_by_pressure(&p.w, expected);
	}
	open_play(&p);
	while (start_tests(&p)) {
		for (node_id i = 0; i < n && p.w.pool_text; i++)
			while (p.c.ends[i] && asked < 200 && below(&seed, 2)) {
				ask_at_random(&p, i, &seed);
				asked++;
				check_held(&p, false);
				visit_units(&p, check_node, &p);
			}
		/* What was released may have been what a test waited for. */
		(void)start_tests(&p);
		end_and_check(&p);
		check_held(&p, false);
	}
	check_held(&p, true);
	assert_int_equal(p.started, n);
	assert_int_equal(scheduler_pending(p.s), 0);
	assert_true(
		!scheduler_all_leases(p.s) || !leases_wait(scheduler_all_leases(p.s)));
	return asked;
}

/* LEASE_STEPS: how many requests at least, by hand. */
static void
random_tests_and_requests(void **state)
{
	const char *more = getenv("LEASE_STEPS");
	size_t steps = more ? (size_t)atoi(more) : 0, asked = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 3000 || asked < steps; seed++) {
		struct arena *a = arena_open();

		asked += play_at_random(a, seed);
		arena_close(a);
	}
	print_message("# %zu requests\n", asked);
}

static int
open_arena(void **state)
{
	*state = arena_open();
	return 0;
}

static int
close_arena(void **state)
{
	arena_close(*state);
	return 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			requests_do_not_starve_tests, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(
			tests_do_not_starve_requests, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(
			leases_of_a_setup_end_with_the_cleanup, open_arena, close_arena),
		cmocka_unit_test(lent_slots_delay_no_reserved_test),
		cmocka_unit_test(random_tests_and_requests),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("leases", tests, NULL, NULL);
}

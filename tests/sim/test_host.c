/* Several runs on one machine in invented time: each has a scheduler and a pool of its
 * own, and they share a text. Nothing is held twice on the machine, none waits for ever,
 * each has its turn, and in the end all has come back; also if runs die. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "runner/host/host_claims.h"
#include "runner/lease/lease_terms.h"
#include "tests/sim/random_world.h"

enum { RUNS_MOST = 5 };

struct sharer {
	struct world w;
	struct pool pool;
	struct scheduler *s;
	struct clock c;
	struct host_claims *claims;
	struct grant *held; /* by node: a copy, while it runs */
	size_t started;
	bool is_over, is_dead, must_look;
};
struct machine_play {
	struct arena *a;
	struct sharer v[RUNS_MOST];
	unsigned n, now;
	uint64_t *seed;
	struct buf text;
	uint64_t most_overtaken;
	bool has_leases;
	unsigned granted, pending; /* requests, as they were answered */
	unsigned circles; /* requests that were denied, since all wait for each other */
};

static void
add_sharer(struct machine_play *m, struct world w)
{
	struct sharer *r = &m->v[m->n++];
	struct scheduler_options o = {.parallel = w.parallel};

	r->w = w;
	r->pool = world_pool(&r->w);
	o.pool = &r->pool;
	r->s = scheduler_new(m->a, w.plan, &o);
	r->c = (struct clock){.ends = NEW_ARRAY(m->a, unsigned, w.plan->n)};
	r->held = NEW_ARRAY(m->a, struct grant, w.plan->n);
	r->claims = host_claims_new(m->a, &r->pool);
	r->must_look = true;
}

static void
open_book(struct machine_play *m, struct host_book *b)
{
	assert_true(host_book_read(m->a, str_dup(m->a, buf_as_str(&m->text)), b));
}

static void
close_book(struct machine_play *m, const struct host_book *b)
{
	m->text.n = 0;
	host_book_write(&m->text, b);
}

static struct host_owner *
own_in(struct machine_play *m, struct host_book *b, size_t i)
{
	struct host_owner *o = host_book_find(b, i);

	if (o)
		return o;
	VEC_PUSH(m->a, &b->owners, (struct host_owner){.slot = i, .pid = i + 1});
	return &b->owners.v[b->owners.n - 1];
}

static void
wake_others(struct machine_play *m, size_t but)
{
	for (size_t i = 0; i < m->n; i++)
		m->v[i].must_look = m->v[i].must_look || i != but;
}

static uint64_t
leased_by(const struct sharer *r, node_id node, uint32_t type, uint32_t instance)
{
	struct leases *l = scheduler_all_leases(r->s);
	const struct lease *e;
	uint64_t sum = 0;

	for (size_t at = 0; l && (e = leases_next(l, node, &at));)
		for (size_t i = 0; i < e->units.n; i++)
			if (e->units.v[i].type == type &&
				e->units.v[i].instance == instance)
				sum += e->units.v[i].slots;
	return sum;
}

/* The brute-force model: all slots that running tests hold, whatever the book says. */
static void
check_machine(const struct machine_play *m)
{
	const struct pool *p = &m->v[0].pool;

	for (uint32_t t = 0; t < p->n; t++)
		for (uint32_t i = 0; i < p->types[t].n; i++) {
			uint64_t sum = 0;

			for (size_t r = 0; r < m->n; r++)
				for (node_id k = 0; k < m->v[r].w.plan->n; k++)
					if (m->v[r].c.ends[k])
						sum += held_of(&m->v[r].held[k], t, i) +
						       leased_by(&m->v[r], k, t, i);
			assert_true(sum <= p->types[t].v[i].slots);
		}
}

static void
start_test(struct machine_play *m, struct sharer *r, const struct action *a)
{
	unsigned duration = r->w.duration[a->node];

	r->started++;
	r->held[a->node] = (struct grant){NULL, 0};
	if (a->grant)
		copy_grant(m->a, a->grant, &r->held[a->node]);
	if (!duration || a->fits_nowhere) {
		scheduler_ended(r->s, a->node);
		return;
	}
	r->c.now = m->now;
	clock_start(&r->c, a->node, duration);
	check_machine(m);
}

/* As the loop of a run: one look for each start. */
static void
look(struct machine_play *m, size_t i)
{
	struct sharer *r = &m->v[i];
	struct action a;

	r->must_look = false;
	do {
		struct host_book b;
		struct host_owner *own;

		open_book(m, &b);
		own = own_in(m, &b, i);
		if (own->overtaken > m->most_overtaken)
			m->most_overtaken = own->overtaken;
		host_claims_feed(r->claims, &b, own, 0, r->s);
		scheduler_open_leases(r->s);
		scheduler_time(r->s, m->now);
		a = scheduler_next(r->s, SIZE_MAX);
		if (host_claims_note(r->claims, m->a, &b, own, 0, r->s, &a))
			wake_others(m, i);
		close_book(m, &b);
		scheduler_close_leases(r->s);
		check_machine(m);
		if (a.kind == ACT_START)
			start_test(m, r, &a);
	} while (a.kind == ACT_START);
	r->is_over = a.kind == ACT_DONE;
}

/* All who were woken, in any order. */
static void
look_all(struct machine_play *m)
{
	bool any = true;

	while (any) {
		size_t first = below(m->seed, m->n);

		any = false;
		for (size_t k = 0; k < m->n && !any; k++) {
			size_t i = (first + k) % m->n;

			any = m->v[i].must_look && !m->v[i].is_dead;
			if (any)
				look(m, i);
		}
	}
}

/* A running test asks; or gives back what it leased. */
static void
ask_at_random(struct machine_play *m, size_t i)
{
	static const char *const terms[] = {"g:1", "g:1,g:1", "g:2", "cpus:1", "h:1,g:1"};
	struct sharer *r = &m->v[i];
	node_id node = below(m->seed, (unsigned)r->w.plan->n);
	struct lease_request q = {.id = below(m->seed, 2) ? STR("a") : STR("b"),
		.is_immediate = below(m->seed, 3) == 0,
		.blocks = below(m->seed, 2)};
	bool gives = below(m->seed, 3) == 0;
	struct lease_answer answer;
	struct leases *l;
	const char *why;

	if (!r->c.ends[node])
		return;
	if (r->w.plan->nodes[node].test->properties->fixtures_setup.n)
		q.fixture = STR("F");
	l = scheduler_leases(r->s, node, &why);
	leases_close_pool(l);
	if (!gives)
		assert_true(lease_terms_read(m->a,
			str_of(terms[below(m->seed, ROWS(terms))]), &q.wanted, &why));
	answer = leases_ask(l, node, gives ? LEASE_RELEASE : LEASE_NEW, &q);
	/* Without a look nothing is granted. */
	assert_true(gives || answer.status != LEASE_GRANTED);
	m->pending += answer.status == LEASE_PENDING;
	(void)scheduler_leases_changed(r->s);
	look(m, i);
	answer = leases_ask(l, node, LEASE_QUERY, &q);
	m->granted += !gives && answer.status == LEASE_GRANTED;
	m->circles += answer.reason && strstr(answer.reason, "wait for more");
	/* With one it is known. */
	assert_false(answer.status == LEASE_PENDING && answer.lease->is_untried);
}

static void
kill_run(struct machine_play *m, size_t i)
{
	struct sharer *r = &m->v[i];
	struct host_book b;

	r->is_dead = true;
	for (node_id k = 0; k < r->w.plan->n; k++)
		r->c.ends[k] = 0;
	open_book(m, &b);
	host_book_drop(&b, own_in(m, &b, i));
	close_book(m, &b);
	wake_others(m, i);
}

/* Whether the test does nothing but wait for a lease. */
static bool
does_wait(const struct sharer *r, node_id node)
{
	const struct leases *l = scheduler_all_leases(r->s);
	const struct lease *e;

	for (size_t at = 0; l && (e = leases_next(l, node, &at));)
		if (e->status == LEASE_PENDING && e->blocks)
			return true;
	return false;
}

/* false: none runs, or all that run wait. */
static bool
find_first(const struct machine_play *m, size_t *best, node_id *node)
{
	*node = MAP_NONE;
	for (size_t i = 0; i < m->n; i++)
		for (node_id k = 0; k < m->v[i].w.plan->n; k++)
			if (m->v[i].c.ends[k] && !does_wait(&m->v[i], k) &&
				(*node == MAP_NONE ||
					m->v[i].c.ends[k] < m->v[*best].c.ends[*node])) {
				*best = i;
				*node = k;
			}
	return *node != MAP_NONE;
}

static size_t
count_running(const struct machine_play *m)
{
	size_t n = 0;

	for (size_t i = 0; i < m->n; i++)
		for (node_id k = 0; k < m->v[i].w.plan->n; k++)
			n += m->v[i].c.ends[k] > 0;
	return n;
}

/* Runs with tests that wait look again after a while, one after the other. */
static void
look_again(struct machine_play *m)
{
	size_t best;
	node_id node;

	for (size_t i = 0; i < m->n && !find_first(m, &best, &node); i++)
		if (!m->v[i].is_dead)
			look(m, i);
	look_all(m);
}

/* false: nothing runs on the machine. */
static bool
end_first(struct machine_play *m)
{
	size_t best = 0;
	node_id node;

	if (!count_running(m))
		return false;
	if (!find_first(m, &best, &node)) {
		look_again(m);
		/* Not all tests wait for each other. */
		assert_true(find_first(m, &best, &node));
	}
	if (m->v[best].c.ends[node] > m->now)
		m->now = m->v[best].c.ends[node];
	m->v[best].c.ends[node] = 0;
	m->v[best].c.running--;
	scheduler_ended(m->v[best].s, node);
	m->v[best].must_look = true;
	/* What it gave back it may take again before anyone else is awake. */
	look(m, best);
	return true;
}

static void
check_end(struct machine_play *m)
{
	struct host_book b;

	for (size_t i = 0; i < m->n; i++)
		if (!m->v[i].is_dead) {
			assert_true(m->v[i].is_over);
			assert_int_equal(m->v[i].started, m->v[i].w.plan->n);
		}
	open_book(m, &b);
	for (size_t i = 0; i < b.owners.n; i++) {
		assert_int_equal(b.owners.v[i].claims.n, 0);
		assert_true(!b.owners.v[i].ticket);
	}
	/* Older runs that are due, and those beside which there was room; and what went
	 * on while idle tests held its place. */
	assert_true(m->most_overtaken <=
		    (2 * HOST_PATIENCE + RUNS_MOST) * (m->has_leases ? 2 : 1));
}

static void
play(struct machine_play *m, unsigned deaths)
{
	unsigned steps = 0;

	do {
		look_all(m);
		if (deaths && below(m->seed, 20) == 0) {
			deaths--;
			kill_run(m, below(m->seed, m->n));
			look_all(m);
		}
		for (size_t i = 0; i < m->n && m->has_leases; i++)
			if (!m->v[i].is_dead)
				ask_at_random(m, i);
		assert_true(steps++ < 100000);
	} while (end_first(m));
	look_all(m);
	check_end(m);
}

static struct machine_play
new_machine(struct arena *a, uint64_t *seed)
{
	return (struct machine_play){.a = a, .seed = seed, .text = {.arena = a}};
}

static void
share_a_machine(unsigned rounds, bool has_leases)
{
	static const char *const pools[] = {"g x=2", "g x=3 y=1; h z=2",
		"g x=1 y=1 z=1; h a=1 b=1", "cpus 0=1 1=1 2=1", "cpus 0=2 1=1; g x=2",
		"cpus 0=1 1=1 2=1 3=1; g w=1 x=1 y=1 z=1"};
	uint64_t seed = 20260131;
	unsigned granted = 0, pending = 0, circles = 0;

	for (unsigned round = 0; round < rounds; round++) {
		struct arena *a = arena_open();
		struct machine_play m = new_machine(a, &seed);
		const char *pool = pools[below(&seed, ROWS(pools))];
		unsigned n = 2 + below(&seed, RUNS_MOST - 1);

		while (m.n < n) {
			struct world w = has_leases && below(&seed, 2)
						 ? random_world_with_fixture(a, &seed)
						 : random_world(a, &seed, 12);

			w.pool_text = pool;
			add_sharer(&m, w);
		}
		m.has_leases = has_leases;
		play(&m, below(&seed, 3));
		granted += m.granted;
		pending += m.pending;
		circles += m.circles;
		arena_close(a);
	}
	assert_true(
		!has_leases || (granted > rounds && pending > granted && circles > 0));
}

static void
random_runs_share_a_machine(void **state)
{
	(void)state;
	share_a_machine(3000, false);
}

static void
tests_of_random_runs_lease(void **state)
{
	(void)state;
	share_a_machine(2000, true);
}

/* Runs with many small tests that never leave their pool idle, and one with a test that
 * needs all of the machine: it starts before the others are through. */
static void
a_large_test_has_its_turn(struct arena *a, const char *pool)
{
	uint64_t seed = 7;
	struct machine_play m = new_machine(a, &seed);
	struct buf suite = {.arena = a};
	struct world large;
	size_t others = 0;

	buf_z(&suite, "t groups=g:1");
	for (int i = 1; i < 200; i++)
		buf_fmt(&suite, "; t%d groups=g:1", i);
	for (int i = 0; i < 3; i++) {
		struct world w = world_of(a, suite.p, 4, "");

		w.pool_text = pool;
		for (node_id k = 0; k < w.plan->n; k++)
			w.duration[k] = 1 + (k + (unsigned)i) % 3;
		add_sharer(&m, w);
	}
	large = world_of(a, "large groups=g:2,g:2", 4, "");
	large.pool_text = "g x=2 y=2";
	add_sharer(&m, large);
	for (size_t i = 0; i < 3; i++)
		look(&m, i);
	while (!m.v[3].started) {
		look_all(&m);
		for (size_t i = others = 0; i < 3; i++)
			others += m.v[i].started;
		assert_true(others < 60 && (m.v[3].started || end_first(&m)));
	}
	play(&m, 0);
}

static void
a_large_test_of_one_run_has_its_turn(void **state)
{
	a_large_test_has_its_turn(*state, "g x=2 y=2");
	a_large_test_has_its_turn(*state, "g x=2");
}

/* Each could run its test beside its own lease, but not beside both. */
static void
fixtures_of_two_runs_leave_room(void **state)
{
	uint64_t seed = 5;
	struct machine_play m = new_machine(*state, &seed);
	struct lease_request q = {.id = STR("a"), .fixture = STR("F")};
	const char *why;

	assert_true(lease_terms_read(*state, STR("g:2"), &q.wanted, &why));
	for (size_t i = 0; i < 2; i++) {
		struct world w = world_of(*state,
			"up setup=F; u needs=F groups=g:2; down cleanup=F", 2, "");
		struct leases *l;

		w.pool_text = "g x=2 y=2";
		w.duration[0] = w.duration[1] = w.duration[2] = 1;
		add_sharer(&m, w);
		look(&m, i);
		l = scheduler_leases(m.v[i].s, 0, &why);
		leases_close_pool(l);
		(void)leases_ask(l, 0, LEASE_NEW, &q);
		(void)scheduler_leases_changed(m.v[i].s);
		look(&m, i);
		assert_int_equal(leases_wait(l), i == 1);
	}
	play(&m, 0);
}

/* Three equal runs: at any time each has about as much as the others. */
static void
equal_runs_go_on_together(void **state)
{
	uint64_t seed = 3;
	struct machine_play m = new_machine(*state, &seed);
	struct buf suite = {.arena = *state};

	buf_z(&suite, "t groups=g:1");
	for (int i = 1; i < 100; i++)
		buf_fmt(&suite, "; t%d groups=g:1", i);
	for (int i = 0; i < 3; i++) {
		struct world w = world_of(*state, suite.p, 8, "");

		w.pool_text = "g w=1 x=1 y=1 z=1";
		for (node_id k = 0; k < w.plan->n; k++)
			w.duration[k] = 5;
		add_sharer(&m, w);
	}
	do {
		size_t least = SIZE_MAX, most = 0;

		look_all(&m);
		for (size_t i = 0; i < 3; i++) {
			size_t started = m.v[i].started;

			least = started < least ? started : least;
			most = started > most ? started : most;
		}
		assert_true(most - least <= 4 + 2 * HOST_PATIENCE);
	} while (end_first(&m));
	check_end(&m);
	/* 300 tests on 4 slots, 5 each: no slot was ever idle while a test waited. */
	assert_int_equal(m.now, 375);
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
		cmocka_unit_test(random_runs_share_a_machine),
		cmocka_unit_test(tests_of_random_runs_lease),
		cmocka_unit_test_setup_teardown(
			a_large_test_of_one_run_has_its_turn, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(
			fixtures_of_two_runs_leave_room, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(
			equal_runs_go_on_together, open_arena, close_arena),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("host", tests, NULL, NULL);
}

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
#include "runner/schedule/partitions.h"
#include "tests/sim/random_world.h"

enum { RUNS_MOST = 5 };

struct sharer {
	struct world w;
	struct pool pool;
	struct partitions *parts; /* NULL: the pool is not divided */
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
	unsigned divided; /* runs */
	bool is_mixed; /* some have other instances than others, or partitions */
};

/* Two partitions, of these sizes. NULL: a test would not fit. */
static struct partitions *
divide_pool(struct machine_play *m, const struct sharer *r, const char *const *sizes)
{
	struct partitions *p =
		partitions_new(m->a, &r->pool, r->w.plan->selection, r->w.parallel);
	struct partition_request q[] = {{.name = STR("a")}, {.name = STR("b")}};
	struct diag d = diag_in(m->a);
	const char *why;

	for (size_t i = 0; i < ROWS(q); i++)
		assert_true(
			partition_sizes_read(m->a, str_of(sizes[i]), &q[i].sizes, &why));
	return partitions_begin(p, q, ROWS(q), NO_PLACE, &d) ? p : NULL;
}

/* sizes: NULL: it has no partitions. */
static void
add_sharer(struct machine_play *m, struct world w, const char *const *sizes)
{
	struct sharer *r = &m->v[m->n++];
	struct scheduler_options o = {.parallel = w.parallel};

	r->w = w;
	r->pool = world_pool(&r->w);
	r->parts = sizes ? divide_pool(m, r, sizes) : NULL;
	o.pool = r->parts ? &r->parts->pool : &r->pool;
	o.parts = r->parts ? &r->parts->parts : NULL;
	m->divided += r->parts != NULL;
	m->is_mixed =
		m->is_mixed || r->parts || strcmp(w.pool_text, m->v[0].w.pool_text) != 0;
	r->s = scheduler_new(m->a, w.plan, &o);
	r->c = (struct clock){.ends = NEW_ARRAY(m->a, unsigned, w.plan->n)};
	r->held = NEW_ARRAY(m->a, struct grant, w.plan->n);
	r->claims = host_claims_new(m->a, o.pool, r->parts ? &r->pool : NULL);
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
	assert_true(host_book_write(&m->text, b));
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

/* The same in the pool of the run, which is not divided. false: it has none. */
static bool
find_instance(const struct sharer *r, const struct pool *machine, uint32_t *type,
	uint32_t *instance)
{
	struct str id = machine->types[*type].v[*instance].id;

	*type = pool_type(&r->pool, machine->types[*type].name);
	*instance = *type == MAP_NONE ? MAP_NONE : pool_instance(&r->pool, *type, 0, id);
	return *instance != MAP_NONE;
}

/* type, instance: of the pool that is not divided. */
static uint64_t
slots_at(const struct sharer *r, const struct grant_unit *v, size_t n, uint32_t type,
	uint32_t instance)
{
	const struct pool *p = r->parts ? &r->parts->pool : &r->pool;
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		if (v[i].type % r->pool.n == type &&
			pool_number_of(p, v[i].type, v[i].instance) == instance)
			sum += v[i].slots;
	return sum;
}

static uint64_t
held_by(const struct sharer *r, node_id node, uint32_t type, uint32_t instance)
{
	struct leases *l = scheduler_all_leases(r->s);
	const struct grant *g = &r->held[node];
	const struct lease *e;
	uint64_t sum = 0;

	for (size_t i = 0; i < g->n; i++)
		sum += slots_at(r, g->v[i].v, g->v[i].n, type, instance);
	for (size_t at = 0; l && (e = leases_next(l, node, &at));)
		sum += slots_at(r, e->units.v, e->units.n, type, instance);
	return sum;
}

static uint64_t
held_by_run(const struct sharer *r, const struct pool *machine, uint32_t type,
	uint32_t instance)
{
	uint64_t sum = 0;

	if (!find_instance(r, machine, &type, &instance))
		return 0;
	for (node_id k = 0; k < r->w.plan->n; k++)
		if (r->c.ends[k])
			sum += held_by(r, k, type, instance);
	return sum;
}

/* The brute-force model: all slots that running tests hold, whatever the book says. The
 * first run has the pool of the machine. */
static void
check_machine(const struct machine_play *m)
{
	const struct pool *p = &m->v[0].pool;

	for (uint32_t t = 0; t < p->n; t++)
		for (uint32_t i = 0; i < p->types[t].n; i++) {
			uint64_t sum = 0;

			for (size_t r = 0; r < m->n; r++)
				sum += held_by_run(&m->v[r], p, t, i);
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
	 * on while idle tests held its place. Where its instances are not all of them it
	 * may have no turn meanwhile. */
	assert_true((m->is_mixed && m->has_leases) ||
		    m->most_overtaken <=
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
	/* Of the same, for runs that may not have all. */
	static const char *const parts[] = {"g x=2", "g y=1; h z=2", "g y=1 z=1; h b=1",
		"cpus 1=1 2=1", "cpus 1=1; g x=2", "cpus 0=1 3=1; g y=1"};
	static const char *const sizes[] = {
		"50%", "fill", "g=1", "cpus=1", "g=1,cpus=fill", "g=fill,h=all"};
	uint64_t seed = 20260131;
	unsigned granted = 0, pending = 0, circles = 0, divided = 0;

	for (unsigned round = 0; round < rounds; round++) {
		struct arena *a = arena_open();
		struct machine_play m = new_machine(a, &seed);
		unsigned pool = below(&seed, ROWS(pools));
		unsigned n = 2 + below(&seed, RUNS_MOST - 1);

		while (m.n < n) {
			struct world w = has_leases && below(&seed, 2)
						 ? random_world_with_fixture(a, &seed)
						 : random_world(a, &seed, 12);

			const char *both[] = {sizes[below(&seed, ROWS(sizes))],
				sizes[below(&seed, ROWS(sizes))]};

			w.pool_text = (m.n && !below(&seed, 4) ? parts : pools)[pool];
			add_sharer(&m, w, below(&seed, 3) ? NULL : both);
		}
		m.has_leases = has_leases;
		play(&m, below(&seed, 3));
		granted += m.granted;
		pending += m.pending;
		circles += m.circles;
		divided += m.divided;
		arena_close(a);
	}
	assert_true(
		!has_leases || (granted > rounds && pending > granted && circles > 0));
	assert_true(divided > rounds / 4);
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
		add_sharer(&m, w, NULL);
	}
	large = world_of(a, "large groups=g:2,g:2", 4, "");
	large.pool_text = "g x=2 y=2";
	add_sharer(&m, large, NULL);
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
		add_sharer(&m, w, NULL);
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

/* Of a run with two partitions, in one test 1 asks for what only the other's test 0 can
 * give back, since the test of another run waits, too. It is not denied. */
static void
a_partition_waits_for_another(void **state)
{
	static const char *const halves[] = {"g=2", "g=2"};
	static const node_id askers[] = {1, 0};
	uint64_t seed = 9;
	struct machine_play m = new_machine(*state, &seed);
	struct lease_request q = {.id = STR("a"), .blocks = true};
	struct leases *l;
	const char *why;

	assert_true(lease_terms_read(*state, STR("g:1"), &q.wanted, &why));
	for (size_t i = 0; i < 2; i++) {
		struct world w = world_of(
			*state, i ? "c groups=g:2" : "a groups=g:1; b groups=g:1", 4, "");

		w.pool_text = "g x=4";
		for (node_id k = 0; k < w.plan->n; k++)
			w.duration[k] = i ? 20 : 5 + 4 * k;
		add_sharer(&m, w, i ? NULL : halves);
		look(&m, i);
	}
	assert_int_equal(count_running(&m), 3);
	for (size_t i = 2; i-- > 0;) {
		l = scheduler_leases(m.v[i].s, askers[i], &why);
		leases_close_pool(l);
		(void)leases_ask(l, askers[i], LEASE_NEW, &q);
		(void)scheduler_leases_changed(m.v[i].s);
		look(&m, i);
		assert_true(leases_wait(l));
	}
	assert_true(end_first(&m));
	assert_int_equal(leases_ask(l, 1, LEASE_QUERY, &q).status, LEASE_GRANTED);
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
		add_sharer(&m, w, NULL);
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
			a_partition_waits_for_another, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(
			equal_runs_go_on_together, open_arena, close_arena),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("host", tests, NULL, NULL);
}

/*
 * Random plans, small and with everything in them, and what must hold whenever a test
 * starts: nothing is held twice, nothing starts before what it waits for, locks are
 * exclusive, and RUN_SERIAL is alone.
 */
#ifndef CCTR_TESTS_SIM_RANDOM_WORLD_H
#define CCTR_TESTS_SIM_RANDOM_WORLD_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/sim/simulator.h"

#ifndef ROWS
#define ROWS(table) (sizeof(table) / sizeof *(table))
#endif

static inline unsigned
below(uint64_t *seed, unsigned n)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)((*seed >> 33) % n);
}

static inline void
add_random_test(
	struct buf *suite, uint64_t *seed, unsigned i, unsigned base, unsigned most)
{
	static const char *const locks[] = {"k", "l", "k,l", "m"};
	static const char *const groups[] = {"g:1", "g:2", "g:1,g:1", "h:1", "g:3,h:2",
		"h:1/g:2", "g:9", "nope:1", "cpus:1/g:1"};

	buf_fmt(suite, "t%u cost=%u", i, below(seed, 3));
	/* dependencies lead one way round a circle that starts anywhere */
	if ((i + base) % most && below(seed, 3) == 0)
		buf_fmt(suite, " after=t%u",
			(below(seed, (i + base) % most) + most - base) % most);
	if (below(seed, 4) == 0)
		buf_fmt(suite, " slots=%u", 1 + below(seed, 5));
	if (below(seed, 8) == 0)
		buf_z(suite, " serial");
	if (below(seed, 3) == 0)
		buf_fmt(suite, " lock=%s", locks[below(seed, ROWS(locks))]);
	if (below(seed, 3) == 0)
		buf_fmt(suite, " groups=%s", groups[below(seed, ROWS(groups))]);
}

/* Setups come first in the circle of dependencies, cleanups last. */
static inline void
add_random_fixtures(
	struct buf *suite, uint64_t *seed, unsigned i, unsigned base, unsigned most)
{
	static const char *const what[] = {"setup", "needs", "cleanup"};
	unsigned third = (i + base) % most * 3 / most;

	if (below(seed, 3) == 0)
		buf_fmt(suite, " %s=%c", what[third], 'F' + (char)below(seed, 2));
}

/* is_wide: with fixtures, and tests that ask for whole nodes. */
static inline void
add_random_tests(struct buf *suite, uint64_t *seed, unsigned n, unsigned base,
	unsigned most, bool is_wide)
{
	for (unsigned i = 0; i < n; i++) {
		buf_z(suite, i ? ";" : "");
		add_random_test(suite, seed, i, base, most);
		if (is_wide)
			add_random_fixtures(suite, seed, i, base, most);
		if (is_wide && below(seed, 8) == 0)
			buf_fmt(suite, " nodes=%u", 2 + below(seed, 2));
	}
}

/* "make" is the first, and all that ask for resources wait for it. */
static inline struct world
random_world_with_maker(struct arena *a, uint64_t *seed, unsigned most)
{
	static const char *const pools[] = {
		NULL, "g x=2", "g x=3 y=1; h z=2", "f x=9; g x=1 y=1 z=1; h a=1 b=1"};
	struct buf suite = {.arena = a}, all = {.arena = a};
	unsigned n = 1 + below(seed, most);
	struct str rest;
	struct world w;

	add_random_tests(&suite, seed, n, 0, most, false);
	buf_z(&all, "make setup=F");
	for (rest = buf_as_str(&suite); rest.n;) {
		struct str one = text_piece(&rest, ';');

		buf_fmt(&all, "; %.*s%s", STR_ARG(one),
			str_has(one, STR("groups=")) ? " needs=F" : "");
	}
	w = world_of(a, all.p, 1 + below(seed, 4), below(seed, 2) ? "t1,t4,t7" : "");
	w.pool_text = pools[below(seed, ROWS(pools))];
	w.rewalk = below(seed, 2);
	for (unsigned i = 0; i <= n; i++)
		w.duration[i] = below(seed, 4);
	return w;
}

/* is_wide: as of add_random_tests. */
static inline struct world
random_world_of(struct arena *a, uint64_t *seed, unsigned most, bool is_wide)
{
	static const char *const pools[] = {NULL, "g x=2", "g x=3 y=1; h z=2",
		"g x=1 y=1 z=1; h a=1 b=1", "cpus 0=1 1=1 2=1", "cpus 0=2 1=1; g x=2"};
	struct buf suite = {.arena = a};
	unsigned n = 1 + below(seed, most), base = below(seed, most);
	size_t *usable = NEW_ARRAY(a, size_t, n);
	struct world w;

	add_random_tests(&suite, seed, n, base, most, is_wide);
	w = world_of(a, suite.p, 1 + below(seed, 4), below(seed, 2) ? "t1,t4,t7" : "");
	w.pool_text = pools[below(seed, ROWS(pools))];
	w.rewalk = below(seed, 2);
	for (unsigned i = 0; i < n; i++) {
		w.duration[i] = below(seed, 4);
		usable[i] = below(seed, 6);
	}
	if (below(seed, 4) == 0) {
		w.usable = usable;
		w.usable_n = n;
	}
	return w;
}

static inline struct world
random_world(struct arena *a, uint64_t *seed, unsigned most)
{
	return random_world_of(a, seed, most, false);
}

/* Tests that need a fixture, which "up" sets up and "down" cleans up, and others. */
static inline struct world
random_world_with_fixture(struct arena *a, uint64_t *seed)
{
	static const char *const pools[] = {"g x=2", "g x=3 y=1; h z=2",
		"g x=1 y=1 z=1; h a=1 b=1", "cpus 0=2 1=1; g x=2"};
	struct buf suite = {.arena = a}, all = {.arena = a};
	unsigned base = below(seed, 10);
	struct str rest;
	struct world w;

	add_random_tests(&suite, seed, 10, base, 10, false);
	buf_z(&all, "up setup=F; down cleanup=F");
	for (rest = buf_as_str(&suite); rest.n;) {
		struct str one = text_piece(&rest, ';');

		buf_fmt(&all, "; %.*s%s", STR_ARG(one), below(seed, 2) ? " needs=F" : "");
	}
	w = world_of(a, all.p, 1 + below(seed, 4), "");
	w.pool_text = pools[below(seed, ROWS(pools))];
	for (unsigned i = 0; i < w.plan->n; i++)
		w.duration[i] = below(seed, 4);
	return w;
}

/* What has started and what it holds, kept by the test itself. */
struct witness {
	struct grant *held; /* by node: a copy */
	bool *started;
};

static inline void
copy_grant(struct arena *a, const struct grant *from, struct grant *to)
{
	*to = (struct grant){NEW_ARRAY(a, struct grant_group, from->n), from->n};
	for (size_t g = 0; g < from->n; g++) {
		to->v[g].n = from->v[g].n;
		to->v[g].v = NEW_ARRAY(a, struct grant_unit, from->v[g].n);
		for (size_t k = 0; k < from->v[g].n; k++)
			to->v[g].v[k] = from->v[g].v[k];
	}
}

static inline uint64_t
held_of(const struct grant *grant, uint32_t type, uint32_t instance)
{
	uint64_t sum = 0;

	for (size_t g = 0; g < grant->n; g++)
		for (size_t k = 0; k < grant->v[g].n; k++)
			if (grant->v[g].v[k].type == type &&
				grant->v[g].v[k].instance == instance)
				sum += grant->v[g].v[k].slots;
	return sum;
}

static inline void
check_pool(const struct witness *seen, const struct world *w, const struct clock *c,
	node_id node, const struct pool *pool)
{
	for (uint32_t t = 0; t < pool->n; t++)
		for (uint32_t i = 0; i < pool->types[t].n; i++) {
			uint64_t sum = held_of(&seen->held[node], t, i);

			for (node_id k = 0; k < w->plan->n; k++)
				if (c->ends[k])
					sum += held_of(&seen->held[k], t, i);
			assert_true(sum <= pool->types[t].v[i].slots);
		}
}

static inline size_t
capped(const struct world *w, const struct properties *p)
{
	return (size_t)p->processors < w->parallel ? (size_t)p->processors : w->parallel;
}

/* Nothing is held twice, nothing starts before what it waits for, or beside RUN_SERIAL.
 */
static inline void
check_start(void *context, const struct world *w, const struct clock *c,
	const struct action *started, const struct pool *pool)
{
	struct witness *seen = context;
	const struct selected *t = &w->plan->selection->v[started->node];
	const struct properties *p = w->plan->nodes[started->node].test->properties;
	size_t used = capped(w, p);

	assert_false(seen->started[started->node]);
	seen->started[started->node] = true;
	assert_int_equal(started->grant != NULL,
		w->pool_text && pool_request(w->a, pool, p).n && !started->fits_nowhere);
	if (started->grant)
		copy_grant(w->a, started->grant, &seen->held[started->node]);
	for (size_t k = 0; k < t->depends_n; k++)
		assert_true(seen->started[t->depends[k]] && !c->ends[t->depends[k]]);
	for (node_id k = 0; k < w->plan->n; k++) {
		const struct properties *q = w->plan->nodes[k].test->properties;

		if (!c->ends[k])
			continue;
		assert_false(q->run_serial || p->run_serial);
		for (size_t l = 0; l < p->resource_locks.n; l++)
			assert_false(
				str_list_has(q->resource_locks, p->resource_locks.v[l]));
		used += capped(w, q);
	}
	assert_true(used <= w->parallel);
	check_pool(seen, w, c, started->node, pool);
}

#endif

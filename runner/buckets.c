/*
 * Tests that need the same are one bucket: slots, serial flag, locks, resource groups,
 * and beside a reservation how long they take, roughly.
 */
#include <math.h>

#include "runner/scheduler_state.h"

static uint32_t
lock_named(struct scheduler *s, struct map *names, struct str name)
{
	uint32_t *id = map_at(names, name);

	if (*id == MAP_NONE) {
		*id = (uint32_t)s->locks.n;
		VEC_PUSH(s->a, &s->locks, (struct lock){.is_held = false});
	}
	return *id;
}

static bool
needs_processors(const struct scheduler *s, const struct test *t)
{
	return t->properties->processor_affinity && s->o.affinity_cpus;
}

/* One for all tests with resource groups; RESOURCE_LOCK cannot name it. */
static bool
has_lock_of_groups(const struct scheduler *s, const struct test *t)
{
	return s->o.one_with_groups && !s->o.pool && t->properties->resource_groups.n;
}

static size_t
slots_of(const struct scheduler *s, const struct test *t)
{
	size_t wanted =
		t->properties->processors > 0 ? (size_t)t->properties->processors : 1;

	if (needs_processors(s, t) && wanted > s->o.affinity_cpus)
		wanted = s->o.affinity_cpus;
	return wanted < s->o.parallel ? wanted : s->o.parallel;
}

static void
write_number(struct buf *key, uint64_t n)
{
	buf_add(key, &n, sizeof n);
}

static void
write_text(struct buf *key, struct str s)
{
	write_number(key, s.n);
	buf_str(key, s);
}

/* Tests that may pass a reserved one are told by their time: it is part of the signature,
 * in powers of two. */
static uint64_t
time_class(const struct scheduler *s, node_id node)
{
	enum { SHORTEST = -5 };
	int exponent = SHORTEST;

	if (!s->reservation)
		return 0;
	if (s->plan->expected[node].seconds > 0)
		frexp(s->plan->expected[node].seconds, &exponent);
	return (uint64_t)((exponent < SHORTEST ? SHORTEST : exponent) - SHORTEST);
}

/* Two tests with the same signature fit at the same times. */
static struct str
signature(const struct scheduler *s, struct buf *key, node_id node)
{
	const struct test *t = s->plan->nodes[node].test;
	const struct properties *p = t->properties;

	key->n = 0;
	write_number(key, time_class(s, node));
	write_number(key, slots_of(s, t));
	write_number(key, p->run_serial);
	write_number(key, needs_processors(s, t));
	write_number(key, has_lock_of_groups(s, t));
	write_number(key, p->resource_locks.n);
	for (size_t i = 0; i < p->resource_locks.n; i++)
		write_text(key, p->resource_locks.v[i]);
	for (size_t g = 0; s->o.pool && g < p->resource_groups.n; g++) {
		const struct resource_group *group = &p->resource_groups.v[g];

		write_number(key, group->n);
		for (size_t i = 0; i < group->n; i++) {
			write_text(key, group->v[i].type);
			write_number(key, group->v[i].slots);
		}
	}
	return buf_as_str(key);
}

static uint32_t
bucket_new(struct scheduler *s, struct map *lock_names, const struct test *t)
{
	const struct properties *p = t->properties;
	struct bucket b = {
		.example = t,
		.slots = slots_of(s, t),
		.is_serial = p->run_serial,
		.needs_pool = s->o.pool && p->resource_groups.n,
		.needs_processors = needs_processors(s, t),
		.locks = NEW_ARRAY(s->a, uint32_t, p->resource_locks.n + 1),
		.locks_n = p->resource_locks.n,
		.blocked_key = KEY_NONE,
	};

	for (size_t i = 0; i < b.locks_n; i++)
		b.locks[i] = lock_named(s, lock_names, p->resource_locks.v[i]);
	if (has_lock_of_groups(s, t))
		b.locks[b.locks_n++] = lock_named(s, lock_names, STR("\0groups"));
	if (b.needs_pool && !pool_could_fit(s->o.pool, s->a, &p->resource_groups)) {
		b.fits_nowhere = true;
		b.needs_pool = false;
	}
	VEC_PUSH(s->a, &s->buckets, b);
	return (uint32_t)(s->buckets.n - 1);
}

void
buckets_build(struct scheduler *s)
{
	struct map names = map_in(s->a), lock_names = map_in(s->a);
	struct buf key = {.arena = s->a};

	s->bucket_of = NEW_ARRAY(s->a, uint32_t, s->plan->n);
	for (node_id i = 0; i < s->plan->n; i++) {
		const struct test *t = s->plan->nodes[i].test;
		struct str text = signature(s, &key, i);
		uint32_t b = map_get(&names, text);

		if (b == MAP_NONE) {
			b = bucket_new(s, &lock_names, t);
			map_set(&names, str_dup(s->a, text), b);
		}
		s->bucket_of[i] = b;
	}
}

/* A signature per test, as bytes, and a map from it; one pass over the tests. */
#include "runner/schedule/request_class.h"

#include "runner/resources/pool_request.h"

struct classifier {
	struct arena *a;
	const struct plan *plan;
	const struct scheduler_options *o;
	struct request_classes *classes;
	struct map names, lock_names, coarse_names, pool_request_names;
};

static bool
needs_processors(const struct scheduler_options *o, const struct test *t)
{
	return t->properties->processor_affinity && o->affinity_cpus;
}

/* One for all tests with resource groups; RESOURCE_LOCK cannot name it. */
static bool
has_lock_of_groups(const struct scheduler_options *o, const struct test *t)
{
	return o->one_with_groups && !o->pool && t->properties->resource_groups.n;
}

static size_t
slots_of(const struct scheduler_options *o, const struct test *t, size_t limit)
{
	size_t wanted =
		t->properties->processors > 0 ? (size_t)t->properties->processors : 1;

	if (needs_processors(o, t) && wanted > o->affinity_cpus)
		wanted = o->affinity_cpus;
	if (t->properties->nodes > 1)
		wanted *= (size_t)t->properties->nodes;
	return wanted < limit ? wanted : limit;
}

size_t
request_slots(const struct scheduler_options *o, const struct plan *p, node_id node)
{
	size_t limit = o->parallel;

	if (o->parts && o->parts->v[o->parts->of[node]].parallel < limit)
		limit = o->parts->v[o->parts->of[node]].parallel;
	return slots_of(o, p->nodes[node].test, limit);
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

/* Up to eight as it is; else the three highest binary digits, upward. */
static uint64_t
round_up(uint64_t n)
{
	unsigned shift = 0;

	while ((n >> shift) > 8)
		shift++;
	return ((n + ((uint64_t)1 << shift) - 1) >> shift) << shift;
}

static void
write_groups(struct buf *key, const struct resource_groups *g, bool is_rounded)
{
	for (size_t k = 0; k < g->n; k++) {
		const struct resource_group *group = &g->v[k];

		write_number(key, group->n);
		for (size_t i = 0; i < group->n; i++) {
			uint64_t slots = group->v[i].slots;

			write_text(key, group->v[i].type);
			write_number(key, is_rounded ? round_up(slots) : slots);
		}
	}
}

static struct str
write_signature(
	const struct classifier *s, struct buf *key, node_id node, bool is_rounded)
{
	const struct test *t = s->plan->nodes[node].test;
	const struct properties *p = t->properties;

	key->n = 0;
	if (s->o->parts) {
		write_number(key, request_slots(s->o, s->plan, node));
		write_number(key, request_part(s->o, node));
	} else {
		write_number(key, slots_of(s->o, t, s->o->parallel));
	}
	write_number(key, p->run_serial);
	write_number(key, needs_processors(s->o, t));
	write_number(key, has_lock_of_groups(s->o, t));
	write_number(key, (uint64_t)p->nodes);
	write_number(key, p->resource_locks.n);
	for (size_t i = 0; i < p->resource_locks.n; i++)
		write_text(key, p->resource_locks.v[i]);
	if (s->o->pool) {
		write_groups(key, &p->resource_groups, is_rounded);
		if (s->o->pool->counts_processors)
			write_number(key, pool_processors_besides(s->o->pool,
						  request_part(s->o, node), p));
	}
	return buf_as_str(key);
}

static uint32_t
lock_named(struct classifier *s, struct str name)
{
	uint32_t id = map_number(&s->lock_names, name);

	if (id == s->classes->locks.n)
		VEC_PUSH(s->a, &s->classes->locks, name);
	return id;
}

static void
add_need(struct request_class *k, uint32_t type, uint64_t slots)
{
	size_t i = 0;

	while (i < k->needs_n && k->needs[i].type != type)
		i++;
	if (i == k->needs_n)
		k->needs[k->needs_n++] = (struct class_need){.type = type};
	k->needs[i].total += slots;
	if (slots > k->needs[i].largest)
		k->needs[i].largest = slots;
}

/* The key's number in the map; MAP_NONE where it is new, and next is its number now. */
static uint32_t
number_of(struct classifier *s, struct map *names, struct str key, size_t next)
{
	uint32_t number = map_get(names, key);

	if (number == MAP_NONE)
		map_set(names, str_dup(s->a, key), (uint32_t)next);
	return number;
}

static void
find_needs(struct classifier *s, struct request_class *k, struct resource_groups request)
{
	struct resource_groups *g = NEW(s->a, struct resource_groups);
	struct buf key = {.arena = s->a};
	size_t n = 0;

	*g = request;
	if (!s->o->pool->is_awaited && !pool_could_fit(s->o->pool, s->a, g)) {
		k->fits_nowhere = true;
		return;
	}
	for (size_t i = 0; i < g->n; i++)
		n += g->v[i].n;
	k->groups = g;
	write_number(&key, g->nodes);
	if (s->o->parts)
		write_number(&key, g->partition);
	write_groups(&key, g, false);
	k->pool_request = number_of(
		s, &s->pool_request_names, buf_as_str(&key), s->classes->pool_requests_n);
	if (k->pool_request == MAP_NONE)
		k->pool_request = (uint32_t)s->classes->pool_requests_n++;
	k->needs = NEW_ARRAY(s->a, struct class_need, n);
	for (size_t i = 0; i < g->n; i++)
		for (size_t r = 0; r < g->v[i].n; r++)
			add_need(k,
				pool_type_in(s->o->pool, g->partition, g->v[i].v[r].type),
				g->v[i].v[r].slots);
}

static void
add_class(struct classifier *s, node_id node)
{
	const struct test *t = s->plan->nodes[node].test;
	const struct properties *p = t->properties;
	struct request_class k = {
		.slots = request_slots(s->o, s->plan, node),
		.part = request_part(s->o, node),
		.is_serial = p->run_serial,
		.needs_processors = needs_processors(s->o, t),
		.locks = NEW_ARRAY(s->a, uint32_t, p->resource_locks.n + 1),
		.locks_n = p->resource_locks.n,
	};
	struct resource_groups request;

	for (size_t i = 0; i < k.locks_n; i++)
		k.locks[i] = lock_named(s, p->resource_locks.v[i]);
	if (has_lock_of_groups(s->o, t))
		k.locks[k.locks_n++] = lock_named(s, STR("\0groups"));
	request = pool_request_in(
		s->a, s->o->pool, s->o->pool ? request_part(s->o, node) : 0, p);
	if (s->o->pool && (request.n || request.nodes))
		find_needs(s, &k, request);
	else
		k.fits_nowhere = request.nodes > 0;
	VEC_PUSH(s->a, &s->classes->v, k);
}

static void
find_coarse(struct classifier *s, const struct plan *p)
{
	struct buf key = {.arena = s->a};
	struct request_classes *classes = s->classes;
	size_t seen = 0;

	for (node_id i = 0; i < p->n; i++) {
		struct request_class *k = &classes->v.v[classes->of[i]];
		struct str text;

		if (classes->of[i] != seen)
			continue;
		seen++;
		write_signature(s, &key, i, classes->v.n > FINE_CLASSES_MOST);
		write_number(&key, k->fits_nowhere);
		text = buf_as_str(&key);
		k->coarse = number_of(s, &s->coarse_names, text, classes->coarse_n);
		if (k->coarse == MAP_NONE)
			k->coarse = (uint32_t)classes->coarse_n++;
	}
}

struct request_classes *
request_classes_build(
	struct arena *a, const struct plan *p, const struct scheduler_options *o)
{
	struct request_classes *classes = NEW(a, struct request_classes);
	struct classifier s = {
		a, p, o, classes, map_in(a), map_in(a), map_in(a), map_in(a)};
	struct buf key = {.arena = a};

	INVARIANT(o->parallel > 0);
	classes->pool_requests_n = 1;
	classes->types_n = o->pool ? o->pool->n : 0;
	classes->of = NEW_ARRAY(a, uint32_t, p->n);
	for (node_id i = 0; i < p->n; i++) {
		struct str text = write_signature(&s, &key, i, false);
		uint32_t k = number_of(&s, &s.names, text, classes->v.n);

		if (k == MAP_NONE) {
			k = (uint32_t)classes->v.n;
			add_class(&s, i);
		}
		classes->of[i] = k;
	}
	find_coarse(&s, p);
	return classes;
}

void
request_classes_settle(
	struct request_classes *classes, struct arena *scratch, const struct pool *p)
{
	INVARIANT(classes);
	for (size_t i = 0; i < classes->v.n; i++) {
		struct request_class *k = &classes->v.v[i];

		if (!k->groups || (p && pool_could_fit(p, scratch, k->groups)))
			continue;
		k->fits_nowhere = p || k->groups->nodes;
		k->groups = NULL;
		k->needs_n = 0;
		k->pool_request = 0;
	}
}

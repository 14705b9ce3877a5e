/* Leases. See lease.h. */
#include "runner/lease/lease.h"

#include <stdio.h>
#include <string.h>

#include "runner/resources/pool_request.h"

#define NO_GROUP UINT32_MAX

/* A test that has asked, until it ends. */
struct holder {
	bool is_used;
	bool is_heir; /* it has inherited, and not asked yet: it has no own lease */
	uint32_t key, groups, partition;
	uint32_t node; /* from 1; 0: the pool has one */
	struct grant *grant; /* NULL: none */
	bool is_reduced; /* the grant, by a release */
	VEC(struct lease *) leases; /* in order of their beginning */
	size_t ended_n; /* of them */
};
/* Of a type of the pool. */
struct type_state {
	unsigned tests_overtaken;
	bool has_news, was_taken;
	bool do_others_go_on; /* see leases_set_others, as staying */
	const uint64_t *staying; /* NULL: nothing */
};
struct leases {
	struct arena *a;
	struct arena *scratch; /* of one request */
	struct pool *pool;
	unsigned patience;
	struct lease_tests tests;
	uint32_t *holder_of; /* by key: its place in holders, plus 1; 0: none */
	VEC(struct holder *) holders;
	VEC(struct lease *) pending; /* the oldest first */
	VEC(struct lease *) spare;
	VEC(struct lease *) passed; /* from one holder to others, in leases_end */
	uint64_t made; /* ids */
	struct type_state *types; /* by type of the pool */
	bool is_settled; /* a pending request, since leases_settled */
	bool is_closed;
	VEC(struct lease *) fresh; /* granted since the pool was opened */
	const char *lost; /* why the pool is; NULL: it is not */
};

struct leases *
leases_new(struct arena *a, struct pool *p, size_t holders, unsigned patience,
	struct lease_tests tests)
{
	struct leases *l = NEW(a, struct leases);

	INVARIANT(p && patience > 0);
	*l = (struct leases){.a = a, .pool = p, .patience = patience, .tests = tests};
	l->holder_of = NEW_ARRAY(a, uint32_t, holders);
	l->types = NEW_ARRAY(a, struct type_state, p->n);
	return l;
}

void
leases_grow(struct leases *l, size_t before)
{
	struct type_state *types = NEW_ARRAY(l->a, struct type_state, l->pool->n);

	INVARIANT(l->pool->n >= before);
	if (before)
		memcpy(types, l->types, before * sizeof *types);
	l->types = types;
}

/* ---- holders and leases ---------------------------------------------------------- */

static struct holder *
find_holder(const struct leases *l, uint32_t key)
{
	uint32_t at = l->holder_of[key];

	return at ? l->holders.v[at - 1] : NULL;
}

static struct holder *
spare_holder(struct leases *l, uint32_t *at)
{
	for (*at = 0; *at < l->holders.n; ++*at)
		if (!l->holders.v[*at]->is_used)
			return l->holders.v[*at];
	VEC_PUSH(l->a, &l->holders, NEW(l->a, struct holder));
	return l->holders.v[*at];
}

static struct lease *
add_lease(struct leases *l, struct holder *h, struct str id)
{
	struct lease *e = l->spare.n ? l->spare.v[--l->spare.n] : NEW(l->a, struct lease);
	struct lease kept = *e;

	INVARIANT(id.n <= LEASE_ID_MOST);
	*e = (struct lease){.holder = h->key,
		.group = NO_GROUP,
		.units = kept.units,
		.lent = kept.lent,
		.fixture = STR_NONE};
	e->wanted = kept.wanted;
	e->wished = kept.wished;
	e->units.n = e->lent.n = e->wanted.n = e->wished.n = 0;
	memcpy(e->id, id.p, id.n);
	VEC_PUSH(l->a, &h->leases, e);
	return e;
}

static void
drop_lease(struct leases *l, struct holder *h, size_t at)
{
	VEC_PUSH(l->a, &l->spare, h->leases.v[at]);
	memmove(&h->leases.v[at], &h->leases.v[at + 1],
		(--h->leases.n - at) * sizeof *h->leases.v);
}

/* Few of those that have ended are remembered. */
static void
forget_ended(struct leases *l, struct holder *h)
{
	size_t i = 0;

	if (h->ended_n <= LEASES_ENDED_MOST)
		return;
	while (h->leases.v[i]->state != LEASE_ENDED)
		i++;
	drop_lease(l, h, i);
	h->ended_n--;
}

static struct holder *
add_holder(struct leases *l, uint32_t key)
{
	uint32_t at;
	struct holder *h = spare_holder(l, &at);

	h->is_used = true;
	h->is_reduced = h->is_heir = false;
	h->key = key;
	h->groups = 0;
	h->grant = NULL;
	h->leases.n = h->ended_n = 0;
	l->holder_of[key] = at + 1;
	return h;
}

static struct lease *
find_lease(const struct holder *h, struct str id)
{
	for (size_t i = 0; i < h->leases.n; i++)
		if (str_is(id, h->leases.v[i]->id))
			return h->leases.v[i];
	return NULL;
}

/* Letters, digits, '_', '.' and '-', not too many. */
static bool
is_id(struct str s)
{
	return s.n > 0 && s.n <= LEASE_ID_MOST && str_is_of(s, STR_ALNUM "_.-");
}

static bool
is_pending(const struct lease *e)
{
	return e->status == LEASE_PENDING;
}

static bool
uses_group(const struct holder *h, uint32_t group)
{
	for (size_t i = 0; i < h->leases.n; i++)
		if (h->leases.v[i]->state != LEASE_ENDED &&
			h->leases.v[i]->group == group)
			return true;
	return false;
}

/* The lowest number that is not in use. */
static uint32_t
free_group(const struct holder *h)
{
	uint32_t group = h->groups;

	while (uses_group(h, group))
		group++;
	return group;
}

/* The test's own lease is the first one. */
static void
add_own(struct leases *l, struct holder *h)
{
	struct lease *own = add_lease(l, h, STR(LEASE_OWN));

	own->is_own = true;
	own->state = LEASE_HELD;
	own->group = NO_GROUP;
	memmove(&h->leases.v[1], &h->leases.v[0],
		(h->leases.n - 1) * sizeof *h->leases.v);
	h->leases.v[0] = own;
}

void
leases_begin(struct leases *l, uint32_t key, struct grant *grant, uint32_t groups,
	uint32_t partition)
{
	struct holder *h = find_holder(l, key);

	if (h && !h->is_heir)
		return;
	if (!h)
		h = add_holder(l, key);
	h->is_heir = false;
	h->groups = groups;
	h->grant = grant;
	h->partition = partition;
	h->node = l->pool->nodes_n > 1 ? pool_node_of(l->pool, grant) + 1 : 0;
	/* Those of what the test has inherited come after its own. */
	for (size_t i = 0; i < h->leases.n; i++)
		h->leases.v[i]->group = NO_GROUP;
	for (size_t i = 0; i < h->leases.n; i++)
		h->leases.v[i]->group = free_group(h);
	add_own(l, h);
}

/* ---- slots ----------------------------------------------------------------------- */

static struct grant
grant_of(struct grant_group *group, struct grant_unit *v, size_t n)
{
	*group = (struct grant_group){v, n};
	return (struct grant){group, 1};
}

static void
note_return(struct leases *l, uint32_t type)
{
	l->types[type].has_news = true;
}

/* All of the lease but the test's grant. */
static void
return_units(struct leases *l, struct lease *e)
{
	struct grant_group group;
	struct grant g = grant_of(&group, e->units.v, e->units.n);

	pool_return(l->pool, &g);
	for (size_t i = 0; i < e->units.n; i++)
		note_return(l, e->units.v[i].type);
	e->units.n = 0;
}

static uint64_t
slots_in(const struct grant_unit *v, size_t n, uint32_t type)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += v[i].type == type ? v[i].slots : 0;
	return sum;
}

/* Of the grant only the test's groups, not its processors. */
static uint64_t
slots_held(const struct holder *h, const struct lease *e, uint32_t type)
{
	uint64_t sum = slots_in(e->units.v, e->units.n, type);

	for (size_t g = 0; e->is_own && h->grant && g < h->groups; g++)
		sum += slots_in(h->grant->v[g].v, h->grant->v[g].n, type);
	return sum;
}

static void
drop_unit(struct leases *l, struct lease *e, size_t at)
{
	struct grant_group group;
	struct grant g = grant_of(&group, &e->units.v[at], 1);

	pool_return(l->pool, &g);
	e->units.v[at] = e->units.v[--e->units.n];
}

/* From 1; 0: the pool has one. */
static uint32_t
node_of_unit(const struct pool *p, const struct grant_unit *u)
{
	return p->nodes_n > 1 ? p->types[u->type].v[u->instance].node + 1 : 0;
}

/* Of one unit at most `most`; what it gave is added to lent, unless that is NULL. */
static uint64_t
return_some(struct leases *l, struct grant_unit *u, uint64_t most, lease_demands *lent)
{
	uint64_t n = u->slots < most ? u->slots : most;

	if (!n)
		return 0;
	pool_return_slots(l->pool, u, n);
	note_return(l, u->type);
	if (lent)
		VEC_PUSH(l->a, lent,
			(struct lease_demand){
				u->type, MAP_NONE, n, node_of_unit(l->pool, u)});
	return n;
}

/* The lease has as many. What it got last goes first. */
static void
return_slots(struct leases *l, struct holder *h, struct lease *e, uint32_t type,
	uint64_t slots, lease_demands *lent)
{
	for (size_t i = e->units.n; i-- > 0 && slots;) {
		if (e->units.v[i].type != type)
			continue;
		slots -= return_some(l, &e->units.v[i], slots, lent);
		if (!e->units.v[i].slots)
			drop_unit(l, e, i);
	}
	for (size_t g = e->is_own && h->grant ? h->groups : 0; g-- > 0 && slots;) {
		struct grant_group *group = &h->grant->v[g];

		for (size_t i = group->n; i-- > 0 && slots;) {
			if (group->v[i].type != type)
				continue;
			slots -= return_some(l, &group->v[i], slots, lent);
			h->is_reduced = true;
		}
	}
	INVARIANT(!slots);
}

/* ---- taking ---------------------------------------------------------------------- */

/* The demands that any instance meets. */
static struct resource_groups
groups_of(struct leases *l, const struct lease_demand *v, size_t n)
{
	struct resource_group *g = NEW(l->scratch, struct resource_group);

	*g = (struct resource_group){NEW_ARRAY(l->scratch, struct requirement, n), 0};
	for (size_t i = 0; i < n; i++)
		if (v[i].instance == MAP_NONE)
			g->v[g->n++] = (struct requirement){
				.type = l->pool->types[v[i].type].name,
				.slots = v[i].slots};
	return (struct resource_groups){.v = g,
		.n = 1,
		.partition = n ? pool_partition_of_type(l->pool, v[0].type) : 0,
		.only_node = n ? v[0].node : 0};
}

/* All or nothing: the demands for one instance each. */
static bool
take_named(struct pool *p, const struct lease_demand *v, size_t n)
{
	struct grant_group group;
	struct grant_unit unit;
	struct grant g = grant_of(&group, &unit, 1);
	bool is_taken = true;
	size_t i = 0;

	for (; i < n && is_taken; i++) {
		unit = (struct grant_unit){v[i].type, v[i].instance, v[i].slots};
		if (unit.instance != MAP_NONE)
			is_taken = pool_take_unit(p, &unit);
	}
	for (i -= !is_taken; i-- > 0 && !is_taken;) {
		unit = (struct grant_unit){v[i].type, v[i].instance, v[i].slots};
		if (unit.instance != MAP_NONE)
			pool_return(p, &g);
	}
	return is_taken;
}

/* All or nothing. units[i] is then the place of v[i]. */
static bool
take_in(struct leases *l, struct pool *p, const struct lease_demand *v, size_t n,
	struct grant_unit *units)
{
	struct resource_groups g = groups_of(l, v, n);
	struct grant_group group;
	struct grant free = {.v = NULL}, named = grant_of(&group, units, 0);
	uint32_t blocking;
	size_t any = 0;

	if (!take_named(p, v, n))
		return false;
	for (size_t i = 0; i < n; i++)
		if (v[i].instance != MAP_NONE)
			units[group.n++] =
				(struct grant_unit){v[i].type, v[i].instance, v[i].slots};
	if (!pool_take(p, l->scratch, &g, &free, &blocking)) {
		pool_return(p, &named);
		return false;
	}
	for (size_t i = 0; i < n; i++)
		units[i] = v[i].instance == MAP_NONE ? free.v[0].v[any++]
						     : (struct grant_unit){v[i].type,
							       v[i].instance, v[i].slots};
	return true;
}

/* All or nothing. */
static bool
take_demands(struct leases *l, struct lease *e, const struct lease_demand *v, size_t n)
{
	struct arena_mark mark;
	bool is_taken;

	/* Room for the units, which stays. */
	for (size_t i = 0; i < n; i++)
		VEC_PUSH(l->a, &e->units, (struct grant_unit){.slots = 0});
	e->units.n -= n;
	mark = arena_mark(l->scratch);
	pool_count_free(l->a, l->pool);
	is_taken = take_in(l, l->pool, v, n, &e->units.v[e->units.n]);
	if (is_taken)
		e->units.n += n;
	arena_rewind(l->scratch, mark);
	return is_taken;
}

static void
hold_in(struct pool *p, const struct grant_unit *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		p->types[v[i].type].v[v[i].instance].held += v[i].slots;
}

/* A copy of the pool of which nothing is held. */
static struct pool
empty_pool(struct leases *l)
{
	struct pool p = *l->pool;

	p.types = NEW_ARRAY(l->scratch, struct resource_type, p.n);
	for (size_t t = 0; t < p.n; t++) {
		const struct resource_type *from = &l->pool->types[t];

		p.types[t] = *from;
		p.types[t].free_nodes = NULL;
		p.types[t].v = NEW_ARRAY(l->scratch, struct resource_instance, from->n);
		for (size_t i = 0; i < from->n; i++) {
			struct resource_instance *in = &p.types[t].v[i];

			*in = from->v[i];
			in->held = in->others = in->elsewhere = 0;
		}
	}
	return p;
}

/* The pool without tests but the holder. */
static struct pool
pool_beside(struct leases *l, const struct holder *h)
{
	struct pool p = empty_pool(l);

	for (size_t g = 0; h->grant && g < h->grant->n; g++)
		hold_in(&p, h->grant->v[g].v, h->grant->v[g].n);
	for (size_t i = 0; i < h->leases.n; i++)
		hold_in(&p, h->leases.v[i]->units.v, h->leases.v[i]->units.n);
	return p;
}

/* Of other runs. */
static void
hold_staying(const struct leases *l, struct pool *p)
{
	for (uint32_t t = 0; t < p->n; t++) {
		const uint64_t *slots = l->types[t].staying;

		for (uint32_t i = 0; slots && i < p->types[t].n; i++)
			pool_set_others(p, t, i, slots[pool_number_of(p, t, i)]);
	}
}

/* Whether each test has room beside the leases of fixtures, which do not end before it;
 * beside_others: also beside those of other runs, whose tests may wait for this one. */
static bool
tests_fit(struct leases *l, bool beside_others)
{
	struct arena_mark mark = arena_mark(l->scratch);
	struct pool p = empty_pool(l);
	bool do_fit;

	for (size_t k = 0; k < l->holders.n; k++) {
		const struct holder *h = l->holders.v[k];

		for (size_t i = 0; h->is_used && i < h->leases.n; i++)
			if (h->leases.v[i]->fixture.p)
				hold_in(&p, h->leases.v[i]->units.v,
					h->leases.v[i]->units.n);
	}
	if (beside_others)
		hold_staying(l, &p);
	do_fit = l->tests.fit(l->tests.context, l->scratch, &p);
	arena_rewind(l->scratch, mark);
	return do_fit;
}

/* As take_demands. false, and *has_room is false: it fits, but a test would not. */
static bool
take_request(struct leases *l, struct lease *e, const struct lease_demand *v, size_t n,
	bool *has_room)
{
	*has_room = true;
	e->lacks_room = false;
	if (!take_demands(l, e, v, n))
		return false;
	if (!e->fixture.p || tests_fit(l, true))
		return true;
	*has_room = e->lacks_room = tests_fit(l, false);
	while (n--)
		drop_unit(l, e, e->units.n - 1);
	return false;
}

/* Why the request could not be granted even if no other test held anything; NULL: it
 * could. */
static const char *
why_never(struct leases *l, const struct holder *h, const struct lease *e)
{
	struct arena_mark mark = arena_mark(l->scratch);
	struct resource_groups g = groups_of(l, e->wanted.v, e->wanted.n);
	struct pool empty = empty_pool(l), beside = pool_beside(l, h);
	struct grant_unit *units = NEW_ARRAY(l->scratch, struct grant_unit, e->wanted.n);
	bool has_named = g.v[0].n < e->wanted.n;
	const char *why = NULL;

	if (has_named ? !take_in(l, &empty, e->wanted.v, e->wanted.n, units)
		      : !pool_could_fit(l->pool, l->scratch, &g))
		why = "the pool has no room for it";
	else if (!take_in(l, &beside, e->wanted.v, e->wanted.n, units))
		why = "the test itself holds what is missing";
	arena_rewind(l->scratch, mark);
	return why;
}

/* ---- the order ------------------------------------------------------------------- */

static bool
wants_type(const struct lease *e, uint32_t type)
{
	for (size_t i = 0; i < e->wanted.n; i++)
		if (e->wanted.v[i].type == type)
			return true;
	return false;
}

static bool
shares_type(const struct lease *e, const struct lease *other)
{
	for (size_t i = 0; i < other->wanted.n; i++)
		if (wants_type(e, other->wanted.v[i].type))
			return true;
	return false;
}

static bool
is_due(const struct leases *l, const struct lease *e)
{
	return e->overtaken >= l->patience;
}

static bool
are_tests_due(const struct leases *l, uint32_t type)
{
	return l->types[type].tests_overtaken >= l->patience &&
	       l->tests.wait_for(l->tests.context, type);
}

/* Of requests that are due the older goes first. */
static bool
is_its_turn(const struct leases *l, const struct lease *e)
{
	for (size_t i = 0; i < l->pending.n && l->pending.v[i] != e; i++)
		if (is_due(l, l->pending.v[i]) && shares_type(e, l->pending.v[i]))
			return false;
	if (is_due(l, e))
		return true;
	for (size_t i = 0; i < l->pending.n; i++)
		if (is_due(l, l->pending.v[i]) && shares_type(e, l->pending.v[i]))
			return false;
	for (size_t i = 0; i < e->wanted.n; i++)
		if (are_tests_due(l, e->wanted.v[i].type))
			return false;
	return true;
}

/* An heir waits until those have ended whom it cleans up after. */
static bool
holder_waits(const struct leases *l, const struct holder *h)
{
	if (h->is_heir)
		return !l->tests.runs(l->tests.context, h->key);
	for (size_t i = 0; i < h->leases.n; i++)
		if (is_pending(h->leases.v[i]) && h->leases.v[i]->blocks)
			return true;
	return false;
}

static bool
has_others(const struct pool *p, uint32_t type)
{
	for (size_t i = 0; p->shared_n && i < p->types[type].n; i++)
		if (p->types[type].v[i].others)
			return true;
	return false;
}

/* Whether what is held of a type is missing to who wants the other: beside other runs all
 * partitions of a divided pool take of the same. */
static bool
are_one(const struct pool *p, uint32_t type, uint32_t wanted)
{
	return type == wanted || (type % pool_types_n(p) == wanted % pool_types_n(p) &&
					 has_others(p, wanted));
}

static uint64_t
slots_on(const struct pool *p, const struct grant_unit *v, size_t n,
	const struct lease_demand *d)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		if (are_one(p, v[i].type, d->type) &&
			(!d->node || node_of_unit(p, &v[i]) == d->node))
			sum += v[i].slots;
	return sum;
}

static uint64_t
slots_of_holder(
	const struct pool *p, const struct holder *h, const struct lease_demand *d)
{
	uint64_t sum = 0;

	for (size_t g = 0; h->grant && g < h->grant->n; g++)
		sum += slots_on(p, h->grant->v[g].v, h->grant->v[g].n, d);
	for (size_t i = 0; i < h->leases.n; i++)
		sum += slots_on(p, h->leases.v[i]->units.v, h->leases.v[i]->units.n, d);
	return sum;
}

/* By all of this run. */
static uint64_t
slots_of_all(const struct pool *p, const struct lease_demand *d)
{
	uint64_t sum = 0;

	for (uint32_t t = 0; t < p->n; t++) {
		size_t n = are_one(p, t, d->type) ? p->types[t].n : 0;

		for (size_t i = 0; i < n; i++) {
			const struct resource_instance *in = &p->types[t].v[i];

			if (!d->node || in->node + 1 == d->node)
				sum += in->held - in->others;
		}
	}
	return sum;
}

/* All that is held of what it wants is held by tests that wait. */
static bool
is_stuck(const struct leases *l, const struct lease *e)
{
	for (size_t i = 0; i < e->wanted.n; i++) {
		const struct lease_demand *d = &e->wanted.v[i];
		uint64_t waiting = 0;

		if (l->types[d->type].do_others_go_on)
			return false;
		for (size_t k = 0; k < l->holders.n; k++)
			if (l->holders.v[k]->is_used && holder_waits(l, l->holders.v[k]))
				waiting += slots_of_holder(l->pool, l->holders.v[k], d);
		if (waiting != slots_of_all(l->pool, d))
			return false;
	}
	return true;
}

static bool
have_others(const struct leases *l, const struct lease *e)
{
	for (size_t i = 0; i < e->wanted.n; i++)
		if (has_others(l->pool, e->wanted.v[i].type))
			return true;
	return false;
}

static bool
holds_some(const struct holder *h)
{
	for (size_t g = 0; h->grant && g < h->grant->n; g++)
		for (size_t i = 0; i < h->grant->v[g].n; i++)
			if (h->grant->v[g].v[i].slots)
				return true;
	for (size_t i = 0; i < h->leases.n; i++)
		if (h->leases.v[i]->units.n)
			return true;
	return false;
}

/* Else other runs do not wait for tests of this one that wait. */
static bool
do_waiting_hold(const struct leases *l)
{
	for (size_t i = 0; i < l->holders.n; i++) {
		const struct holder *h = l->holders.v[i];

		if (h->is_used && holder_waits(l, h) && holds_some(h))
			return true;
	}
	return false;
}

/* A request took of the types of e. */
static void
count_overtaken(struct leases *l, const struct lease *e)
{
	for (size_t i = 0; i < e->wanted.n; i++) {
		uint32_t type = e->wanted.v[i].type;

		l->types[type].was_taken = true;
		if (l->tests.wait_for(l->tests.context, type))
			l->types[type].tests_overtaken++;
		else
			l->types[type].tests_overtaken = 0;
	}
	for (size_t i = 0; i < l->pending.n && l->pending.v[i] != e; i++)
		if (shares_type(l->pending.v[i], e))
			l->pending.v[i]->overtaken++;
}

uint32_t
leases_keeper(const struct leases *l, uint32_t type)
{
	for (size_t i = 0; i < l->pending.n; i++)
		if (is_due(l, l->pending.v[i]) && wants_type(l->pending.v[i], type))
			return l->pending.v[i]->holder;
	return MAP_NONE;
}

bool
leases_news(struct leases *l, uint32_t type)
{
	bool has_news = l->types[type].has_news;

	l->types[type].has_news = false;
	return has_news;
}

/* ---- the life of a request ------------------------------------------------------- */

static void
end_lease(struct leases *l, struct holder *h, struct lease *e)
{
	return_units(l, e);
	e->lent.n = 0;
	if (e->is_own || e->state == LEASE_ENDED)
		return;
	e->state = LEASE_ENDED;
	h->ended_n++;
}

/* The request is pending no more. */
static void
settle_request(
	struct leases *l, struct lease *e, enum lease_status status, const char *reason)
{
	struct holder *h = find_holder(l, e->holder);
	size_t i = 0;

	if (is_pending(e)) {
		while (l->pending.v[i] != e)
			i++;
		memmove(&l->pending.v[i], &l->pending.v[i + 1],
			(--l->pending.n - i) * sizeof *l->pending.v);
		l->is_settled = true;
	}
	for (i = 0; i < e->wanted.n && is_due(l, e); i++)
		note_return(l, e->wanted.v[i].type);
	e->status = status;
	e->reason = reason;
	e->blocks = e->is_untried = false;
	e->overtaken = 0;
	if (status == LEASE_GRANTED || status == LEASE_PARTIAL) {
		e->state = LEASE_HELD;
		if (e->reacquires)
			e->lent.n = 0;
		if (e->until_s > 0)
			e->end_s = e->until_s;
	} else if (e->state == LEASE_WAITS) {
		end_lease(l, h, e);
	}
	e->wanted.n = e->wished.n = 0;
	e->until_s = 0;
}

/* Whether the request has ended. */
static bool
try_request(struct leases *l, struct lease *e)
{
	enum lease_status status = LEASE_GRANTED;
	bool has_room;

	if (!take_request(l, e, e->wanted.v, e->wanted.n, &has_room)) {
		if (!has_room)
			settle_request(l, e, LEASE_DENIED,
				"a test would have no room before the cleanup");
		return !has_room;
	}
	count_overtaken(l, e);
	VEC_PUSH(l->a, &l->fresh, e);
	for (size_t i = 0; i < e->wished.n; i++)
		if (!take_request(l, e, &e->wished.v[i], 1, &has_room))
			status = LEASE_PARTIAL;
	settle_request(l, e, status, NULL);
	return true;
}

/* Grants the oldest request that fits, and that may go first. */
static bool
grant_next(struct leases *l)
{
	for (size_t i = 0; i < l->pending.n; i++) {
		struct lease *e = l->pending.v[i];

		if ((is_its_turn(l, e) || is_stuck(l, e)) && try_request(l, e))
			return true;
	}
	return false;
}

static bool
deny_stuck(struct leases *l)
{
	for (size_t i = l->pending.n; i-- > 0;) {
		struct lease *e = l->pending.v[i];

		if (!e->blocks || !is_stuck(l, e) ||
			(have_others(l, e) && !do_waiting_hold(l)))
			continue;
		settle_request(l, e, LEASE_DENIED,
			"all tests that hold what is missing wait for more");
		return true;
	}
	return false;
}

/* Those that have waited for the pool alone are answered now. */
static bool
answer_untried(struct leases *l)
{
	for (size_t i = 0; i < l->pending.n; i++) {
		struct lease *e = l->pending.v[i];

		if (!e->is_untried)
			continue;
		e->is_untried = false;
		l->is_settled = true;
		if (e->is_immediate)
			settle_request(l, e, LEASE_DENIED, "not now");
		return true;
	}
	return false;
}

static void
settle_pending(struct leases *l)
{
	while (l->pending.n && !l->is_closed &&
		(grant_next(l) || deny_stuck(l) || answer_untried(l)))
		;
}

void
leases_settle(struct leases *l)
{
	if (!l->pending.n)
		return;
	l->scratch = arena_open();
	settle_pending(l);
	arena_close(l->scratch);
}

void
leases_overtake(struct leases *l, const uint32_t *types, size_t n)
{
	for (size_t i = 0; i < n; i++)
		l->types[types[i]].tests_overtaken = 0;
	for (size_t i = 0; i < l->pending.n; i++) {
		bool is_shared = false;

		for (size_t k = 0; k < n; k++)
			is_shared = is_shared || wants_type(l->pending.v[i], types[k]);
		l->pending.v[i]->overtaken += is_shared;
	}
	leases_settle(l);
}

/* ---- requests -------------------------------------------------------------------- */

struct asked {
	struct leases *l;
	struct holder *h;
	struct lease *lease; /* NULL: there is none of that id */
	const struct lease_request *q;
};

static struct lease_answer
answer_of(const struct lease *e)
{
	return (struct lease_answer){e->status, e->reason, e};
}

static struct lease_answer
deny_request(const struct lease *e, const char *reason)
{
	return (struct lease_answer){LEASE_DENIED, reason, e};
}

static struct lease_answer
grant_request(const struct lease *e)
{
	return (struct lease_answer){LEASE_GRANTED, NULL, e};
}

/* false: the pool lacks the type or the instance; *why is a phrase. */
static bool
read_demand(const struct pool *p, const struct holder *h, const struct requirement *q,
	struct lease_demand *to, const char **why)
{
	*to = (struct lease_demand){.type = pool_type_in(p, h->partition, q->type),
		.instance = MAP_NONE,
		.slots = q->slots,
		.node = h->node};
	*why = "the pool has no such type";
	if (to->type == MAP_NONE || !p->types[to->type].n)
		return false;
	if (!q->instance.p)
		return true;
	*why = "the pool has no such instance";
	to->instance = pool_instance(p, to->type, h->node ? h->node - 1 : 0, q->instance);
	return to->instance != MAP_NONE;
}

/* As read_demand. */
static bool
read_demands(struct leases *l, const struct holder *h, const struct resource_groups *g,
	lease_demands *out, const char **why)
{
	struct resource_groups spread = *g;

	spread.partition = h->partition;
	spread.only_node = h->node;
	spread = pool_spread_listed(l->scratch, l->pool, spread);
	out->n = 0;
	for (size_t i = 0; i < spread.n; i++)
		for (size_t k = 0; k < spread.v[i].n; k++) {
			struct lease_demand one;

			if (!read_demand(l->pool, h, &spread.v[i].v[k], &one, why))
				return false;
			VEC_PUSH(l->a, out, one);
		}
	return true;
}

/* The lease has its demands. */
static struct lease_answer
submit_request(struct asked *r)
{
	struct leases *l = r->l;
	struct lease *e = r->lease;
	const char *never = NULL;

	e->reason = NULL;
	e->overtaken = 0;
	e->blocks = r->q->blocks;
	e->status = LEASE_GRANTED;
	l->fresh.n = 0;
	if (!l->is_closed && is_its_turn(l, e) && try_request(l, e))
		return answer_of(e);
	never = l->lost ? l->lost : why_never(l, r->h, e);
	if (never || (r->q->is_immediate && !l->is_closed)) {
		settle_request(l, e, LEASE_DENIED, never ? never : "not now");
		return answer_of(e);
	}
	e->is_untried = l->is_closed;
	e->is_immediate = r->q->is_immediate;
	e->status = LEASE_PENDING;
	VEC_PUSH(l->a, &l->pending, e);
	settle_pending(l);
	return answer_of(e);
}

static struct str
next_id(struct asked *r)
{
	struct str id;

	do
		id = str_fmt(
			r->l->scratch, "lease-%llu", (unsigned long long)++r->l->made);
	while (find_lease(r->h, id));
	return id;
}

/* An id is free again when its lease has ended. */
static void
forget_id(struct asked *r)
{
	for (size_t i = 0; i < r->h->leases.n; i++)
		if (r->h->leases.v[i] == r->lease) {
			drop_lease(r->l, r->h, i);
			r->h->ended_n--;
			return;
		}
}

static struct lease_answer
ask_new(struct asked *r)
{
	struct str id = r->q->id, fixture = r->q->fixture;
	const char *why;

	if (r->lease && r->lease->state != LEASE_ENDED)
		return deny_request(r->lease, "a lease has that id");
	if (id.p && !is_id(id))
		return deny_request(
			NULL, "an id is up to 64 letters, digits, '_', '.' and '-'");
	if (!r->q->wanted.n)
		return deny_request(NULL, "nothing is asked for");
	if (fixture.p &&
		r->l->tests.heir(r->l->tests.context, r->h->key, &fixture) == MAP_NONE)
		return deny_request(
			NULL, "the test does not set that up, or no test cleans it up");
	if (r->h->leases.n - r->h->ended_n > LEASES_MOST)
		return deny_request(NULL, "the test has 1024 leases");
	if (r->lease)
		forget_id(r);
	r->lease = add_lease(r->l, r->h, id.p ? id : next_id(r));
	r->lease->fixture = fixture;
	r->lease->state = LEASE_WAITS;
	r->lease->group = free_group(r->h);
	r->lease->until_s = r->q->seconds > 0 ? r->q->now_s + r->q->seconds : 0;
	if (!read_demands(r->l, r->h, &r->q->wanted, &r->lease->wanted, &why) ||
		!read_demands(r->l, r->h, &r->q->wished, &r->lease->wished, &why)) {
		settle_request(r->l, r->lease, LEASE_DENIED, why);
		return answer_of(r->lease);
	}
	return submit_request(r);
}

static struct lease_answer
ask_extend(struct asked *r)
{
	struct lease *e = r->lease;
	double end_s = e->end_s;
	const char *why;

	if (e->is_own && !e->units.n)
		e->group = NO_GROUP;
	if (r->q->seconds != 0 && !e->is_own) {
		end_s = (end_s > 0 ? end_s : r->q->now_s) + r->q->seconds;
		/* An end of 0 or less would be none. */
		end_s = end_s > r->q->now_s ? end_s : r->q->now_s;
	}
	if (!r->q->wanted.n && !r->q->wished.n) {
		e->end_s = end_s;
		return grant_request(e);
	}
	if (!read_demands(r->l, r->h, &r->q->wanted, &e->wanted, &why) ||
		!read_demands(r->l, r->h, &r->q->wished, &e->wished, &why)) {
		e->wanted.n = e->wished.n = 0;
		return deny_request(e, why);
	}
	if (e->group == NO_GROUP)
		e->group = free_group(r->h);
	e->reacquires = false;
	e->until_s = r->q->seconds != 0 ? end_s : 0;
	return submit_request(r);
}

/* What is asked for is there, or all where nothing is named. false: it has less. */
static bool
sum_demands(struct asked *r, uint64_t *slots)
{
	struct leases *l = r->l;

	for (uint32_t t = 0; t < l->pool->n && !r->q->wanted.n; t++)
		slots[t] = slots_held(r->h, r->lease, t);
	for (size_t g = 0; g < r->q->wanted.n; g++)
		for (size_t i = 0; i < r->q->wanted.v[g].n; i++) {
			const struct requirement *q = &r->q->wanted.v[g].v[i];
			uint32_t type = pool_type_in(l->pool, r->h->partition, q->type);

			if (type == MAP_NONE)
				return false;
			slots[type] += q->slots;
			if (slots[type] > slots_held(r->h, r->lease, type))
				return false;
		}
	return true;
}

/* false: the lease has less, and keeps it. */
static bool
give_back(struct asked *r, lease_demands *lent)
{
	struct leases *l = r->l;
	uint64_t *slots = NEW_ARRAY(l->scratch, uint64_t, l->pool->n);

	if (!sum_demands(r, slots))
		return false;
	for (uint32_t t = 0; t < l->pool->n; t++)
		if (slots[t])
			return_slots(l, r->h, r->lease, t, slots[t], lent);
	return true;
}

static struct lease_answer
ask_release(struct asked *r)
{
	if (!give_back(r, NULL))
		return deny_request(r->lease, "the lease has less");
	if (!r->q->wanted.n)
		end_lease(r->l, r->h, r->lease);
	settle_pending(r->l);
	return grant_request(r->lease);
}

static struct lease_answer
ask_lend(struct asked *r)
{
	size_t before = r->lease->lent.n;

	if (!give_back(r, &r->lease->lent))
		return deny_request(r->lease, "the lease has less");
	if (r->lease->lent.n == before)
		return deny_request(r->lease, "the lease has nothing");
	r->lease->back_s = r->q->seconds > 0 ? r->q->now_s + r->q->seconds : 0;
	settle_pending(r->l);
	return grant_request(r->lease);
}

static struct lease_answer
ask_reacquire(struct asked *r)
{
	struct lease *e = r->lease;

	if (!e->lent.n)
		return deny_request(e, "nothing is lent");
	e->wanted.n = e->wished.n = 0;
	VEC_PUSH_ALL(r->l->a, &e->wanted, e->lent);
	if (e->group == NO_GROUP)
		e->group = free_group(r->h);
	e->reacquires = true;
	return submit_request(r);
}

static struct lease_answer
ask_cancel(struct asked *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->h->leases.n; i++) {
		struct lease *e = r->h->leases.v[i];

		if (!is_pending(e) || (r->lease && e != r->lease))
			continue;
		settle_request(r->l, e, LEASE_CANCELED, NULL);
		n++;
	}
	settle_pending(r->l);
	if (r->lease && !n)
		return deny_request(r->lease, "no request is pending");
	return (struct lease_answer){LEASE_CANCELED, NULL, r->lease};
}

static struct lease_answer
ask_query(struct asked *r)
{
	return answer_of(r->lease);
}

/* By state: why a verb is refused; NULL: it is not. Of a new lease the id is free. */
static const struct {
	struct lease_answer (*ask)(struct asked *r);
	const char *waits, *pending, *ended;
} verbs[LEASE_VERBS] = {
#define PENDING "a request for the lease is pending"
#define OVER "the lease has ended"
	[LEASE_NEW] = {ask_new, NULL, NULL, NULL},
	[LEASE_EXTEND] = {ask_extend, PENDING, PENDING, OVER},
	[LEASE_RELEASE] = {ask_release, PENDING, PENDING, OVER},
	[LEASE_LEND] = {ask_lend, PENDING, PENDING, OVER},
	[LEASE_REACQUIRE] = {ask_reacquire, PENDING, PENDING, OVER},
	[LEASE_CANCEL] = {ask_cancel, NULL, NULL, OVER},
	[LEASE_QUERY] = {ask_query, NULL, NULL, NULL},
};

static const char *
why_refused(const struct asked *r, enum lease_verb verb)
{
	if (verb == LEASE_NEW || (verb == LEASE_CANCEL && !r->q->id.p))
		return NULL;
	if (!r->lease)
		return "the test has no lease of that id";
	if (r->lease->state == LEASE_ENDED)
		return verbs[verb].ended;
	if (r->lease->state == LEASE_WAITS)
		return verbs[verb].waits;
	return is_pending(r->lease) ? verbs[verb].pending : NULL;
}

struct lease_answer
leases_ask(struct leases *l, uint32_t holder, enum lease_verb verb,
	const struct lease_request *q)
{
	struct asked r = {.l = l, .h = find_holder(l, holder), .q = q};
	struct lease_answer answer;
	const char *why;

	INVARIANT(verb < LEASE_VERBS && r.h);
	if (q->id.p)
		r.lease = find_lease(r.h, q->id);
	else if (verb != LEASE_NEW && verb != LEASE_CANCEL)
		r.lease = r.h->leases.v[0];
	why = why_refused(&r, verb);
	if (why)
		return deny_request(r.lease, why);
	l->scratch = arena_open();
	answer = verbs[verb].ask(&r);
	arena_close(l->scratch);
	forget_ended(l, r.h);
	return answer;
}

/* ---- ends ------------------------------------------------------------------------ */

/* Its id is free, or it gets another. */
static void
inherit_lease(struct leases *l, uint32_t heir, struct lease *e)
{
	struct holder *h = find_holder(l, heir);

	if (!h) {
		h = add_holder(l, heir);
		h->is_heir = true;
	}
	while (find_lease(h, str_of(e->id)))
		snprintf(
			e->id, sizeof e->id, "lease-%llu", (unsigned long long)++l->made);
	e->holder = heir;
	e->is_inherited = true;
	e->lent.n = 0;
	e->group = free_group(h);
	VEC_PUSH(l->a, &h->leases, e);
}

static void
pass_leases(struct leases *l, uint32_t key, bool is_last)
{
	for (size_t i = 0; i < l->passed.n; i++) {
		struct lease *e = l->passed.v[i];
		uint32_t heir =
			is_last ? l->tests.heir(l->tests.context, key, &e->fixture) : key;

		if (heir != MAP_NONE) {
			inherit_lease(l, heir, e);
		} else {
			return_units(l, e);
			VEC_PUSH(l->a, &l->spare, e);
		}
	}
	l->passed.n = 0;
}

static bool
goes_on(const struct lease *e, bool is_last)
{
	return e->fixture.p && e->units.n && (is_last || e->is_inherited);
}

bool
leases_end(struct leases *l, uint32_t key, bool is_last)
{
	struct holder *h = find_holder(l, key);
	bool is_whole = !h || !h->is_reduced;

	if (!h)
		return true;
	for (size_t i = 0; i < h->leases.n; i++)
		if (is_pending(h->leases.v[i]))
			settle_request(l, h->leases.v[i], LEASE_CANCELED, NULL);
	for (size_t i = 0; i < h->leases.n; i++) {
		struct lease *e = h->leases.v[i];

		if (goes_on(e, is_last)) {
			VEC_PUSH(l->a, &l->passed, e);
		} else {
			return_units(l, e);
			VEC_PUSH(l->a, &l->spare, e);
		}
	}
	h->leases.n = 0;
	h->is_used = false;
	l->holder_of[key] = 0;
	pass_leases(l, key, is_last);
	return is_whole;
}

void
leases_block(struct leases *l, uint32_t holder, struct str id, bool blocks)
{
	struct holder *h = find_holder(l, holder);
	struct lease *e = h ? find_lease(h, id) : NULL;

	if (!e || !is_pending(e))
		return;
	e->blocks = blocks;
	leases_settle(l);
}

static void
expire_of(struct leases *l, struct holder *h, double now_s, double *next_s)
{
	for (size_t i = 0; i < h->leases.n; i++) {
		struct lease *e = h->leases.v[i];

		if (e->state == LEASE_ENDED || e->end_s <= 0)
			continue;
		if (e->end_s > now_s) {
			if (*next_s <= 0 || e->end_s < *next_s)
				*next_s = e->end_s;
			continue;
		}
		if (is_pending(e))
			settle_request(l, e, LEASE_CANCELED, NULL);
		end_lease(l, h, e);
	}
}

bool
leases_settled(struct leases *l)
{
	bool is_settled = l->is_settled;

	l->is_settled = false;
	return is_settled;
}

double
leases_expire(struct leases *l, double now_s)
{
	double next_s = 0;

	for (size_t i = 0; i < l->holders.n; i++)
		if (l->holders.v[i]->is_used) {
			expire_of(l, l->holders.v[i], now_s, &next_s);
			while (l->holders.v[i]->ended_n > LEASES_ENDED_MOST)
				forget_ended(l, l->holders.v[i]);
		}
	leases_settle(l);
	return next_s;
}

void
leases_return(const struct leases *l, uint32_t holder, struct pool *p)
{
	const struct holder *h = find_holder(l, holder);

	for (size_t i = 0; h && i < h->leases.n; i++) {
		const struct lease *e = h->leases.v[i];
		struct grant_group group;
		struct grant g = grant_of(&group, e->units.v, e->units.n);

		/* That of a fixture stays with its cleanup. */
		if (!e->fixture.p)
			pool_return(p, &g);
	}
}

/* Where it has or wants some of a pool that is divided. */
static uint32_t
partition_of_lease(const struct leases *l, const struct holder *h, const struct lease *e)
{
	return e->units.n ? pool_partition_of_type(l->pool, e->units.v[0].type)
			  : h->partition;
}

struct str
leases_fixture_in(const struct leases *l, uint32_t partition)
{
	for (size_t i = 0; i < l->holders.n; i++) {
		const struct holder *h = l->holders.v[i];

		for (size_t k = 0; h->is_used && k < h->leases.n; k++) {
			const struct lease *e = h->leases.v[k];

			if (e->fixture.p && e->state != LEASE_ENDED &&
				partition_of_lease(l, h, e) == partition)
				return e->fixture;
		}
	}
	return STR_NONE;
}

const struct lease *
leases_lent(const struct leases *l, size_t i)
{
	for (size_t k = 0; k < l->holders.n; k++) {
		const struct holder *h = l->holders.v[k];

		for (size_t n = 0; h->is_used && n < h->leases.n; n++) {
			const struct lease *e = h->leases.v[n];

			if (e->lent.n && e->back_s > 0 && i-- == 0)
				return e;
		}
	}
	return NULL;
}

/* ---- beside other runs ----------------------------------------------------------- */

void
leases_close_pool(struct leases *l)
{
	l->is_closed = true;
}

void
leases_open_pool(struct leases *l)
{
	l->is_closed = false;
	l->fresh.n = 0;
	leases_settle(l);
}

/* Other runs do not know of it. */
static void
take_back(struct leases *l, struct lease *e)
{
	e->status = LEASE_DENIED;
	e->reason = l->lost;
	end_lease(l, find_holder(l, e->holder), e);
}

void
leases_lose_pool(struct leases *l, const char *reason)
{
	l->lost = reason;
	for (size_t i = 0; i < l->fresh.n && !l->is_closed; i++)
		take_back(l, l->fresh.v[i]);
	l->is_closed = true;
	while (l->pending.n)
		settle_request(l, l->pending.v[0], LEASE_DENIED, reason);
}

const struct lease *
leases_hindered(struct leases *l)
{
	const struct lease *found = NULL;

	if (!l->pool->shared_n || !l->pending.n)
		return NULL;
	l->scratch = arena_open();
	for (size_t i = 0; i < l->pending.n && !found; i++) {
		const struct lease *e = l->pending.v[i];
		struct resource_groups g = groups_of(l, e->wanted.v, e->wanted.n);

		if (!e->lacks_room && pool_would_fit(l->pool, l->scratch, &g))
			found = e;
	}
	arena_close(l->scratch);
	return found;
}

bool
leases_took(struct leases *l, uint32_t type)
{
	bool took = false;

	for (; type < l->pool->n; type += (uint32_t)pool_types_n(l->pool)) {
		took = took || l->types[type].was_taken;
		l->types[type].was_taken = false;
	}
	return took;
}

void
leases_set_others(struct leases *l, uint32_t type, bool do_go_on, const uint64_t *staying)
{
	for (; type < l->pool->n; type += (uint32_t)pool_types_n(l->pool)) {
		l->types[type].do_others_go_on = do_go_on;
		l->types[type].staying = staying;
	}
}

static void
add_units(const struct pool *p, const struct grant_unit *v, size_t n,
	const uint32_t *first, uint64_t *slots)
{
	for (size_t i = 0; i < n; i++)
		slots[first[v[i].type % pool_types_n(p)] +
			pool_number_of(p, v[i].type, v[i].instance)] += v[i].slots;
}

static void
add_idle(const struct pool *p, const struct holder *h, bool waits, const uint32_t *first,
	uint64_t *idle, uint64_t *staying)
{
	for (size_t g = 0; waits && h->grant && g < h->grant->n; g++)
		add_units(p, h->grant->v[g].v, h->grant->v[g].n, first, idle);
	for (size_t i = 0; i < h->leases.n; i++) {
		const struct lease *e = h->leases.v[i];
		bool stays = e->fixture.p && (waits || !e->is_inherited);

		if (waits || stays)
			add_units(p, e->units.v, e->units.n, first, idle);
		if (stays)
			add_units(p, e->units.v, e->units.n, first, staying);
	}
}

void
leases_count_idle(
	const struct leases *l, const uint32_t *first, uint64_t *idle, uint64_t *staying)
{
	for (size_t i = 0; i < l->holders.n; i++) {
		const struct holder *h = l->holders.v[i];

		if (h->is_used)
			add_idle(l->pool, h, holder_waits(l, h), first, idle, staying);
	}
}

bool
leases_wait(const struct leases *l)
{
	return l->pending.n > 0;
}

/* ---- looking --------------------------------------------------------------------- */

const struct lease *
leases_next(const struct leases *l, uint32_t holder, size_t *at)
{
	const struct holder *h = find_holder(l, holder);

	return h && *at < h->leases.n ? h->leases.v[(*at)++] : NULL;
}

uint32_t
leases_groups(const struct leases *l, uint32_t holder)
{
	const struct holder *h = find_holder(l, holder);
	uint32_t n = h ? h->groups : 0;

	for (size_t i = 0; h && i < h->leases.n; i++) {
		const struct lease *e = h->leases.v[i];

		if ((e->is_own ? e->units.n > 0 : e->state == LEASE_HELD) &&
			e->group >= n)
			n = e->group + 1;
	}
	return n;
}

uint32_t
leases_own_groups(const struct leases *l, uint32_t holder)
{
	const struct holder *h = find_holder(l, holder);

	return h ? h->groups : 0;
}

const struct pool *
leases_pool(const struct leases *l)
{
	return l->pool;
}

const struct grant *
leases_grant(const struct leases *l, uint32_t holder)
{
	const struct holder *h = find_holder(l, holder);

	return h ? h->grant : NULL;
}

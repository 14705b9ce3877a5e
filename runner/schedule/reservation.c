/*
 * The future is the present with what ends first given back, one running test after the
 * other, until the reserved one fits; there it holds what it needs, and the next one is
 * looked at. Linear in what runs but for a sort, and a copy of the pool's counters for
 * each reservation. They are made when a test is blocked, not at each event.
 */
#include "runner/schedule/reservation.h"

#include <math.h>
#include <string.h>

#include "runner/base/sort.h"

/* What a running or reserved test gives back when it ends; or when a test needs again
 * what it has lent. */
struct end {
	double at_s;
	uint32_t rank;
	size_t slots;
	const struct grant *grant;
	const struct lease *lent; /* it has lent something; NULL: it is an end */
	double until_s; /* of lent: the end of the test */
};

struct reservations {
	struct arena *a;
	const struct pool *pool; /* NULL: none */
	size_t parallel, most;
	struct reservation *v;
	struct pool *at_shadow; /* by reservation: the pool at the shadow time, with what
				   is reserved counted as held */
	VEC(struct holder) holders;
	uint32_t *holder_of; /* by rank: index into holders */
	VEC(struct end) ends; /* to work with */
	struct pool future; /* to work with */
	const struct leases *leases; /* NULL: no test has asked for one */
	const node_id *order;
};

static struct pool
pool_shape(struct arena *a, const struct pool *from)
{
	struct pool p = *from;

	p.types = NEW_ARRAY(a, struct resource_type, p.n);
	for (size_t t = 0; t < p.n; t++) {
		p.types[t] = from->types[t];
		p.types[t].v = NEW_ARRAY(a, struct resource_instance, p.types[t].n);
	}
	return p;
}

static void
pool_copy(struct pool *to, const struct pool *from)
{
	to->presence = from->presence;
	for (size_t t = 0; t < to->n; t++) {
		struct resource_instance *v = to->types[t].v;

		to->types[t] = from->types[t];
		to->types[t].v = v;
		/* The copy counts its own. */
		to->types[t].free_nodes = NULL;
		if (from->types[t].n)
			memcpy(v, from->types[t].v, from->types[t].n * sizeof *v);
	}
}

struct reservations *
reservations_new(struct arena *a, size_t tests, const struct pool *pool, size_t parallel,
	size_t most)
{
	struct reservations *r = NEW(a, struct reservations);

	INVARIANT(parallel > 0 && most <= RESERVE_MOST);
	*r = (struct reservations){
		.a = a, .pool = pool, .parallel = parallel, .most = most};
	r->holder_of = NEW_ARRAY(a, uint32_t, tests);
	r->v = NEW_ARRAY(a, struct reservation, most);
	r->at_shadow = NEW_ARRAY(a, struct pool, most);
	if (pool)
		reservations_pool_is_known(r);
	return r;
}

void
reservations_pool_is_known(struct reservations *r)
{
	r->future = pool_shape(r->a, r->pool);
	for (size_t i = 0; i < r->most; i++)
		r->at_shadow[i] = pool_shape(r->a, r->pool);
}

void
reservations_set_leases(
	struct reservations *r, const node_id *order, const struct leases *l)
{
	r->leases = l;
	r->order = order;
}

void
reservations_started(struct reservations *r, struct holder h)
{
	r->holder_of[h.rank] = (uint32_t)r->holders.n;
	VEC_PUSH(r->a, &r->holders, h);
}

void
reservations_ended(struct reservations *r, uint32_t rank)
{
	struct holder last = r->holders.v[--r->holders.n];

	r->holders.v[r->holder_of[rank]] = last;
	r->holder_of[last.rank] = r->holder_of[rank];
}

void
reservations_follow(struct reservations *r, const struct reservations *old)
{
	for (size_t i = 0; i < old->holders.n; i++)
		reservations_started(r, old->holders.v[i]);
}

static double
end_of(const struct holder *h, double now_s)
{
	double end = h->started_s + h->expected_s;

	return end < now_s ? now_s + (now_s - h->started_s) : end;
}

double
reservations_end(const struct reservations *r, uint32_t rank, double now_s)
{
	return end_of(&r->holders.v[r->holder_of[rank]], now_s);
}

static bool
is_before(const struct end *a, const struct end *b)
{
	return a->at_s != b->at_s ? a->at_s < b->at_s : a->rank < b->rank;
}

/* From the back, so that what comes in order stays where it is. */
static void
insert_end(struct reservations *r, struct end e)
{
	size_t i = r->ends.n;

	VEC_PUSH(r->a, &r->ends, e);
	for (; i && is_before(&e, &r->ends.v[i - 1]); i--)
		r->ends.v[i] = r->ends.v[i - 1];
	r->ends.v[i] = e;
}

SORT_BY(sort_by_end, struct end, ASCENDING(at_s) ASCENDING(rank))

/* The ends of what runs, in order; how many slots it uses. */
static size_t
sort_ends(struct reservations *r, double now_s)
{
	enum { FEW = 32 };
	size_t used = 0;

	r->ends.n = 0;
	for (size_t i = 0; i < r->holders.n; i++) {
		const struct holder *h = &r->holders.v[i];
		struct end e = {.at_s = end_of(h, now_s),
			.rank = h->rank,
			.slots = h->slots,
			.grant = h->grant};

		used += h->slots;
		if (r->holders.n <= FEW)
			insert_end(r, e);
		else
			VEC_PUSH(r->a, &r->ends, e);
	}
	if (r->holders.n > FEW)
		sort_by_end(r->ends.v, r->ends.n);
	return used;
}

static void
add_lent(struct reservations *r, const struct lease *e, const struct holder *h,
	double now_s)
{
	double end_s = end_of(h, now_s), back_s = e->back_s > now_s ? e->back_s : now_s;

	if (back_s < end_s)
		insert_end(r, (struct end){.rank = MAP_NONE,
				      .at_s = back_s,
				      .lent = e,
				      .until_s = end_s});
}

/* When tests need again what they have lent. */
static void
add_all_lent(struct reservations *r, double now_s)
{
	const struct lease *e;

	for (size_t i = 0; r->leases && (e = leases_lent(r->leases, i)); i++)
		for (size_t k = 0; k < r->holders.n; k++)
			if (r->order[r->holders.v[k].rank] == e->holder)
				add_lent(r, e, &r->holders.v[k], now_s);
}

struct outlook {
	struct reservations *r;
	double at_s;
	size_t used, next; /* next: of ends */
};

/* Where it does not fit, it is tried again when the next test ends. */
static void
try_later(struct outlook *l, struct end e)
{
	const struct reservations *r = l->r;

	for (size_t i = l->next; i < r->ends.n; i++)
		if (!r->ends.v[i].lent) {
			e.at_s =
				r->ends.v[i].at_s > l->at_s ? r->ends.v[i].at_s : l->at_s;
			insert_end(l->r, e);
			return;
		}
}

/* All that the lease has lent. */
static struct resource_groups
groups_of_lent(const struct reservations *r, const lease_demands *lent)
{
	struct requirement *v = NEW_ARRAY(r->a, struct requirement, lent->n);
	struct resource_group *group = NEW(r->a, struct resource_group);

	for (size_t i = 0; i < lent->n; i++)
		v[i] = (struct requirement){.type = r->future.types[lent->v[i].type].name,
			.slots = lent->v[i].slots};
	*group = (struct resource_group){v, lent->n};
	return (struct resource_groups){.v = group,
		.n = 1,
		.partition = pool_partition_of_type(&r->future, lent->v[0].type),
		.only_node = lent->v[0].node};
}

static void
take_back(struct outlook *l, struct end e)
{
	struct reservations *r = l->r;
	struct resource_groups g = groups_of_lent(r, &e.lent->lent);
	struct grant *own = NEW(r->a, struct grant);
	uint32_t blocking;

	if (e.until_s <= l->at_s)
		return;
	if (!pool_take(&r->future, r->a, &g, own, &blocking)) {
		try_later(l, e);
		return;
	}
	insert_end(r, (struct end){.rank = MAP_NONE, .at_s = e.until_s, .grant = own});
}

/* Until the time at which the next test ends, and all that end with it. */
static void
move_on(struct outlook *l)
{
	struct reservations *r = l->r;
	double end_s = r->ends.v[l->next].at_s;

	if (end_s > l->at_s)
		l->at_s = end_s;
	while (l->next < r->ends.n && r->ends.v[l->next].at_s <= l->at_s) {
		struct end e = r->ends.v[l->next++];

		l->used -= e.slots;
		if (e.lent)
			take_back(l, e);
		if (e.grant)
			pool_return(&r->future, e.grant);
		if (r->leases && e.rank != MAP_NONE)
			leases_return(r->leases, r->order[e.rank], &r->future);
	}
}

static bool
fits_then(struct outlook *l, const struct need *need, struct grant *own)
{
	uint32_t blocking;

	if (l->at_s < need->not_before_s)
		return false;
	if (need->is_alone ? l->used > 0 : l->used + need->slots > l->r->parallel)
		return false;
	if (!need->groups)
		return true;
	*own = (struct grant){NULL, 0};
	return pool_take(&l->r->future, l->r->a, need->groups, own, &blocking);
}

/* From then on it holds what it needs. waits: it is known that it does not fit now.
 * false: not known when. */
static bool
find_place(struct outlook *l, const struct need *need, size_t i, bool waits)
{
	struct reservations *r = l->r;
	struct grant *own = NEW(r->a, struct grant);
	size_t slots = need->is_alone ? r->parallel : need->slots;

	for (; waits || !fits_then(l, need, own); waits = false) {
		if (l->next == r->ends.n)
			return false;
		move_on(l);
	}
	l->used += slots;
	r->v[i].shadow_s = l->at_s;
	r->v[i].extra_slots = r->parallel - l->used;
	if (r->pool)
		pool_copy(&r->at_shadow[i], &r->future);
	insert_end(r, (struct end){.rank = MAP_NONE,
			      .at_s = l->at_s + need->expected_s,
			      .slots = slots,
			      .grant = need->groups ? own : NULL});
	return true;
}

/* For those of the part that the first of the needs is of. It does not fit now: that is
 * why reservations are made. */
static void
reserve_part(struct reservations *r, const struct need *needs, size_t first, size_t n,
	double now_s)
{
	struct outlook l = {.r = r, .at_s = now_s, .used = sort_ends(r, now_s)};
	size_t holders = r->ends.n, lent;
	struct arena_mark mark;

	add_all_lent(r, now_s);
	lent = r->ends.n - holders;
	/* Room for all ends, which stays. What is lent is tried again at each. */
	for (size_t i = 0; i < n + lent * (holders + n + 2); i++)
		VEC_PUSH(r->a, &r->ends, (struct end){.rank = MAP_NONE});
	r->ends.n = holders + lent;
	if (r->pool)
		pool_copy(&r->future, r->pool);
	mark = arena_mark(r->a);
	for (size_t i = first; i < n; i++)
		if (needs[i].part == needs[first].part &&
			!find_place(&l, &needs[i], i, i == first))
			break;
	arena_rewind(r->a, mark);
}

static bool
is_first_of_part(const struct need *needs, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (needs[k].part == needs[i].part)
			return false;
	return true;
}

void
reservations_make(
	struct reservations *r, const struct need *needs, size_t n, double now_s)
{
	INVARIANT(n <= r->most);
	for (size_t i = 0; i < n; i++) {
		r->v[i].shadow_s = HUGE_VAL;
		r->v[i].extra_slots = 0;
		r->v[i].is_alone = needs[i].is_alone;
	}
	for (size_t i = 0; i < n; i++)
		if (is_first_of_part(needs, i))
			reserve_part(r, needs, i, n, now_s);
}

const struct reservation *
reservations_made(const struct reservations *r)
{
	return r->v;
}

bool
reservations_allow(
	const struct reservations *r, size_t i, size_t slots, const struct grant *grant)
{
	const struct resource_type *types = r->at_shadow[i].types;

	INVARIANT(i < r->most);
	if (r->v[i].is_alone || slots > r->v[i].extra_slots)
		return false;
	for (size_t g = 0; grant && g < grant->n; g++)
		for (size_t k = 0; k < grant->v[g].n; k++) {
			const struct grant_unit *u = &grant->v[g].v[k];
			const struct resource_instance *in =
				&types[u->type].v[u->instance];

			/* Of several requirements on one instance each is looked at
			 * alone: the last of them to be charged may be one too many, and
			 * then the reserved test waits a little longer. */
			if (in->held + u->slots > in->slots)
				return false;
		}
	return true;
}

void
reservations_charge(
	struct reservations *r, size_t i, size_t slots, const struct grant *grant)
{
	struct resource_type *types = r->at_shadow[i].types;

	INVARIANT(i < r->most && slots <= r->v[i].extra_slots);
	r->v[i].extra_slots -= slots;
	for (size_t g = 0; grant && g < grant->n; g++)
		for (size_t k = 0; k < grant->v[g].n; k++) {
			const struct grant_unit *u = &grant->v[g].v[k];

			types[u->type].v[u->instance].held += u->slots;
		}
}

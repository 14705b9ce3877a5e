/*
 * The future is the present with what ends first given back, one running test after the
 * other, until the reserved one fits. Linear in what runs but for a sort, and one copy of
 * the pool's counters; made once per blocked test, not per event.
 */
#include "runner/reservation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
	for (size_t t = 0; t < to->n; t++) {
		struct resource_instance *v = to->types[t].v;

		to->types[t] = from->types[t];
		to->types[t].v = v;
		if (from->types[t].n)
			memcpy(v, from->types[t].v, from->types[t].n * sizeof *v);
	}
}

struct reservation *
reservation_new(struct arena *a, size_t nodes, const struct pool *pool, size_t parallel)
{
	struct reservation *r = NEW(a, struct reservation);

	*r = (struct reservation){.a = a, .pool = pool, .parallel = parallel};
	r->at = NEW_ARRAY(a, uint32_t, nodes);
	if (pool)
		r->future = pool_shape(a, pool);
	return r;
}

void
reservation_started(struct reservation *r, struct holder h)
{
	r->at[h.node] = (uint32_t)r->holders.n;
	VEC_PUSH(r->a, &r->holders, h);
}

void
reservation_ended(struct reservation *r, node_id node)
{
	struct holder last = r->holders.v[--r->holders.n];

	r->holders.v[r->at[node]] = last;
	r->at[last.node] = r->at[node];
}

static double
end_of(const struct holder *h, double now_s)
{
	double end = h->started_s + h->expected_s;

	return end < now_s ? now_s + (now_s - h->started_s) : end;
}

double
reservation_end(const struct reservation *r, node_id node, double now_s)
{
	return end_of(&r->holders.v[r->at[node]], now_s);
}

static int
by_end(const void *left, const void *right)
{
	const struct holder *a = left, *b = right;

	if (a->ends_s != b->ends_s)
		return a->ends_s < b->ends_s ? -1 : 1;
	return (a->node > b->node) - (a->node < b->node);
}

static size_t
sort_holders(struct reservation *r, double now_s)
{
	size_t used = 0;

	for (size_t i = 0; i < r->holders.n; i++) {
		r->holders.v[i].ends_s = end_of(&r->holders.v[i], now_s);
		used += r->holders.v[i].slots;
	}
	if (r->holders.n)
		qsort(r->holders.v, r->holders.n, sizeof *r->holders.v, by_end);
	for (size_t i = 0; i < r->holders.n; i++)
		r->at[r->holders.v[i].node] = (uint32_t)i;
	return used;
}

static bool
fits(struct reservation *r, const struct need *need, size_t used)
{
	uint32_t blocking;

	if (need->is_alone ? used > 0 : used + need->slots > r->parallel)
		return false;
	if (!need->groups)
		return true;
	r->own = (struct grant){NULL, 0};
	return pool_take(&r->future, r->a, need->groups, &r->own, &blocking);
}

void
reservation_make(struct reservation *r, const struct need *need, double now_s)
{
	struct arena_mark mark = arena_mark(r->a);
	size_t used = sort_holders(r, now_s), i = 0;
	double at_s = now_s;
	bool found = false;

	if (r->pool)
		pool_copy(&r->future, r->pool);
	/* Behind the first end at which it fits, all that end at the same time. */
	while (i < r->holders.n && (!found || r->holders.v[i].ends_s <= at_s)) {
		const struct holder *h = &r->holders.v[i++];

		used -= h->slots;
		if (h->grant)
			pool_return(&r->future, h->grant);
		if (h->ends_s > at_s)
			at_s = h->ends_s;
		found = found || (at_s >= need->not_before_s && fits(r, need, used));
	}
	arena_rewind(r->a, mark);
	r->until_s = found ? at_s : HUGE_VAL;
	r->is_alone = need->is_alone;
	r->spare_slots = !found || need->is_alone || used + need->slots > r->parallel
				 ? 0
				 : r->parallel - used - need->slots;
}

bool
reservation_leaves(const struct reservation *r, size_t slots, const struct grant *grant)
{
	if (r->is_alone || slots > r->spare_slots)
		return false;
	for (size_t g = 0; grant && g < grant->n; g++)
		for (size_t k = 0; k < grant->v[g].n; k++) {
			const struct grant_unit *u = &grant->v[g].v[k];
			const struct resource_instance *in =
				&r->future.types[u->type].v[u->instance];

			/* Of several requirements on one instance each is looked at
			 * alone: the last of them to be charged may be one too many, and
			 * then the reserved test waits a little longer. */
			if (in->held + u->slots > in->slots)
				return false;
		}
	return true;
}

void
reservation_charge(struct reservation *r, size_t slots, const struct grant *grant)
{
	r->spare_slots -= slots;
	for (size_t g = 0; grant && g < grant->n; g++)
		for (size_t k = 0; k < grant->v[g].n; k++) {
			const struct grant_unit *u = &grant->v[g].v[k];

			r->future.types[u->type].v[u->instance].held += u->slots;
		}
}

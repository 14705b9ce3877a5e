/*
 * Taking and giving back instances of the pool. Types do not influence each other: the
 * requirements of a test are packed type by type, in the order of groups and
 * requirements, which decides between equal ones.
 */
#include "runner/pool.h"

#include <stdlib.h>

#include "runner/packer.h"

/* One requirement, on its way to a place. */
struct demand {
	uint32_t type, at; /* at: position among all requirements of the test */
	uint32_t instance;
	uint64_t slots;
};

struct request {
	const struct pool *pool;
	struct arena *scratch;
	struct demand *v; /* by type, then position */
	size_t n;
	bool is_whole; /* nothing counts as held */
};

uint32_t
pool_type(const struct pool *p, struct str name)
{
	size_t low = 0, high = p->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		int order = str_order(p->types[mid].name, name);

		if (order == 0)
			return (uint32_t)mid;
		if (order < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return MAP_NONE;
}

static int
by_type(const void *left, const void *right)
{
	const struct demand *a = left, *b = right;

	if (a->type != b->type)
		return a->type < b->type ? -1 : 1;
	return (a->at > b->at) - (a->at < b->at);
}

static int
by_position(const void *left, const void *right)
{
	const struct demand *a = left, *b = right;

	return (a->at > b->at) - (a->at < b->at);
}

/* false: the pool does not have one of the types. */
static bool
gather(struct request *r, const struct resource_groups *g)
{
	size_t n = 0;

	for (size_t i = 0; i < g->n; i++)
		n += g->v[i].n;
	r->v = NEW_ARRAY(r->scratch, struct demand, n);
	for (size_t i = 0; i < g->n; i++)
		for (size_t k = 0; k < g->v[i].n; k++) {
			const struct requirement *q = &g->v[i].v[k];
			uint32_t type = pool_type(r->pool, q->type);

			if (type == MAP_NONE)
				return false;
			r->v[r->n] = (struct demand){
				.type = type, .at = (uint32_t)r->n, .slots = q->slots};
			r->n++;
		}
	if (r->n)
		qsort(r->v, r->n, sizeof *r->v, by_type);
	return true;
}

/* Packs the n demands of one type that start at v. */
static bool
place(const struct request *r, struct demand *v, size_t n)
{
	const struct resource_type *t = &r->pool->types[v->type];
	struct arena_mark mark = arena_mark(r->scratch);
	uint64_t *free_slots = NEW_ARRAY(r->scratch, uint64_t, t->n);
	uint64_t *need = NEW_ARRAY(r->scratch, uint64_t, n);
	uint32_t *instance = NEW_ARRAY(r->scratch, uint32_t, n);
	bool nothing_held = r->is_whole || t->holders == 0, found;

	for (size_t i = 0; i < t->n; i++)
		free_slots[i] = t->v[i].slots - (r->is_whole ? 0 : t->v[i].held);
	for (size_t i = 0; i < n; i++)
		need[i] = v[i].slots;
	found = pack(r->scratch, free_slots, t->n, need, n, instance,
			nothing_held ? PACK_THOROUGHLY : PACK_QUICKLY) == PACK_FOUND;
	for (size_t i = 0; i < n && found; i++)
		v[i].instance = instance[i];
	arena_rewind(r->scratch, mark);
	return found;
}

static bool
place_all(const struct request *r, uint32_t *blocking)
{
	for (size_t start = 0, end; start < r->n; start = end) {
		for (end = start; end < r->n && r->v[end].type == r->v[start].type;)
			end++;
		*blocking = r->v[start].type;
		if (!place(r, &r->v[start], end - start))
			return false;
	}
	return true;
}

bool
pool_could_fit(
	const struct pool *p, struct arena *scratch, const struct resource_groups *g)
{
	struct arena_mark mark = arena_mark(scratch);
	struct request r = {.pool = p, .scratch = scratch, .is_whole = true};
	uint32_t blocking;
	bool could = gather(&r, g) && place_all(&r, &blocking);

	arena_rewind(scratch, mark);
	return could;
}

static void
shape_grant(struct arena *a, const struct resource_groups *g, struct grant *grant)
{
	*grant = (struct grant){NEW_ARRAY(a, struct grant_group, g->n), g->n};
	for (size_t i = 0; i < g->n; i++)
		grant->v[i] = (struct grant_group){
			NEW_ARRAY(a, struct grant_unit, g->v[i].n), g->v[i].n};
}

static void
charge(struct pool *p, const struct request *r)
{
	for (size_t i = 0; i < r->n; i++) {
		struct resource_type *t = &p->types[r->v[i].type];

		t->v[r->v[i].instance].held += r->v[i].slots;
		t->holders++;
	}
}

static void
fill_grant(struct request *r, struct grant *grant)
{
	const struct demand *next = r->v;

	if (r->n)
		qsort(r->v, r->n, sizeof *r->v, by_position);
	for (size_t i = 0; i < grant->n; i++)
		for (size_t k = 0; k < grant->v[i].n; k++, next++)
			grant->v[i].v[k] = (struct grant_unit){
				next->type, next->instance, next->slots};
}

bool
pool_take(struct pool *p, struct arena *a, const struct resource_groups *g,
	struct grant *grant, uint32_t *blocking)
{
	struct request r = {.pool = p, .scratch = a};
	struct arena_mark mark;
	bool taken;

	if (!grant->v)
		shape_grant(a, g, grant);
	INVARIANT(grant->n == g->n);
	*blocking = MAP_NONE;
	mark = arena_mark(a);
	taken = gather(&r, g) && place_all(&r, blocking);
	if (taken) {
		charge(p, &r);
		fill_grant(&r, grant);
	}
	arena_rewind(a, mark);
	return taken;
}

void
pool_return(struct pool *p, const struct grant *grant)
{
	for (size_t i = 0; i < grant->n; i++)
		for (size_t k = 0; k < grant->v[i].n; k++) {
			const struct grant_unit *u = &grant->v[i].v[k];
			struct resource_type *t = &p->types[u->type];

			INVARIANT(t->v[u->instance].held >= u->slots && t->holders > 0);
			t->v[u->instance].held -= u->slots;
			t->holders--;
			t->released++;
		}
}

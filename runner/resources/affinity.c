/*
 * Processors for tests. See affinity.h.
 *
 * The compact choice tries ever larger parts of the machine. Of the parts that have room
 * it takes the one with the least room, so that large parts stay free for wide tests. One
 * memory node with threads of busy cores is preferred to two nodes with idle cores,
 * because remote memory is what costs most. Each choice is linear in the number of
 * processors.
 */
#include "runner/resources/affinity.h"

#include <stdlib.h>

#include "runner/base/sort.h"
#include "runner/resources/pool_request.h"

/* The unit in which room is counted. */
enum unit { IDLE_CORES, THREADS };

struct affinity {
	struct affinity_options o;
	size_t free;
	bool *is_taken; /* by place: whether it is taken */
	uint32_t *users; /* by core: how many of its places are taken */
	size_t parts[LAYOUT_LEVELS]; /* by level: how many parts there are */
};

struct layout
layout_flat(struct arena *a, struct processors p)
{
	struct layout l = {.v = NEW_ARRAY(a, struct layout_place, p.n), .n = p.n};

	INVARIANT(!p.n || p.v);
	for (size_t i = 0; i < p.n; i++) {
		l.v[i].number = p.v[i];
		l.v[i].part[LAYOUT_CORE] = (uint32_t)i;
	}
	return l;
}

void
layout_nest(struct arena *a, struct layout *l)
{
	for (int level = LAYOUT_MACHINE; level >= 0; level--) {
		struct map seen = map_in(a);

		for (size_t i = 0; i < l->n; i++) {
			uint32_t *part = l->v[i].part;
			uint32_t key[] = {level < LAYOUT_MACHINE ? part[level + 1] : 0,
				part[level]};

			part[level] = map_number(
				&seen, str_dup(a, str_cut((char *)key, sizeof key)));
		}
	}
}

struct affinity *
affinity_new(struct arena *a, const struct affinity_options *o)
{
	struct affinity *f = NEW(a, struct affinity);
	const struct layout *l = o->layout;

	INVARIANT(o->layout);
	f->o = *o;
	f->free = l->n;
	f->is_taken = NEW_ARRAY(a, bool, l->n);
	for (int level = 0; level < LAYOUT_LEVELS; level++)
		for (size_t i = 0; i < l->n; i++)
			if (l->v[i].part[level] >= f->parts[level])
				f->parts[level] = l->v[i].part[level] + 1;
	f->users = NEW_ARRAY(a, uint32_t, f->parts[LAYOUT_CORE]);
	return f;
}

size_t
affinity_free(const struct affinity *f)
{
	return f->free;
}

size_t
affinity_all(const struct affinity *f)
{
	return f->o.layout->n;
}

/* ---- one choice ------------------------------------------------------------------ */

struct choice {
	struct affinity *f;
	struct arena *scratch;
	enum unit unit;
	bool *is_own; /* by core: whether this choice has some of it */
	struct processors out;
};
/* Free places, in order, and how much room they are. */
struct room {
	uint32_t *v;
	size_t n, units;
};

static uint32_t
core_of(const struct choice *c, uint32_t place)
{
	return c->f->o.layout->v[place].part[LAYOUT_CORE];
}

static void
take_place(struct choice *c, uint32_t place)
{
	struct affinity *f = c->f;

	INVARIANT(!f->is_taken[place]);
	f->is_taken[place] = true;
	f->users[core_of(c, place)]++;
	f->free--;
	c->is_own[core_of(c, place)] = true;
	c->out.v[c->out.n++] = f->o.layout->v[place].number;
}

static void
count_units(const struct choice *c, struct room *r)
{
	bool *seen;

	r->units = r->n;
	if (c->unit == THREADS)
		return;
	r->units = 0;
	seen = NEW_ARRAY(c->scratch, bool, c->f->parts[LAYOUT_CORE]);
	for (size_t i = 0; i < r->n; i++) {
		uint32_t core = core_of(c, r->v[i]);

		r->units += !seen[core] && !c->f->users[core];
		seen[core] = true;
	}
}

/* Divides the room by the parts of a level; a part without free places stays empty. */
static struct room *
split_room(
	const struct choice *c, const struct room *r, enum layout_level level, size_t *n)
{
	const struct layout *l = c->f->o.layout;
	struct room *parts;

	*n = c->f->parts[level];
	parts = NEW_ARRAY(c->scratch, struct room, *n);
	for (size_t i = 0; i < r->n; i++)
		parts[l->v[r->v[i]].part[level]].n++;
	for (size_t i = 0; i < *n; i++) {
		parts[i].v = NEW_ARRAY(c->scratch, uint32_t, parts[i].n);
		parts[i].n = 0;
	}
	for (size_t i = 0; i < r->n; i++) {
		struct room *part = &parts[l->v[r->v[i]].part[level]];

		part->v[part->n++] = r->v[i];
	}
	for (size_t i = 0; i < *n; i++)
		if (parts[i].n)
			count_units(c, &parts[i]);
	return parts;
}

/* The part with the least room that is enough for all, or NULL. */
static struct room *
best_fit(struct room *parts, size_t n, size_t wanted)
{
	struct room *best = NULL;

	for (size_t i = 0; i < n; i++)
		if (parts[i].units >= wanted && (!best || parts[i].units < best->units))
			best = &parts[i];
	return best;
}

static struct room *
largest_room(struct room *parts, size_t n)
{
	struct room *best = parts;

	for (size_t i = 1; i < n; i++)
		if (parts[i].units > best->units)
			best = &parts[i];
	return best;
}

/* ---- taking ---------------------------------------------------------------------- */

/* Takes one place of each idle core; returns how many were taken. */
static size_t
take_cores(struct choice *c, const struct room *r, size_t wanted)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n && n < wanted; i++)
		if (!c->f->users[core_of(c, r->v[i])]) {
			take_place(c, r->v[i]);
			n++;
		}
	return n;
}

static size_t
take_threads(struct choice *c, const struct room *r, size_t wanted, bool only_own)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n && n < wanted; i++)
		if (!c->f->is_taken[r->v[i]] &&
			(!only_own || c->is_own[core_of(c, r->v[i])])) {
			take_place(c, r->v[i]);
			n++;
		}
	return n;
}

/* Takes all wanted units from the room, part by part of the level. */
static void
take_from(struct choice *c, const struct room *r, int level, size_t wanted)
{
	int innermost = c->unit == IDLE_CORES ? LAYOUT_CACHE : LAYOUT_NODE;
	struct room *parts;
	size_t n;

	if (level < innermost) {
		wanted -= take_cores(c, r, wanted);
		wanted -= take_threads(c, r, wanted, true);
		take_threads(c, r, wanted, false);
		return;
	}
	parts = split_room(c, r, (enum layout_level)level, &n);
	while (wanted) {
		struct room *part = best_fit(parts, n, wanted);
		size_t some = wanted;

		if (!part) {
			part = largest_room(parts, n);
			some = part->units;
		}
		INVARIANT(some);
		take_from(c, part, level - 1, some);
		part->units = 0;
		wanted -= some;
	}
}

static void
take_compact(struct choice *c, const struct room *all, size_t wanted)
{
	static const struct {
		enum layout_level level;
		enum unit unit;
	} tries[] = {
		{LAYOUT_CACHE, IDLE_CORES},
		{LAYOUT_NODE, IDLE_CORES},
		{LAYOUT_CACHE, THREADS},
		{LAYOUT_NODE, THREADS},
		{LAYOUT_PACKAGE, IDLE_CORES},
		{LAYOUT_PACKAGE, THREADS},
		{LAYOUT_MACHINE, IDLE_CORES},
		{LAYOUT_MACHINE, THREADS},
	};

	for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
		struct room *parts, *part;
		size_t n;

		c->unit = tries[i].unit;
		parts = split_room(c, all, tries[i].level, &n);
		part = best_fit(parts, n, wanted);
		if (part) {
			take_from(c, part, (int)tries[i].level - 1, wanted);
			return;
		}
	}
	BUG("no room on the machine");
}

/* ---- near a device --------------------------------------------------------------- */

static const struct layout_device *
device_of(const struct layout *l, const struct resource_instance *r)
{
	for (size_t i = 0; i < r->properties_n; i++)
		for (size_t k = 0; k < l->devices.n; k++)
			if (str_is(r->properties[i].name, "bus") &&
				str_eq(r->properties[i].value, l->devices.v[k].bus))
				return &l->devices.v[k];
	return NULL;
}

/* by place: whether it is near; NULL: the test holds no device whose place is known. */
static const bool *
near_of(const struct choice *c, const struct grant *g)
{
	const struct affinity_options *o = &c->f->o;
	bool *near = NULL;

	for (size_t i = 0; o->pool && g && i < g->n; i++)
		for (size_t k = 0; k < g->v[i].n; k++) {
			const struct grant_unit *u = &g->v[i].v[k];
			const struct layout_device *d = device_of(
				o->layout, &o->pool->types[u->type].v[u->instance]);

			if (!d)
				continue;
			if (!near)
				near = NEW_ARRAY(c->scratch, bool, o->layout->n);
			for (size_t p = 0; p < o->layout->n; p++)
				near[p] = near[p] || d->is_near[p];
		}
	return near;
}

static struct room
free_places(const struct choice *c, const bool *near)
{
	size_t n = c->f->o.layout->n;
	struct room r = {.v = NEW_ARRAY(c->scratch, uint32_t, n)};

	for (uint32_t i = 0; i < n; i++)
		if (!c->f->is_taken[i] && (!near || near[i]))
			r.v[r.n++] = i;
	return r;
}

/* ---- taking and giving back ------------------------------------------------------ */

SORT_BY(sort_processors, unsigned, ITSELF)

/* NULL: the machine has no processor of that number. */
static const struct layout_place *
find_place(const struct layout *l, unsigned number)
{
	struct layout_place key = {.number = number};

	return bsearch(&key, l->v, l->n, sizeof *l->v, sort_processors_order);
}

/* The free places of the processors that the grant has. */
static struct room
granted_places(const struct choice *c, const struct grant *g)
{
	const struct affinity_options *o = &c->f->o;
	uint32_t type = pool_type(o->pool, STR(POOL_PROCESSORS));
	struct room r = {.v = NEW_ARRAY(c->scratch, uint32_t, o->layout->n)};

	for (size_t i = 0; type != MAP_NONE && i < g->n; i++)
		for (size_t k = 0; k < g->v[i].n; k++) {
			const struct grant_unit *u = &g->v[i].v[k];
			const struct layout_place *at = NULL;
			uint64_t number;

			if (u->type % pool_types_n(o->pool) == type &&
				str_unsigned(o->pool->types[u->type].v[u->instance].id,
					UINT_MAX, &number))
				at = find_place(o->layout, (unsigned)number);
			if (at && !c->f->is_taken[at - o->layout->v] &&
				r.n < o->layout->n)
				r.v[r.n++] = (uint32_t)(at - o->layout->v);
		}
	return r;
}

/* false: the grant does not say which processors of the machine they are. */
static bool
take_granted(struct choice *c, const struct grant *g, size_t wanted)
{
	struct room r;

	if (!c->f->o.is_shared || !c->f->o.pool || !g)
		return false;
	r = granted_places(c, g);
	if (r.n != wanted)
		return false;
	for (size_t i = 0; i < r.n; i++)
		if (!c->f->is_taken[r.v[i]])
			take_place(c, r.v[i]);
	return c->out.n == wanted;
}

static void
take_free(struct choice *c, const bool *near, size_t wanted)
{
	struct room r = free_places(c, c->f->o.is_compact ? near : NULL);

	if (r.n < wanted)
		r = free_places(c, NULL);
	if (c->f->o.is_compact)
		take_compact(c, &r, wanted);
	else
		take_threads(c, &r, wanted, false);
}

/* grant, near: NULL where there is none. */
static struct processors
take_some(struct affinity *f, struct arena *a, size_t n, const struct grant *grant,
	const bool *near)
{
	struct choice c = {
		.f = f, .scratch = arena_open(), .out.v = NEW_ARRAY(a, unsigned, n)};

	INVARIANT(n && n <= f->free);
	c.is_own = NEW_ARRAY(c.scratch, bool, f->parts[LAYOUT_CORE]);
	if (!take_granted(&c, grant, n))
		take_free(&c, grant ? near_of(&c, grant) : near, n);
	INVARIANT(c.out.n == n);
	sort_processors(c.out.v, n);
	arena_close(c.scratch);
	return c.out;
}

struct processors
affinity_take(struct affinity *f, struct arena *a, size_t n, const struct grant *grant)
{
	return take_some(f, a, n, grant, NULL);
}

struct processors
affinity_take_near(struct affinity *f, struct arena *a, size_t n, const bool *near)
{
	return take_some(f, a, n, NULL, near);
}

static uint32_t
place_of(const struct layout *l, unsigned number)
{
	const struct layout_place *at = find_place(l, number);

	INVARIANT(at);
	return (uint32_t)(at - l->v);
}

void
affinity_return(struct affinity *f, struct processors p)
{
	for (size_t i = 0; i < p.n; i++) {
		uint32_t place = place_of(f->o.layout, p.v[i]);

		INVARIANT(f->is_taken[place]);
		f->is_taken[place] = false;
		f->users[f->o.layout->v[place].part[LAYOUT_CORE]]--;
		f->free++;
	}
}

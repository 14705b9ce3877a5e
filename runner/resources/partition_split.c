/*
 * First all sizes but "fill", in the order of the partitions, then "fill". See
 * partition_split.h.
 */
#include "runner/resources/partition_split.h"

#include <string.h>

#include "runner/base/sort.h"

struct splitting {
	struct arena *a;
	const struct pool *pool;
	const struct partition_share *have;
	size_t have_n;
	const struct partition_wish *wishes;
	size_t n;
	struct partition_slice rest; /* what is left */
	struct partition_slice *slices; /* by wish */
	bool **nodes; /* by wish and node: whether the wish is of it */
	struct place at;
	struct diag *d;
};

struct partition_slice
partition_slice_new(struct arena *a, const struct pool *whole)
{
	struct partition_slice s = {NEW_ARRAY(a, uint64_t *, whole->n)};

	for (size_t t = 0; t < whole->n; t++)
		s.slots[t] = NEW_ARRAY(a, uint64_t, whole->types[t].n);
	return s;
}

struct partition_slice
partition_rest(struct arena *a, const struct pool *whole,
	const struct partition_share *have, size_t n)
{
	struct partition_slice rest = partition_slice_new(a, whole);

	for (size_t t = 0; t < whole->n; t++)
		for (size_t i = 0; i < whole->types[t].n; i++) {
			rest.slots[t][i] = whole->types[t].v[i].slots;
			for (size_t k = 0; k < n; k++) {
				uint64_t used = have[k].slice.slots[t][i];

				INVARIANT(used <= rest.slots[t][i]);
				rest.slots[t][i] -= used;
			}
		}
	return rest;
}

/* Of a type. */
static uint64_t
partition_slots(const struct pool *whole, const struct partition_slice *s, uint32_t type)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < whole->types[type].n; i++)
		sum += s->slots[type][i];
	return sum;
}

static uint64_t
partition_type_slots(const struct resource_type *t)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < t->n; i++)
		sum += t->v[i].slots;
	return sum;
}

struct str
partition_text(struct arena *a, const struct pool *whole, const struct partition_slice *s)
{
	struct buf b = {.arena = a};

	buf_z(&b, "");
	for (uint32_t t = 0; t < whole->n; t++) {
		uint64_t n = partition_slots(whole, s, t);

		if (n)
			buf_fmt(&b, "%s%.*s %llu of %llu", b.n ? ", " : "",
				STR_ARG(whole->types[t].name), (unsigned long long)n,
				(unsigned long long)partition_type_slots(
					&whole->types[t]));
	}
	return buf_as_str(&b);
}

/* ---- what a partition wants ------------------------------------------------------ */

static size_t
nodes_of(const struct pool *p)
{
	return p->nodes_n ? p->nodes_n : 1;
}

/* engine: "" for any. */
static bool
is_of_engine(const struct pool *p, uint32_t node, struct str engine)
{
	return !engine.n || !p->engines || str_eq(p->engines[node], engine);
}

static size_t
nodes_of_engine(const struct pool *p, struct str engine)
{
	size_t n = 0;

	for (uint32_t node = 0; node < nodes_of(p); node++)
		n += is_of_engine(p, node, engine);
	return n;
}

/* NULL: nothing of the type. */
static const struct partition_size *
size_of(const struct partition_sizes *s, struct str type)
{
	static const struct partition_size all = {.kind = PARTITION_ALL};

	for (size_t i = 0; i < s->n; i++)
		if (str_eq(s->v[i].type, type))
			return &s->v[i].size;
	if (s->has_rest)
		return &s->rest;
	return s->has_nodes && !s->n ? &all : NULL;
}

/* So much of that many; of PARTITION_FILL: nothing yet. */
static uint64_t
amount_of(const struct partition_size *size, uint64_t of)
{
	switch (size->kind) {
	case PARTITION_COUNT:
		return size->n;
	case PARTITION_PERCENT:
		return of / 100 * size->n + of % 100 * size->n / 100;
	case PARTITION_ALL:
		return of;
	case PARTITION_FILL:
		break;
	}
	return 0;
}

struct room {
	uint64_t all, left;
};

static struct room
room_on(const struct splitting *s, uint32_t type, uint32_t node)
{
	const struct resource_type *t = &s->pool->types[type];
	struct room room = {0, 0};

	for (size_t i = pool_first_on(t, node); i < t->n && t->v[i].node == node; i++) {
		room.all += t->v[i].slots;
		room.left += s->rest.slots[type][i];
	}
	return room;
}

static bool
fits_on(const struct splitting *s, const struct partition_sizes *sizes, uint32_t node)
{
	for (uint32_t t = 0; t < s->pool->n; t++) {
		const struct partition_size *size =
			size_of(sizes, s->pool->types[t].name);
		struct room room = room_on(s, t, node);

		if (size && amount_of(size, room.all) > room.left)
			return false;
	}
	return true;
}

/* On how many nodes. */
static uint64_t
nodes_wanted(const struct splitting *s, const struct partition_wish *w)
{
	const struct partition_sizes *sizes = &w->sizes;
	size_t all = nodes_of_engine(s->pool, w->engine);

	if (sizes->has_nodes)
		return amount_of(&sizes->nodes, all);
	for (size_t i = 0; i < sizes->n; i++)
		if (sizes->v[i].size.kind == PARTITION_COUNT)
			return 1;
	return all;
}

/* ---- placing --------------------------------------------------------------------- */

static void
move_slots(struct splitting *s, struct partition_slice *to, uint32_t type, size_t i,
	uint64_t n)
{
	s->rest.slots[type][i] -= n;
	to->slots[type][i] += n;
}

/* The instance that has least left but enough; else the one that has most left. */
static size_t
choose_instance(const struct splitting *s, uint32_t type, uint32_t node, uint64_t n)
{
	const struct resource_type *t = &s->pool->types[type];
	const uint64_t *left = s->rest.slots[type];
	size_t best = SIZE_MAX;

	for (size_t i = pool_first_on(t, node); i < t->n && t->v[i].node == node; i++) {
		bool is_enough = left[i] >= n, was_enough;

		if (!left[i])
			continue;
		was_enough = best != SIZE_MAX && left[best] >= n;
		if (best == SIZE_MAX || (is_enough && !was_enough) ||
			(is_enough && left[i] < left[best]) ||
			(!is_enough && !was_enough && left[i] > left[best]))
			best = i;
	}
	INVARIANT(best != SIZE_MAX);
	return best;
}

/* On as few instances as possible. */
static void
place_slots(struct splitting *s, struct partition_slice *to, uint32_t type, uint32_t node,
	uint64_t n)
{
	while (n) {
		size_t i = choose_instance(s, type, node, n);
		uint64_t piece = n < s->rest.slots[type][i] ? n : s->rest.slots[type][i];

		move_slots(s, to, type, i, piece);
		n -= piece;
	}
}

static void
place_on(struct splitting *s, size_t wish, uint32_t node)
{
	s->nodes[wish][node] = true;
	for (uint32_t t = 0; t < s->pool->n; t++) {
		const struct partition_size *size =
			size_of(&s->wishes[wish].sizes, s->pool->types[t].name);

		if (size)
			place_slots(s, &s->slices[wish], t, node,
				amount_of(size, room_on(s, t, node).all));
	}
}

static void
fill_on(struct splitting *s, size_t wish, uint32_t node)
{
	for (uint32_t t = 0; t < s->pool->n; t++) {
		const struct partition_size *size =
			size_of(&s->wishes[wish].sizes, s->pool->types[t].name);

		if (size && size->kind == PARTITION_FILL)
			place_slots(
				s, &s->slices[wish], t, node, room_on(s, t, node).left);
	}
}

/* ---- what does not fit ----------------------------------------------------------- */

/* "2 (a) + 3 (b) = 5" */
struct sum {
	struct buf text;
	uint64_t n;
	size_t terms;
};

static void
add_term(struct sum *m, struct str name, uint64_t n)
{
	if (!n)
		return;
	buf_fmt(&m->text, "%s%llu (%.*s)", m->terms++ ? " + " : "", (unsigned long long)n,
		STR_ARG(name));
	m->n = m->n > UINT64_MAX - n ? UINT64_MAX : m->n + n;
}

static bool
refuse_sum(struct splitting *s, const struct sum *m, struct str what, uint64_t all)
{
	return diag_error(s->d, s->at, "%.*s: %.*s%s, but the pool has %llu",
		STR_ARG(what), STR_ARG(buf_as_str(&m->text)),
		m->terms > 1 ? str_fmt_z(s->a, " = %llu", (unsigned long long)m->n) : "",
		(unsigned long long)all);
}

static bool
check_type(struct splitting *s, uint32_t type)
{
	struct sum m = {.text = {.arena = s->a}};
	struct room room = room_on(s, type, 0);

	for (size_t i = 0; i < s->have_n; i++)
		add_term(&m, s->have[i].name,
			partition_slots(s->pool, &s->have[i].slice, type));
	for (size_t i = 0; i < s->n; i++) {
		const struct partition_size *size =
			size_of(&s->wishes[i].sizes, s->pool->types[type].name);

		add_term(&m, s->wishes[i].name, size ? amount_of(size, room.all) : 0);
	}
	return m.n <= room.all || refuse_sum(s, &m, s->pool->types[type].name, room.all);
}

/* Whether the partition has some of the node. */
static bool
touches(const struct pool *p, const struct partition_slice *slice, uint32_t node)
{
	for (size_t t = 0; t < p->n; t++)
		for (size_t i = pool_first_on(&p->types[t], node);
			i < p->types[t].n && p->types[t].v[i].node == node; i++)
			if (slice->slots[t][i])
				return true;
	return false;
}

static bool
has_whole_nodes(const struct partition_sizes *s)
{
	return s->has_nodes && !s->n && !s->has_rest;
}

/* Whole nodes of an engine, or of all; those of partitions that go on count where they
 * have some of a node. */
static bool
check_nodes(struct splitting *s, struct str engine)
{
	struct sum m = {.text = {.arena = s->a}};
	size_t all = nodes_of_engine(s->pool, engine);
	bool has_any = false;

	for (size_t i = 0; i < s->have_n; i++) {
		uint64_t n = 0;

		for (uint32_t node = 0; node < nodes_of(s->pool); node++)
			n += is_of_engine(s->pool, node, engine) &&
			     touches(s->pool, &s->have[i].slice, node);
		add_term(&m, s->have[i].name, n);
	}
	for (size_t i = 0; i < s->n; i++) {
		const struct partition_wish *w = &s->wishes[i];

		if (!has_whole_nodes(&w->sizes) ||
			(engine.n && !str_eq(w->engine, engine)))
			continue;
		add_term(&m, w->name, nodes_wanted(s, w));
		has_any = true;
	}
	return !has_any || m.n <= all ||
	       refuse_sum(s, &m,
		       engine.n ? str_fmt(s->a, "nodes of %.*s", STR_ARG(engine))
				: STR("nodes"),
		       all);
}

/* Of each engine that a wish names, then of all. */
static bool
check_all_nodes(struct splitting *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->wishes[i].engine.n && !check_nodes(s, s->wishes[i].engine))
			return false;
	return check_nodes(s, STR(""));
}

static bool
check_types(struct splitting *s, size_t wish)
{
	const struct partition_wish *w = &s->wishes[wish];

	for (size_t i = 0; i < w->sizes.n; i++)
		if (pool_type(s->pool, w->sizes.v[i].type) == MAP_NONE)
			return diag_error(s->d, s->at,
				"partition %.*s: the pool has no type %.*s",
				STR_ARG(w->name), STR_ARG(w->sizes.v[i].type));
	return true;
}

static bool
wants_rest(const struct partition_wish *w, struct str type, bool of_nodes)
{
	const struct partition_size *size = !of_nodes ? size_of(&w->sizes, type)
					    : w->sizes.has_nodes ? &w->sizes.nodes
								 : NULL;

	return size && size->kind == PARTITION_FILL;
}

static bool
share_engine(const struct partition_wish *a, const struct partition_wish *b)
{
	return !a->engine.n || !b->engine.n || str_eq(a->engine, b->engine);
}

/* Of the same type, or of nodes. */
static bool
check_fill(struct splitting *s, struct str type, bool of_nodes)
{
	for (size_t i = 0; i < s->n; i++)
		for (size_t k = 0; k < i; k++) {
			const struct partition_wish *a = &s->wishes[k];
			const struct partition_wish *b = &s->wishes[i];

			if (wants_rest(a, type, of_nodes) &&
				wants_rest(b, type, of_nodes) && share_engine(a, b))
				return diag_error(s->d, s->at,
					"%.*s: both %.*s and %.*s want what is left",
					STR_ARG(type), STR_ARG(a->name),
					STR_ARG(b->name));
		}
	return true;
}

static bool
check_wishes(struct splitting *s)
{
	bool is_good = check_all_nodes(s) && check_fill(s, STR("nodes"), true);

	for (size_t i = 0; i < s->n; i++)
		is_good = check_types(s, i) && is_good;
	for (uint32_t t = 0; t < s->pool->n; t++) {
		is_good = check_fill(s, s->pool->types[t].name, false) && is_good;
		if (nodes_of(s->pool) == 1)
			is_good = check_type(s, t) && is_good;
	}
	return is_good;
}

/* ---- all partitions -------------------------------------------------------------- */

/* A node that has room for the sizes, and the slots of their types that are left there.
 */
struct candidate {
	uint32_t node;
	uint64_t left;
};

SORT_BY(sort_candidates, struct candidate, ASCENDING(left) ASCENDING(node))

/* Those where least is left first. */
static size_t
list_candidates(
	const struct splitting *s, const struct partition_wish *w, struct candidate *v)
{
	const struct partition_sizes *sizes = &w->sizes;
	size_t n = 0;

	for (uint32_t node = 0; node < nodes_of(s->pool); node++) {
		struct candidate c = {.node = node};

		if (!is_of_engine(s->pool, node, w->engine) || !fits_on(s, sizes, node))
			continue;
		for (uint32_t t = 0; t < s->pool->n; t++)
			if (size_of(sizes, s->pool->types[t].name))
				c.left += room_on(s, t, node).left;
		v[n++] = c;
	}
	sort_candidates(v, n);
	return n;
}

static bool
place_wish(struct splitting *s, size_t wish)
{
	const struct partition_wish *w = &s->wishes[wish];
	bool fills_nodes = w->sizes.has_nodes && w->sizes.nodes.kind == PARTITION_FILL;
	struct candidate *v = NEW_ARRAY(s->a, struct candidate, nodes_of(s->pool));
	size_t n = list_candidates(s, w, v);
	uint64_t wanted = fills_nodes ? n : nodes_wanted(s, w);

	for (size_t i = 0; i < n && i < wanted; i++)
		place_on(s, wish, v[i].node);
	if (n >= wanted)
		return true;
	return diag_error(s->d, s->at,
		"partition %.*s: it wants its sizes on %llu node%s%s%.*s, but only %llu "
		"of %zu ha%s so much left",
		STR_ARG(w->name), (unsigned long long)wanted, wanted == 1 ? "" : "s",
		w->engine.n ? " of " : "", STR_ARG(w->engine), (unsigned long long)n,
		nodes_of_engine(s->pool, w->engine), n == 1 ? "s" : "ve");
}

/* Those of an engine first, which has fewer nodes. */
enum turn { TURN_OF_ENGINE, TURN_OF_ANY, TURN_FILLS, TURNS };

static enum turn
turn_of(const struct partition_wish *w)
{
	if (w->sizes.has_nodes && w->sizes.nodes.kind == PARTITION_FILL)
		return TURN_FILLS;
	return w->engine.n ? TURN_OF_ENGINE : TURN_OF_ANY;
}

static bool
place_all(struct splitting *s)
{
	for (int turn = 0; turn < TURNS; turn++)
		for (size_t i = 0; i < s->n; i++)
			if (turn_of(&s->wishes[i]) == (enum turn)turn &&
				!place_wish(s, i))
				return false;
	for (size_t i = 0; i < s->n; i++)
		for (uint32_t node = 0; node < nodes_of(s->pool); node++)
			if (s->nodes[i][node])
				fill_on(s, i, node);
	return true;
}

bool
partition_split(struct arena *a, const struct pool *whole,
	const struct partition_share *have, size_t have_n,
	const struct partition_wish *wishes, size_t n, struct partition_slice *slices,
	struct place at, struct diag *d)
{
	struct splitting s = {.a = a,
		.pool = whole,
		.have = have,
		.have_n = have_n,
		.wishes = wishes,
		.n = n,
		.rest = partition_rest(a, whole, have, have_n),
		.slices = slices,
		.nodes = NEW_ARRAY(a, bool *, n),
		.at = at,
		.d = d};

	INVARIANT(!whole->partitions_n);
	for (size_t i = 0; i < n; i++) {
		slices[i] = partition_slice_new(a, whole);
		s.nodes[i] = NEW_ARRAY(a, bool, nodes_of(whole));
	}
	return check_wishes(&s) && place_all(&s);
}

/* ---- the divided pool ------------------------------------------------------------ */

struct pool
partition_none(const struct pool *whole)
{
	struct pool p = *whole;

	p.types = NULL;
	p.n = p.partitions_n = 0;
	return p;
}

static struct resource_type
slice_type(struct arena *a, const struct resource_type *from, const uint64_t *slots)
{
	struct resource_type t = {.name = from->name,
		.v = NEW_ARRAY(a, struct resource_instance, from->n),
		.is_listed = from->is_listed,
		.is_absent = from->is_absent};
	uint32_t number = 0;

	for (size_t i = 0; i < from->n; i++) {
		bool is_first = i == 0 || from->v[i].node != from->v[i - 1].node;

		number = is_first ? 0 : number + 1;
		if (!slots[i])
			continue;
		t.v[t.n] = from->v[i];
		t.v[t.n].slots = slots[i];
		t.v[t.n].held = t.v[t.n].others = t.v[t.n].elsewhere = 0;
		t.v[t.n].lacks = t.v[t.n].excess = 0;
		t.v[t.n].whole = from->v[i].slots;
		t.v[t.n++].number = number;
	}
	return t;
}

void
partition_add(struct arena *a, struct pool *divided, const struct pool *whole,
	const struct partition_slice *s)
{
	struct resource_type *types =
		NEW_ARRAY(a, struct resource_type, divided->n + whole->n);

	if (divided->n)
		memcpy(types, divided->types, divided->n * sizeof *types);
	for (size_t t = 0; t < whole->n; t++)
		types[divided->n + t] = slice_type(a, &whole->types[t], s->slots[t]);
	divided->types = types;
	divided->n += whole->n;
	divided->partitions_n++;
}

void
partition_remove(struct pool *divided, const struct pool *whole, uint32_t partition)
{
	struct resource_type *types = &divided->types[partition * whole->n];

	INVARIANT(partition < divided->partitions_n);
	for (size_t t = 0; t < whole->n; t++) {
		for (size_t i = 0; i < types[t].n; i++)
			divided->shared_n -= types[t].v[i].others > 0;
		types[t].n = 0;
		types[t].free_nodes = NULL;
	}
}

/*
 * Depth-first search over requirements, largest first. Bins with the same number of free
 * slots make a class, and only the classes are kept in order: of equal bins only the
 * first is tried.
 *
 * For each requirement ctest tries every class that is large enough, most free slots
 * first; after a choice the bin moves to the front of its new class. Our search makes the
 * same choices in the same order and only leaves out what cannot succeed: states that the
 * bounds refute, and states that failed before. So it finds what ctest finds, but needs
 * no n! steps before it refuses. The remembered states are compared in full: comparing
 * hashes alone has refused packable requests.
 *
 * The first descent does without bounds and remembered states: most often it is the
 * answer, and it costs little more than sorting. When the limit ends the search, a second
 * one tries the classes from the other end.
 */
#include "runner/resources/packer.h"

#include <string.h>

#include "runner/base/sort.h"

/* Bins with the same number of free slots: a stack, linked by packer.below. */
struct class
{
	uint64_t left;
	uint32_t first, n;
};

struct state {
	struct state *next;
	uint64_t hash;
	size_t depth, n;
	struct size {
		uint64_t left;
		uint64_t n;
	} * v;
};

enum { BUCKETS = 1 << 16, STATE_BYTES_MOST = 64 << 20, SMALL_AMOUNT = 63 };
static const uint32_t NO_BIN = UINT32_MAX;

/* One requirement's choice. */
struct choice {
	uint32_t bin;
	uint64_t left; /* free slots that the bin had before */
};

struct packer {
	struct arena *scratch;
	size_t bins, items;
	struct class *classes; /* most free first; none is empty */
	size_t n;
	uint32_t *below; /* the next bin of the class */
	uint64_t *need; /* descending */
	uint32_t *item; /* the requirement that has the need */
	uint64_t *rest; /* sum of need from here to the end */
	struct choice *choices;
	struct state **failed; /* by hash; NULL until a state has failed */
	size_t remembered; /* bytes */
	uint64_t work, limit;
	enum pack_order order;
};

/* ---- ordering -------------------------------------------------------------------- */

struct amount {
	uint64_t slots;
	uint32_t index;
};

SORT_BY(sort_by_slots, struct amount, DESCENDING(slots) ASCENDING(index))

/* For small amounts: counts how many there are of each. */
static void
sort_by_counts(struct amount *v, const uint64_t *from, size_t n, uint64_t most)
{
	uint32_t next[SMALL_AMOUNT + 1] = {0};

	for (size_t i = 0; i < n; i++)
		next[from[i]]++;
	for (uint32_t amount = (uint32_t)most + 1, before = 0; amount-- > 0;) {
		uint32_t count = next[amount];

		next[amount] = before;
		before += count;
	}
	for (size_t i = 0; i < n; i++)
		v[next[from[i]]++] = (struct amount){from[i], (uint32_t)i};
}

/* Sorts in descending order, ties by index. A list that is in order already is not
 * sorted. */
static struct amount *
sort_amounts(struct arena *a, const uint64_t *from, size_t n)
{
	struct amount *v = NEW_ARRAY(a, struct amount, n);
	bool is_sorted = true;
	uint64_t most = 0;

	for (size_t i = 0; i < n; i++) {
		v[i] = (struct amount){from[i], (uint32_t)i};
		is_sorted = is_sorted && (!i || from[i] <= from[i - 1]);
		most = from[i] > most ? from[i] : most;
	}
	if (!is_sorted && most <= SMALL_AMOUNT)
		sort_by_counts(v, from, n, most);
	else if (!is_sorted)
		sort_by_slots(v, n);
	return v;
}

static void
make_classes(struct packer *p, const uint64_t *free_slots)
{
	struct arena_mark mark;
	struct amount *v;

	mark = arena_mark(p->scratch);
	v = sort_amounts(p->scratch, free_slots, p->bins);
	p->n = 0;
	for (size_t i = p->bins; i-- > 0;) {
		struct class *c = p->n ? &p->classes[p->bins - p->n] : NULL;

		if (!c || c->left != v[i].slots) {
			c = &p->classes[p->bins - ++p->n];
			*c = (struct class){.left = v[i].slots, .first = NO_BIN};
		}
		p->below[v[i].index] = c->first;
		c->first = v[i].index;
		c->n++;
	}
	memmove(p->classes, p->classes + (p->bins - p->n), p->n * sizeof *p->classes);
	arena_rewind(p->scratch, mark);
}

/* The first class whose bins have no more than slots free. */
static size_t
first_not_above(const struct packer *p, uint64_t slots)
{
	size_t i;

	BISECT(i, p->n, p->classes[i].left <= slots);
	return i;
}

/* Moving classes is cheap: every sixteenth counts as work. */
static void
shift_classes(struct packer *p, size_t from, size_t to)
{
	memmove(&p->classes[to], &p->classes[from], (p->n - from) * sizeof *p->classes);
	p->work += (p->n - from) / 16;
}

static uint32_t
take_first(struct packer *p, size_t at)
{
	struct class *c = &p->classes[at];
	uint32_t bin = c->first;

	c->first = p->below[bin];
	if (--c->n == 0) {
		shift_classes(p, at + 1, at);
		p->n--;
	}
	return bin;
}

static void
put_first(struct packer *p, uint32_t bin, uint64_t left)
{
	size_t at = first_not_above(p, left);
	struct class *c = &p->classes[at];

	if (at == p->n || c->left != left) {
		shift_classes(p, at, at + 1);
		p->n++;
		*c = (struct class){.left = left, .first = NO_BIN};
	}
	p->below[bin] = c->first;
	c->first = bin;
	c->n++;
}

static void
charge_bin(struct packer *p, size_t depth, size_t at)
{
	uint64_t left = p->classes[at].left;
	uint32_t bin = take_first(p, at);

	p->choices[depth] = (struct choice){bin, left};
	put_first(p, bin, left - p->need[depth]);
}

/* The bin that was charged last is the first of its class. */
static void
discharge_bin(struct packer *p, size_t depth)
{
	struct choice c = p->choices[depth];
	uint32_t bin = take_first(p, first_not_above(p, c.left - p->need[depth]));

	INVARIANT(bin == c.bin);
	put_first(p, bin, c.left);
}

/* ---- pruning --------------------------------------------------------------------- */

static uint64_t
add_capped(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t
multiply_capped(uint64_t a, uint64_t b)
{
	return b && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

/* How many of the smallest requirements up to last fit into so many slots; at most
 * limit. */
static size_t
smallest_within(const struct packer *p, size_t last, size_t limit, uint64_t slots)
{
	size_t n;

	BISECT(n, limit, p->rest[last - n] - p->rest[last + 1] > slots);
	return n;
}

/* Whether there is a place for each of the requirements from depth to last. A bin holds
 * at most as many of them as it could hold of the smallest. */
static bool
are_enough_places(struct packer *p, size_t depth, size_t last)
{
	size_t count = last + 1 - depth, places = 0, k = count;

	for (size_t i = 0; i < p->n && k && places < count; i++) {
		k = smallest_within(p, last, k, p->classes[i].left);
		places += k * p->classes[i].n;
		p->work++;
	}
	return places >= count;
}

/* false: the requirements cannot fit, not even if the slots of all bins could be joined,
 * or if every bin got those that suit it best. When the limit is reached, the check
 * stops. */
static bool
within_bounds(struct packer *p, size_t depth)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < p->n; i++)
		sum = add_capped(
			sum, multiply_capped(p->classes[i].left, p->classes[i].n));
	p->work += p->n;
	if (sum < p->rest[depth])
		return false;
	if (p->rest[0] == UINT64_MAX)
		return true; /* differences of such sums mean nothing */
	for (size_t i = depth; i < p->items && p->work <= p->limit; i++)
		if ((i + 1 == p->items || p->need[i + 1] != p->need[i]) &&
			!are_enough_places(p, depth, i))
			return false;
	return true;
}

static uint64_t
mix_hash(uint64_t h, uint64_t value)
{
	h = (h ^ value) * 0xff51afd7ed558ccdu;
	return h ^ h >> 32;
}

static uint64_t
hash_of(const struct packer *p, size_t depth)
{
	uint64_t h = 0x9e3779b97f4a7c15u ^ depth;

	for (size_t i = 0; i < p->n; i++)
		h = mix_hash(mix_hash(h, p->classes[i].left), p->classes[i].n);
	return h;
}

static bool
is_same(const struct packer *p, const struct state *s, uint64_t hash, size_t depth)
{
	if (s->hash != hash || s->depth != depth || s->n != p->n)
		return false;
	for (size_t i = 0; i < p->n; i++)
		if (s->v[i].left != p->classes[i].left || s->v[i].n != p->classes[i].n)
			return false;
	return true;
}

static bool
has_failed(struct packer *p, size_t depth)
{
	uint64_t hash = hash_of(p, depth);

	p->work += p->n;
	for (const struct state *s = p->failed[hash % BUCKETS]; s; s = s->next) {
		p->work++;
		if (is_same(p, s, hash, depth))
			return true;
	}
	return false;
}

static void
remember_failure(struct packer *p, size_t depth)
{
	uint64_t hash = hash_of(p, depth);
	struct state *s;

	p->work += p->n;
	p->remembered += sizeof *s + p->n * sizeof *s->v;
	if (p->remembered > STATE_BYTES_MOST)
		return;
	s = NEW(p->scratch, struct state);
	*s = (struct state){.next = p->failed[hash % BUCKETS],
		.hash = hash,
		.depth = depth,
		.n = p->n,
		.v = NEW_ARRAY(p->scratch, struct size, p->n)};
	for (size_t i = 0; i < p->n; i++)
		s->v[i] = (struct size){p->classes[i].left, p->classes[i].n};
	p->failed[hash % BUCKETS] = s;
}

/* ---- search ---------------------------------------------------------------------- */

static const size_t NOWHERE = SIZE_MAX;

/* The first class to try for a requirement. */
static size_t
first_class(const struct packer *p, size_t depth)
{
	uint64_t need = p->need[depth];
	size_t enough = need ? first_not_above(p, need - 1) : p->n;

	if (!enough)
		return NOWHERE;
	return p->order == PACK_TIGHT ? enough - 1 : 0;
}

/* The class after the one that was tried last for the requirement; the bin is back in
 * that class. */
static size_t
next_class(const struct packer *p, size_t depth)
{
	size_t at = first_not_above(p, p->choices[depth].left);

	if (p->order == PACK_TIGHT)
		return at ? at - 1 : NOWHERE;
	return at + 1 < p->n && p->classes[at + 1].left >= p->need[depth] ? at + 1
									  : NOWHERE;
}

/* Takes the first choice for every requirement; if one has none, nothing is charged. */
static bool
descend_greedily(struct packer *p)
{
	for (size_t depth = 0; depth < p->items; depth++) {
		size_t at = first_class(p, depth);

		p->work++;
		if (at == NOWHERE || p->work > p->limit) {
			while (depth)
				discharge_bin(p, --depth);
			return false;
		}
		charge_bin(p, depth, at);
	}
	return true;
}

static enum pack_result
search_places(struct packer *p)
{
	size_t depth = 0, at = first_class(p, 0);

	if (!p->failed)
		p->failed = NEW_ARRAY(p->scratch, struct state *, BUCKETS);
	while (p->work <= p->limit) {
		p->work++;
		if (at != NOWHERE) {
			charge_bin(p, depth, at);
			if (++depth == p->items)
				return PACK_FOUND;
			at = within_bounds(p, depth) && !has_failed(p, depth)
				     ? first_class(p, depth)
				     : NOWHERE;
			if (at != NOWHERE)
				continue;
		}
		if (!has_failed(p, depth))
			remember_failure(p, depth);
		if (!depth)
			return PACK_IMPOSSIBLE;
		discharge_bin(p, --depth);
		at = next_class(p, depth);
	}
	while (depth)
		discharge_bin(p, --depth);
	return PACK_UNKNOWN;
}

static void
prepare_packer(struct packer *p, const uint64_t *free_slots, const uint64_t *need)
{
	struct arena *a = p->scratch;
	struct amount *sorted;

	p->classes = NEW_ARRAY(a, struct class, p->bins + 1);
	p->below = NEW_ARRAY(a, uint32_t, p->bins);
	p->need = NEW_ARRAY(a, uint64_t, p->items);
	p->item = NEW_ARRAY(a, uint32_t, p->items);
	p->rest = NEW_ARRAY(a, uint64_t, p->items + 1);
	p->choices = NEW_ARRAY(a, struct choice, p->items);
	make_classes(p, free_slots);
	sorted = sort_amounts(a, need, p->items);
	for (size_t i = p->items; i-- > 0;) {
		p->need[i] = sorted[i].slots;
		p->item[i] = sorted[i].index;
		p->rest[i] = add_capped(p->rest[i + 1], p->need[i]);
	}
}

static enum pack_result
pack_by_rules(struct packer *p, const struct pack_rules *rules)
{
	enum pack_result result;

	p->order = rules->order;
	p->limit = rules->limit / 2;
	if (descend_greedily(p))
		return PACK_FOUND;
	if (!within_bounds(p, 0))
		return PACK_IMPOSSIBLE;
	result = search_places(p);
	if (result != PACK_UNKNOWN)
		return result;
	p->order = rules->order == PACK_TIGHT ? PACK_SPREAD : PACK_TIGHT;
	p->limit = rules->limit;
	return descend_greedily(p) ? PACK_FOUND : search_places(p);
}

enum pack_result
pack(struct arena *scratch, const uint64_t *free_slots, size_t bins, const uint64_t *need,
	size_t items, uint32_t *place, const struct pack_rules *rules)
{
	struct arena_mark mark = arena_mark(scratch);
	struct packer p = {.scratch = scratch, .bins = bins, .items = items};
	enum pack_result result;

	INVARIANT(!items || (need && place));
	if (!items)
		return PACK_FOUND;
	prepare_packer(&p, free_slots, need);
	result = pack_by_rules(&p, rules);
	for (size_t i = 0; i < items && result == PACK_FOUND; i++)
		place[p.item[i]] = p.choices[i].bin;
	arena_rewind(scratch, mark);
	return result;
}

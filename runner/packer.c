/*
 * Depth-first search over requirements, largest first, with the bins kept in order of
 * their free slots, most first.
 *
 * ctest tries, for each requirement, every bin that is large enough, and of those with
 * equally much free only the first; after a choice the bin moves behind those that now
 * have more. Our search makes the same choices in the same order and only leaves out what
 * cannot succeed: states that the bounds refute, and states that failed before. So it
 * finds what ctest finds, without ctest's n! refusals. The remembered states are compared
 * in full: a hash alone has refused packable requests.
 *
 * When the limit ends that search, a second one tries the tightest bin first.
 */
#include "runner/packer.h"

#include <stdlib.h>
#include <string.h>

struct state {
	struct state *next;
	uint64_t hash;
	size_t depth;
	uint64_t *left;
};

enum { BUCKETS = 4096 };

/* One requirement's choice. */
struct choice {
	size_t from, to; /* position of the bin before and after it was charged */
};

struct packer {
	struct arena *scratch;
	size_t bins, items;
	uint64_t *left; /* free slots by position, descending */
	uint32_t *bin; /* which bin stands there */
	uint64_t *need; /* descending */
	uint32_t *item; /* whose need it is */
	uint64_t *rest; /* sum of need from here on */
	struct choice *choices;
	struct state **failed; /* by hash; NULL before anything failed */
	uint64_t work, limit;
	bool tightest_first;
};

/* ---- ordering ---------------------------------------------------------------------- */

struct amount {
	uint64_t slots;
	uint32_t index;
};

static int
most_first(const void *left, const void *right)
{
	const struct amount *a = left, *b = right;

	if (a->slots != b->slots)
		return a->slots > b->slots ? -1 : 1;
	return (a->index > b->index) - (a->index < b->index);
}

/* Descending, ties by index; slots and index are written to the two arrays. */
static void
sort_amounts(struct arena *scratch, const uint64_t *from, size_t n, uint64_t *slots,
	uint32_t *index)
{
	struct arena_mark mark = arena_mark(scratch);
	struct amount *v = NEW_ARRAY(scratch, struct amount, n);

	for (uint32_t i = 0; i < n; i++)
		v[i] = (struct amount){from[i], i};
	if (n)
		qsort(v, n, sizeof *v, most_first);
	for (size_t i = 0; i < n; i++) {
		slots[i] = v[i].slots;
		index[i] = v[i].index;
	}
	arena_rewind(scratch, mark);
}

/* The first position whose bin has no more than slots free, from position start. */
static size_t
first_not_above(const struct packer *p, uint64_t slots, size_t start)
{
	size_t low = start, high = p->bins;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (p->left[mid] > slots)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static void
move(struct packer *p, size_t from, size_t to, uint64_t left)
{
	uint32_t bin = p->bin[from];

	if (from < to) {
		memmove(&p->left[from], &p->left[from + 1],
			(to - from) * sizeof *p->left);
		memmove(&p->bin[from], &p->bin[from + 1], (to - from) * sizeof *p->bin);
		p->work += to - from;
	} else {
		memmove(&p->left[to + 1], &p->left[to], (from - to) * sizeof *p->left);
		memmove(&p->bin[to + 1], &p->bin[to], (from - to) * sizeof *p->bin);
		p->work += from - to;
	}
	p->left[to] = left;
	p->bin[to] = bin;
}

static void
charge(struct packer *p, size_t depth, size_t position)
{
	uint64_t left = p->left[position] - p->need[depth];
	size_t to = first_not_above(p, left, position + 1) - 1;

	p->choices[depth] = (struct choice){position, to};
	move(p, position, to, left);
}

static void
discharge(struct packer *p, size_t depth)
{
	struct choice c = p->choices[depth];

	move(p, c.to, c.from, p->left[c.to] + p->need[depth]);
}

/* ---- pruning ----------------------------------------------------------------------- */

static uint64_t
add(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* How many of the smallest requirements up to last fit into so many slots; at most limit.
 */
static size_t
smallest_within(const struct packer *p, size_t last, size_t limit, uint64_t slots)
{
	size_t low = 0, high = limit;

	while (low < high) {
		size_t mid = high - (high - low) / 2;

		if (p->rest[last + 1 - mid] - p->rest[last + 1] <= slots)
			low = mid;
		else
			high = mid - 1;
	}
	return low;
}

/* Is there a place for each of the requirements from depth to last? A bin holds at most
 * as many of them as of the smallest. */
static bool
are_enough_places(struct packer *p, size_t depth, size_t last)
{
	size_t count = last + 1 - depth, places = 0, k = count;

	for (size_t b = 0; b < p->bins && k && places < count; b++) {
		k = smallest_within(p, last, k, p->left[b]);
		places += k;
		p->work++;
	}
	return places >= count;
}

/* What cannot fit even if slots of bins could be joined, or if every bin got those that
 * suit it best. */
static bool
within_bounds(struct packer *p, size_t depth)
{
	uint64_t sum = 0;

	for (size_t b = 0; b < p->bins; b++)
		sum = add(sum, p->left[b]);
	p->work += p->bins;
	if (sum < p->rest[depth])
		return false;
	if (p->rest[0] == UINT64_MAX)
		return true; /* differences of such sums say nothing */
	for (size_t i = depth; i < p->items; i++)
		if ((i + 1 == p->items || p->need[i + 1] != p->need[i]) &&
			!are_enough_places(p, depth, i))
			return false;
	return true;
}

static uint64_t
hash_of(const struct packer *p, size_t depth)
{
	uint64_t h = 0x9e3779b97f4a7c15u ^ depth;

	for (size_t b = 0; b < p->bins; b++) {
		h = (h ^ p->left[b]) * 0xff51afd7ed558ccdu;
		h ^= h >> 32;
	}
	return h;
}

static bool
is_same(const struct packer *p, const struct state *s, uint64_t hash, size_t depth)
{
	return s->hash == hash && s->depth == depth &&
	       memcmp(s->left, p->left, p->bins * sizeof *p->left) == 0;
}

static bool
has_failed(struct packer *p, size_t depth)
{
	uint64_t hash = hash_of(p, depth);

	p->work += p->bins;
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
	struct state *s = NEW(p->scratch, struct state);

	*s = (struct state){.next = p->failed[hash % BUCKETS],
		.hash = hash,
		.depth = depth,
		.left = NEW_ARRAY(p->scratch, uint64_t, p->bins)};
	if (p->bins)
		memcpy(s->left, p->left, p->bins * sizeof *p->left);
	p->failed[hash % BUCKETS] = s;
	p->work += p->bins;
}

/* ---- search ------------------------------------------------------------------------ */

static const size_t NOWHERE = SIZE_MAX;

/* The first bin to try for a requirement. */
static size_t
first_position(const struct packer *p, size_t depth)
{
	size_t above;

	if (!p->tightest_first)
		return p->bins && p->left[0] >= p->need[depth] ? 0 : NOWHERE;
	above = p->need[depth] ? first_not_above(p, p->need[depth] - 1, 0) : p->bins;
	if (!above)
		return NOWHERE;
	/* of those with equally much free the first */
	return first_not_above(p, p->left[above - 1], 0);
}

/* The next one with another number of free slots. */
static size_t
next_position(const struct packer *p, size_t depth, size_t position)
{
	if (p->tightest_first)
		return position ? first_not_above(p, p->left[position - 1], 0) : NOWHERE;
	if (!p->left[position])
		return NOWHERE;
	position = first_not_above(p, p->left[position] - 1, position);
	return position < p->bins && p->left[position] >= p->need[depth] ? position
									 : NOWHERE;
}

/* Nothing is pruned in the first descent: most of the time it is the answer. */
static bool
is_hopeless(struct packer *p, size_t depth)
{
	return p->failed && (!within_bounds(p, depth) || has_failed(p, depth));
}

static enum pack_result
search(struct packer *p)
{
	size_t depth = 0, position = first_position(p, 0);

	while (p->work <= p->limit) {
		p->work++;
		if (position != NOWHERE) {
			charge(p, depth, position);
			if (++depth == p->items)
				return PACK_FOUND;
			position = is_hopeless(p, depth) ? NOWHERE
							 : first_position(p, depth);
			if (position != NOWHERE)
				continue;
		}
		if (!p->failed)
			p->failed = NEW_ARRAY(p->scratch, struct state *, BUCKETS);
		if (!has_failed(p, depth))
			remember_failure(p, depth);
		if (!depth)
			return PACK_IMPOSSIBLE;
		discharge(p, --depth);
		position = next_position(p, depth, p->choices[depth].from);
	}
	return PACK_UNKNOWN;
}

/* The choices name positions at their time: play them backwards to find the bins. */
static void
write_places(struct packer *p, uint32_t *place)
{
	for (size_t i = p->items; i-- > 0;) {
		place[p->item[i]] = p->bin[p->choices[i].to];
		discharge(p, i);
	}
}

static void
prepare(struct packer *p, const uint64_t *free_slots, const uint64_t *need)
{
	struct arena *a = p->scratch;

	p->left = NEW_ARRAY(a, uint64_t, p->bins);
	p->bin = NEW_ARRAY(a, uint32_t, p->bins);
	p->need = NEW_ARRAY(a, uint64_t, p->items);
	p->item = NEW_ARRAY(a, uint32_t, p->items);
	p->rest = NEW_ARRAY(a, uint64_t, p->items + 1);
	p->choices = NEW_ARRAY(a, struct choice, p->items);
	sort_amounts(a, free_slots, p->bins, p->left, p->bin);
	sort_amounts(a, need, p->items, p->need, p->item);
	for (size_t i = p->items; i-- > 0;)
		p->rest[i] = add(p->rest[i + 1], p->need[i]);
}

enum pack_result
pack(struct arena *scratch, const uint64_t *free_slots, size_t bins, const uint64_t *need,
	size_t items, uint32_t *place, uint64_t limit)
{
	struct arena_mark mark = arena_mark(scratch);
	struct packer p = {
		.scratch = scratch, .bins = bins, .items = items, .limit = limit / 2};
	enum pack_result result = PACK_FOUND;

	if (!items)
		return PACK_FOUND;
	prepare(&p, free_slots, need);
	if (!within_bounds(&p, 0))
		result = PACK_IMPOSSIBLE;
	else
		result = search(&p);
	if (result == PACK_UNKNOWN) {
		sort_amounts(scratch, free_slots, bins, p.left, p.bin);
		p.limit = limit;
		p.tightest_first = true;
		result = search(&p);
	}
	if (result == PACK_FOUND)
		write_places(&p, place);
	arena_rewind(scratch, mark);
	return result;
}

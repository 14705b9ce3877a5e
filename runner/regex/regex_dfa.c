/*
 * The lazy DFA. See regex_dfa.h.
 *
 * A transition that leads to a match or to nothing is not stored: both are rare, since an
 * expression that has matched is no longer searched. So 0, which means that a transition
 * is not known yet, is the only special value in the table, and the loop over the text
 * tests for nothing else. There is no state 0.
 */
#include "runner/regex/regex_dfa.h"

enum {
	CACHE_BYTES = 1 << 20, /* for states; when they need more, all are forgotten */
	FIRST_STATES = 8,
	/* States that were made for fewer bytes mean thrashing: making so many takes as
	 * long as reading a few times as many bytes without states. */
	BYTES_LEAST = CACHE_BYTES,
	LANES = 4,
	LANE_LEAST = 1024, /* bytes of a lane */
	RUN_UP = 128, /* bytes before a lane */
	STRIDE = 32, /* bytes of a lane between two tests */
	/* bytes that are walked one by one before lanes are worth trying */
	QUIET_LEAST = 1024,
	QUIET_MOST = 1 << 16,
};

struct regex_dfa {
	struct regex_sets *sets;
	/* The states, the first of which is number 1. */
	struct arena *cache;
	struct map states; /* by their sets */
	uint32_t *next; /* by state and class: the row of the next state; 0: not known */
	size_t cap; /* number of states that next has room for */
	unsigned shift; /* a row has 1 << shift classes */
	uint64_t generation; /* incremented when states are forgotten */
	uint64_t read; /* bytes read since states were forgotten */
	/* quiet: bytes that were walked one by one since a transition was made or lanes
	 * were of no use; quiet_needed: after how many of them lanes are tried. */
	size_t quiet, quiet_needed;
};

/* ---- states ---------------------------------------------------------------------- */

static void
forget_states(struct regex_dfa *d)
{
	if (d->cache)
		arena_close(d->cache);
	d->cache = arena_open();
	d->states = map_in(d->cache);
	d->cap = FIRST_STATES;
	d->next = NEW_ARRAY(d->cache, uint32_t, d->cap << d->shift);
	d->generation++;
	d->read = 0;
}

static bool
is_full(const struct regex_dfa *d)
{
	return arena_bytes(d->cache) > CACHE_BYTES && d->states.n + 1 >= FIRST_STATES;
}

static struct str
set_dup(const struct regex_dfa *d, const uint32_t *set, size_t n)
{
	uint32_t *copy = NEW_ARRAY(d->cache, uint32_t, n);

	if (n)
		memcpy(copy, set, n * sizeof *copy);
	return str_cut((const char *)copy, n * sizeof *copy);
}

/* The row of the state for this set; 0: there is none, and no room for it. */
static uint32_t
row_of(struct regex_dfa *d, const uint32_t *set, size_t n)
{
	struct str key = {(const char *)set, n * sizeof *set};
	uint32_t known = map_get(&d->states, key);

	if (known == MAP_NONE) {
		if (is_full(d))
			return 0;
		known = (uint32_t)d->states.n + 1;
		if (known == d->cap) {
			uint32_t *next =
				NEW_ARRAY(d->cache, uint32_t, (2 * d->cap) << d->shift);

			memcpy(next, d->next, (d->cap << d->shift) * sizeof *next);
			d->next = next;
			d->cap *= 2;
		}
		map_set(&d->states, set_dup(d, set, n), known);
	}
	return known << d->shift;
}

static struct str
set_of(const struct regex_dfa *d, uint32_t row)
{
	return d->states.entries[(row >> d->shift) - 1].key;
}

/* ---- a DFA ----------------------------------------------------------------------- */

struct regex_dfa *
regex_dfa_open(struct arena *arena, struct regex_sets *sets)
{
	struct regex_dfa *d = NEW(arena, struct regex_dfa);

	INVARIANT(sets);
	*d = (struct regex_dfa){.sets = sets, .quiet_needed = QUIET_LEAST};
	while (1u << d->shift < sets->classes->n)
		d->shift++;
	forget_states(d);
	return d;
}

void
regex_dfa_close(struct regex_dfa *d)
{
	arena_close(d->cache);
}

/* ---- reading --------------------------------------------------------------------- */

/* Walks over bytes whose transitions are known. Returns how many there were. */
static size_t
walk_one(const struct regex_dfa *d, uint32_t *row, const unsigned char *p, size_t n)
{
	const uint32_t *next = d->next;
	const unsigned char *class_of = d->sets->classes->of;
	uint32_t at = *row, to;
	size_t i = 0;

	for (; i < n; i++) {
		to = next[at + class_of[p[i]]];
		if (!to)
			break;
		at = to;
	}
	*row = at;
	return i;
}

/* Makes a transition where it leads to a state and there is room for the state. Returns
 * the row of the state, or 0. */
static uint32_t
add_transition(struct regex_dfa *d, uint32_t row, unsigned char byte)
{
	struct str set = set_of(d, row);
	uint32_t to;

	regex_sets_step(d->sets, (const uint32_t *)set.p, set.n / sizeof(uint32_t), byte);
	if (d->sets->found != REGEX_NONE || !d->sets->set_n)
		return 0;
	to = row_of(d, d->sets->set, d->sets->set_n);
	if (to)
		d->next[row + d->sets->classes->of[byte]] = to;
	return to;
}

/* The state after n bytes; 0 where it cannot be known. */
static uint32_t
run_up(struct regex_dfa *d, uint32_t at, const unsigned char *p, size_t n)
{
	for (size_t i = 0; i < n && at; i++) {
		uint32_t to = d->next[at + d->sets->classes->of[p[i]]];

		at = to ? to : add_transition(d, at, p[i]);
	}
	return at;
}

/* Walks four parts of n bytes each, until the first part is read completely or meets a
 * transition that is not known. Returns how many bytes the first part has read. */
static size_t
walk_side_by_side(
	const struct regex_dfa *d, uint32_t at[LANES], const unsigned char *p, size_t n)
{
	const uint32_t *next = d->next;
	const unsigned char *class_of = d->sets->classes->of;
	uint32_t a = at[0], b = at[1], c = at[2], e = at[3], kept = a;
	size_t i = 0;

	for (; i < n && a; i += STRIDE) {
		kept = a;
		for (size_t k = i; k < i + STRIDE; k++) {
			a = next[a + class_of[p[k]]];
			b = next[b + class_of[p[n + k]]];
			c = next[c + class_of[p[2 * n + k]]];
			e = next[e + class_of[p[3 * n + k]]];
		}
	}
	at[0] = a ? a : kept;
	at[1] = b;
	at[2] = c;
	at[3] = e;
	return a ? i : i - STRIDE;
}

/* Walks four parts of the text at once. The second to the fourth begin in the state that
 * the text before them leads to from the state at the beginning; that is most often the
 * state that all of the text leads to. Where the part before ends in another state, the
 * result of a part is not used. Returns the number of bytes whose transitions are
 * known. */
static size_t
walk_lanes(struct regex_dfa *d, uint32_t *row, const unsigned char *p, size_t n)
{
	size_t part = n / LANES / STRIDE * STRIDE, lane = 1, walked;
	uint32_t at[LANES], begun[LANES];

	at[0] = *row;
	for (size_t l = 1; l < LANES; l++)
		at[l] = begun[l] = run_up(d, *row, p + l * part - RUN_UP, RUN_UP);
	walked = walk_side_by_side(d, at, p, part);
	*row = at[0];
	if (walked == part) {
		while (lane < LANES && at[lane] && begun[lane] == at[lane - 1])
			lane++;
		*row = at[lane - 1];
		walked = lane * part;
	}
	if (lane == LANES)
		d->quiet_needed = QUIET_LEAST;
	else {
		d->quiet = 0;
		if (d->quiet_needed < QUIET_MOST)
			d->quiet_needed *= 2;
	}
	return walked;
}

/* Walks over all n bytes as far as transitions are known, with lanes where these are
 * worth it. */
static size_t
walk_bytes(struct regex_dfa *d, uint32_t *row, const unsigned char *p, size_t n)
{
	size_t i = 0, wanted, walked;

	while (i < n) {
		if (d->quiet >= d->quiet_needed && n - i >= LANES * LANE_LEAST) {
			i += walk_lanes(d, row, p + i, n - i);
			continue;
		}
		wanted = n - i < QUIET_LEAST ? n - i : QUIET_LEAST;
		walked = walk_one(d, row, p + i, wanted);
		d->quiet += walked;
		i += walked;
		if (walked < wanted)
			break;
	}
	return i;
}

/* The row of the set of the last step; states are forgotten to make room. false: too few
 * bytes were read for the states that were made. */
static bool
enter_set(struct regex_dfa *d, uint32_t *row)
{
	bool thrashes;

	*row = row_of(d, d->sets->set, d->sets->set_n);
	if (*row)
		return true;
	thrashes = d->read < BYTES_LEAST;
	forget_states(d);
	*row = row_of(d, d->sets->set, d->sets->set_n);
	return !thrashes;
}

/* A step over a byte whose transition is not known. */
static enum regex_reading
make_transition(struct regex_dfa *d, uint32_t *row, unsigned char byte, uint32_t *found)
{
	uint32_t to = add_transition(d, *row, byte);
	enum regex_reading r = regex_sets_judge(d->sets, found);

	d->quiet = 0;
	if (r == REGEX_READ_ALL && !to && !enter_set(d, &to))
		return REGEX_READ_THRASH;
	*row = to;
	return r;
}

enum regex_reading
regex_dfa_read(struct regex_dfa *d, struct regex_cursor *c, const char *bytes, size_t *n,
	uint32_t *found)
{
	const unsigned char *p = (const unsigned char *)bytes;
	enum regex_reading r = REGEX_READ_ALL;
	uint32_t row = c->row;
	size_t i = 0;

	INVARIANT(n && found);
	if (*n == 0)
		return REGEX_READ_ALL;
	if (c->generation != d->generation) {
		memcpy(d->sets->set, c->v, c->n * sizeof *c->v);
		d->sets->set_n = c->n;
		(void)enter_set(d, &row);
	}
	while (i < *n && r == REGEX_READ_ALL) {
		size_t walked = walk_bytes(d, &row, p + i, *n - i);

		i += walked;
		d->read += walked + 1;
		if (i < *n)
			r = make_transition(d, &row, p[i++], found);
	}
	if (r == REGEX_READ_ALL) {
		struct str set = set_of(d, row);

		regex_cursor_set(c, (const uint32_t *)set.p, set.n / sizeof(uint32_t));
		c->row = row;
		c->generation = d->generation;
	} else {
		regex_cursor_set(c, d->sets->set, d->sets->set_n);
	}
	c->has_read = true;
	*n = i;
	return r;
}

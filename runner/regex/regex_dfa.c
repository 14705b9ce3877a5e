/*
 * The lazy DFA. See regex_dfa.h.
 *
 * A transition that leads to a match or to nothing is not remembered: both are rare,
 * since an expression that has matched is searched no more. So 0, which says that a
 * transition is not known yet, is the only special value in the table, and the loop over
 * the text tests for nothing else. There is no state 0.
 */
#include "runner/regex/regex_dfa.h"

enum {
	CACHE_BYTES = 1 << 20, /* for states; once they need more they are forgotten */
	FIRST_STATES = 8,
	BYTES_PER_STATE = 8, /* fewer are thrashing */
	LANES = 4,
	LANE_LEAST = 1024, /* bytes of a lane */
	RUN_UP = 128, /* bytes before a lane */
	STRIDE = 32, /* bytes of a lane between two tests */
	QUIET_LEAST = 1024, /* bytes that are walked before lanes are worth trying */
	QUIET_MOST = 1 << 16,
	BITS_MOST = 1024, /* instructions of which all that follows is kept */
};

/* For steps without states. Each is a set. */
struct bits {
	uint64_t *reads; /* by class: the instructions that read it */
	uint64_t
		*follows; /* by instruction: what waits or has matched once it has read */
	uint64_t *steps; /* instructions which only that before them follows */
	uint64_t *founds; /* OP_FOUND */
	uint64_t *again;
	uint64_t *set, *passed; /* of a step; one word more */
};

struct regex_dfa {
	struct arena *arena;
	const struct regex_program *program;
	const struct regex_classes *classes;
	uint32_t from, to; /* expressions */
	/* Sets as bits: bit 0 is the instruction base. */
	uint32_t base;
	size_t words;
	uint64_t *waits; /* the instructions that wait for a byte or the end */
	uint64_t *again; /* reached by a match that begins at a byte but the first */
	uint64_t *seen; /* reached in this step */
	uint32_t *stack;
	uint32_t *set; /* what waits after this step, in ascending order */
	size_t set_n;
	uint32_t found; /* the first expression that has matched in this step */
	struct bits *bits; /* NULL: not needed yet */
	/* The states, the first of which is number 1. */
	struct arena *cache;
	struct map states; /* by their sets */
	uint32_t *next; /* by state and class: the row of the next state; 0: not known */
	size_t cap; /* states that next has room for */
	unsigned shift; /* a row has 1 << shift classes */
	uint64_t generation; /* of the states */
	uint64_t read; /* bytes, since states were forgotten */
	/* Bytes that were walked one by one since a transition was made or lanes were of
	 * no use, and after how many of them lanes are tried. */
	size_t quiet, quiet_needed;
};

/* ---- classes of bytes ----------------------------------------------------------------
 */

/* Splits every class into those bytes that the set has and the others. */
static void
split_classes(struct regex_classes *c, const struct byte_set *set)
{
	short inside[256], members[256] = {0}, in_set[256] = {0};

	for (int b = 0; b < 256; b++) {
		members[c->of[b]]++;
		in_set[c->of[b]] += byte_set_has(set, (unsigned char)b);
		inside[b] = -1;
	}
	for (int b = 0; b < 256; b++) {
		unsigned char old = c->of[b];

		if (!byte_set_has(set, (unsigned char)b) || in_set[old] == members[old])
			continue;
		if (inside[old] < 0)
			inside[old] = (short)c->n++;
		c->of[b] = (unsigned char)inside[old];
	}
}

struct regex_classes
regex_classes_of(const struct regex_program *p)
{
	struct regex_classes c = {.n = 1};
	struct byte_set singles = {{0}};

	for (size_t i = 0; i < p->n; i++)
		if (p->v[i].op == OP_BYTE)
			byte_set_add(&singles, (unsigned char)p->v[i].argument);
	for (size_t i = 0; i < p->sets_n; i++)
		split_classes(&c, &p->sets[i]);
	for (int b = 0; b < 256; b++) {
		struct byte_set one = {{0}};

		if (!byte_set_has(&singles, (unsigned char)b))
			continue;
		byte_set_add(&one, (unsigned char)b);
		split_classes(&c, &one);
	}
	return c;
}

/* ---- sets of instructions ------------------------------------------------------------
 */

static void
set_bit(uint64_t *bits, uint32_t at)
{
	bits[at / 64] |= UINT64_C(1) << at % 64;
}

static bool
has_bit(const uint64_t *bits, uint32_t at)
{
	return bits[at / 64] >> at % 64 & 1;
}

/* Adds the instruction, and those that it leads to before a byte is read, to seen. */
static void
follow(struct regex_dfa *d, uint32_t at, bool is_begin, bool is_end)
{
	size_t n = 0;

	d->stack[n++] = at;
	while (n) {
		uint32_t top = d->stack[--n];
		const struct regex_instruction *i = &d->program->v[top];

		if (has_bit(d->seen, top - d->base))
			continue;
		set_bit(d->seen, top - d->base);
		if (i->op == OP_FOUND && i->argument < d->found)
			d->found = i->argument;
		else if (i->op == OP_SPLIT)
			d->stack[n++] = i->argument;
		if (i->op == OP_SPLIT || i->op == OP_SAVE ||
			(i->op == OP_BEGIN && is_begin) || (i->op == OP_END && is_end))
			d->stack[n++] = i->to;
	}
}

/* A step begins; a match may begin here, too. */
static void
begin_step(struct regex_dfa *d)
{
	memcpy(d->seen, d->again, d->words * sizeof *d->seen);
	d->found = REGEX_NONE;
}

/* What was seen and waits. */
static void
collect(struct regex_dfa *d)
{
	d->set_n = 0;
	for (size_t w = 0; w < d->words; w++) {
		uint64_t bits = d->seen[w] & d->waits[w];

		for (; bits; bits &= bits - 1)
			d->set[d->set_n++] = d->base + (uint32_t)w * 64 +
					     (uint32_t)__builtin_ctzll(bits);
	}
}

/* From the set over a byte to d->set and d->found. */
static void
step(struct regex_dfa *d, const uint32_t *set, size_t n, unsigned char byte)
{
	begin_step(d);
	for (size_t i = 0; i < n; i++)
		if (regex_program_reads(d->program, set[i], byte))
			follow(d, d->program->v[set[i]].to, false, false);
	collect(d);
}

/* ---- states --------------------------------------------------------------------------
 */

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

/* Row of the state that is this set; 0: there is none, and no room for it. */
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

/* ---- a DFA ---------------------------------------------------------------------------
 */

static void
prepare_sets(struct regex_dfa *d)
{
	const struct regex_program *p = d->program;
	uint32_t behind = p->firsts[d->to];

	d->waits = NEW_ARRAY(d->arena, uint64_t, d->words);
	d->again = NEW_ARRAY(d->arena, uint64_t, d->words);
	d->seen = NEW_ARRAY(d->arena, uint64_t, d->words);
	d->stack = NEW_ARRAY(d->arena, uint32_t, 2 * (size_t)(behind - d->base) + 1);
	d->set = NEW_ARRAY(d->arena, uint32_t, behind - d->base);
	for (uint32_t i = d->base; i < behind; i++)
		if (p->v[i].op == OP_BYTE || p->v[i].op == OP_SET ||
			p->v[i].op == OP_ANY || p->v[i].op == OP_END)
			set_bit(d->waits, i - d->base);
	for (uint32_t i = d->from; i < d->to; i++)
		follow(d, p->begins[i], false, false);
	memcpy(d->again, d->seen, d->words * sizeof *d->seen);
}

struct regex_dfa *
regex_dfa_open(const struct regex_program *program, const struct regex_classes *classes,
	uint32_t from, uint32_t to)
{
	struct arena *a = arena_open();
	struct regex_dfa *d = NEW(a, struct regex_dfa);

	*d = (struct regex_dfa){
		.arena = a,
		.program = program,
		.classes = classes,
		.from = from,
		.to = to,
		.base = program->firsts[from],
		.words = (program->firsts[to] - program->firsts[from]) / 64 + 1,
	};
	while (1u << d->shift < classes->n)
		d->shift++;
	d->quiet_needed = QUIET_LEAST;
	prepare_sets(d);
	forget_states(d);
	return d;
}

void
regex_dfa_close(struct regex_dfa *d)
{
	arena_close(d->cache);
	arena_close(d->arena);
}

bool
regex_dfa_is_for(const struct regex_dfa *d, uint32_t from, uint32_t to)
{
	return d->from == from && d->to == to;
}

/* ---- cursors -------------------------------------------------------------------------
 */

static void
set_cursor(struct regex_cursor *c, const uint32_t *set, size_t n)
{
	if (c->cap < n) {
		c->cap = 2 * n;
		c->v = NEW_ARRAY(c->arena, uint32_t, c->cap);
	}
	if (n)
		memcpy(c->v, set, n * sizeof *set);
	c->n = n;
	c->generation = 0;
}

void
regex_cursor_copy(struct regex_cursor *c, const struct regex_cursor *of)
{
	set_cursor(c, of->v, of->n);
	c->has_read = of->has_read;
}

void
regex_cursor_keep(
	struct regex_cursor *c, const struct regex_program *p, uint32_t from, uint32_t to)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++)
		if (c->v[i] >= p->firsts[from] && c->v[i] < p->firsts[to])
			c->v[n++] = c->v[i];
	c->n = n;
	c->generation = 0;
}

uint32_t
regex_dfa_begin(struct regex_dfa *d, struct regex_cursor *c)
{
	begin_step(d);
	memset(d->seen, 0, d->words * sizeof *d->seen);
	for (uint32_t i = d->from; i < d->to; i++)
		follow(d, d->program->begins[i], true, false);
	collect(d);
	set_cursor(c, d->set, d->set_n);
	c->has_read = false;
	return d->found;
}

uint32_t
regex_dfa_end(struct regex_dfa *d, const struct regex_cursor *c)
{
	d->found = REGEX_NONE;
	if (!d->program->has_end)
		return REGEX_NONE;
	memset(d->seen, 0, d->words * sizeof *d->seen);
	for (size_t i = 0; i < c->n; i++)
		if (d->program->v[c->v[i]].op == OP_END)
			follow(d, c->v[i], !c->has_read, true);
	return d->found;
}

/* ---- reading -------------------------------------------------------------------------
 */

/* Over bytes whose transitions are known. -> how many there were. */
static size_t
walk_one(const struct regex_dfa *d, uint32_t *row, const unsigned char *p, size_t n)
{
	const uint32_t *next = d->next;
	const unsigned char *class_of = d->classes->of;
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

/* Makes a transition, where it leads to a state and there is room for that. -> the row
 * of the state, or 0. */
static uint32_t
add_transition(struct regex_dfa *d, uint32_t row, unsigned char byte)
{
	struct str set = set_of(d, row);
	uint32_t to;

	step(d, (const uint32_t *)set.p, set.n / sizeof(uint32_t), byte);
	if (d->found != REGEX_NONE || !d->set_n)
		return 0;
	to = row_of(d, d->set, d->set_n);
	if (to)
		d->next[row + d->classes->of[byte]] = to;
	return to;
}

/* The state after n bytes; 0 where that is not to be known. */
static uint32_t
run_up(struct regex_dfa *d, uint32_t at, const unsigned char *p, size_t n)
{
	for (size_t i = 0; i < n && at; i++) {
		uint32_t to = d->next[at + d->classes->of[p[i]]];

		at = to ? to : add_transition(d, at, p[i]);
	}
	return at;
}

/* Four parts of n bytes each, until the first has read all of its part (n) or has come to
 * a transition that is not known. -> bytes that the first has read. */
static size_t
walk_side_by_side(
	const struct regex_dfa *d, uint32_t at[LANES], const unsigned char *p, size_t n)
{
	const uint32_t *next = d->next;
	const unsigned char *class_of = d->classes->of;
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
 * the text before them leads to from the state at the begin, which is most often the
 * state that all of the text leads to. Where the part before it ends in another state,
 * what was read of a part is not used. -> bytes whose transitions are known. */
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

/* The same for all that there is. */
static size_t
walk(struct regex_dfa *d, uint32_t *row, const unsigned char *p, size_t n)
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

/* After a step: what there is to be said of d->set. */
static enum regex_reading
judge_set(const struct regex_dfa *d, uint32_t *found)
{
	*found = d->found;
	if (d->found != REGEX_NONE)
		return REGEX_READ_MATCH;
	return d->set_n ? REGEX_READ_ALL : REGEX_READ_DEAD;
}

/* The row of d->set, where states are forgotten if need be. false: that was not worth it.
 */
static bool
enter_set(struct regex_dfa *d, uint32_t *row)
{
	bool thrashes;

	*row = row_of(d, d->set, d->set_n);
	if (*row)
		return true;
	thrashes = d->read < d->states.n * BYTES_PER_STATE;
	forget_states(d);
	*row = row_of(d, d->set, d->set_n);
	return !thrashes;
}

/* Over a byte whose transition is not known. */
static enum regex_reading
make_transition(struct regex_dfa *d, uint32_t *row, unsigned char byte, uint32_t *found)
{
	uint32_t to = add_transition(d, *row, byte);
	enum regex_reading r = judge_set(d, found);

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

	if (*n == 0)
		return REGEX_READ_ALL;
	if (c->generation != d->generation) {
		memcpy(d->set, c->v, c->n * sizeof *c->v);
		d->set_n = c->n;
		(void)enter_set(d, &row);
	}
	while (i < *n && r == REGEX_READ_ALL) {
		size_t walked = walk(d, &row, p + i, *n - i);

		i += walked;
		d->read += walked + 1;
		if (i < *n)
			r = make_transition(d, &row, p[i++], found);
	}
	if (r == REGEX_READ_ALL) {
		struct str set = set_of(d, row);

		set_cursor(c, (const uint32_t *)set.p, set.n / sizeof(uint32_t));
		c->row = row;
		c->generation = d->generation;
	} else {
		set_cursor(c, d->set, d->set_n);
	}
	c->has_read = true;
	*n = i;
	return r;
}

/* ---- without states ------------------------------------------------------------------
 */

static bool
is_set_empty(const uint64_t *set, size_t words)
{
	uint64_t any = 0;

	for (size_t w = 0; w < words; w++)
		any |= set[w];
	return !any;
}

/* What waits or has matched once the instruction has read a byte. */
static void
prepare_follows(struct regex_dfa *d, uint32_t at)
{
	struct bits *b = d->bits;
	uint64_t *to = &b->follows[(at - d->base) * d->words];

	memset(d->seen, 0, d->words * sizeof *d->seen);
	follow(d, d->program->v[at].to, false, false);
	for (size_t w = 0; w < d->words; w++)
		to[w] = d->seen[w] & (d->waits[w] | b->founds[w]);
	memcpy(d->seen, to, d->words * sizeof *to);
	if (at == d->base || !has_bit(to, at - d->base - 1))
		return;
	d->seen[(at - d->base - 1) / 64] &= ~(UINT64_C(1) << (at - d->base - 1) % 64);
	if (is_set_empty(d->seen, d->words))
		set_bit(b->steps, at - d->base);
}

static void
prepare_reads(struct regex_dfa *d)
{
	const struct regex_program *p = d->program;

	for (unsigned byte = 0; byte < 256; byte++) {
		uint64_t *reads = &d->bits->reads[d->classes->of[byte] * d->words];

		for (uint32_t at = d->base; at < p->firsts[d->to]; at++)
			if (regex_program_reads(p, at, (unsigned char)byte))
				set_bit(reads, at - d->base);
	}
}

static void
prepare_bits(struct regex_dfa *d)
{
	const struct regex_program *p = d->program;
	uint32_t behind = p->firsts[d->to];
	struct bits *b = NEW(d->arena, struct bits);

	b->reads = NEW_ARRAY(d->arena, uint64_t, d->classes->n * d->words);
	b->follows = NEW_ARRAY(d->arena, uint64_t, (behind - d->base) * d->words);
	b->steps = NEW_ARRAY(d->arena, uint64_t, d->words + 1);
	b->founds = NEW_ARRAY(d->arena, uint64_t, d->words);
	b->again = NEW_ARRAY(d->arena, uint64_t, d->words);
	b->set = NEW_ARRAY(d->arena, uint64_t, d->words);
	b->passed = NEW_ARRAY(d->arena, uint64_t, d->words + 1);
	d->bits = b;
	for (uint32_t at = d->base; at < behind; at++)
		if (p->v[at].op == OP_FOUND)
			set_bit(b->founds, at - d->base);
	for (size_t w = 0; w < d->words; w++)
		b->again[w] = d->again[w] & d->waits[w];
	for (uint32_t at = d->base; at < behind; at++)
		if (has_bit(d->waits, at - d->base) && p->v[at].op != OP_END)
			prepare_follows(d, at);
	prepare_reads(d);
}

/* The set in b->set over a byte. false: an expression has matched, or nothing waits. */
static bool
step_bits(const struct regex_dfa *d, const uint64_t *reads)
{
	const struct bits *b = d->bits;
	uint64_t found = 0, any = 0;

	for (size_t w = 0; w < d->words; w++)
		b->passed[w] = b->set[w] & reads[w];
	for (size_t w = 0; w < d->words; w++)
		b->set[w] = b->again[w] | (b->passed[w] & b->steps[w]) >> 1 |
			    (b->passed[w + 1] & b->steps[w + 1]) << 63;
	for (size_t w = 0; w < d->words; w++)
		for (uint64_t rest = b->passed[w] & ~b->steps[w]; rest;
			rest &= rest - 1) {
			size_t at = w * 64 + (size_t)__builtin_ctzll(rest);

			for (size_t v = 0; v < d->words; v++)
				b->set[v] |= b->follows[at * d->words + v];
		}
	for (size_t w = 0; w < d->words; w++) {
		found |= b->set[w] & b->founds[w];
		any |= b->set[w];
	}
	return !found && any;
}

static size_t
simulate_words(const struct regex_dfa *d, const unsigned char *p, size_t n)
{
	size_t i = 0;

	while (i < n)
		if (!step_bits(d, &d->bits->reads[d->classes->of[p[i++]] * d->words]))
			break;
	return i;
}

/* The same for sets of one word. */
static size_t
simulate_word(const struct regex_dfa *d, const unsigned char *p, size_t n)
{
	const struct bits *b = d->bits;
	const unsigned char *class_of = d->classes->of;
	uint64_t set = *b->set, steps = *b->steps, founds = *b->founds, again = *b->again;
	size_t i = 0;

	while (i < n) {
		uint64_t passed = set & b->reads[class_of[p[i++]]];

		set = again | (passed & steps) >> 1;
		for (passed &= ~steps; passed; passed &= passed - 1)
			set |= b->follows[__builtin_ctzll(passed)];
		if (!set || set & founds)
			break;
	}
	*b->set = set;
	return i;
}

/* From the cursor's set to d->set and d->found. -> bytes read. */
static size_t
simulate_bits(struct regex_dfa *d, const struct regex_cursor *c, const unsigned char *p,
	size_t n)
{
	struct bits *b;
	size_t read;

	if (!d->bits)
		prepare_bits(d);
	b = d->bits;
	memset(b->set, 0, d->words * sizeof *b->set);
	for (size_t i = 0; i < c->n; i++)
		set_bit(b->set, c->v[i] - d->base);
	read = d->words == 1 ? simulate_word(d, p, n) : simulate_words(d, p, n);
	memcpy(d->seen, b->set, d->words * sizeof *b->set);
	d->found = REGEX_NONE;
	for (size_t w = d->words; w; w--) {
		uint64_t found = d->seen[w - 1] & b->founds[w - 1];

		if (found)
			d->found = d->program
					   ->v[d->base + (w - 1) * 64 +
						   (size_t)__builtin_ctzll(found)]
					   .argument;
	}
	collect(d);
	return read;
}

/* The same for sets that are too large to keep what follows each instruction. */
static size_t
simulate_steps(
	struct regex_dfa *d, struct regex_cursor *c, const unsigned char *p, size_t n)
{
	size_t i = 0;

	while (i < n) {
		step(d, c->v, c->n, p[i++]);
		if (d->found != REGEX_NONE || d->set_n == 0)
			break;
		set_cursor(c, d->set, d->set_n);
	}
	return i;
}

enum regex_reading
regex_dfa_simulate(struct regex_dfa *d, struct regex_cursor *c, const char *bytes,
	size_t *n, uint32_t *found)
{
	const unsigned char *p = (const unsigned char *)bytes;

	if (*n == 0)
		return REGEX_READ_ALL;
	*n = d->words * 64 <= BITS_MOST ? simulate_bits(d, c, p, *n)
					: simulate_steps(d, c, p, *n);
	set_cursor(c, d->set, d->set_n);
	c->has_read = true;
	return judge_set(d, found);
}

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
	BYTES_PER_STATE = 8, /* a state that was made for fewer bytes means thrashing */
	LANES = 4,
	LANE_LEAST = 1024, /* bytes of a lane */
	RUN_UP = 128, /* bytes before a lane */
	STRIDE = 32, /* bytes of a lane between two tests */
	/* bytes that are walked one by one before lanes are worth trying */
	QUIET_LEAST = 1024,
	QUIET_MOST = 1 << 16,
};

/* Two words of a set, for the vector instructions that every processor has. */
typedef uint64_t word_pair __attribute__((vector_size(16), may_alias));

/* For steps without states. Each instruction has a bit. The instruction that comes next
 * in a text most often has the bit below. An expression that fits into one word has its
 * bits in one word. */
struct bits {
	uint32_t *bit_of; /* by instruction */
	uint32_t *instruction; /* by bit */
	size_t words; /* of each set, an even number */
	uint64_t *reads; /* by class: the instructions that read it */
	uint64_t *steps; /* instructions that are followed only by the bit below */
	/* by bit: what waits or has matched after the instruction has read */
	uint64_t *follows;
	uint16_t *first, *behind; /* by bit: the range of words that follows has */
	uint64_t *founds; /* OP_FOUND */
	uint64_t *again;
	bool has_again;
	/* of a step: the instructions that have read and are not in steps */
	uint64_t *set, *others;
};

struct regex_dfa {
	struct arena *arena;
	const struct regex_program *program;
	const struct regex_classes *classes;
	uint32_t from, to; /* expressions */
	/* Sets as bits: bit 0 is the instruction with the number base. */
	uint32_t base;
	size_t words;
	uint64_t *waits; /* the instructions that wait for a byte or the end */
	uint64_t *again; /* reached by a match that begins after the first byte */
	uint64_t *seen; /* reached in this step */
	uint32_t *stack;
	/* the instructions that wait after this step, in ascending order */
	uint32_t *set;
	size_t set_n;
	uint32_t found; /* the first expression that has matched in this step */
	struct bits *bits; /* NULL: not needed yet */
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

/* ---- classes of bytes ------------------------------------------------------------ */

/* Splits every class into the bytes that are in the set and the others. */
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

/* A single byte that some instruction reads is a class of its own; where all 256 bytes
 * are, the last one has the class that is left for the others. */
struct regex_classes
regex_classes_of(const struct regex_program *p)
{
	struct regex_classes c = {.n = 1};
	struct byte_set singles = {{0}};

	for (size_t i = 0; i < p->n; i++) {
		unsigned char byte = (unsigned char)p->v[i].argument;

		if (p->v[i].op != OP_BYTE || byte_set_has(&singles, byte) || c.n == 256)
			continue;
		byte_set_add(&singles, byte);
		c.of[byte] = (unsigned char)c.n++;
	}
	for (size_t i = 0; i < p->sets_n; i++)
		split_classes(&c, &p->sets[i]);
	return c;
}

/* ---- sets of instructions -------------------------------------------------------- */

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

/* Adds to seen the instruction, and those that it leads to before a byte is read. */
static void
follow_instruction(struct regex_dfa *d, uint32_t at, bool is_begin, bool is_end)
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

/* Begins a step; a match may begin here, too. */
static void
begin_step(struct regex_dfa *d)
{
	memcpy(d->seen, d->again, d->words * sizeof *d->seen);
	d->found = REGEX_NONE;
}

/* Collects the instructions that were seen and wait. */
static void
collect_waiting(struct regex_dfa *d)
{
	d->set_n = 0;
	for (size_t w = 0; w < d->words; w++) {
		uint64_t bits = d->seen[w] & d->waits[w];

		for (; bits; bits &= bits - 1)
			d->set[d->set_n++] = d->base + (uint32_t)w * 64 +
					     (uint32_t)__builtin_ctzll(bits);
	}
}

/* One step from the set over a byte, to d->set and d->found. */
static void
step_set(struct regex_dfa *d, const uint32_t *set, size_t n, unsigned char byte)
{
	begin_step(d);
	for (size_t i = 0; i < n; i++)
		if (regex_program_reads(d->program, set[i], byte))
			follow_instruction(d, d->program->v[set[i]].to, false, false);
	collect_waiting(d);
}

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
		follow_instruction(d, p->begins[i], false, false);
	memcpy(d->again, d->seen, d->words * sizeof *d->seen);
}

struct regex_dfa *
regex_dfa_open(const struct regex_program *program, const struct regex_classes *classes,
	uint32_t from, uint32_t to)
{
	struct arena *a = arena_open();
	struct regex_dfa *d = NEW(a, struct regex_dfa);

	INVARIANT(from < to && to <= program->expressions);
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

/* ---- cursors --------------------------------------------------------------------- */

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
regex_cursor_append(struct regex_cursor *c, const struct regex_cursor *of)
{
	uint32_t *v = NEW_ARRAY(c->arena, uint32_t, c->n + of->n);

	if (c->n)
		memcpy(v, c->v, c->n * sizeof *v);
	if (of->n)
		memcpy(v + c->n, of->v, of->n * sizeof *v);
	set_cursor(c, v, c->n + of->n);
}

void
regex_cursor_keep(
	struct regex_cursor *c, const struct regex_program *p, uint32_t from, uint32_t to)
{
	size_t n = 0;

	INVARIANT(from <= to && to <= p->expressions);
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
		follow_instruction(d, d->program->begins[i], true, false);
	collect_waiting(d);
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
			follow_instruction(d, c->v[i], !c->has_read, true);
	return d->found;
}

/* ---- reading --------------------------------------------------------------------- */

/* Walks over bytes whose transitions are known. Returns how many there were. */
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

/* Makes a transition where it leads to a state and there is room for the state. Returns
 * the row of the state, or 0. */
static uint32_t
add_transition(struct regex_dfa *d, uint32_t row, unsigned char byte)
{
	struct str set = set_of(d, row);
	uint32_t to;

	step_set(d, (const uint32_t *)set.p, set.n / sizeof(uint32_t), byte);
	if (d->found != REGEX_NONE || !d->set_n)
		return 0;
	to = row_of(d, d->set, d->set_n);
	if (to)
		d->next[row + d->classes->of[byte]] = to;
	return to;
}

/* The state after n bytes; 0 where it cannot be known. */
static uint32_t
run_up(struct regex_dfa *d, uint32_t at, const unsigned char *p, size_t n)
{
	for (size_t i = 0; i < n && at; i++) {
		uint32_t to = d->next[at + d->classes->of[p[i]]];

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

/* The result of a step that has made d->set. */
static enum regex_reading
judge_set(const struct regex_dfa *d, uint32_t *found)
{
	*found = d->found;
	if (d->found != REGEX_NONE)
		return REGEX_READ_MATCH;
	return d->set_n ? REGEX_READ_ALL : REGEX_READ_DEAD;
}

/* The row of d->set; states are forgotten to make room. false: too few bytes were read
 * for the states that were made. */
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

/* A step over a byte whose transition is not known. */
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
		size_t walked = walk_bytes(d, &row, p + i, *n - i);

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

/* ---- without states -------------------------------------------------------------- */

static void
place_instructions(struct regex_dfa *d, struct bits *b)
{
	const uint32_t *firsts = d->program->firsts;
	uint32_t bit = 0;

	b->bit_of = NEW_ARRAY(d->arena, uint32_t, firsts[d->to] - d->base);
	for (uint32_t e = d->from; e < d->to; e++) {
		if (bit % 64 + (firsts[e + 1] - firsts[e]) > 64)
			bit = (bit + 63) / 64 * 64;
		for (uint32_t at = firsts[e]; at < firsts[e + 1]; at++)
			b->bit_of[at - d->base] = bit++;
	}
	b->words = (bit / 64 + 2) / 2 * 2;
	b->instruction = NEW_ARRAY(d->arena, uint32_t, b->words * 64);
	for (uint32_t at = d->base; at < firsts[d->to]; at++)
		b->instruction[b->bit_of[at - d->base]] = at;
}

static uint64_t *
bits_new(const struct regex_dfa *d, const struct bits *b, size_t sets)
{
	return NEW_ARRAY(d->arena, uint64_t, sets * b->words);
}

/* Adds to set the instructions that were seen and wait or have matched. */
static void
put_seen(const struct regex_dfa *d, uint64_t *set)
{
	for (size_t w = 0; w < d->words; w++)
		for (uint64_t bits = d->seen[w]; bits; bits &= bits - 1) {
			uint32_t at = (uint32_t)w * 64 + (uint32_t)__builtin_ctzll(bits);

			if (has_bit(d->waits, at) ||
				d->program->v[d->base + at].op == OP_FOUND)
				set_bit(set, d->bits->bit_of[at]);
		}
}

/* Whether only the bit below follows, and waits. */
static bool
is_step(const struct bits *b, uint32_t bit)
{
	const uint64_t *follows = &b->follows[bit * b->words];

	return bit % 64 && b->first[bit] == bit / 64 && b->behind[bit] == bit / 64 + 1 &&
	       follows[bit / 64] == UINT64_C(1) << (bit - 1) % 64 &&
	       !has_bit(b->founds, bit - 1);
}

static void
prepare_follows(struct regex_dfa *d, uint32_t at)
{
	struct bits *b = d->bits;
	uint32_t bit = b->bit_of[at - d->base];
	uint64_t *follows = &b->follows[bit * b->words];
	size_t first = 0, behind = b->words;

	memset(d->seen, 0, d->words * sizeof *d->seen);
	follow_instruction(d, d->program->v[at].to, false, false);
	put_seen(d, follows);
	while (behind && !follows[behind - 1])
		behind--;
	while (first < behind && !follows[first])
		first++;
	b->first[bit] = (uint16_t)first;
	b->behind[bit] = (uint16_t)behind;
	if (is_step(b, bit))
		set_bit(b->steps, bit);
}

/* For an instruction that reads. */
static void
prepare_reads(struct regex_dfa *d, uint32_t at)
{
	struct bits *b = d->bits;

	for (unsigned byte = 0; byte < 256; byte++)
		if (regex_program_reads(d->program, at, (unsigned char)byte))
			set_bit(&b->reads[d->classes->of[byte] * b->words],
				b->bit_of[at - d->base]);
}

static void
prepare_bits(struct regex_dfa *d)
{
	const struct regex_program *p = d->program;
	struct bits *b = NEW(d->arena, struct bits);

	d->bits = b;
	place_instructions(d, b);
	b->reads = bits_new(d, b, d->classes->n);
	b->steps = bits_new(d, b, 1);
	b->follows = bits_new(d, b, b->words * 64);
	b->first = NEW_ARRAY(d->arena, uint16_t, b->words * 64);
	b->behind = NEW_ARRAY(d->arena, uint16_t, b->words * 64);
	b->founds = bits_new(d, b, 1);
	b->again = bits_new(d, b, 1);
	b->set = bits_new(d, b, 1);
	b->others = bits_new(d, b, 1);
	for (uint32_t at = d->base; at < p->firsts[d->to]; at++)
		if (p->v[at].op == OP_FOUND)
			set_bit(b->founds, b->bit_of[at - d->base]);
	memcpy(d->seen, d->again, d->words * sizeof *d->seen);
	put_seen(d, b->again);
	for (size_t w = 0; w < b->words; w++)
		b->has_again = b->has_again || b->again[w];
	for (uint32_t at = d->base; at < p->firsts[d->to]; at++)
		if (has_bit(d->waits, at - d->base) && p->v[at].op != OP_END) {
			prepare_follows(d, at);
			prepare_reads(d, at);
		}
}

/* Adds what follows the instructions in others to the set. true: some expression has
 * matched. */
static bool
add_follows(const struct bits *b, uint64_t *set, const uint64_t *others)
{
	uint64_t found = 0;

	for (size_t w = 0; w < b->words; w++)
		for (uint64_t rest = others[w]; rest; rest &= rest - 1) {
			size_t bit = w * 64 + (size_t)__builtin_ctzll(rest);
			const uint64_t *follows = &b->follows[bit * b->words];

			for (size_t v = b->first[bit]; v < b->behind[bit]; v++) {
				set[v] |= follows[v];
				found |= follows[v] & b->founds[v];
			}
		}
	return found != 0;
}

static bool
is_nothing(const uint64_t *set, size_t words)
{
	for (size_t w = 0; w < words; w++)
		if (set[w])
			return false;
	return true;
}

/* Compilers do not use vector instructions for a loop over single words. */
static size_t
simulate_words(const struct regex_dfa *d, const unsigned char *p, size_t n)
{
	const struct bits *b = d->bits;
	const word_pair *steps = (const word_pair *)b->steps;
	const word_pair *again = (const word_pair *)b->again;
	word_pair *set = (word_pair *)b->set, *others = (word_pair *)b->others;
	size_t i = 0, pairs = b->words / 2;

	while (i < n) {
		const word_pair *reads =
			(const word_pair *)b->reads + d->classes->of[p[i++]] * pairs;
		word_pair rest = {0, 0};

		for (size_t k = 0; k < pairs; k++) {
			word_pair passed = set[k] & reads[k];
			word_pair other = passed & ~steps[k];

			others[k] = other;
			rest |= other;
			set[k] = again[k] | (passed & steps[k]) >> 1;
		}
		if ((rest[0] | rest[1]) && add_follows(b, b->set, b->others))
			break;
		if (!b->has_again && is_nothing(b->set, b->words))
			break;
	}
	return i;
}

/* As simulate_words, for sets of one word. */
static size_t
simulate_word(const struct regex_dfa *d, const unsigned char *p, size_t n)
{
	const struct bits *b = d->bits;
	const unsigned char *class_of = d->classes->of;
	uint64_t set = *b->set, steps = *b->steps, founds = *b->founds, again = *b->again;
	size_t i = 0;

	while (i < n) {
		uint64_t passed = set & b->reads[class_of[p[i++]] * b->words];

		set = again | (passed & steps) >> 1;
		for (passed &= ~steps; passed; passed &= passed - 1)
			set |= b->follows[(size_t)__builtin_ctzll(passed) * b->words];
		if (!set || set & founds)
			break;
	}
	*b->set = set;
	return i;
}

/* Converts b->set to d->set and d->found. */
static void
collect_bits(struct regex_dfa *d)
{
	const struct bits *b = d->bits;

	d->set_n = 0;
	d->found = REGEX_NONE;
	for (size_t w = 0; w < b->words; w++)
		for (uint64_t bits = b->set[w]; bits; bits &= bits - 1) {
			size_t bit = w * 64 + (size_t)__builtin_ctzll(bits);
			const struct regex_instruction *v =
				&d->program->v[b->instruction[bit]];

			if (v->op != OP_FOUND)
				d->set[d->set_n++] = b->instruction[bit];
			else if (v->argument < d->found)
				d->found = v->argument;
		}
}

/* From the cursor's set to d->set and d->found. Returns the number of bytes read. */
static size_t
simulate_bits(struct regex_dfa *d, const struct regex_cursor *c, const unsigned char *p,
	size_t n)
{
	struct bits *b;
	size_t read;

	if (!d->bits)
		prepare_bits(d);
	b = d->bits;
	memset(b->set, 0, b->words * sizeof *b->set);
	for (size_t i = 0; i < c->n; i++)
		set_bit(b->set, b->bit_of[c->v[i] - d->base]);
	read = d->words == 1 ? simulate_word(d, p, n) : simulate_words(d, p, n);
	collect_bits(d);
	return read;
}

/* As simulate_bits, for sets that are too large to store what follows each
 * instruction. */
static size_t
simulate_steps(
	struct regex_dfa *d, struct regex_cursor *c, const unsigned char *p, size_t n)
{
	size_t i = 0;

	while (i < n) {
		step_set(d, c->v, c->n, p[i++]);
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
	*n = d->words * 64 <= REGEX_BITS_MOST ? simulate_bits(d, c, p, *n)
					      : simulate_steps(d, c, p, *n);
	set_cursor(c, d->set, d->set_n);
	c->has_read = true;
	return judge_set(d, found);
}

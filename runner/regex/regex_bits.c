/*
 * Sets of instructions as bits. See regex_bits.h.
 *
 * Each instruction that waits has a bit. What follows an instruction that has read is
 * found for many instructions at once, in one of three ways:
 * - by a shift: followers are most often a fixed number of bits away, the next
 *   instruction of a sequence, or the same instruction in a loop over one byte;
 * - by a bridge: all instructions in from, of one word, have the followers in to, of the
 *   same word, as the ends of alternatives have;
 * - by extras, a list for one instruction.
 *
 * An expression that fits into one word has its bits in one word, since shifts and
 * bridges do not pass the end of a word.
 */
#include "runner/regex/regex_bits.h"

#include "runner/base/sort.h"

enum {
	QUAD = 4, /* words that are handled at once */
	QUADS_MOST = 4, /* that stay in registers */
	SHIFTS_MOST = 8,
	BRIDGES_MOST = 8, /* in one word */
	SIMPLE_MOST = 2, /* followers that shifts are chosen for */
	FEW_WORDS = 4, /* a shift is worth a follower in so many words */
	DISTANCES = 127, /* -63 to 63 */
	DISTANCE_0 = 63,
	STRIDE = 32, /* bytes between two tests */
	TESTED_BYTES =
		1024, /* bytes that are tested one by one after a test has failed */
};

/* Arrays of words are of this type, with the alignment of words. */
typedef uint64_t word_quad __attribute__((vector_size(32), may_alias, aligned(8)));

#define INLINE static inline __attribute__((always_inline))
#define EACH_QUAD(k, quads) _Pragma("GCC unroll 4") for (size_t k = 0; k < (quads); k++)

struct shift {
	int distance;
	uint64_t distances[QUAD]; /* the same, for each word of a quad */
	uint64_t *to; /* the followers at this distance */
};

/* By word. */
struct bridge {
	uint64_t *from, *to;
};

struct extra {
	uint32_t first, behind; /* the words that have followers */
	uint64_t *followers; /* by word */
};

/* Reads bytes from b->set on, to the end or up to a byte after which some expression has
 * matched or nothing waits. Returns how many bytes it has read: the byte after which
 * nothing waits is read, a byte that makes a match is not. */
typedef size_t walk_bits(const struct regex_bits *b, const unsigned char *p, size_t n);

struct regex_bits {
	struct arena *arena;
	struct regex_sets *sets;
	uint32_t *bit_of; /* by instruction that waits */
	size_t words; /* of each set, a multiple of QUAD */
	uint64_t *reads; /* by class: the instructions that read it */
	uint64_t *again; /* a match that begins at the next byte */
	uint64_t *finds; /* the instructions after which some expression has matched */
	uint64_t *others; /* the instructions in finds, or that have extras */
	bool has_again;
	struct shift shifts[SHIFTS_MOST];
	size_t shifts_n, down; /* the first ones are to lower bits: so many */
	struct bridge bridges[BRIDGES_MOST];
	size_t bridges_n;
	struct extra *extras; /* by bit */
	size_t distances[DISTANCES]; /* how many followers have a distance */
	uint64_t *set, *passed;
	uint64_t *room[3]; /* instead of registers */
	walk_bits *walk;
};

static void
set_bit(uint64_t *bits, uint32_t at)
{
	bits[at / 64] |= UINT64_C(1) << at % 64;
}

/* ---- reading --------------------------------------------------------------------- */

static bool
finds_match(const struct regex_bits *b)
{
	for (size_t w = 0; w < b->words; w++)
		if (b->passed[w] & b->finds[w])
			return true;
	return false;
}

static void
add_extras(const struct regex_bits *b)
{
	for (size_t w = 0; w < b->words; w++)
		for (uint64_t bits = b->passed[w] & b->others[w]; bits;
			bits &= bits - 1) {
			const struct extra *x =
				&b->extras[w * 64 + (size_t)__builtin_ctzll(bits)];

			for (size_t v = x->first; v < x->behind; v++)
				b->set[v] |= x->followers[v];
		}
}

INLINE bool
has_any(const word_quad *q)
{
	return ((*q)[0] | (*q)[1] | (*q)[2] | (*q)[3]) != 0;
}

INLINE void
copy_quads(word_quad *to, const word_quad *from, size_t quads)
{
	EACH_QUAD (k, quads)
		to[k] = from[k];
}

/* The values of a walk. Where quads is a small constant, the sets are in registers. */
struct walk {
	const struct regex_bits *bits;
	word_quad *set, *passed, *kept;
	size_t quads;
	bool is_wide;
};

/* A distance for each word is quicker where processors have an instruction for it. */
#define SHIFT(w, k, s, operator)                                                         \
	((w).is_wide ? (w).passed[k] operator*(const word_quad *)(s)->distances          \
		     : (w).passed[k] operator(s)->distance)

/* The followers of passed that shifts and bridges find, and again. */
INLINE void
follow_quads(struct walk w)
{
	const struct regex_bits *b = w.bits;
	const struct shift *s = b->shifts, *up = s + b->down, *behind = s + b->shifts_n;

	copy_quads(w.set, (const word_quad *)b->again, w.quads);
	for (; s < up; s++)
		EACH_QUAD (k, w.quads)
			w.set[k] |= SHIFT(w, k, s, >>) & ((const word_quad *)s->to)[k];
	for (; s < behind; s++)
		EACH_QUAD (k, w.quads)
			w.set[k] |= SHIFT(w, k, s, <<) & ((const word_quad *)s->to)[k];
	for (size_t i = 0; i < b->bridges_n; i++) {
		const word_quad *from = (const word_quad *)b->bridges[i].from;
		const word_quad *to = (const word_quad *)b->bridges[i].to;

		EACH_QUAD (k, w.quads)
			w.set[k] |= ~(word_quad)((w.passed[k] & from[k]) == 0) & to[k];
	}
}

/* What of the set reads the byte: passed. Adds to any what of that is in others. */
INLINE void
read_byte(struct walk w, word_quad *any, unsigned char byte)
{
	const word_quad *reads = (const word_quad *)w.bits->reads +
				 w.bits->sets->classes->of[byte] * w.quads;
	const word_quad *others = (const word_quad *)w.bits->others;

	EACH_QUAD (k, w.quads) {
		w.passed[k] = w.set[k] & reads[k];
		*any |= w.passed[k] & others[k];
	}
}

/* Nothing waits, nor will. */
INLINE bool
is_dead(struct walk w)
{
	word_quad any = w.set[0];

	if (w.bits->has_again)
		return false;
	for (size_t k = 1; k < w.quads; k++)
		any |= w.set[k];
	return !has_any(&any);
}

/* As walk_bits, from set on. */
INLINE size_t
walk_tested(struct walk w, const unsigned char *p, size_t n)
{
	const struct regex_bits *b = w.bits;
	size_t i = 0;

	for (; i < n && !is_dead(w); i++) {
		word_quad any = {0, 0, 0, 0};
		bool has_others;

		read_byte(w, &any, p[i]);
		has_others = has_any(&any);
		if (has_others) {
			copy_quads((word_quad *)b->passed, w.passed, w.quads);
			if (finds_match(b))
				break;
		}
		follow_quads(w);
		if (has_others) {
			copy_quads((word_quad *)b->set, w.set, w.quads);
			add_extras(b);
			copy_quads(w.set, (const word_quad *)b->set, w.quads);
		}
	}
	return i;
}

/* Reads STRIDE bytes. false: set is to be restored, and the bytes are to be tested one by
 * one. */
INLINE bool
walk_stride(struct walk w, const unsigned char *p)
{
	word_quad any = {0, 0, 0, 0};

	for (size_t i = 0; i < STRIDE; i++) {
		read_byte(w, &any, p[i]);
		follow_quads(w);
	}
	return !has_any(&any) && !is_dead(w);
}

/* As walk_bits. While it reads, the set is in registers where quads is a small
 * constant. */
INLINE size_t
walk_quads(struct walk w, const unsigned char *p, size_t n)
{
	size_t i = 0, wanted, walked;

	copy_quads(w.set, (const word_quad *)w.bits->set, w.quads);
	do {
		for (; n - i >= STRIDE; i += STRIDE) {
			copy_quads(w.kept, w.set, w.quads);
			if (!walk_stride(w, p + i)) {
				copy_quads(w.set, w.kept, w.quads);
				break;
			}
		}
		wanted = n - i < TESTED_BYTES ? n - i : TESTED_BYTES;
		walked = walk_tested(w, p + i, wanted);
		i += walked;
	} while (walked == wanted && i < n);
	copy_quads((word_quad *)w.bits->set, w.set, w.quads);
	return i;
}

INLINE size_t
walk_few(const struct regex_bits *b, size_t quads, bool is_wide, const unsigned char *p,
	size_t n)
{
	word_quad set[QUADS_MOST], passed[QUADS_MOST], kept[QUADS_MOST];
	struct walk w = {b, set, passed, kept, quads, is_wide};

	return walk_quads(w, p, n);
}

INLINE size_t
walk_any(const struct regex_bits *b, bool is_wide, const unsigned char *p, size_t n)
{
	struct walk many = {b, (word_quad *)b->room[0], (word_quad *)b->room[1],
		(word_quad *)b->room[2], b->words / QUAD, is_wide};

	switch (b->words / QUAD) {
	case 1:
		return walk_few(b, 1, is_wide, p, n);
	case 2:
		return walk_few(b, 2, is_wide, p, n);
	case 3:
		return walk_few(b, 3, is_wide, p, n);
	case 4:
		return walk_few(b, 4, is_wide, p, n);
	default:
		return walk_quads(many, p, n);
	}
}

static size_t
walk_plain(const struct regex_bits *b, const unsigned char *p, size_t n)
{
	return walk_any(b, false, p, n);
}

#if defined __x86_64__
__attribute__((target("avx2"))) static size_t
walk_wide(const struct regex_bits *b, const unsigned char *p, size_t n)
{
	return walk_any(b, true, p, n);
}

/* Twice as many registers, and instructions with three operands. */
__attribute__((target("avx2,avx512f,avx512vl"))) static size_t
walk_widest(const struct regex_bits *b, const unsigned char *p, size_t n)
{
	return walk_any(b, true, p, n);
}

static walk_bits *
best_walk(enum regex_width width)
{
	if (width >= REGEX_WIDEST && __builtin_cpu_supports("avx512f") &&
		__builtin_cpu_supports("avx512vl"))
		return walk_widest;
	if (width >= REGEX_WIDE && __builtin_cpu_supports("avx2"))
		return walk_wide;
	return walk_plain;
}
#else
static walk_bits *
best_walk(enum regex_width width)
{
	(void)width;
	return walk_plain;
}
#endif

/* ---- preparation ----------------------------------------------------------------- */

static bool
does_wait(const struct regex_bits *b, uint32_t at)
{
	return regex_sets_has(b->sets->waits, at - b->sets->base);
}

static bool
does_read(const struct regex_bits *b, uint32_t at)
{
	return does_wait(b, at) && b->sets->program->v[at].op != OP_END;
}

static uint64_t *
words_new(const struct regex_bits *b)
{
	return NEW_ARRAY(b->arena, uint64_t, b->words);
}

static uint32_t
count_waiting(const struct regex_bits *b, uint32_t expression)
{
	const uint32_t *firsts = b->sets->program->firsts;
	uint32_t n = 0;

	for (uint32_t at = firsts[expression]; at < firsts[expression + 1]; at++)
		n += does_wait(b, at);
	return n;
}

/* Where the n bits of an expression begin: the first word that has room for all of them,
 * or, where they are too many, words of their own. used: how many bits each word has. */
static uint32_t
place_bits(uint32_t *used, size_t words, uint32_t n)
{
	uint32_t w = 0, begin;

	while (n <= 64 ? used[w] + n > 64 : used[w] > 0)
		w++;
	begin = w * 64 + used[w];
	for (; n; w++) {
		uint32_t here = n < 64 - used[w] ? n : 64 - used[w];

		INVARIANT(w < words);
		used[w] += here;
		n -= here;
	}
	return begin;
}

struct sized {
	uint32_t expression, bits;
};

SORT_BY(sort_sized, struct sized, DESCENDING(bits) ASCENDING(expression))

/* The largest expressions first, which leaves the least room unused. */
static void
place_expressions(struct regex_bits *b)
{
	const struct regex_sets *s = b->sets;
	const uint32_t *firsts = s->program->firsts;
	uint32_t n = s->to - s->from;
	size_t most = (s->end - s->base) / 64 + n + 1;
	uint32_t *used = NEW_ARRAY(b->arena, uint32_t, most);
	struct sized *sized = NEW_ARRAY(b->arena, struct sized, n);

	b->bit_of = NEW_ARRAY(b->arena, uint32_t, s->end - s->base);
	for (uint32_t e = 0; e < n; e++)
		sized[e] = (struct sized){s->from + e, count_waiting(b, s->from + e)};
	sort_sized(sized, n);
	for (uint32_t e = 0; e < n; e++) {
		uint32_t bit = place_bits(used, most, sized[e].bits);

		for (uint32_t at = firsts[sized[e].expression];
			at < firsts[sized[e].expression + 1]; at++)
			if (does_wait(b, at))
				b->bit_of[at - s->base] = bit++;
	}
	for (size_t w = 0; w < most; w++)
		if (used[w])
			b->words = (w / QUAD + 1) * QUAD;
	if (!b->words)
		b->words = QUAD;
}

/* The followers of an instruction that reads, but those that are in the set after every
 * step. */
static void
collect_followers(struct regex_bits *b, uint32_t at)
{
	struct regex_sets *s = b->sets;

	memset(b->set, 0, b->words * sizeof *b->set);
	regex_sets_follow(s, at);
	for (size_t w = 0; w < s->words; w++)
		for (uint64_t bits = s->seen[w] & s->waits[w] & ~s->again[w]; bits;
			bits &= bits - 1)
			set_bit(b->set,
				b->bit_of[w * 64 + (size_t)__builtin_ctzll(bits)]);
}

/* Calls use for every instruction that reads, as a bit, with its followers in b->set. */
static void
each_reader(struct regex_bits *b, void (*use)(struct regex_bits *b, uint32_t from))
{
	for (uint32_t at = b->sets->base; at < b->sets->end; at++)
		if (does_read(b, at)) {
			collect_followers(b, at);
			use(b, b->bit_of[at - b->sets->base]);
		}
}

static size_t
count_followers(const struct regex_bits *b)
{
	size_t n = 0;

	for (size_t w = 0; w < b->words; w++)
		n += (size_t)__builtin_popcountll(b->set[w]);
	return n;
}

static void
count_distances(struct regex_bits *b, uint32_t from)
{
	if (count_followers(b) <= SIMPLE_MOST)
		for (uint64_t bits = b->set[from / 64]; bits; bits &= bits - 1)
			b->distances[DISTANCE_0 + (int)(from % 64) -
				     __builtin_ctzll(bits)]++;
}

/* Chooses the distances that most followers have. */
static void
choose_shifts(struct regex_bits *b)
{
	bool chosen[DISTANCES] = {false};

	each_reader(b, count_distances);
	for (size_t n = 0; n < SHIFTS_MOST; n++) {
		size_t most = 0;

		for (size_t d = 0; d < DISTANCES; d++)
			if (!chosen[d] && b->distances[d] > b->distances[most])
				most = d;
		if (chosen[most] || !b->distances[most] ||
			b->distances[most] * FEW_WORDS < b->words)
			break;
		chosen[most] = true;
	}
	for (size_t d = DISTANCES; d; d--)
		if (chosen[d - 1]) {
			int distance = (int)d - 1 - DISTANCE_0;
			struct shift *s = &b->shifts[b->shifts_n++];

			b->down += distance >= 0;
			s->distance = distance >= 0 ? distance : -distance;
			s->to = words_new(b);
			for (int k = 0; k < QUAD; k++)
				s->distances[k] = (uint64_t)s->distance;
		}
}

/* Where the shift number i moves the bit within its word; 0: nowhere. */
static uint64_t
shift_bit(const struct regex_bits *b, size_t i, uint32_t bit)
{
	uint64_t word = UINT64_C(1) << bit % 64;

	return i < b->down ? word >> b->shifts[i].distance
			   : word << b->shifts[i].distance;
}

static bool
add_to_shifts(struct regex_bits *b, uint32_t from)
{
	uint64_t left = b->set[from / 64];

	for (size_t i = 0; i < b->shifts_n; i++)
		left &= ~shift_bit(b, i, from);
	if (left)
		return false;
	for (size_t i = 0; i < b->shifts_n; i++)
		b->shifts[i].to[from / 64] |= shift_bit(b, i, from) & b->set[from / 64];
	return true;
}

static bool
add_to_bridges(struct regex_bits *b, uint32_t from)
{
	size_t w = from / 64, i = 0;

	while (i < b->bridges_n && b->bridges[i].to[w] &&
		b->bridges[i].to[w] != b->set[w])
		i++;
	if (i == BRIDGES_MOST)
		return false;
	if (i == b->bridges_n)
		b->bridges[b->bridges_n++] = (struct bridge){words_new(b), words_new(b)};
	b->bridges[i].to[w] = b->set[w];
	set_bit(b->bridges[i].from, from);
	return true;
}

/* The followers that are in other words, or in all words. */
static void
add_extra(struct regex_bits *b, uint32_t from)
{
	struct extra *x = &b->extras[from];

	x->followers = words_new(b);
	memcpy(x->followers, b->set, b->words * sizeof *b->set);
	x->first = (uint32_t)b->words;
	for (uint32_t w = 0; w < b->words; w++) {
		if (!x->followers[w])
			continue;
		x->behind = w + 1;
		if (x->first > w)
			x->first = w;
	}
	if (x->behind)
		set_bit(b->others, from);
}

static void
add_followers(struct regex_bits *b, uint32_t from)
{
	if (add_to_shifts(b, from) || add_to_bridges(b, from))
		b->set[from / 64] = 0;
	add_extra(b, from);
}

static void
prepare_reads(struct regex_bits *b)
{
	struct regex_sets *s = b->sets;

	b->reads = NEW_ARRAY(b->arena, uint64_t, s->classes->n * b->words);
	for (uint32_t at = s->base; at < s->end; at++) {
		uint32_t bit = b->bit_of[at - s->base];

		if (!does_read(b, at))
			continue;
		for (unsigned byte = 0; byte < 256; byte++)
			if (regex_program_reads(s->program, at, (unsigned char)byte))
				set_bit(&b->reads[s->classes->of[byte] * b->words], bit);
		regex_sets_follow(s, at);
		if (s->found != REGEX_NONE) {
			set_bit(b->finds, bit);
			set_bit(b->others, bit);
		}
	}
}

static void
prepare_again(struct regex_bits *b)
{
	const struct regex_sets *s = b->sets;

	for (uint32_t at = s->base; at < s->end; at++)
		if (does_wait(b, at) && regex_sets_has(s->again, at - s->base)) {
			set_bit(b->again, b->bit_of[at - s->base]);
			b->has_again = true;
		}
}

struct regex_bits *
regex_bits_new(struct arena *a, struct regex_sets *sets, enum regex_width width)
{
	struct regex_bits *b = NEW(a, struct regex_bits);

	b->arena = a;
	b->sets = sets;
	b->walk = best_walk(width);
	place_expressions(b);
	b->again = words_new(b);
	b->finds = words_new(b);
	b->others = words_new(b);
	b->set = words_new(b);
	b->passed = words_new(b);
	for (size_t i = 0; i < sizeof b->room / sizeof *b->room; i++)
		b->room[i] = words_new(b);
	b->extras = NEW_ARRAY(a, struct extra, b->words * 64);
	prepare_again(b);
	prepare_reads(b);
	choose_shifts(b);
	each_reader(b, add_followers);
	return b;
}

/* ---- texts ----------------------------------------------------------------------- */

static void
put_cursor(struct regex_bits *b, const struct regex_cursor *c)
{
	memset(b->set, 0, b->words * sizeof *b->set);
	for (size_t i = 0; i < c->n; i++)
		set_bit(b->set, b->bit_of[c->v[i] - b->sets->base]);
}

static void
set_cursor(const struct regex_bits *b, struct regex_cursor *c)
{
	struct regex_sets *s = b->sets;

	s->found = REGEX_NONE;
	s->set_n = 0;
	for (uint32_t at = s->base; at < s->end; at++)
		if (does_wait(b, at) && regex_sets_has(b->set, b->bit_of[at - s->base]))
			s->set[s->set_n++] = at;
	regex_cursor_set(c, s->set, s->set_n);
}

enum regex_reading
regex_bits_read(struct regex_bits *b, struct regex_cursor *c, const char *bytes,
	size_t *n, uint32_t *found)
{
	const unsigned char *p = (const unsigned char *)bytes;
	struct regex_sets *s = b->sets;
	size_t read;

	INVARIANT(n && found);
	if (*n == 0)
		return REGEX_READ_ALL;
	put_cursor(b, c);
	read = b->walk(b, p, *n);
	set_cursor(b, c);
	if (read < *n && s->set_n) {
		regex_sets_step(s, c->v, c->n, p[read++]);
		regex_cursor_set(c, s->set, s->set_n);
	}
	c->has_read = true;
	*n = read;
	return regex_sets_judge(s, found);
}

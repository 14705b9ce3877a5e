/*
 * Streams of bits, one bit for each byte of a block. See regex_streams.h.
 *
 * An instruction that waits for a byte is a state here. Its stream has the bytes that it
 * reads while it waits. So it waits at a byte where one of its leads, the states that
 * lead to it, has read the byte before: their streams, moved by one bit. What it reads of
 * these bytes is in the stream of a set of bytes, which is made from the text.
 *
 * States are in an order in which leads come first, as far as there are no loops. A state
 * that leads to itself is followed through any number of bytes by one addition, whose
 * carry runs through the ones of the set's stream. The states of larger loops are
 * followed in rounds, until nothing changes.
 *
 * A state that waits at every byte, because a match may begin there, has the stream of
 * its set. States that wait at the same bytes for the same set are one state.
 */
#include "runner/regex/regex_streams.h"

#if defined __x86_64__
#include <immintrin.h>
#endif

#include "runner/base/sort.h"

enum {
	QUAD = 4, /* words that are handled at once */
	BLOCK_QUADS = 8, /* bits of a stream, which stay in registers */
	BLOCK_WORDS = BLOCK_QUADS * QUAD,
	BLOCK = BLOCK_WORDS * 64, /* bytes */
	/* The work of loops is looked at after so many bytes. A unit of it takes as long
	 * as one byte of regex_bits with so many instructions. */
	COUNTED_BYTES = 1 << 16,
	INSTRUCTIONS_OF_WORK = 256,
	LEADS_OF_STATE = 8, /* most, on average; with more, streams are slow */
};
_Static_assert(BLOCK == (int)REGEX_STREAMS_PIECE, "a block is the shortest piece");

/* Streams begin at multiples of its size. */
typedef uint64_t word_quad __attribute__((vector_size(QUAD * 8), may_alias));

#define INLINE static inline __attribute__((always_inline))
#define EACH_QUAD(k)                                                                     \
	_Pragma("GCC unroll 8") for (size_t k = 0; k < (size_t)BLOCK_QUADS; k++)

/* Bytes from first up to first + more. */
struct range {
	unsigned char first, more;
};

struct set {
	uint32_t first, n; /* of the ranges */
	uint64_t inverted; /* all ones: the bytes that are in no range */
};

struct state {
	uint32_t set; /* number of the stream of what it reads */
	uint32_t first, n; /* of the leads, without the state itself */
	bool repeats; /* leads to itself */
	bool is_next; /* its only lead is the state before it */
	bool leads_back; /* to a state before it, in a loop */
};

/* Neighbouring states: one, or those of a loop. */
struct loop {
	uint32_t from, to;
	uint32_t leads;
};

/* Makes the streams of the sets from a block of text. */
typedef void read_sets(const struct regex_streams *s, const unsigned char *block);
/* Makes the streams of the states. */
typedef void follow_states(struct regex_streams *s);

struct regex_streams {
	struct arena *arena;
	struct regex_sets *sets;
	uint64_t *streams; /* those of the sets, then those of the states */
	VEC(struct set) read;
	VEC(struct range) ranges;
	VEC(struct state) states;
	VEC(uint32_t) leads; /* numbers of streams */
	VEC(struct loop) loops; /* in the order in which they are followed */
	VEC(uint32_t) finds; /* the streams of states that end a match */
	uint32_t *stream_of; /* by instruction that waits */
	/* By state: it waits at the first byte of the block, and at the one after it. */
	unsigned char *waits, *next;
	bool has_again; /* some state waits at every byte */
	unsigned char *tail; /* the last bytes of a piece, which are less than a block */
	uint64_t work, bytes; /* of loops, since both are counted */
	read_sets *read_sets;
	follow_states *follow_states;
};

static uint64_t *
stream_at(const struct regex_streams *s, uint32_t number)
{
	return s->streams + (size_t)number * BLOCK_WORDS;
}

/* ---- sets of bytes --------------------------------------------------------------- */

/* A byte of all ones in word to a bit, those of the first byte lowest. */
INLINE uint64_t
bits_of_bytes(uint64_t word)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	word &= UINT64_C(0x0102040810204080);
#else
	word &= UINT64_C(0x8040201008040201);
#endif
	return word * UINT64_C(0x0101010101010101) >> 56;
}

static uint64_t
read_word(const struct regex_streams *s, const struct set *set, const unsigned char *p)
{
	typedef unsigned char byte_vector __attribute__((vector_size(64)));
	byte_vector bytes, any = {0};
	uint64_t words[8], bits = 0;

	memcpy(&bytes, p, sizeof bytes);
	for (uint32_t i = 0; i < set->n; i++) {
		struct range r = s->ranges.v[set->first + i];

		any |= (byte_vector)(bytes - r.first <= r.more);
	}
	memcpy(words, &any, sizeof words);
	for (int i = 0; i < 8; i++)
		bits |= bits_of_bytes(words[i]) << 8 * i;
	return bits;
}

static void
read_sets_plain(const struct regex_streams *s, const unsigned char *block)
{
	for (uint32_t i = 0; i < s->read.n; i++) {
		const struct set *set = &s->read.v[i];
		uint64_t *stream = stream_at(s, i);

		for (size_t w = 0; w < BLOCK_WORDS; w++)
			stream[w] = read_word(s, set, block + w * 64) ^ set->inverted;
	}
}

#if defined __x86_64__
__attribute__((target("avx2"))) static uint64_t
read_half_word(
	const struct regex_streams *s, const struct set *set, const unsigned char *p)
{
	__m256i bytes = _mm256_loadu_si256((const __m256i *)(const void *)p);
	__m256i any = _mm256_setzero_si256();

	for (uint32_t i = 0; i < set->n; i++) {
		struct range r = s->ranges.v[set->first + i];
		__m256i at = _mm256_sub_epi8(bytes, _mm256_set1_epi8((char)r.first));
		__m256i most = _mm256_set1_epi8((char)r.more);

		any = _mm256_or_si256(
			any, _mm256_cmpeq_epi8(_mm256_min_epu8(at, most), at));
	}
	return (uint32_t)_mm256_movemask_epi8(any);
}

__attribute__((target("avx2"))) static void
read_sets_wide(const struct regex_streams *s, const unsigned char *block)
{
	for (uint32_t i = 0; i < s->read.n; i++) {
		const struct set *set = &s->read.v[i];
		uint64_t *stream = stream_at(s, i);

		for (size_t w = 0; w < BLOCK_WORDS; w++)
			stream[w] = (read_half_word(s, set, block + w * 64) |
					    read_half_word(s, set, block + w * 64 + 32)
						    << 32) ^
				    set->inverted;
	}
}

__attribute__((target("avx512f,avx512bw"))) static void
read_sets_widest(const struct regex_streams *s, const unsigned char *block)
{
	for (uint32_t i = 0; i < s->read.n; i++) {
		const struct set *set = &s->read.v[i];
		uint64_t *stream = stream_at(s, i);

		for (size_t w = 0; w < BLOCK_WORDS; w++) {
			__m512i bytes = _mm512_loadu_si512(block + w * 64);
			uint64_t any = set->inverted;

			for (uint32_t k = 0; k < set->n; k++) {
				struct range r = s->ranges.v[set->first + k];
				__m512i first = _mm512_set1_epi8((char)r.first);
				__m512i more = _mm512_set1_epi8((char)r.more);

				any ^= _mm512_cmple_epu8_mask(
					_mm512_sub_epi8(bytes, first), more);
			}
			stream[w] = any;
		}
	}
}
#endif

/* ---- states ---------------------------------------------------------------------- */

/* Moves all words by one bit; the last bit of before is the first one. */
INLINE void
advance(word_quad *q, const word_quad *before)
{
#if defined __clang__ || __GNUC__ >= 12
	word_quad lower = __builtin_shufflevector(*before, *q, 3, 4, 5, 6);
#else
	word_quad lower = __builtin_shuffle(*before, *q, (word_quad){3, 4, 5, 6});
#endif

	*q = *q << 1 | lower >> 63;
}

/* Adds where a state waits that leads to itself: where it reads, it waits at the next
 * byte again. */
INLINE void
repeat_state(word_quad *waits, const word_quad *reads)
{
	uint64_t to[BLOCK_WORDS];
	const uint64_t *read = (const uint64_t *)reads;
	bool carry = false;

	memcpy(to, waits, sizeof to);
	for (size_t w = 0; w < BLOCK_WORDS; w++) {
		uint64_t sum;
		bool first = __builtin_add_overflow(to[w] & read[w], read[w], &sum);
		bool second = __builtin_add_overflow(sum, (uint64_t)carry, &sum);

		carry = first | second;
		to[w] |= sum ^ read[w];
	}
	memcpy(waits, to, sizeof to);
}

/* What following states needs, as values: streams may not be changed by others. */
struct walk {
	const struct state *states;
	const uint32_t *leads;
	uint64_t *streams, *own; /* own: those of the states */
	const unsigned char *waits;
	unsigned char *next;
};

INLINE uint64_t *
stream_of_state(struct walk w, uint32_t number)
{
	return w.own + (size_t)number * BLOCK_WORDS;
}

/* Adds what the leads of the state have read. */
INLINE void
add_leads(struct walk w, const struct state *q, word_quad *read)
{
	EACH_QUAD (k)
		read[k] = (word_quad){0};
	for (uint32_t i = q->first; i < q->first + q->n; i++) {
		const word_quad *more =
			(const word_quad *)(w.streams + (size_t)w.leads[i] * BLOCK_WORDS);

		EACH_QUAD (k)
			read[k] |= more[k];
	}
}

/* What the state reads: before the call, read is of the state before it. Adds to changed
 * what the states before it do not know yet. */
INLINE void
follow_state(struct walk w, uint32_t number, word_quad *read, word_quad *changed)
{
	const struct state *q = &w.states[number];
	const word_quad *set =
		(const word_quad *)(w.streams + (size_t)q->set * BLOCK_WORDS);
	word_quad *own = (word_quad *)stream_of_state(w, number);
	word_quad before = {0, 0, 0, (uint64_t)w.waits[number] << 63};

	if (!q->is_next)
		add_leads(w, q, read);
	EACH_QUAD (k) {
		word_quad here = read[k];

		advance(&read[k], &before);
		before = here;
	}
	if (q->repeats)
		repeat_state(read, set);
	EACH_QUAD (k)
		read[k] &= set[k];
	if (q->leads_back)
		EACH_QUAD (k)
			*changed |= read[k] ^ own[k];
	EACH_QUAD (k)
		own[k] = read[k];
	w.next[number] =
		(unsigned char)((before[3] |
					(q->repeats ? read[BLOCK_QUADS - 1][3] : 0)) >>
				63);
}

/* Returns the work: states that were followed, and their leads. */
INLINE uint64_t
follow_loop(struct walk w, struct loop l, word_quad *read)
{
	uint64_t n = 0;
	word_quad changed;

	memset(stream_of_state(w, l.from), 0, (l.to - l.from) * (size_t)(BLOCK / 8));
	do {
		changed = (word_quad){0};
		for (uint32_t i = l.from; i < l.to; i++)
			follow_state(w, i, read, &changed);
		n += l.to - l.from + l.leads;
	} while (changed[0] | changed[1] | changed[2] | changed[3]);
	return n;
}

INLINE void
follow_all(struct regex_streams *s)
{
	struct walk w = {s->states.v, s->leads.v, s->streams,
		stream_at(s, (uint32_t)s->read.n), s->waits, s->next};
	const struct loop *loops = s->loops.v;
	size_t loops_n = s->loops.n;
	uint64_t work = 0;
	word_quad read[BLOCK_QUADS] = {{0}}, ignored = {0};

	for (size_t i = 0; i < loops_n; i++)
		if (loops[i].to == loops[i].from + 1)
			follow_state(w, loops[i].from, read, &ignored);
		else
			work += follow_loop(w, loops[i], read);
	s->work += work;
}

static void
follow_plain(struct regex_streams *s)
{
	follow_all(s);
}

#if defined __x86_64__
__attribute__((target("avx2"))) static void
follow_wide(struct regex_streams *s)
{
	follow_all(s);
}

/* Instructions with three operands. */
__attribute__((target("avx2,avx512f,avx512vl"))) static void
follow_widest(struct regex_streams *s)
{
	follow_all(s);
}
#endif

static void
choose_walk(struct regex_streams *s, enum regex_width width)
{
	s->read_sets = read_sets_plain;
	s->follow_states = follow_plain;
#if defined __x86_64__
	if (width >= REGEX_WIDE && __builtin_cpu_supports("avx2")) {
		s->read_sets = read_sets_wide;
		s->follow_states = follow_wide;
	}
	if (width >= REGEX_WIDEST && __builtin_cpu_supports("avx512bw") &&
		__builtin_cpu_supports("avx512vl")) {
		s->read_sets = read_sets_widest;
		s->follow_states = follow_widest;
	}
#else
	(void)width;
#endif
}

/* ---- preparation ----------------------------------------------------------------- */

/* What is known of an instruction that waits, before it is a state. */
struct node {
	VEC(uint32_t) leads; /* the instructions that lead to it, as numbers of nodes */
	uint32_t set;
	uint32_t same; /* the first one, in the order of states, that is the same */
	bool finds;
	bool begins; /* it waits at the beginning of a text */
	int loops; /* in how many loops it is together with the next instruction */
};

struct graph {
	struct node *v; /* by instruction, the first of the sets first */
	uint32_t n;
	size_t leads;
	struct map sets; /* numbers of sets of bytes */
};

/* A set or its complement, whichever has fewer ranges. */
static void
add_set(struct regex_streams *s, const struct byte_set *bytes)
{
	struct set set = {.first = (uint32_t)s->ranges.n};
	bool is_inverted = byte_set_has(bytes, 0) && byte_set_has(bytes, 255);

	set.inverted = is_inverted ? UINT64_MAX : 0;
	for (unsigned b = 0; b < 256; b++) {
		unsigned first = b;

		while (b < 256 && byte_set_has(bytes, (unsigned char)b) != is_inverted)
			b++;
		if (b > first)
			VEC_PUSH(s->arena, &s->ranges,
				(struct range){(unsigned char)first,
					(unsigned char)(b - 1 - first)});
	}
	set.n = (uint32_t)s->ranges.n - set.first;
	VEC_PUSH(s->arena, &s->read, set);
}

/* The number of the set of bytes that the instruction reads. */
static uint32_t
set_number(struct regex_streams *s, struct graph *g, uint32_t at)
{
	struct byte_set *bytes = NEW(s->arena, struct byte_set);
	uint32_t number;

	for (unsigned b = 0; b < 256; b++)
		if (regex_program_reads(
			    s->sets->program, at + s->sets->base, (unsigned char)b))
			byte_set_add(bytes, (unsigned char)b);
	number = map_number(&g->sets, str_cut((const char *)bytes, sizeof *bytes));
	if (number == s->read.n)
		add_set(s, bytes);
	return number;
}

static void
add_edges(struct regex_streams *s, struct graph *g, uint32_t from)
{
	struct regex_sets *sets = s->sets;

	if (sets->program->v[from + sets->base].op == OP_END)
		return;
	regex_sets_follow(sets, from + sets->base);
	g->v[from].finds = sets->found != REGEX_NONE;
	for (size_t w = 0; w < sets->words; w++)
		for (uint64_t bits = sets->seen[w] & sets->waits[w] & ~sets->again[w];
			bits; bits &= bits - 1) {
			uint32_t to =
				(uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(bits);

			VEC_PUSH(s->arena, &g->v[to].leads, from);
			g->leads++;
			if (to > from) {
				g->v[from].loops++;
				g->v[to].loops--;
			}
		}
}

static bool
has_few_leads(const struct graph *g)
{
	return g->leads <= LEADS_OF_STATE * (size_t)g->n;
}

/* Followers have lower numbers, but in loops. All between the ends of a loop are taken as
 * instructions of the loop. */
static void
build_graph(struct regex_streams *s, struct graph *g)
{
	struct regex_cursor begin = {.arena = s->arena};

	(void)regex_cursor_begin(&begin, s->sets);
	for (size_t i = 0; i < begin.n; i++)
		g->v[begin.v[i] - s->sets->base].begins = true;
	for (uint32_t i = 0; i < g->n && has_few_leads(g); i++)
		if (regex_sets_has(s->sets->waits, i)) {
			g->v[i].set = set_number(s, g, i);
			add_edges(s, g, i);
		}
	for (uint32_t i = 1; i < g->n; i++)
		g->v[i].loops += g->v[i - 1].loops;
}

static bool
is_state(const struct regex_streams *s, uint32_t at)
{
	return regex_sets_has(s->sets->waits, at) && !regex_sets_has(s->sets->again, at);
}

SORT_BY(sort_by_size, uint32_t, ITSELF)

/* Sorts the numbers, each of which is kept once. Returns how many there are. */
static size_t
sort_numbers(uint32_t *v, size_t n)
{
	size_t kept = 0;

	sort_by_size(v, n);
	for (size_t i = 0; i < n; i++)
		if (i == 0 || v[i] != v[i - 1])
			v[kept++] = v[i];
	return kept;
}

/* What the instruction waits for and where: equal for those that are the same. A lead
 * that is not yet known to be the same as another counts as itself. */
static struct str
node_key(const struct regex_streams *s, const struct graph *g, uint32_t at)
{
	const struct node *of = &g->v[at];
	uint32_t *key = NEW_ARRAY(s->arena, uint32_t, of->leads.n + 2);
	size_t n = 0;

	key[0] = of->set;
	key[1] = 2u * is_state(s, at) + of->begins;
	if (is_state(s, at)) {
		for (size_t i = 0; i < of->leads.n; i++)
			key[2 + i] =
				of->leads.v[i] == at ? g->n : g->v[of->leads.v[i]].same;
		n = sort_numbers(key + 2, of->leads.n);
	}
	return str_cut((const char *)key, (n + 2) * sizeof *key);
}

static void
find_same(const struct regex_streams *s, struct graph *g)
{
	struct map known = map_in(s->arena);

	for (uint32_t at = 0; at < g->n; at++)
		g->v[at].same = at;
	for (uint32_t at = g->n; at--;)
		if (regex_sets_has(s->sets->waits, at)) {
			uint32_t *same = map_at(&known, node_key(s, g, at));

			if (*same == MAP_NONE)
				*same = at;
			g->v[at].same = *same;
		}
}

/* Whether it is a state of its own. */
static bool
is_first(const struct regex_streams *s, const struct graph *g, uint32_t at)
{
	return is_state(s, at) && g->v[at].same == at;
}

/* Gives numbers to the states of the instructions from (excluded) down to to (included),
 * which are followed together. */
static void
number_states(struct regex_streams *s, const struct graph *g, uint32_t from, uint32_t to)
{
	struct loop l = {.from = s->loops.n ? s->loops.v[s->loops.n - 1].to : 0};

	l.to = l.from;
	for (uint32_t at = from; at-- > to;)
		if (is_first(s, g, at))
			s->stream_of[at] = (uint32_t)s->read.n + l.to++;
	if (l.to > l.from)
		VEC_PUSH(s->arena, &s->loops, l);
}

static void
number_streams(struct regex_streams *s, const struct graph *g)
{
	uint32_t to;

	for (uint32_t from = g->n; from; from = to) {
		to = from - 1;
		while (to && g->v[to - 1].loops)
			to--;
		number_states(s, g, from, to);
	}
	for (uint32_t at = 0; at < g->n; at++)
		if (is_state(s, at)) {
			s->stream_of[at] = s->stream_of[g->v[at].same];
		} else if (regex_sets_has(s->sets->waits, at)) {
			s->stream_of[at] = g->v[at].set;
			s->has_again = true;
		}
}

/* Adds the state with its leads; its own stream makes it repeat. */
static void
add_state(struct regex_streams *s, const struct node *of, uint32_t own)
{
	struct state q = {.set = of->set, .first = (uint32_t)s->leads.n};
	uint32_t *v = NEW_ARRAY(s->arena, uint32_t, of->leads.n);
	size_t n;

	for (size_t i = 0; i < of->leads.n; i++)
		v[i] = s->stream_of[of->leads.v[i]];
	n = sort_numbers(v, of->leads.n);
	for (size_t i = 0; i < n; i++)
		if (v[i] == own)
			q.repeats = true;
		else
			VEC_PUSH(s->arena, &s->leads, v[i]);
	q.n = (uint32_t)s->leads.n - q.first;
	VEC_PUSH(s->arena, &s->states, q);
}

/* Whether the state is always followed directly after its only lead, which the first one
 * of a loop is not. */
static bool
is_next(const struct regex_streams *s, uint32_t number, struct loop l)
{
	const struct state *q = &s->states.v[number];

	return (number > l.from || (l.to == l.from + 1 && number > 0)) && q->n == 1 &&
	       s->leads.v[q->first] + 1 == s->read.n + number;
}

static void
add_states(struct regex_streams *s, const struct graph *g)
{
	uint32_t first = (uint32_t)s->read.n;

	for (uint32_t at = g->n; at--;)
		if (is_first(s, g, at))
			add_state(s, &g->v[at], s->stream_of[at]);
	for (size_t i = 0; i < s->loops.n; i++) {
		struct loop *l = &s->loops.v[i];

		for (uint32_t number = l->from; number < l->to; number++) {
			struct state *q = &s->states.v[number];

			l->leads += q->n;
			q->is_next = is_next(s, number, *l);
			for (uint32_t k = q->first; k < q->first + q->n; k++)
				if (s->leads.v[k] > first + number)
					s->states.v[s->leads.v[k] - first].leads_back =
						true;
		}
	}
}

static void
add_finds(struct regex_streams *s, const struct graph *g)
{
	bool *known = NEW_ARRAY(s->arena, bool, s->read.n + s->states.n);

	for (uint32_t at = 0; at < g->n; at++)
		if (g->v[at].finds && !known[s->stream_of[at]]) {
			known[s->stream_of[at]] = true;
			VEC_PUSH(s->arena, &s->finds, s->stream_of[at]);
		}
}

/* Memory that begins at a multiple of the size of a quad. */
static void *
room_for_quads(struct arena *a, size_t bytes)
{
	size_t most = sizeof(word_quad);
	char *p = arena_alloc(a, bytes + most);

	return p + (most - (uintptr_t)p % most);
}

struct regex_streams *
regex_streams_new(struct arena *a, struct regex_sets *sets, enum regex_width width)
{
	struct regex_streams *s = NEW(a, struct regex_streams);
	struct graph g = {.n = sets->end - sets->base};

	s->arena = a;
	s->sets = sets;
	g.v = NEW_ARRAY(a, struct node, g.n);
	g.sets = map_in(a);
	build_graph(s, &g);
	if (!has_few_leads(&g))
		return NULL;
	find_same(s, &g);
	s->stream_of = NEW_ARRAY(a, uint32_t, g.n);
	number_streams(s, &g);
	add_states(s, &g);
	add_finds(s, &g);
	s->streams = room_for_quads(
		a, (s->read.n + s->states.n) * BLOCK_WORDS * sizeof *s->streams);
	s->waits = NEW_ARRAY(a, unsigned char, s->states.n);
	s->next = NEW_ARRAY(a, unsigned char, s->states.n);
	s->tail = NEW_ARRAY(a, unsigned char, BLOCK);
	choose_walk(s, width);
	return s;
}

/* ---- texts ----------------------------------------------------------------------- */

static void
put_cursor(struct regex_streams *s, const struct regex_cursor *c)
{
	memset(s->waits, 0, s->states.n);
	for (size_t i = 0; i < c->n; i++) {
		uint32_t at = c->v[i] - s->sets->base;

		if (is_state(s, at))
			s->waits[s->stream_of[at] - s->read.n] = 1;
	}
}

static void
set_cursor(const struct regex_streams *s, struct regex_cursor *c)
{
	struct regex_sets *sets = s->sets;

	sets->found = REGEX_NONE;
	sets->set_n = 0;
	for (uint32_t at = 0; at < sets->end - sets->base; at++)
		if (regex_sets_has(sets->again, at)
				? regex_sets_has(sets->waits, at)
				: is_state(s, at) &&
					  s->waits[s->stream_of[at] - s->read.n])
			sets->set[sets->set_n++] = at + sets->base;
	regex_cursor_set(c, sets->set, sets->set_n);
}

static bool
has_bit(const struct regex_streams *s, uint32_t stream, size_t at)
{
	return stream_at(s, stream)[at / 64] >> at % 64 & 1;
}

/* The states that wait after the byte number at of the block. */
static void
wait_after(struct regex_streams *s, size_t at)
{
	for (uint32_t i = 0; i < s->states.n; i++) {
		const struct state *q = &s->states.v[i];
		bool waits = q->repeats && has_bit(s, (uint32_t)s->read.n + i, at);

		for (uint32_t k = 0; k < q->n; k++)
			waits |= has_bit(s, s->leads.v[q->first + k], at);
		s->waits[i] = waits;
	}
}

/* The first of n bytes that ends a match; n: there is none. */
static size_t
first_find(const struct regex_streams *s, size_t n)
{
	for (size_t w = 0; w * 64 < n; w++) {
		uint64_t any = 0;
		size_t at;

		for (size_t i = 0; i < s->finds.n; i++)
			any |= stream_at(s, s->finds.v[i])[w];
		if (!any)
			continue;
		at = w * 64 + (size_t)__builtin_ctzll(any);
		return at < n ? at : n;
	}
	return n;
}

static bool
is_dead(const struct regex_streams *s)
{
	return !s->has_again && !memchr(s->waits, 1, s->states.n);
}

/* How many of n bytes of a block are read until nothing waits, which is so after the last
 * one. */
static size_t
count_until_dead(struct regex_streams *s, size_t n)
{
	size_t least = 1;

	while (least < n) {
		size_t middle = least + (n - least) / 2;

		wait_after(s, middle - 1);
		if (is_dead(s))
			n = middle;
		else
			least = middle + 1;
	}
	return n;
}

/* Whether the loops had too many rounds for the bytes, when there are enough of these. */
static bool
is_thrashing(struct regex_streams *s)
{
	bool is_slow;

	if (s->bytes < COUNTED_BYTES)
		return false;
	is_slow = s->work * INSTRUCTIONS_OF_WORK >
		  s->bytes * (INSTRUCTIONS_OF_WORK / 2 + s->sets->end - s->sets->base);
	s->work = s->bytes = 0;
	return is_slow;
}

/* Reads n bytes, at most a block. Returns how many are read, those before one that ends a
 * match. */
static size_t
read_block(struct regex_streams *s, const unsigned char *p, size_t n)
{
	size_t read;

	if (n < BLOCK) {
		memcpy(s->tail, p, n);
		memset(s->tail + n, 0, BLOCK - n);
		p = s->tail;
	}
	s->read_sets(s, p);
	s->follow_states(s);
	s->bytes += n;
	read = first_find(s, n);
	if (read == BLOCK) {
		unsigned char *waits = s->waits;

		s->waits = s->next;
		s->next = waits;
	} else if (read) {
		wait_after(s, read - 1);
	}
	return read;
}

enum regex_reading
regex_streams_read(struct regex_streams *s, struct regex_cursor *c, const char *bytes,
	size_t *n, uint32_t *found)
{
	const unsigned char *p = (const unsigned char *)bytes;
	size_t i = 0, wanted, read;
	bool is_slow;
	enum regex_reading r;

	if (*n == 0)
		return REGEX_READ_ALL;
	put_cursor(s, c);
	do {
		wanted = *n - i < BLOCK ? *n - i : BLOCK;
		read = read_block(s, p + i, wanted);
		i += read;
		is_slow = is_thrashing(s);
	} while (read == wanted && i < *n && !is_slow && !is_dead(s));
	set_cursor(s, c);
	if (read < wanted) {
		regex_sets_step(s->sets, c->v, c->n, p[i++]);
		regex_cursor_set(c, s->sets->set, s->sets->set_n);
	} else if (c->n == 0) {
		i -= wanted - count_until_dead(s, wanted);
	}
	c->has_read = true;
	*n = i;
	r = regex_sets_judge(s->sets, found);
	return r == REGEX_READ_ALL && is_slow ? REGEX_READ_THRASH : r;
}

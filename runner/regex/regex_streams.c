/*
 * Streams of bits, one bit for each byte of a block. See regex_streams.h.
 *
 * An instruction that waits for a byte is a state here. Its stream has the bytes that it
 * reads while it waits. So it waits at a byte where one of its leads, the states that
 * lead to it, has read the byte before: their streams, moved by one bit. What it reads of
 * these bytes is in the stream of a set of bytes, which is made from the text.
 *
 * The bits of neighbouring bytes are in different quads of words: byte 0 of a block is
 * bit 0 of quad 0, byte 1 is bit 0 of quad 1, and byte BLOCK_QUADS is bit 1 of quad 0. So
 * a stream is moved by taking each quad for the next one, and only the last quad is
 * shifted. To this end the bytes of a block are put into the order of their bits first.
 *
 * States are in an order in which leads come first, as far as there are no loops. A state
 * that leads to itself is followed through any number of bytes by one addition, whose
 * carry runs through groups of BLOCK_QUADS bytes that it reads completely. The states of
 * larger loops are followed in rounds, until nothing changes.
 *
 * The stream of a state that only the next state needs stays in registers. The states
 * that wait between two bytes of a block depend on all streams: for these, which are
 * rarely needed, the states are followed once more.
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
	/* The work of loops is limited for so many bytes. A unit of it takes as long as
	 * one byte of regex_bits with so many instructions. */
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
	uint32_t first, n; /* of the leads, without the state itself; at least one */
	bool repeats; /* leads to itself */
	bool is_next; /* its only lead is the state before it, and it is nothing else */
	bool is_head; /* of a loop: a state after it is one of its leads */
};

/* Neighbouring states: those of a loop, or some that are in none. */
struct section {
	uint32_t from, to;
	uint32_t heads_end; /* after the last head */
	uint32_t leads;
	bool is_loop;
};

/* Makes the streams of the sets from a block of text in the order of the bits. */
typedef void read_sets(const struct regex_streams *s, const unsigned char *block);
/* Makes the streams of the states. */
typedef void follow_states(struct regex_streams *s);

struct regex_streams {
	struct arena *arena;
	struct regex_sets *sets;
	uint64_t
		*streams; /* those of the sets, of the states, and one that is not read */
	VEC(struct set) read;
	uint32_t no_bytes; /* the set of no bytes */
	VEC(struct range) ranges;
	VEC(struct state) states;
	VEC(uint32_t) leads; /* numbers of streams */
	VEC(struct section) sections; /* in the order in which they are followed */
	VEC(uint32_t) finds; /* the streams of states that end a match */
	VEC(uint32_t) tails; /* the streams of states that lead to a head */
	uint32_t *stream_of; /* by instruction that waits */
	/* By state: where its stream is written, so that all can be read, or those that
	 * states need; and which of these it is now. */
	uint32_t *all_streams, *needed_streams;
	const uint32_t *written;
	/* By state: it waits at the first byte of the block, and at the one after it. */
	unsigned char *waits, *next;
	bool has_again; /* some state waits at every byte */
	unsigned char *tail; /* the last bytes of a piece, which are less than a block */
	unsigned char *bytes_of_bits; /* of a block, in the order of their bits */
	uint64_t work, bytes; /* of loops, since both are counted */
	uint64_t most_work; /* for COUNTED_BYTES; with more, streams are of no use */
	read_sets *read_sets;
	follow_states *follow_states;
};

static uint64_t *
stream_at(const struct regex_streams *s, uint32_t number)
{
	return s->streams + (size_t)number * BLOCK_WORDS;
}

/* ---- sets of bytes --------------------------------------------------------------- */

/* Puts the bytes of a block into the order of their bits: those of each quad together. */
static void
sort_bytes(const unsigned char *block, unsigned char *sorted)
{
	for (size_t i = 0; i < BLOCK / BLOCK_QUADS; i++)
		for (size_t k = 0; k < BLOCK_QUADS; k++)
			sorted[k * (BLOCK / BLOCK_QUADS) + i] =
				block[i * BLOCK_QUADS + k];
}

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

		for (size_t w = 0; set->n && w < BLOCK_WORDS; w++)
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

		for (size_t w = 0; set->n && w < BLOCK_WORDS; w++)
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

		for (size_t w = 0; set->n && w < BLOCK_WORDS; w++) {
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

/* Moves a stream by one bit; `first` comes in. */
INLINE void
advance(word_quad *q, bool first)
{
	word_quad last = q[BLOCK_QUADS - 1], none = {0}, before = {first};
#if defined __clang__ || __GNUC__ >= 12
	word_quad lower = __builtin_shufflevector(none, last, 3, 4, 5, 6);
#else
	word_quad lower = __builtin_shuffle(none, last, (word_quad){3, 4, 5, 6});
#endif

	for (size_t k = BLOCK_QUADS - 1; k; k--)
		q[k] = q[k - 1];
	q[0] = last << 1 | lower >> 63 | before;
}

/* The last bit of a stream. */
INLINE bool
last_bit(const word_quad *q)
{
	return q[BLOCK_QUADS - 1][QUAD - 1] >> 63;
}

/* Each bit of `on` starts a carry, and each bit of `all` hands one on. The result, in
 * `on`, is the bits that carries run into. */
INLINE void
run_carries(word_quad *on, const word_quad *all)
{
	uint64_t words[QUAD];
	bool carry = false;

	memcpy(words, on, sizeof words);
	for (size_t w = 0; w < QUAD; w++) {
		uint64_t begins = words[w], more = begins | (*all)[w], sum;
		bool first = __builtin_add_overflow(more, begins, &sum);
		bool second = __builtin_add_overflow(sum, (uint64_t)carry, &sum);

		carry = first | second;
		words[w] = sum ^ more ^ begins;
	}
	memcpy(on, words, sizeof words);
}

/* Adds where a state waits that leads to itself: where it reads, it waits at the next
 * byte again. */
INLINE void
repeat_state(word_quad *waits, const word_quad *reads)
{
	word_quad on = waits[0] & reads[0], all = reads[0];

	for (size_t k = 1; k < BLOCK_QUADS; k++) {
		waits[k] |= on;
		on = waits[k] & reads[k];
		all &= reads[k];
	}
	run_carries(&on, &all);
	EACH_QUAD (k) {
		waits[k] |= on;
		on &= reads[k];
	}
}

/* What following states needs, as values: streams may not be changed by others. */
struct walk {
	const struct state *states;
	const uint32_t *leads;
	uint64_t *streams;
	const uint32_t *written;
	const unsigned char *waits;
	unsigned char *next;
};

INLINE word_quad *
stream_in(struct walk w, uint32_t number)
{
	return (word_quad *)(w.streams + (size_t)number * BLOCK_WORDS);
}

/* What the leads of the state have read; there is at least one. */
INLINE void
read_leads(struct walk w, const struct state *q, word_quad *read)
{
	const uint32_t *lead = w.leads + q->first, *end = lead + q->n;
	const word_quad *more = stream_in(w, *lead);

	EACH_QUAD (k)
		read[k] = more[k];
	while (++lead < end) {
		more = stream_in(w, *lead);
		EACH_QUAD (k)
			read[k] |= more[k];
	}
}

/* What the state reads. Adds to changed what a head did not read in the round before. */
INLINE void
follow_state(struct walk w, uint32_t number, word_quad *read, word_quad *changed)
{
	const struct state *q = &w.states[number];
	const word_quad *set = stream_in(w, q->set);
	word_quad *own = stream_in(w, w.written[number]);
	bool waits_after;

	read_leads(w, q, read);
	waits_after = last_bit(read);
	advance(read, w.waits[number]);
	if (q->repeats)
		repeat_state(read, set);
	EACH_QUAD (k)
		read[k] &= set[k];
	if (q->is_head)
		EACH_QUAD (k)
			*changed |= read[k] ^ own[k];
	EACH_QUAD (k)
		own[k] = read[k];
	w.next[number] = waits_after | (q->repeats && last_bit(read));
}

/* Before the call, read is of the state before it, its only lead. */
INLINE void
follow_next(struct walk w, uint32_t number, word_quad *read)
{
	const word_quad *set = stream_in(w, w.states[number].set);
	word_quad *own = stream_in(w, w.written[number]);

	w.next[number] = last_bit(read);
	advance(read, w.waits[number]);
	EACH_QUAD (k)
		own[k] = read[k] &= set[k];
}

INLINE void
follow_some(struct walk w, uint32_t from, uint32_t to, word_quad *changed)
{
	word_quad read[BLOCK_QUADS];

	for (uint32_t i = from; i < to;) {
		follow_state(w, i++, read, changed);
		for (; i < to && w.states[i].is_next; i++)
			follow_next(w, i, read);
	}
}

/* Follows a loop in rounds, until its heads read nothing new: then no state would; or
 * until the work, which is returned, is more than `most`: states that were followed, and
 * their leads. */
INLINE uint64_t
follow_loop(struct walk w, struct section l, uint64_t most)
{
	uint64_t n = 0;
	word_quad changed;

	do {
		changed = (word_quad){0};
		follow_some(w, l.from, l.heads_end, &changed);
		if (n && !(changed[0] | changed[1] | changed[2] | changed[3]))
			break;
		follow_some(w, l.heads_end, l.to, &changed);
		n += l.to - l.from + l.leads;
	} while (l.heads_end > l.from && n <= most);
	return n;
}

INLINE void
clear_stream(word_quad *q)
{
	EACH_QUAD (k)
		q[k] = (word_quad){0};
}

INLINE void
follow_all(struct regex_streams *s)
{
	struct walk w = {
		s->states.v, s->leads.v, s->streams, s->written, s->waits, s->next};
	const struct section *sections = s->sections.v;
	const uint32_t *tails = s->tails.v;
	size_t n = s->sections.n, tails_n = s->tails.n;
	uint64_t work = s->work, most = s->most_work;
	word_quad ignored = {0};

	for (size_t i = 0; i < tails_n; i++)
		clear_stream(stream_in(w, tails[i]));
	for (size_t i = 0; i < n; i++)
		if (sections[i].is_loop)
			work += follow_loop(
				w, sections[i], most > work ? most - work : 0);
		else
			follow_some(w, sections[i].from, sections[i].to, &ignored);
	s->work = work;
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

static uint32_t
set_number(struct regex_streams *s, struct graph *g, const struct byte_set *bytes)
{
	struct byte_set *copy = NEW(s->arena, struct byte_set);
	uint32_t number;

	*copy = *bytes;
	number = map_number(&g->sets, str_cut((const char *)copy, sizeof *copy));
	if (number == s->read.n)
		add_set(s, bytes);
	return number;
}

/* The bytes that the instruction reads. */
static struct byte_set
bytes_of(const struct regex_streams *s, uint32_t at)
{
	struct byte_set bytes = {{0}};

	for (unsigned b = 0; b < 256; b++)
		if (regex_program_reads(
			    s->sets->program, at + s->sets->base, (unsigned char)b))
			byte_set_add(&bytes, (unsigned char)b);
	return bytes;
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
	const struct byte_set no_bytes = {{0}};

	s->no_bytes = set_number(s, g, &no_bytes);
	(void)regex_cursor_begin(&begin, s->sets);
	for (size_t i = 0; i < begin.n; i++)
		g->v[begin.v[i] - s->sets->base].begins = true;
	for (uint32_t i = 0; i < g->n && has_few_leads(g); i++)
		if (regex_sets_has(s->sets->waits, i)) {
			struct byte_set bytes = bytes_of(s, i);

			g->v[i].set = set_number(s, g, &bytes);
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
 * which are one, or those of a loop. */
static void
number_states(struct regex_streams *s, const struct graph *g, uint32_t from, uint32_t to)
{
	struct section *last = s->sections.n ? &s->sections.v[s->sections.n - 1] : NULL;
	bool is_loop = from - to > 1;
	struct section l = {.from = last ? last->to : 0, .is_loop = is_loop};

	l.to = l.from;
	for (uint32_t at = from; at-- > to;)
		if (is_first(s, g, at))
			s->stream_of[at] = (uint32_t)s->read.n + l.to++;
	if (last && !is_loop && !last->is_loop)
		last->to = l.to;
	else if (l.to > l.from)
		VEC_PUSH(s->arena, &s->sections, l);
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
	if (s->leads.n == q.first)
		VEC_PUSH(s->arena, &s->leads, s->no_bytes);
	q.n = (uint32_t)s->leads.n - q.first;
	VEC_PUSH(s->arena, &s->states, q);
}

/* Adds the leads that are followed after the state to the tails. true: there are any. */
static bool
add_tails(struct regex_streams *s, uint32_t number)
{
	const struct state *q = &s->states.v[number];
	size_t n = s->tails.n;

	for (uint32_t i = q->first; i < q->first + q->n; i++)
		if (s->leads.v[i] > s->read.n + number)
			VEC_PUSH(s->arena, &s->tails, s->leads.v[i]);
	return s->tails.n > n;
}

static void
find_heads(struct regex_streams *s, struct section *l)
{
	uint32_t first = (uint32_t)s->read.n;

	l->heads_end = l->from;
	for (uint32_t i = l->from; i < l->to; i++) {
		struct state *q = &s->states.v[i];

		l->leads += q->n;
		q->is_head = add_tails(s, i);
		if (q->is_head)
			l->heads_end = i + 1;
	}
	for (uint32_t i = l->from; i < l->to; i++) {
		struct state *q = &s->states.v[i];

		q->is_next = i > l->from && i != l->heads_end && q->n == 1 &&
			     s->leads.v[q->first] + 1 == first + i && !q->repeats;
	}
}

static void
add_states(struct regex_streams *s, const struct graph *g)
{
	for (uint32_t at = g->n; at--;)
		if (is_first(s, g, at))
			add_state(s, &g->v[at], s->stream_of[at]);
	for (size_t i = 0; i < s->sections.n; i++)
		find_heads(s, &s->sections.v[i]);
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

/* Streams are needed of leads that are not in registers, of heads, which are compared,
 * and of states that end a match. */
static void
choose_written(struct regex_streams *s)
{
	uint32_t first = (uint32_t)s->read.n, n = (uint32_t)s->states.n;
	bool *needed = NEW_ARRAY(s->arena, bool, first + n);

	for (uint32_t i = 0; i < n; i++) {
		const struct state *q = &s->states.v[i];

		needed[first + i] |= q->is_head;
		for (uint32_t k = q->first; !q->is_next && k < q->first + q->n; k++)
			needed[s->leads.v[k]] = true;
	}
	for (size_t i = 0; i < s->finds.n; i++)
		needed[s->finds.v[i]] = true;
	s->all_streams = NEW_ARRAY(s->arena, uint32_t, n);
	s->needed_streams = NEW_ARRAY(s->arena, uint32_t, n);
	for (uint32_t i = 0; i < n; i++) {
		s->all_streams[i] = first + i;
		s->needed_streams[i] = first + (needed[first + i] ? i : n);
	}
	s->written = s->needed_streams;
}

/* The streams of sets that do not depend on the text. */
static void
fill_constant_sets(struct regex_streams *s)
{
	for (uint32_t i = 0; i < s->read.n; i++)
		for (size_t w = 0; s->read.v[i].n == 0 && w < BLOCK_WORDS; w++)
			stream_at(s, i)[w] = s->read.v[i].inverted;
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

	s->most_work =
		(INSTRUCTIONS_OF_WORK / 2 + g.n) * (COUNTED_BYTES / INSTRUCTIONS_OF_WORK);
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
		a, (s->read.n + s->states.n + 1) * BLOCK_WORDS * sizeof *s->streams);
	fill_constant_sets(s);
	choose_written(s);
	s->waits = NEW_ARRAY(a, unsigned char, s->states.n);
	s->next = NEW_ARRAY(a, unsigned char, s->states.n);
	s->tail = NEW_ARRAY(a, unsigned char, BLOCK);
	s->bytes_of_bits = room_for_quads(a, BLOCK);
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
	size_t bit = at / BLOCK_QUADS;
	const uint64_t *quad = stream_at(s, stream) + at % BLOCK_QUADS * QUAD;

	return quad[bit / 64] >> bit % 64 & 1;
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
	for (size_t w = 0; w < BLOCK_WORDS; w++) {
		uint64_t any = 0;
		size_t at;

		for (size_t i = 0; i < s->finds.n; i++)
			any |= stream_at(s, s->finds.v[i])[w];
		if (!any)
			continue;
		at = w % QUAD * 64 + (size_t)__builtin_ctzll(any);
		at = at * BLOCK_QUADS + w / QUAD;
		if (at < n)
			n = at;
	}
	return n;
}

static bool
is_dead(const struct regex_streams *s)
{
	return !s->has_again && !memchr(s->waits, 1, s->states.n);
}

static void
swap_waits(struct regex_streams *s)
{
	unsigned char *waits = s->waits;

	s->waits = s->next;
	s->next = waits;
}

/* Follows the states of a block so that wait_after can be asked. */
static void
follow_to_ask(struct regex_streams *s)
{
	s->written = s->all_streams;
	s->follow_states(s);
	s->written = s->needed_streams;
}

/* The same for a block whose states were followed before. */
static void
follow_again(struct regex_streams *s)
{
	s->work = 0;
	follow_to_ask(s);
}

/* How many of the n bytes that read_block has read are read until nothing waits, which is
 * so after the last one. */
static size_t
count_until_dead(struct regex_streams *s, size_t n)
{
	size_t least = 1;

	if (n == BLOCK) {
		swap_waits(s);
		follow_again(s);
	}
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

/* Whether the loops had too many rounds for the bytes. */
static bool
is_thrashing(struct regex_streams *s)
{
	bool is_slow = s->work > s->most_work;

	if (is_slow || s->bytes >= COUNTED_BYTES)
		s->work = s->bytes = 0;
	return is_slow;
}

/* Reads n bytes, at most a block. Returns how many are read, those before one that ends a
 * match; none where that takes too much work. */
static size_t
read_block(struct regex_streams *s, const unsigned char *p, size_t n)
{
	size_t read;

	if (n < BLOCK) {
		memcpy(s->tail, p, n);
		memset(s->tail + n, 0, BLOCK - n);
		p = s->tail;
	}
	sort_bytes(p, s->bytes_of_bits);
	s->read_sets(s, s->bytes_of_bits);
	if (n == BLOCK)
		s->follow_states(s);
	else
		follow_to_ask(s);
	s->bytes += n;
	if (s->work > s->most_work)
		return 0;
	read = first_find(s, n);
	if (read == BLOCK) {
		swap_waits(s);
	} else if (read) {
		if (n == BLOCK)
			follow_again(s);
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

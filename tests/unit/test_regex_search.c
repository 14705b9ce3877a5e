/*
 * The automata against each other and against PCRE2: random expressions and texts, cut at
 * random places, alone and in lists; and expressions whose states are too many to keep.
 * CCTR_REGEX_COUNT is how many expressions there are, CCTR_REGEX_SEED where they begin.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "compat/format/regex.h"
#include "runner/regex/regex_bits.h"
#include "runner/regex/regex_dfa.h"
#include "runner/regex/regex_pike.h"
#include "runner/regex/regex_search.h"
#include "runner/regex/regex_streams.h"
#include "tests/unit/unit.h"

enum { TEXT_MOST = 48, LIST_MOST = 4 };

static uint64_t state_of_random;

static unsigned
below(unsigned n)
{
	state_of_random =
		state_of_random * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (unsigned)(state_of_random >> 33) % n;
}

static uint64_t
number_from(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 10) : otherwise;
}

/* ---- random expressions and texts ------------------------------------------------ */

static void
random_sequence(struct buf *out, int depth)
{
	static const char *const atoms[] = {"a", "b", "c", "ab", "bc", ".", "[ab]",
		"[^a]", "[a-c]", "\n", "^", "$", "abc", "\\.", "[^b\n]"};
	enum { ATOMS = ROWS(atoms) };

	for (unsigned n = below(5); n; n--) {
		unsigned r = below(8);

		if (r < 2 && depth < 3) {
			buf_char(out, '(');
			random_sequence(out, depth + 1);
			while (below(3) == 0) {
				buf_char(out, '|');
				random_sequence(out, depth + 1);
			}
			buf_char(out, ')');
		} else {
			buf_z(out, atoms[below(ATOMS)]);
		}
		if (below(3) == 0)
			buf_char(out, "*+?"[below(3)]);
	}
}

/* A pattern that compiles. */
static const struct pattern *
random_pattern(struct arena *a, struct match_set *set)
{
	for (;;) {
		struct buf text = {.arena = a};
		const struct pattern *p;

		random_sequence(&text, 0);
		if (below(6) == 0) {
			buf_char(&text, '|');
			random_sequence(&text, 0);
		}
		p = match_set_get(set, buf_as_str(&text), NULL);
		if (p->matcher)
			return p;
	}
}

static struct str
random_text(struct arena *a)
{
	struct buf text = {.arena = a};

	for (unsigned n = below(TEXT_MOST); n; n--)
		buf_char(&text, "aaabbbcc\n."[below(10)]);
	return buf_as_str(&text);
}

/* ---- comparisons ----------------------------------------------------------------- */

static struct regex_tree
tree_of(struct arena *a, const struct pattern *p)
{
	struct regex_tree t;
	struct str why;

	assert_true(regex_parse(a, p->text, &t, &why));
	return t;
}

/* PCRE2's places, or those of the VM that stands in for it, and those of the VM. */
static bool
places_are_equal(struct arena *a, const struct pattern *p, struct str text)
{
	struct regex_tree t = tree_of(a, p);
	struct regex_program *program = regex_program_build(a, &t, 1, true);
	size_t from = below(3) ? 0 : below((unsigned)text.n + 1);
	size_t places[2 * MATCH_GROUPS];
	struct match m;
	bool found = match_find(p->matcher, text, from, &m);

	if (regex_pike_find(a, program, text, from, places, 2 * (t.groups + 1)) != found)
		return false;
	for (size_t i = 0; found && i < m.n; i++) {
		struct str g = m.groups[i];

		if ((places[2 * i + 1] == REGEX_NO_PLACE) != !g.p)
			return false;
		if (g.p && (g.p != text.p + places[2 * i] ||
				   g.n != places[2 * i + 1] - places[2 * i]))
			return false;
	}
	return true;
}

/* The first of the list, by the searches of its parts; the text is cut at random. */
static bool
list_is_right(struct arena *a, const struct pattern_list *l, struct str text)
{
	struct match_search *s = match_search_open(a, l, 1);
	struct long_text all = long_text_of(text);
	const struct pattern *expected = NULL;
	struct match m;

	for (size_t i = 0; i < l->n && !expected; i++)
		if (match_find(l->v[i]->matcher, text, 0, &m))
			expected = l->v[i];
	for (struct str rest = text; rest.n;) {
		size_t n = 1 + below((unsigned)rest.n);

		match_search_read(s, str_cut(rest.p, n));
		rest = str_from(rest, n);
	}
	if (match_search_found(s) != expected)
		return false;
	match_search_close(s);
	return match_first(l, 1, &all) == expected &&
	       match_has(l->v[0]->matcher, text) == (expected == l->v[0]);
}

/* ---- engines --------------------------------------------------------------------- */

/* The ways to search. */
struct engines {
	struct regex_sets *sets;
	struct regex_dfa *dfa;
	struct regex_bits *plain, *wide, *widest;
	/* NULL: not for this list */
	struct regex_streams *plain_streams, *wide_streams, *widest_streams;
};
enum way {
	BY_STATES,
	BY_PLAIN_BITS,
	BY_WIDE_BITS,
	BY_WIDEST_BITS,
	BY_PLAIN_STREAMS,
	BY_WIDE_STREAMS,
	BY_WIDEST_STREAMS,
	BY_SETS
};

static enum regex_reading
read_by(const struct engines *e, enum way way, struct regex_cursor *c, struct str text,
	size_t *n, uint32_t *found)
{
	switch (way) {
	case BY_STATES:
		return regex_dfa_read(e->dfa, c, text.p, n, found);
	case BY_PLAIN_BITS:
		return regex_bits_read(e->plain, c, text.p, n, found);
	case BY_WIDE_BITS:
		return regex_bits_read(e->wide, c, text.p, n, found);
	case BY_WIDEST_BITS:
		return regex_bits_read(e->widest, c, text.p, n, found);
	case BY_PLAIN_STREAMS:
		return regex_streams_read(e->plain_streams, c, text.p, n, found);
	case BY_WIDE_STREAMS:
		return regex_streams_read(e->wide_streams, c, text.p, n, found);
	case BY_WIDEST_STREAMS:
		return regex_streams_read(e->widest_streams, c, text.p, n, found);
	case BY_SETS:
		return regex_sets_read(e->sets, c, text.p, n, found);
	}
	fail();
	return REGEX_READ_DEAD;
}

/* The first expression that occurs, in pieces of that size. *left: what is behind it, or
 * no expression could match in any more. */
static uint32_t
first_match(
	const struct engines *e, enum way way, struct str text, size_t size, size_t *left)
{
	struct arena *a = arena_open();
	struct regex_cursor c = {.arena = a};
	enum regex_reading r = REGEX_READ_ALL;
	uint32_t found = regex_cursor_begin(&c, e->sets);

	while (found == REGEX_NONE && r != REGEX_READ_DEAD && text.n) {
		size_t n = text.n < size ? text.n : size;

		r = read_by(e, way, &c, text, &n, &found);
		text = str_from(text, n);
	}
	if (found == REGEX_NONE && r != REGEX_READ_DEAD)
		found = regex_cursor_end(&c, e->sets);
	arena_close(a);
	*left = text.n;
	return found;
}

static bool
matches_are_equal(const struct engines *e, struct str text)
{
	static const struct {
		enum way way;
		size_t size; /* 0: a random one */
	} rows[] = {
		{BY_STATES, 1 << 20},
		{BY_STATES, 1000},
		{BY_PLAIN_BITS, 30000},
		{BY_WIDE_BITS, 30000},
		{BY_WIDEST_BITS, 30000},
		{BY_WIDEST_BITS, 777},
		{BY_PLAIN_STREAMS, 30000},
		{BY_WIDE_STREAMS, 30000},
		{BY_WIDEST_STREAMS, 30000},
		{BY_WIDEST_STREAMS, 777},
		{BY_WIDEST_STREAMS, 0},
	};
	size_t left, left_here;
	uint32_t found = first_match(e, BY_SETS, text, 30000, &left);

	for (size_t i = 0; i < ROWS(rows); i++) {
		size_t size =
			rows[i].size ? rows[i].size : 1 + below((unsigned)text.n + 1);

		if (rows[i].way >= BY_PLAIN_STREAMS && !e->plain_streams)
			break;
		if (first_match(e, rows[i].way, text, size, &left_here) != found ||
			left_here != left)
			return false;
	}
	return true;
}

/* All engines on the list. */
static void
check_engines(
	struct arena *a, const struct pattern *const *list, uint32_t n, struct str text)
{
	struct regex_tree *trees = NEW_ARRAY(a, struct regex_tree, n);
	const struct regex_program *program;
	struct regex_classes classes;
	struct engines e;

	for (uint32_t k = 0; k < n; k++)
		trees[k] = tree_of(a, list[k]);
	program = regex_program_build(a, trees, n, false);
	classes = regex_classes_of(program);
	e.sets = regex_sets_new(a, program, &classes, 0, n);
	e.dfa = regex_dfa_open(a, e.sets);
	e.plain = regex_bits_new(a, e.sets, REGEX_PLAIN);
	e.wide = regex_bits_new(a, e.sets, REGEX_WIDE);
	e.widest = regex_bits_new(a, e.sets, REGEX_WIDEST);
	e.plain_streams = regex_streams_new(a, e.sets, REGEX_PLAIN);
	e.wide_streams = regex_streams_new(a, e.sets, REGEX_WIDE);
	e.widest_streams = regex_streams_new(a, e.sets, REGEX_WIDEST);
	if (!matches_are_equal(&e, text)) {
		for (uint32_t k = 0; k < n; k++)
			print_error("pattern [%.*s]\n", STR_ARG(list[k]->text));
		fail();
	}
	regex_dfa_close(e.dfa);
}

static void
check_once(struct arena *a, struct match_set *set)
{
	const struct pattern *list[LIST_MOST];
	struct pattern_list l = {list, 1 + below(LIST_MOST)};

	for (size_t i = 0; i < l.n; i++)
		list[i] = random_pattern(a, set);
	for (int i = 0; i < 4; i++) {
		struct str text = random_text(a);

		if (places_are_equal(a, list[0], text) && list_is_right(a, &l, text))
			continue;
		for (size_t k = 0; k < l.n; k++)
			print_error("pattern [%.*s]\n", STR_ARG(list[k]->text));
		print_error("text [%.*s]\n", STR_ARG(text));
		fail();
	}
	check_engines(a, list, (uint32_t)l.n, random_text(a));
}

static void
random_expressions(void **state)
{
	uint64_t seed = number_from("CCTR_REGEX_SEED", (uint64_t)time(NULL));
	uint64_t count = number_from("CCTR_REGEX_COUNT", 20000);

	(void)state;
	print_message("CCTR_REGEX_SEED=%llu\n", (unsigned long long)seed);
	for (uint64_t i = 0; i < count; i += 100) {
		struct arena *a = arena_open();
		struct match_set *set = match_set_open(a, regex_parse);

		state_of_random = seed + i;
		for (int k = 0; k < 100; k++)
			check_once(a, set);
		match_set_close(set);
		arena_close(a);
	}
}

/* ---- long texts ------------------------------------------------------------------ */

/* Stretches of few bytes each, so that what a state knows may change far behind. */
static struct str
long_text(struct arena *a)
{
	static const char *const bytes[] = {"a", "b", "c", ".", "a\n", "b\n", ".\n", "ab",
		"aab\n", "a.", "b.\n", "c\n"};
	enum { KINDS = ROWS(bytes) };
	struct buf text = {.arena = a};

	for (int i = 0; i < 6; i++) {
		const char *kind = bytes[below(KINDS)];
		size_t length = strlen(kind), n = 3000 + below(20000);
		bool is_regular = below(2);

		for (size_t k = 0; k < n; k++)
			buf_char(&text,
				kind[is_regular ? k % length : below((unsigned)length)]);
	}
	buf_str(&text, random_text(a));
	return buf_as_str(&text);
}

/* States that are walked in several places at once, one by one, and not at all. */
static void
long_texts(void **state)
{
	uint64_t seed = number_from("CCTR_REGEX_SEED", (uint64_t)time(NULL));
	uint64_t count = number_from("CCTR_REGEX_COUNT", 20000) / 100;

	(void)state;
	for (uint64_t i = 0; i < count; i++) {
		struct arena *a = arena_open();
		struct match_set *set = match_set_open(a, regex_parse);
		const struct pattern *list[LIST_MOST];
		uint32_t n;

		state_of_random = seed + i;
		n = 1 + below(LIST_MOST);
		for (uint32_t k = 0; k < n; k++)
			list[k] = random_pattern(a, set);
		check_engines(a, list, n, long_text(a));
		match_set_close(set);
		arena_close(a);
	}
}

/* A pattern of many instructions that occurs only in front of a 'z'. */
static const struct pattern *
large_pattern(struct arena *a, struct match_set *set)
{
	for (;;) {
		struct buf text = {.arena = a};
		const struct pattern *p;

		for (unsigned n = 1 + below(below(4) ? 6 : 60); n; n--)
			random_sequence(&text, below(5) ? 3 : 2);
		buf_char(&text, 'z');
		p = match_set_get(set, buf_as_str(&text), NULL);
		if (p->matcher)
			return p;
	}
}

/* Lists whose bits need many words, of which many have followers far away. */
static void
large_lists(void **state)
{
	enum { LARGE_LIST_MOST = 24 };
	uint64_t seed = number_from("CCTR_REGEX_SEED", (uint64_t)time(NULL));
	uint64_t count = number_from("CCTR_REGEX_COUNT", 20000) / 100;

	(void)state;
	for (uint64_t i = 0; i < count; i++) {
		struct arena *a = arena_open();
		struct match_set *set = match_set_open(a, regex_parse);
		const struct pattern *list[LARGE_LIST_MOST];
		struct buf text = {.arena = a};
		uint32_t n;

		state_of_random = seed + i;
		n = 1 + below(LARGE_LIST_MOST);
		for (uint32_t k = 0; k < n; k++)
			list[k] = large_pattern(a, set);
		for (unsigned length = below(4000); length; length--)
			buf_char(&text, "aaabbbcc\n.z"[below(below(50) ? 10 : 11)]);
		check_engines(a, list, n, buf_as_str(&text));
		match_set_close(set);
		arena_close(a);
	}
}

/* At the third byte nothing waits any more, though the one before has been read. */
static void
nothing_waits(void **state)
{
	static const char *const patterns[] = {
		"^aa(a^|b)c", "^aa(a^|b)c$", "^aa(b|a^b|ca*)"};

	(void)state;
	for (size_t i = 0; i < ROWS(patterns); i++) {
		struct arena *a = arena_open();
		struct match_set *set = match_set_open(a, regex_parse);
		const struct pattern *p = match_set_get(set, str_of(patterns[i]), NULL);
		struct buf text = {.arena = a};

		buf_fill(&text, 'a', 5000);
		check_engines(a, &p, 1, buf_as_str(&text));
		match_set_close(set);
		arena_close(a);
	}
}

/* What comes after the 'b' depends on how far away that is. */
static void
far_away(void **state)
{
	static const struct {
		const char *pattern;
		size_t round_before, round_behind; /* matches where it divides them */
	} rows[] = {
		{"b.*c", 1, 1},
		{"bx*c", 1, 1},
		{"b(xx)*c", 1, 2},
		{"b(xxx)*c", 1, 3},
		{"^(xxx)*b(xx)*c$", 3, 2},
		{"^(xxxx)*b", 4, 1},
	};
	struct arena *a = arena_open();
	struct match_set *set = match_set_open(a, regex_parse);

	(void)state;
	state_of_random = 1;
	for (size_t i = 0; i < 60 * ROWS(rows); i++) {
		size_t row = i / 60, before = below(60000), behind = below(60000);
		struct arena_mark mark = arena_mark(a);
		struct buf text = {.arena = a};
		const struct pattern *p =
			match_set_get(set, str_of(rows[row].pattern), NULL);

		buf_fill(&text, 'x', before);
		buf_char(&text, 'b');
		buf_fill(&text, 'x', behind);
		buf_char(&text, 'c');
		assert_int_equal(match_has(p->matcher, buf_as_str(&text)),
			before % rows[row].round_before == 0 &&
				behind % rows[row].round_behind == 0);
		if (i % 60)
			arena_rewind(a, mark);
	}
	match_set_close(set);
	arena_close(a);
}

/* ---- too many states ------------------------------------------------------------- */

/* An 'a' and length bytes of 'a' or 'b' behind it: a state for each of the 2 ^ length
 * ways that the last bytes were; then what is to be found. */
static struct str
exploding(struct arena *a, unsigned length, const char *behind)
{
	struct buf out = {.arena = a};

	buf_char(&out, 'a');
	for (unsigned i = 0; i < length; i++)
		buf_z(&out, "[ab]");
	buf_z(&out, behind);
	return buf_as_str(&out);
}

static void
states_that_are_too_many(void **state)
{
	enum { BYTES = 400 * 1000 };
	static const struct {
		unsigned lengths[4]; /* of the list */
		const char *tail;
		int first; /* of the list, -1: none */
	} rows[] = {
		{{24, 25, 26, 27}, "", -1},
		{{24, 25, 26, 27}, "c", 0},
		{{24, 3, 26, 4}, "c", 0},
		{{40, 3, 26, 4}, "bbbc", 1},
		{{9, 10, 11, 12}, "bbbbbbbbbbbbbbc", -1},
		{{200, 100, 50, 30}, "c", 0},
	};
	struct arena *a = arena_open();

	(void)state;
	for (size_t r = 0; r < ROWS(rows); r++) {
		struct match_set *set = match_set_open(a, regex_parse);
		const struct pattern *list[4];
		struct pattern_list l = {list, 4};
		struct buf text = {.arena = a};
		struct match_search *s;

		state_of_random = 7;
		for (int i = 0; i < BYTES; i++)
			buf_char(&text, "ab"[below(2)]);
		/* the last bytes decide which lengths can match */
		for (unsigned i = 0; i < 300; i++)
			buf_char(&text, rows[r].first == 1 ? "ba"[i == 299] : 'a');
		buf_z(&text, rows[r].tail);
		for (int i = 0; i < 4; i++)
			list[i] = match_set_get(
				set, exploding(a, rows[r].lengths[i], "c"), NULL);
		s = match_search_open(a, &l, 1);
		for (struct str rest = buf_as_str(&text); rest.n;) {
			size_t n = rest.n < 5000 ? rest.n : 5000;

			match_search_read(s, str_cut(rest.p, n));
			rest = str_from(rest, n);
		}
		assert_ptr_equal(match_search_found(s),
			rows[r].first < 0 ? NULL : list[rows[r].first]);
		match_search_close(s);
		match_set_close(set);
	}
	arena_close(a);
}

/* Two texts, of which one has the states forgotten that the other is in. */
static void
two_texts_in_turn(void **state)
{
	struct arena *a = arena_open();
	struct match_set *set = match_set_open(a, regex_parse);
	const struct pattern *p = match_set_get(set, exploding(a, 18, "c"), NULL);
	struct pattern_list l = {&p, 1};
	struct match_search *quiet = match_search_open(a, &l, 1);
	struct match_search *loud = match_search_open(a, &l, 1);

	(void)state;
	match_search_read(quiet, STR("xxabbbbbbbb"));
	state_of_random = 3;
	for (int i = 0; i < 200000; i++)
		match_search_read(loud, str_cut(&"ab"[below(2)], 1));
	assert_null(match_search_found(loud));
	match_search_read(quiet, STR("bbbbbbbbbb"));
	assert_null(match_search_found(quiet));
	match_search_read(quiet, STR("c"));
	assert_ptr_equal(match_search_found(quiet), p);
	match_search_close(quiet);
	match_search_close(loud);
	match_set_close(set);
	arena_close(a);
}

/* Loops of many instructions that go round at almost every byte: streams give up within
 * few blocks, and what waits then is right. */
static void
too_many_rounds(void **state)
{
	enum { BYTES = 1 << 16, MOST = 1 << 13 };
	struct arena *a = arena_open();
	struct buf pattern = {.arena = a}, text = {.arena = a};
	struct regex_cursor by_streams = {.arena = a}, by_sets = {.arena = a};
	struct regex_tree tree;
	struct regex_classes classes;
	const struct regex_program *program;
	struct regex_sets *sets;
	struct str why;
	uint32_t found;
	size_t n = BYTES;

	(void)state;
	buf_z(&pattern, "^(ab|ba|");
	buf_fill(&pattern, 'c', 2000);
	buf_z(&pattern, ")+!");
	state_of_random = 1;
	while (text.n < BYTES)
		buf_z(&text, below(2) ? "ab" : "ba");
	assert_true(regex_parse(a, buf_as_str(&pattern), &tree, &why));
	program = regex_program_build(a, &tree, 1, false);
	classes = regex_classes_of(program);
	sets = regex_sets_new(a, program, &classes, 0, 1);
	(void)regex_cursor_begin(&by_streams, sets);
	regex_cursor_copy(&by_sets, &by_streams);
	assert_int_equal(regex_streams_read(regex_streams_new(a, sets, REGEX_WIDEST),
				 &by_streams, text.p, &n, &found),
		REGEX_READ_THRASH);
	assert_in_range(n, 1, MOST);
	assert_int_equal(
		regex_sets_read(sets, &by_sets, text.p, &n, &found), REGEX_READ_ALL);
	assert_int_equal(by_streams.n, by_sets.n);
	assert_memory_equal(by_streams.v, by_sets.v, by_sets.n * sizeof *by_sets.v);
	arena_close(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_expressions),
		cmocka_unit_test(long_texts),
		cmocka_unit_test(large_lists),
		cmocka_unit_test(nothing_waits),
		cmocka_unit_test(far_away),
		cmocka_unit_test(states_that_are_too_many),
		cmocka_unit_test(two_texts_in_turn),
		cmocka_unit_test(too_many_rounds),
	};

	return run_unit_tests("regex_search", tests, NULL, NULL);
}

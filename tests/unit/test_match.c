/* match.h: groups, places, lists, sets, and that hostile patterns have an answer. */
#include <string.h>

#include "compat/format/regex.h"
#include "tests/unit/unit.h"

struct fixture {
	struct arena *a;
	struct match_set *set;
};

static int
set_up(void **state)
{
	static struct fixture f;

	f.a = arena_open();
	f.set = match_set_open(f.a, regex_parse);
	*state = &f;
	return 0;
}

static int
tear_down(void **state)
{
	struct fixture *f = *state;

	match_set_close(f->set);
	arena_close(f->a);
	return 0;
}

static const struct matcher *
opened(struct fixture *f, const char *pattern)
{
	const struct pattern *p = match_set_get(f->set, str_of(pattern), NULL);

	assert_non_null(p->matcher);
	return p->matcher;
}

static const struct {
	const char *pattern, *subject;
	size_t from;
	const char *groups[4]; /* the whole first; NULL: took no part; none: no match */
	size_t n;
} finds[] = {
	{"b", "abab", 0, {"b"}, 1},
	{"a.c", "a\nc", 0, {"a\nc"}, 1},
	{"c$", "c\n", 0, {NULL}, 0},
	{"(a)|(b)", "b", 0, {"b", NULL, "b"}, 3},
	{"(a)(x)?(b)", "ab", 0, {"ab", "a", NULL, "b"}, 4},
	{"(x*)b", "b", 0, {"b", ""}, 2},
	{"a", "aba", 1, {"a"}, 1},
	{"^a", "aa", 1, {NULL}, 0},
	{"", "", 0, {""}, 1},
	{"$", "a", 1, {""}, 1},
	{"a", "a", 2, {NULL}, 0},
	{"\xff+", "a\xff\xff", 0, {"\xff\xff"}, 1},
};

static void
finds_are_as_expected(void **state)
{
	struct fixture *f = *state;

	for (size_t i = 0; i < ROWS(finds); i++) {
		const struct matcher *m = opened(f, finds[i].pattern);
		struct match match;
		bool found =
			match_find(m, str_of(finds[i].subject), finds[i].from, &match);

		assert_int_equal(found, finds[i].n > 0);
		if (finds[i].from == 0)
			assert_int_equal(match_has(m, str_of(finds[i].subject)), found);
		for (size_t g = 0; found && g < finds[i].n; g++) {
			assert_int_equal(match.n, finds[i].n);
			assert_int_equal(
				match.groups[g].p != NULL, finds[i].groups[g] != NULL);
			assert_true(str_eq(match.groups[g], str_of(finds[i].groups[g])));
		}
	}
}

/* PCRE2's machine code, which would come after a few uses, does not find the second. */
static void
every_use_finds_the_same(void **state)
{
	const struct matcher *m = opened(*state, "(a+)(b+)");
	const struct matcher *no_jit = opened(*state, "(abc(c|)|)a*bc");
	struct match match;

	for (int i = 0; i < 50; i++) {
		assert_true(match_find(m, STR("xaabby"), 0, &match));
		assert_int_equal(match.n, 3);
		assert_true(str_is(match.groups[0], "aabb"));
		assert_true(str_is(match.groups[1], "aa"));
		assert_true(str_is(match.groups[2], "bb"));
		assert_false(match_has(m, STR("xaacb")));
		assert_true(match_find(no_jit, STR("abcdefgh"), 0, &match));
		assert_true(match_has(no_jit, STR("abcdefgh")));
	}
}

static void
nothing_is_no_match(void **state)
{
	struct match match;

	assert_false(match_has(NULL, STR("a")));
	assert_false(match_find(NULL, STR("a"), 0, &match));
	assert_true(match_has(opened(*state, "x*"), STR_NONE));
	assert_true(match_find(opened(*state, "x*"), STR_NONE, 0, &match));
	match_set_close(NULL);
}

static struct str
repeated(struct arena *a, const char *unit, size_t n, const char *behind)
{
	struct buf b = {.arena = a};

	for (size_t i = 0; i < n; i++)
		buf_z(&b, unit);
	buf_z(&b, behind);
	return buf_as_str(&b);
}

/* What takes a backtracking matcher longer than the world exists, or more stack than
 * there is, has an exact answer at once, and so have the places of its groups. */
static void
hostile_patterns_have_an_answer(void **state)
{
	static const struct {
		const char *pattern, *unit;
		size_t n;
		const char *behind, *last_group; /* NULL: no match */
	} rows[] = {
		{"(a|aa)+$", "a", 200, "b", NULL},
		{"(a|aa)+$", "a", 200, "", "a"},
		{"(a|aa)+$", "a", 100000, "b", NULL},
		{"(x+x+)+(y)", "x", 3000, "", NULL},
		{"(x+x+)+(y)", "x", 3000, "y", "y"},
		{"(x+x+)+(y)", "x", 300000, "y", "y"},
		{"Test.*started.*(FAILED)", "Test 1 started / ok\n", 1500, "FAILED",
			"FAILED"},
		{"Test.*started.*ok.*(FAILED)", "Test 1 started / ok\n", 1500, "", NULL},
		{"(.|\n)*(FORBIDDEN)", "x", 3 << 20, "FORBIDDEN", "FORBIDDEN"},
		{"(.|\n)*(FORBIDDEN)", "x", 3 << 20, "FORBIDDE", NULL},
		{"([a-z]+\n)+(FORBIDDEN)", "abcde\n", 200000, "", NULL},
		{"([a-z]+\n)+(FORBIDDEN)", "abcde\n", 200000, "FORBIDDEN", "FORBIDDEN"},
		{"(a?a?a?a?a?a?a?a?a?a?a?a?a?a?)aaaaaaaaaaaaaa(b)", "a", 5000, "c", NULL},
		{"(ab|c)*(d)", "abcab", 160000, "d", "d"},
		{"x.*(y)", "x", 800000, "y", "y"},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < ROWS(rows); i++) {
		const struct matcher *m = opened(f, rows[i].pattern);
		struct str text = repeated(f->a, rows[i].unit, rows[i].n, rows[i].behind);
		bool is_there = rows[i].last_group;
		struct match match;

		assert_int_equal(match_has(m, text), is_there);
		assert_int_equal(match_find(m, text, 0, &match), is_there);
		if (is_there)
			assert_true(
				str_is(match.groups[match.n - 1], rows[i].last_group));
	}
}

/* PCRE2 compiles none that are so large. */
static void
large_patterns_match(void **state)
{
	struct fixture *f = *state;
	struct str text = repeated(f->a, "ab", 10, "");
	struct match match;
	const struct matcher *m = opened(f, repeated(f->a, "[^x]?", 2000, "(b)a").p);

	assert_true(match_has(m, text));
	assert_true(match_find(m, text, 0, &match));
	assert_true(str_is(match.groups[1], "b"));
	assert_int_equal(match.groups[0].n, text.n - 1);
	assert_false(match_has(m, STR("bbb")));
}

/* ---- sets ------------------------------------------------------------------------ */

static int parsed;

static bool
count_and_parse(
	struct arena *a, struct str text, struct regex_tree *tree, struct str *why)
{
	parsed++;
	return regex_parse(a, text, tree, why);
}

static void
a_text_is_compiled_once(void **state)
{
	struct arena *a = arena_open();
	struct match_set *s = match_set_open(a, count_and_parse);
	char text[] = "a+";
	struct str why;
	const struct pattern *first = match_set_get(s, str_of(text), &why);

	(void)state;
	assert_int_equal(why.n, 0);
	text[0] = 'b'; /* the set keeps its own copy */
	assert_true(str_is(first->text, "a+"));
	assert_ptr_equal(match_set_get(s, STR("a+"), NULL), first);
	assert_ptr_not_equal(match_set_get(s, STR("a"), NULL), first);
	assert_int_equal(parsed, 2);
	for (int i = 0; i < 3; i++)
		assert_true(match_has(first->matcher, STR("caa")));
	assert_int_equal(parsed, 3);
	match_set_close(s);
	arena_close(a);
}

static void
a_bad_text_says_why_each_time(void **state)
{
	struct fixture *f = *state;
	struct str why;

	for (int i = 0; i < 2; i++) {
		const struct pattern *p = match_set_get(f->set, STR("(a"), &why);

		assert_null(p->matcher);
		assert_true(str_is(p->text, "(a"));
		assert_true(str_has(why, STR("Unmatched parentheses.\n")));
		assert_false(match_has(p->matcher, STR("(a")));
	}
}

/* More expressions than automata are kept, in an order that makes room for each. */
static void
automata_come_and_go(void **state)
{
	struct fixture *f = *state;

	for (int round = 0; round < 3; round++)
		for (int i = 0; i < 600; i++) {
			const struct matcher *m = opened(f, str_fmt(f->a, "^a%db$", i).p);

			assert_true(match_has(m, str_fmt(f->a, "a%db", i)));
			assert_false(match_has(m, str_fmt(f->a, "a%db", i + 1)));
		}
}

/* ---- lists ----------------------------------------------------------------------- */

static struct pattern_list
list_of(struct fixture *f, const char *const *texts, size_t n)
{
	struct pattern_list l = {NEW_ARRAY(f->a, const struct pattern *, n), n};

	for (size_t i = 0; i < n; i++)
		l.v[i] = match_set_get(f->set, str_of(texts[i]), NULL);
	return l;
}

/* The first of the list counts, wherever it is found, and however the text is cut. */
static void
the_first_of_a_list(void **state)
{
	static const struct {
		const char *patterns[3], *text, *first; /* NULL: none */
	} rows[] = {
		{{"c", "b", "a"}, "abc", "c"},
		{{"x", "b", "a"}, "abc", "b"},
		{{"x", "y", "z"}, "abc", NULL},
		{{"(x", "b", "c"}, "abc", "b"},
		{{"(x", "x)", "*"}, "abc", NULL},
		{{"c$", "b$", "a"}, "abc", "c$"},
		{{"b$", "^b", "^$"}, "abc", NULL},
		{{"b$", "^$", "a"}, "", "^$"},
		{{"^abc$", "x*", "a"}, "abc", "^abc$"},
		{{"^abd$", "x*", "a"}, "abc", "x*"},
		{{"a.*d", "a.*c", "a"}, "a\nb\nc", "a.*c"},
		{{"a", "a", "a"}, "a", "a"},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < ROWS(rows); i++) {
		struct pattern_list l = list_of(f, rows[i].patterns, 3);
		struct str text = str_of(rows[i].text);
		struct long_text all = long_text_of(text);
		const struct pattern *found = match_first(&l, 1, &all);

		assert_int_equal(found != NULL, rows[i].first != NULL);
		if (found)
			assert_string_equal(found->text.p, rows[i].first);
		for (size_t cut = 0; cut <= text.n; cut++) {
			struct match_search *s = match_search_open(f->a, &l, 1);

			match_search_read(s, str_cut(text.p, cut));
			match_search_read(s, str_from(text, cut));
			assert_ptr_equal(match_search_found(s), found);
			match_search_close(s);
		}
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_are_as_expected),
		cmocka_unit_test(every_use_finds_the_same),
		cmocka_unit_test(nothing_is_no_match),
		cmocka_unit_test(hostile_patterns_have_an_answer),
		cmocka_unit_test(large_patterns_match),
		cmocka_unit_test(a_text_is_compiled_once),
		cmocka_unit_test(a_bad_text_says_why_each_time),
		cmocka_unit_test(automata_come_and_go),
		cmocka_unit_test(the_first_of_a_list),
	};

	return run_unit_tests("match", tests, set_up, tear_down);
}

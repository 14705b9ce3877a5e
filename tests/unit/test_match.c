/* PCRE2 behind match.h: groups, places, sets, and that hostile patterns end. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "runner/match.h"

static struct matcher *
opened(struct arena *a, const char *pattern)
{
	struct str why;
	struct matcher *m = matcher_open(a, str_of(pattern), &why);

	assert_non_null(m);
	return m;
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
	{"\\Aa", "aa", 1, {NULL}, 0},
	{"", "", 0, {""}, 1},
	{"$", "a", 1, {""}, 1},
	{"a", "a", 2, {NULL}, 0},
	{"\xff+", "a\xff\xff", 0, {"\xff\xff"}, 1},
};

static void
finds_are_as_told(void **state)
{
	struct arena *a = arena_open();

	(void)state;
	for (size_t i = 0; i < sizeof finds / sizeof *finds; i++) {
		struct matcher *m = opened(a, finds[i].pattern);
		struct match match;
		bool found =
			match_find(m, str_of(finds[i].subject), finds[i].from, &match);

		assert_int_equal(found, finds[i].n > 0);
		for (size_t g = 0; found && g < finds[i].n; g++) {
			assert_int_equal(match.n, finds[i].n);
			assert_int_equal(
				match.groups[g].p != NULL, finds[i].groups[g] != NULL);
			assert_true(str_eq(match.groups[g], str_of(finds[i].groups[g])));
		}
		matcher_close(m);
	}
	arena_close(a);
}

/* The machine code comes after a few uses, and finds the same. */
static void
every_use_finds_the_same(void **state)
{
	struct arena *a = arena_open();
	struct matcher *m = opened(a, "(a+)(b+)");
	struct match match;

	(void)state;
	for (int i = 0; i < 50; i++) {
		assert_true(match_find(m, STR("xaabby"), 0, &match));
		assert_int_equal(match.n, 3);
		assert_true(str_is(match.groups[0], "aabb"));
		assert_true(str_is(match.groups[1], "aa"));
		assert_true(str_is(match.groups[2], "bb"));
		assert_false(match_has(m, STR("xaacb")));
	}
	matcher_close(m);
	arena_close(a);
}

static void
more_groups_than_kept_is_fine(void **state)
{
	struct arena *a = arena_open();
	struct matcher *m = opened(a, "(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)(k)");
	struct match match;

	(void)state;
	assert_true(match_find(m, STR("abcdefghijk"), 0, &match));
	assert_int_equal(match.n, MATCH_GROUPS);
	assert_true(str_is(match.groups[9], "i"));
	matcher_close(m);
	arena_close(a);
}

static void
nothing_is_no_match(void **state)
{
	struct arena *a = arena_open();
	struct str why = STR_NONE;
	struct matcher *m = opened(a, "x*");

	(void)state;
	assert_false(match_has(NULL, STR("a")));
	assert_true(match_has(m, STR_NONE));
	assert_null(matcher_open(a, STR("(a"), &why));
	assert_true(str_has(why, STR("parenthesis")));
	matcher_close(m);
	matcher_close(NULL);
	match_set_close(NULL);
	arena_close(a);
}

/* Would take longer than the world exists; both the interpreter and the machine code. */
static void
hostile_patterns_end(void **state)
{
	struct arena *a = arena_open();
	struct matcher *m = opened(a, "(a|aa)+$");
	struct buf subject = {.arena = a};

	(void)state;
	buf_fill(&subject, 'a', 200);
	buf_char(&subject, 'b');
	assert_false(match_has(m, buf_as_str(&subject)));
	for (int i = 0; i < 20; i++)
		assert_true(match_has(m, STR("aaa")));
	assert_false(match_has(m, buf_as_str(&subject)));
	matcher_close(m);
	arena_close(a);
}

/* Each round of the group takes stack; ctest itself breaks on this. */
static void
large_subjects_match(void **state)
{
	struct arena *a = arena_open();
	struct matcher *loop = opened(a, "(ab|c)*d"), *star = opened(a, "x.*y");
	struct buf subject = {.arena = a};

	(void)state;
	buf_char(&subject, 'x');
	for (int i = 0; i < 400 * 1000; i++)
		buf_z(&subject, i % 3 ? "ab" : "c");
	buf_z(&subject, "dy");
	for (int i = 0; i < 3; i++) {
		struct match match;

		assert_true(match_find(loop, buf_as_str(&subject), 0, &match));
		assert_int_equal(match.groups[0].n, subject.n - 2);
		assert_true(match_find(star, buf_as_str(&subject), 0, &match));
		assert_int_equal(match.groups[0].n, subject.n);
	}
	matcher_close(loop);
	matcher_close(star);
	arena_close(a);
}

/* ---- sets -----------------------------------------------------------------------------
 */

static int translations;

/* '!' in front is refused; the rest is PCRE2's. */
static bool
count_and_translate(struct arena *a, struct str text, struct str *pcre2, struct str *why)
{
	(void)a;
	translations++;
	*pcre2 = text;
	*why = STR("no '!'\n");
	return !str_begins(text, STR("!"));
}

static void
a_text_is_compiled_once(void **state)
{
	struct arena *a = arena_open();
	struct match_set *s = match_set_open(a, count_and_translate);
	char text[] = "a+";
	struct str why;
	const struct pattern *first = match_set_get(s, str_of(text), &why);

	(void)state;
	assert_int_equal(why.n, 0);
	text[0] = 'b'; /* the set keeps its own copy */
	assert_true(str_is(first->text, "a+"));
	assert_ptr_equal(match_set_get(s, STR("a+"), NULL), first);
	assert_ptr_not_equal(match_set_get(s, STR("a"), NULL), first);
	assert_true(match_has(first->matcher, STR("caa")));
	assert_int_equal(translations, 2);
	match_set_close(s);
	arena_close(a);
}

static void
a_bad_text_says_why_each_time(void **state)
{
	struct arena *a = arena_open();
	struct match_set *s = match_set_open(a, count_and_translate);
	struct str why;

	(void)state;
	for (int i = 0; i < 2; i++) {
		const struct pattern *p = match_set_get(s, STR("!a"), &why);

		assert_null(p->matcher);
		assert_true(str_is(p->text, "!a"));
		assert_true(str_is(why, "no '!'\n"));
		assert_false(match_has(p->matcher, STR("!a")));
	}
	assert_null(match_set_get(s, STR("(a"), &why)->matcher);
	assert_true(str_begins(why, STR("PCRE2: ")));
	assert_true(str_ends(why, STR("\n")));
	match_set_close(s);
	arena_close(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_are_as_told),
		cmocka_unit_test(every_use_finds_the_same),
		cmocka_unit_test(more_groups_than_kept_is_fine),
		cmocka_unit_test(nothing_is_no_match),
		cmocka_unit_test(hostile_patterns_end),
		cmocka_unit_test(large_subjects_match),
		cmocka_unit_test(a_text_is_compiled_once),
		cmocka_unit_test(a_bad_text_says_why_each_time),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("match", tests, NULL, NULL);
}

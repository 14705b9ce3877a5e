/* filter_word: which texts a word matches. */
#include "runner/filter/filter_word.h"
#include "tests/unit/unit.h"

static const struct {
	const char *glob, *text;
	bool matches;
} globs[] = {
	{"a", "a", true},
	{"a", "ab", false},
	{"a*", "a", true},
	{"a*", "abc", true},
	{"*c", "abc", true},
	{"*c", "abcd", false},
	{"a*c*e", "abcde", true},
	{"a*c*e", "abde", false},
	{"*", "", true},
	{"**", "a/b", true},
	{"*ab", "aab", true},
	{"*aab*", "aaaab", true},
	{"a?c", "abc", true},
	{"a?c", "ac", false},
	{"?", "é", true},
	{"??", "é", false},
	{"?", "\xff", true},
	{"[abc]", "b", true},
	{"[abc]", "d", false},
	{"[a-c]x", "bx", true},
	{"[!a-c]", "b", false},
	{"[^a-c]", "d", true},
	{"[]]", "]", true},
	{"[!]]", "]", false},
	{"[a-]", "-", true},
	{"[é-ü]", "ö", true},
	{"[\\]]", "]", true},
	{"a[1", "a[1", true},
	{"*[1", "a[1", true},
	{"\\*", "*", true},
	{"\\*", "a", false},
	{"a\\*b*", "a*bc", true},
	{"a\\*b*", "axbc", false},
	{"\\", "\\", true},
	{"?*?", "a", false},
	{"?*?", "ab", true},
};

static void
globs_match_whole_texts(void **state)
{
	struct arena *a = *state;

	for (size_t i = 0; i < ROWS(globs); i++) {
		struct filter_word w = filter_word_of_glob(a, str_of(globs[i].glob));

		if (filter_word_matches(&w, str_of(globs[i].text)) != globs[i].matches)
			fail_msg("%s, %s", globs[i].glob, globs[i].text);
	}
}

/* What an exponential search would not end. */
static void
many_stars_are_no_burden(void **state)
{
	struct arena *a = *state;
	struct buf glob = {.arena = a}, text = {.arena = a};
	struct filter_word w;

	for (size_t i = 0; i < 1000; i++)
		buf_z(&glob, "*a");
	buf_z(&glob, "*b");
	buf_fill(&text, 'a', 5000);
	w = filter_word_of_glob(a, buf_as_str(&glob));
	assert_false(filter_word_matches(&w, buf_as_str(&text)));
	buf_char(&text, 'b');
	assert_true(filter_word_matches(&w, buf_as_str(&text)));
}

static void
other_words_have_no_wildcards(void **state)
{
	struct filter_word equal = {.way = WORD_EQUAL, .text = STR("a*")};
	struct filter_word part = {.way = WORD_PART, .text = STR("*")};

	(void)state;
	assert_true(filter_word_matches(&equal, STR("a*")));
	assert_false(filter_word_matches(&equal, STR("ab")));
	assert_true(filter_word_matches(&part, STR("a*b")));
	assert_false(filter_word_matches(&part, STR("ab")));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			globs_match_whole_texts, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(
			many_stars_are_no_burden, open_arena, close_arena),
		cmocka_unit_test(other_words_have_no_wildcards),
	};

	return run_unit_tests("filter_word", tests, NULL, NULL);
}

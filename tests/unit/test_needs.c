/* needs: what tests need, and what needs them. */
#include "runner/filter/needs.h"
#include "tests/unit/suite_text.h"
#include "tests/unit/unit.h"

static const struct {
	const char *suite, *of, *needed, *needing;
} rows[] = {
	{"a; b", "a", "a", "a"},
	{"a; b after=a; c after=b", "c", "abc", "c"},
	{"a; b after=a; c after=b", "a", "a", "abc"},
	{"a; b after=a; c after=b", "b", "ab", "bc"},
	/* a name that no test has */
	{"a after=x; b", "a", "a", "a"},
	/* all tests of the name */
	{"a; a; b after=a", "b", "aab", "b"},
	/* setups, but not cleanups */
	{"s setup=F; c cleanup=F; u needs=F; v needs=F,G", "u", "su", "u"},
	{"s setup=F; c cleanup=F; u needs=F; v needs=F,G", "s", "s", "suv"},
	{"s setup=F needs=G; t setup=G; u needs=F", "u", "stu", "u"},
	{"s setup=F needs=G; t setup=G; u needs=F", "t", "t", "stu"},
	/* circles end */
	{"a after=b; b after=a; c", "a", "ab", "ab"},
	{"a needs=F setup=F", "a", "a", "a"},
};

static struct str
names_of(struct arena *a, const struct suite *s, const bool *set)
{
	struct buf names = {.arena = a};

	for (size_t t = 0; t < s->n; t++)
		if (set[t])
			buf_str(&names, s->tests[t].name);
	return buf_as_str(&names);
}

static void
assert_added(size_t row, bool by_others, const char *expected)
{
	struct arena *a = arena_open();
	struct suite *s = suite_of(a, rows[row].suite);
	bool *set = NEW_ARRAY(a, bool, s->n);

	for (size_t t = 0; t < s->n; t++)
		set[t] = str_is(s->tests[t].name, rows[row].of);
	needs_add(needs_build(a, s), set, by_others);
	if (!str_is(names_of(a, s, set), expected))
		fail_msg("row %zu, %d", row, by_others);
	arena_close(a);
}

static void
needs_are_found(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		assert_added(i, false, rows[i].needed);
		assert_added(i, true, rows[i].needing);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(needs_are_found)};

	return run_unit_tests("needs", tests, NULL, NULL);
}

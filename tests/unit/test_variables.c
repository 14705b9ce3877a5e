/* variables: every environment comes back, and most of it takes one item. */
#include "runner/remote/variables.h"

#include "tests/unit/unit.h"

static const char *const base[] = {"A=1", "B=2", "C=3", "D=4", NULL};

/* The items, separated by blanks, with '#' for the mark. */
static const char *
shown(struct arena *a, const char *const *items)
{
	struct buf b = {.arena = a};

	buf_z(&b, "");
	for (; *items; items++)
		buf_fmt(&b, "%s%s", b.n ? " " : "", *items);
	for (size_t i = 0; i < b.n; i++)
		b.p[i] = b.p[i] == '\1' ? '#' : b.p[i];
	return buf_as_str(&b).p;
}

static const struct {
	const char *environment[8], *items;
} rows[] = {
	{{NULL}, ""},
	{{"A=1", "B=2", "C=3", "D=4"}, "#0-3"},
	{{"A=1", "B=2", "C=3", "D=4", "E=5"}, "#0-3 E=5"},
	{{"A=1", "B=x", "C=3", "D=4"}, "#0-0 B=x #2-3"},
	{{"C=3", "D=4"}, "#2-3"},
	{{"A=1", "D=4"}, "#0-0 #3-3"},
	{{"D=4", "A=1"}, "#3-3 A=1"},
	{{"\1=1", "A=1"}, "##=1 #0-0"},
	{{"", "A=1"}, "#0-0"},
	{{"X=1", "Y=2"}, "X=1 Y=2"},
};

static void
there_and_back(void **state)
{
	for (size_t i = 0; i < ROWS(rows); i++) {
		const char *const *items =
			variables_shorten(*state, base, rows[i].environment);
		const char *const *back = variables_restore(*state, base, items);
		size_t n = 0;

		assert_string_equal(shown(*state, items), rows[i].items);
		assert_non_null(back);
		for (; rows[i].environment[n]; n++)
			assert_string_equal(back[n], rows[i].environment[n]);
		assert_null(back[n]);
	}
}

static void
what_makes_no_sense(void **state)
{
	static const char *const items[] = {"\1",
		"\1"
		"0",
		"\1"
		"0-4",
		"\1"
		"2-1",
		"\1x-1",
		"\1"
		"0-1x",
		"\1"
		"4-4"};

	for (size_t i = 0; i < ROWS(items); i++) {
		const char *const list[] = {items[i], NULL};

		assert_null(variables_restore(*state, base, list));
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(there_and_back),
		cmocka_unit_test(what_makes_no_sense),
	};

	return run_unit_tests("variables", tests, open_arena, close_arena);
}

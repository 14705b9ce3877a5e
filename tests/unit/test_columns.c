/* columns: how wide texts are, and where they are cut. */
#include "runner/base/columns.h"
#include "tests/unit/unit.h"

static const struct {
	const char *text;
	size_t most, columns; /* columns: of the whole text */
	const char *shown;
} rows[] = {
	{"", 5, 0, ""},
	{"plain", 5, 5, "plain"},
	{"plainly", 5, 7, "pl..."},
	{"plainly", 2, 7, ".."},
	{"plainly", 0, 7, ""},
	/* e and a combining acute accent */
	{"e\xcc\x81t\xcc\x81", 2, 2, "e\xcc\x81t\xcc\x81"},
	{"e\xcc\x81t\xcc\x81zzzz", 5, 6, "e\xcc\x81t\xcc\x81..."},
	/* two columns each; one of three has no room for half of one */
	{"\xe6\x97\xa5\xe6\x9c\xac", 4, 4, "\xe6\x97\xa5\xe6\x9c\xac"},
	{"\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e", 5, 6, "\xe6\x97\xa5..."},
	{"\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e", 4, 6, "..."},
	{"\xf0\x9f\x98\x80", 2, 2, "\xf0\x9f\x98\x80"},
	/* a heart that some terminals show as an emoji */
	{"\xe2\x9d\xa4\xef\xb8\x8f", 2, 2, "\xe2\x9d\xa4\xef\xb8\x8f"},
	{"a\tb\nc\033[1m\x7f", 20, 10, "a?b?c?[1m?"},
	{"bad \xff\xc3", 20, 6, "bad ??"},
	{"\xc2\x9b\x31m", 20, 3, "?1m"},
};

static void
texts_are_cut_at_columns(void **state)
{
	struct columns *c = columns_open(*state);

	for (size_t i = 0; i < ROWS(rows); i++) {
		struct buf out = {.arena = *state};
		struct str text = str_of(rows[i].text);
		size_t got = columns_of(c, text), added;

		buf_z(&out, "");
		added = columns_add(c, &out, text, rows[i].most);
		if (got != rows[i].columns)
			fail_msg("row %zu: %zu columns", i, got);
		if (!str_is(buf_as_str(&out), rows[i].shown))
			fail_msg("row %zu: got \"%s\"", i, out.p);
		if (added > rows[i].most)
			fail_msg("row %zu: %zu columns added", i, added);
	}
	columns_close(c);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			texts_are_cut_at_columns, open_arena, close_arena),
	};

	return run_unit_tests("columns", tests, NULL, NULL);
}

/*
 * How the commands of CTestCustom.cmake are cut into words. What is said around them is
 * for tests/conformance.
 */
#include "compat/settings/custom_commands.h"
#include "tests/unit/unit.h"

static const struct {
	const char *command, *words; /* every word in < > */
} rows[] = {
	{"", ""},
	{" \t", ""},
	{"a", "<a>"},
	{"a b\tc  d ", "<a><b><c><d>"},
	{"\"a b\" 'c d'", "<a b><c d>"},
	{"'' \"\"", "<><>"},
	{"\"'\" '\"'", "<'><\">"},
	/* quotes end the word, and are quotes only at its begin */
	{"\"a\"b", "<a><b>"},
	{"k\"l\"m n'o p'q", "<k\"l\"m><n'o><p'q>"},
	/* one that is not closed */
	{"'a b", "<a b>"},
	{"'", "<>"},
	/* backslashes */
	{"e\\ f g\\\\h i\\nj", "<e f><g\\h><inj>"},
	{"\"g\\\"h\"", "<g\\><h\">"},
	{"\"i\\\\j\" 'k\\l'", "<i\\\\j><k\\l>"},
	{"x\\", "<x>"},
	{"\\'b", "<'b>"},
};

static void
commands_have_words(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct arena *a = arena_open();
		struct str_list l = custom_command_words(a, str_of(rows[i].command));
		struct buf got = {.arena = a};

		buf_z(&got, "");
		for (size_t k = 0; k < l.n; k++)
			buf_fmt(&got, "<%.*s>", STR_ARG(l.v[k]));
		assert_string_equal(got.p, rows[i].words);
		arena_close(a);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(commands_have_words),
	};

	return run_unit_tests("custom_commands", tests, NULL, NULL);
}

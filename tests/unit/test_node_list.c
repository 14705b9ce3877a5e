/* Names of nodes, and commands as words. */
#include "runner/remote/node_list.h"
#include "tests/unit/unit.h"

static struct str
joined(struct arena *a, struct str_list l)
{
	struct buf b = {.arena = a};

	for (size_t i = 0; i < l.n; i++) {
		buf_z(&b, i ? "|" : "");
		buf_str(&b, l.v[i]);
	}
	return b.n ? buf_as_str(&b) : STR("");
}

static void
lists_of_nodes(void **state)
{
	static const struct {
		const char *text, *names;
	} rows[] = {
		{"a", "a"},
		{"a,b-2.x", "a|b-2.x"},
		{"n[1-3]", "n1|n2|n3"},
		{"n[08-10,12]-ib,m", "n08-ib|n09-ib|n10-ib|n12-ib|m"},
		{"me@host", "me@host"},
	};
	static const char *const bad[] = {"", "a,", ",a", "a b", "-a", "a,a", "n[1-2",
		"n]1[", "n[2-1]", "n[]", "n[1-]", "n[1-2,1]", "a;b", "$(a)",
		"n[1-9999999999]", "n[1-99999999]", "n[a]", "n[1]m[2]", "{node}"};
	struct str_list l;
	const char *why;

	for (size_t i = 0; i < ROWS(rows); i++) {
		assert_true(node_list_read(*state, str_of(rows[i].text), &l, &why));
		assert_string_equal(joined(*state, l).p, rows[i].names);
	}
	for (size_t i = 0; i < ROWS(bad); i++) {
		why = NULL;
		assert_false(node_list_read(*state, str_of(bad[i]), &l, &why));
		assert_non_null(why);
	}
}

static void
commands(void **state)
{
	static const struct {
		const char *text, *words;
	} rows[] = {
		{"ssh {node} {agent}", "ssh|{node}|{agent}"},
		{"  a  'b c' \"d e\"f ", "a|b c|d ef"},
		{"a\\ b '' \"\\\"\" 'x\\y'", "a b||\"|x\\y"},
	};
	struct str_list l;

	for (size_t i = 0; i < ROWS(rows); i++) {
		assert_true(launcher_read(*state, str_of(rows[i].text), &l));
		assert_string_equal(joined(*state, l).p, rows[i].words);
	}
	assert_false(launcher_read(*state, STR("  "), &l));
	assert_false(launcher_read(*state, STR("a 'b"), &l));
	assert_true(launcher_read(*state, STR("a\0b c"), &l));
	assert_int_equal(l.n, 2);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(lists_of_nodes, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(commands, open_arena, close_arena),
	};

	return run_unit_tests("node_list", tests, NULL, NULL);
}

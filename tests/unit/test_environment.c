/* Environments as values. */
#include "runner/base/environment.h"
#include "tests/unit/unit.h"

static const char *const before[] = {"A=1", "AB=2", "=odd", "C=", NULL};

static const char *
text_of(struct arena *a, const char *const *environment)
{
	struct buf b = {.arena = a};

	for (; *environment; environment++)
		buf_fmt(&b, "%s;", *environment);
	return str_z(a, buf_as_str(&b));
}

static void
variables_are_found(void **state)
{
	(void)state;
	assert_string_equal(environment_find(before, "A"), "1");
	assert_string_equal(environment_find(before, "AB"), "2");
	assert_string_equal(environment_find(before, "C"), "");
	assert_null(environment_find(before, "B"));
	assert_null(environment_find(before, "ABC"));
}

static void
variables_are_changed(void **state)
{
	static const struct {
		const char *variable, *after;
	} rows[] = {
		{"A=3", "A=3;AB=2;=odd;C=;"},
		{"C=x=y", "A=1;AB=2;=odd;C=x=y;"},
		{"B=", "A=1;AB=2;=odd;C=;B=;"},
		{"=b", "A=1;AB=2;=odd;C=;"},
		{"A", "A=1;AB=2;=odd;C=;"},
		{"", "A=1;AB=2;=odd;C=;"},
	};
	struct arena *a = arena_open();

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct str variable = str_of(rows[i].variable);
		const char *const *after =
			environment_with_all(a, before, (struct str_list){&variable, 1});

		assert_string_equal(text_of(a, after), rows[i].after);
	}
	assert_string_equal(text_of(a, environment_with(a, before, "AB", STR("x"))),
		"A=1;AB=x;=odd;C=;");
	assert_string_equal(text_of(a, before), "A=1;AB=2;=odd;C=;");
	arena_close(a);
}

static void
later_values_win(void **state)
{
	struct arena *a = arena_open();
	struct str variables[] = {STR("N=1"), STR("A=2"), STR("N=3")};

	(void)state;
	assert_string_equal(text_of(a, environment_with_all(a, before,
					       (struct str_list){variables, 3})),
		"A=2;AB=2;=odd;C=;N=3;");
	arena_close(a);
}

static void
variables_are_removed(void **state)
{
	struct arena *a = arena_open();

	(void)state;
	assert_string_equal(
		text_of(a, environment_without(a, before, "A")), "AB=2;=odd;C=;");
	assert_string_equal(
		text_of(a, environment_without(a, before, "X")), "A=1;AB=2;=odd;C=;");
	arena_close(a);
}

static void
changes_are_applied(void **state)
{
	static const struct environment_change changes[] = {
		{.name = STR("AB"), .value = STR("x=y")},
		{.name = STR("A"), .value = STR(""), .unset = true},
		{.name = STR("NEW"), .value = STR("")},
		{.name = STR("GONE"), .value = STR(""), .unset = true}};
	static const char *const twice[] = {"B=1", "A=1", "none", "B=2", NULL};
	struct arena *a = arena_open();

	(void)state;
	assert_string_equal(text_of(a, environment_changed(a, before, changes, 4)),
		"AB=x=y;=odd;C=;NEW=;");
	assert_string_equal(
		text_of(a, environment_changed(a, twice, NULL, 0)), "B=2;A=1;");
	arena_close(a);
}

static void
changes_are_found(void **state)
{
	static const char after[] = "NEW=a\nb\0AB=2\0C=3";
	static const struct {
		const char *name, *value;
		bool unset;
	} expected[] = {{"NEW", "a\nb", false}, {"C", "3", false}, {"A", "", true},
		{"", "", true}};
	struct arena *a = arena_open();
	environment_changes found = environment_compare(
		a, before, environment_parse(a, str_cut(after, sizeof after)));

	(void)state;
	assert_int_equal(found.n, ROWS(expected));
	for (size_t i = 0; i < found.n; i++) {
		assert_true(str_is(found.v[i].name, expected[i].name));
		assert_true(str_is(found.v[i].value, expected[i].value));
		assert_int_equal(found.v[i].unset, expected[i].unset);
	}
	assert_int_equal(environment_compare(a, before, before).n, 0);
	arena_close(a);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(variables_are_found),
		cmocka_unit_test(variables_are_changed),
		cmocka_unit_test(later_values_win),
		cmocka_unit_test(variables_are_removed),
		cmocka_unit_test(changes_are_applied),
		cmocka_unit_test(changes_are_found),
	};

	return run_unit_tests("environment", tests, NULL, NULL);
}

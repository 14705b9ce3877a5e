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

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(variables_are_found),
		cmocka_unit_test(variables_are_changed),
		cmocka_unit_test(later_values_win),
		cmocka_unit_test(variables_are_removed),
	};

	return run_unit_tests("environment", tests, NULL, NULL);
}

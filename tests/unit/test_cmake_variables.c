/* Variables of test files: scopes, marks, and values that have no room. */
#include "manifests/cmake/cmake_variables.h"
#include "runner/model/source.h"
#include "tests/unit/unit.h"

enum { ROOM = 5 };

static bool
has_room(void *context, size_t n)
{
	size_t *refused = context;

	*refused += n > ROOM;
	return n <= ROOM;
}

/* What a step does: "a=1" sets, "a+1" appends after a comma, "a-" unsets, "a^1" and "a^-"
 * raise, "(" and ")" are a scope, "[" marks, and "]" rewinds. */
static void
take_step(struct variables *v, struct variables_mark *mark, struct str step)
{
	struct str name = str_cut(step.p, 1), value = str_from(step, step.n > 1 ? 2 : 1);

	if (str_is(step, "("))
		variables_enter(v);
	else if (str_is(step, ")"))
		variables_leave(v);
	else if (str_is(step, "["))
		*mark = variables_mark(v);
	else if (str_is(step, "]"))
		variables_rewind(v, mark);
	else if (step.p[1] == '=')
		variable_set(v, name, value);
	else if (step.p[1] == '+')
		variable_append(v, name, STR(","), value);
	else if (step.p[1] == '^')
		(void)variable_raise(v, name, str_is(value, "-") ? STR_NONE : value);
	else
		variable_unset(v, name);
}

/* "a=1 b=" in the order in which the names were first used. */
static struct str
list_all(struct arena *a, const struct variables *v)
{
	struct buf b = {.arena = a};
	size_t n;
	const struct variable *all = variables_list(v, a, &n);

	buf_z(&b, "");
	for (size_t i = 0; i < n; i++)
		buf_fmt(&b, "%s%.*s=%.*s", i ? " " : "", STR_ARG(all[i].name),
			STR_ARG(all[i].value));
	return buf_as_str(&b);
}

static void
steps_are_undone(void **state)
{
	static const struct {
		const char *steps, *left;
		size_t refused;
	} rows[] = {
		{"a=1 b=2 a=3", "a=3 b=2", 0},
		{"a=1 a-", "", 0},
		{"a= b-", "a=", 0},
		{"a=1 a+2", "a=1,2", 0},
		{"a+2", "a=,2", 0},
		{"a=1 ( a=2 b=3 )", "a=1", 0},
		{"a=1 ( a- )", "a=1", 0},
		{"a=1 ( a=2 ( a=3 ) a+4 )", "a=1", 0},
		{"a=1 ( a=2 a^3 )", "a=3", 0},
		{"a=1 ( a^- )", "", 0},
		{"a=1 ( ( a^2 ) a+3 )", "a=1", 0},
		{"a=1 ( a^2 ) ( b=3 )", "a=2", 0},
		{"a^2", "", 0},
		{"a=1 [ a=2 b=3 ]", "a=1", 0},
		{"a=1 a+2 [ a+3 ]", "a=1,2", 0},
		{"( a=1 [ b^2 a=3 ] b^4 )", "b=4", 0},
		{"[ ( a=1 ) a=2 ] a+3", "a=,3", 0},
		{"a=1 a=123456", "a=1", 1},
		{"a=1234 a+5", "a=1234", 1},
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct arena *a = arena_open();
		size_t refused = 0;
		struct variables *v =
			variables_new(a, recent_words_new(a), has_room, &refused);
		struct variables_mark mark = {0};
		struct str steps = str_of(rows[i].steps), left;

		while (steps.n)
			take_step(v, &mark, str_take(&steps, ' '));
		left = list_all(a, v);
		if (!str_is(left, rows[i].left))
			print_message("%s: %.*s\n", rows[i].steps, STR_ARG(left));
		assert_true(str_is(left, rows[i].left));
		assert_int_equal(refused, rows[i].refused);
		arena_close(a);
	}
}

static void
number_is_place(void **state)
{
	struct arena *a = arena_open();
	size_t refused = 0;
	struct variables *v = variables_new(a, recent_words_new(a), has_room, &refused);
	uint32_t number = variable_number(v, STR("a"));

	(void)state;
	assert_null(variable_at(v, number).p);
	assert_true(str_is(variable_or_empty(v, STR("a")), ""));
	variable_set(v, STR("b"), STR("2"));
	variable_set(v, STR("a"), STR("1"));
	assert_true(str_is(variable_at(v, number), "1"));
	assert_int_equal(variable_number(v, STR("a")), number);
	arena_close(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steps_are_undone),
		cmocka_unit_test(number_is_place),
	};

	return run_unit_tests("cmake_variables", tests, NULL, NULL);
}

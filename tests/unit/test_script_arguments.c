/* Which words belong to which keyword. */
#include "compat/dashboard/script/script_arguments.h"
#include "tests/unit/unit.h"

static const struct keyword own[] = {
	{"ONE", TAKES_VALUE, 0},
	{"MANY", TAKES_VALUES, 0},
	{NULL, TAKES_NONE, 0},
};
static const struct keyword common[] = {
	{"QUIET", TAKES_NONE, 0},
	{"RETURN_VALUE", TAKES_VALUE, 0},
	{NULL, TAKES_NONE, 0},
};

/* "NAME=value,value;NAME" */
static struct str
shown(struct arena *a, const struct step_call *call)
{
	struct buf b = {.arena = a};

	for (size_t i = 0; i < call->n; i++) {
		const struct step_argument *argument = &call->arguments[i];

		buf_fmt(&b, "%s%.*s", i ? ";" : "", STR_ARG(argument->name));
		for (size_t k = 0; k < argument->n; k++)
			buf_fmt(&b, "%c%.*s", k ? ',' : '=',
				STR_ARG(argument->values[k]));
	}
	return buf_as_str(&b);
}

static void
test_rows(void **state)
{
	static const struct {
		const char *words, *shown, *unknown, *twice, *missing;
	} rows[] = {
		{"", "", "", "", ""},
		{"ONE a", "ONE=a", "", "", ""},
		{"ONE a b", "ONE=a", "b", "", ""},
		{"x ONE a", "ONE=a", "x", "", ""},
		{"x y", "", "x", "", ""},
		{"one a", "", "one", "", ""},
		{"ONE", "ONE", "", "", "ONE"},
		{"ONE QUIET", "ONE;QUIET", "", "", "ONE"},
		{"ONE RETURN_VALUE", "ONE;RETURN_VALUE", "", "", "ONE,RETURN_VALUE"},
		{"ONE ONE", "ONE", "", "ONE", "ONE,ONE"},
		{"QUIET a", "QUIET", "a", "", ""},
		{"MANY", "MANY", "", "", ""},
		{"MANY a b QUIET c", "MANY=a,b;QUIET", "c", "", ""},
		{"MANY a MANY b", "MANY=a,b", "", "MANY", ""},
		{"MANY MANY b c MANY", "MANY=b,c", "", "MANY", ""},
		{"RETURN_VALUE a RETURN_VALUE", "RETURN_VALUE=a", "", "RETURN_VALUE",
			"RETURN_VALUE"},
		{"RETURN_VALUE a ONE b RETURN_VALUE c ONE d", "RETURN_VALUE=c;ONE=d", "",
			"ONE", ""},
	};
	struct arena *a = arena_open();
	struct keyword_tables tables = {.own = own, .common = common};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		str_vec words = {0};
		struct str_list list;
		struct arguments_wrong wrong;
		struct step_call call = {0};
		const struct step_argument *all;
		struct str text = str_of(rows[i].words), missing = STR("");

		while (text.n) {
			size_t n = str_find(text, ' ');

			VEC_PUSH(a, &words, str_cut(text.p, n));
			text = str_from(text, n < text.n ? n + 1 : n);
		}
		list = str_vec_list(&words);
		all = script_arguments(a, &tables, &list, &call, &wrong);
		assert_ptr_equal(all, call.arguments);
		for (size_t k = 0; k < wrong.missing.n; k++)
			missing = str_fmt(a, "%.*s%s%.*s", STR_ARG(missing), k ? "," : "",
				STR_ARG(wrong.missing.v[k]));
		if (!str_is(shown(a, &call), rows[i].shown) ||
			!str_is(wrong.unknown, rows[i].unknown) ||
			!str_is(wrong.twice, rows[i].twice) ||
			!str_is(missing, rows[i].missing))
			fail_msg("%s: %s unknown %.*s twice %.*s missing %.*s",
				rows[i].words, shown(a, &call).p, STR_ARG(wrong.unknown),
				STR_ARG(wrong.twice), STR_ARG(missing));
	}
	arena_close(a);
}

/* A row may have no keyword of its own. */
static void
test_no_table(void **state)
{
	struct arena *a = arena_open();
	struct str words[] = {STR("QUIET"), STR("ONE")};
	struct str_list list = {words, 2};
	struct keyword_tables tables = {.common = common};
	struct arguments_wrong wrong;
	struct step_call call = {0};

	(void)state;
	script_arguments(a, &tables, &list, &call, &wrong);
	assert_int_equal(call.n, 1);
	assert_true(str_is(wrong.unknown, "ONE"));
	arena_close(a);
}

/* A keyword of newer releases is a value, or unknown, in older ones. */
static void
test_since(void **state)
{
	static const struct keyword newer[] = {
		{"ONE", TAKES_VALUE, 0},
		{"FROM_FILE", TAKES_VALUE, SINCE(DIALECT_TESTS_FROM_FILE)},
		{NULL, TAKES_NONE, 0},
	};
	static const struct {
		int version;
		const char *shown, *unknown;
	} rows[] = {{3028, "ONE=FROM_FILE", "a"}, {3029, "ONE;FROM_FILE=a", ""}};
	struct arena *a = arena_open();
	struct str words[] = {STR("ONE"), STR("FROM_FILE"), STR("a")};
	struct str_list list = {words, 3};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct dialect dialect = dialect_of(rows[i].version);
		struct keyword_tables tables = {.own = newer, .dialect = &dialect};
		struct arguments_wrong wrong;
		struct step_call call = {0};

		script_arguments(a, &tables, &list, &call, &wrong);
		assert_string_equal(shown(a, &call).p, rows[i].shown);
		assert_true(str_is(wrong.unknown, rows[i].unknown));
	}
	arena_close(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_no_table),
		cmocka_unit_test(test_since),
	};

	return run_unit_tests("script_arguments", tests, NULL, NULL);
}

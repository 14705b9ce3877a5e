/* DartConfiguration.tcl: keys, comments, joined lines; CTestCustom's variables. */
#include "compat/settings/configuration.h"
#include "compat/settings/custom.h"
#include "tests/unit/text_file.h"
#include "tests/unit/unit.h"

struct row {
	const char *text, *key, *value;
};

static void
keys_are_read(void **state)
{
	static const struct row rows[] = {
		{"Site: here\n", "Site", "here"},
		{"  BuildName :x\n", "BuildName ", "x"},
		{"# Site: no\n", "Site", ""},
		{"Site:\n", "Site", ""},
		{"no colon\nSite: a\n", "Site", "a"},
		{"Site: a\nSite: b\n", "Site", "b"},
		{"URL: http://a:80/\n", "URL", "http://a:80/"},
		{"Command: a \\\n  b \\\n  c\nSite: s", "Command", "a b c"},
		{"Command: a \\\n  b\nSite: s", "Site", "s"},
		{"Last: ends \\", "Last", "ends"},
		{"Last: ends\\\n", "Last", "ends"},
		{"Site: crlf\r\n", "Site", "crlf"},
		{"", "Site", ""},
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct arena *a = arena_open();
		struct configuration c;

		text_file(a, "DartConfiguration.tcl", str_of(rows[i].text));
		c = configuration_load(a, text_folder());
		assert_string_equal(
			str_z(a, configuration_get(&c, rows[i].key)), rows[i].value);
		arena_close(a);
	}
}

static void
a_missing_file_is_empty(void **state)
{
	struct arena *a = arena_open();
	struct configuration c = configuration_load(a, STR("/nonexistent"));

	(void)state;
	assert_false(c.was_read);
	assert_true(str_is(c.path, "/nonexistent/DartConfiguration.tcl"));
	assert_int_equal(configuration_get(&c, "Site").n, 0);
	arena_close(a);
}

static void
custom_variables_are_picked(void **state)
{
	static const struct variable variables[] = {
		{STR("CTEST_CUSTOM_TESTS_IGNORE"), STR("a;;b")},
		{STR("CTEST_CUSTOM_MAXIMUM_PASSED_TEST_OUTPUT_SIZE"), STR("12")},
	};
	struct arena *a = arena_open();
	struct custom c = custom_of(a, variables, 2);

	(void)state;
	assert_true(c.was_read);
	assert_int_equal(c.test.ignore.n, 2);
	assert_true(str_is(c.test.ignore.v[1], "b"));
	assert_true(str_is(c.output_size_passed, "12"));
	assert_int_equal(c.output_size_failed.n, 0);
	assert_false(custom_of(a, NULL, 0).was_read);
	arena_close(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_are_read),
		cmocka_unit_test(a_missing_file_is_empty),
		cmocka_unit_test(custom_variables_are_picked),
	};

	return run_unit_tests("configuration", tests, NULL, NULL);
}

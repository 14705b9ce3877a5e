/* mask: what becomes a mark in which file, and what does not. */
#include "compat/compare/mask.h"
#include "tests/unit/unit.h"

static const struct {
	enum mask_kind kind;
	const char *text, *masked;
} rows[] = {
	{MASK_CONSOLE, "1/1 Test #1: a ...   Passed    0.03 sec",
		"1/1 Test #1: a ...   PassedTTTTTTTT sec"},
	{MASK_CONSOLE, "1/1 Test #1: a ...   Passed  1000.03 sec",
		"1/1 Test #1: a ...   PassedTTTTTTTT sec"},
	{MASK_CONSOLE, "x =   0.03 sec*proc (3 tests)", "x =TTTTTTT sec*proc (3 tests)"},
	{MASK_CONSOLE, "0.3 sec 0.123 sec 0.12 seconds",
		"0.3 sec 0.123 sec 0.12 seconds"},
	{MASK_CONSOLE, "1: Test timeout computed to be: 9999879",
		"1: Test timeout computed to be: 99998NN"},
	{MASK_CONSOLE, "1: Test timeout computed to be: 1500",
		"1: Test timeout computed to be: 1500"},
	{MASK_CONSOLE, "   Site: x\n   20261127-1030 and 20261127-1031",
		"   Site: x\n   TAG and TAG"},
	{MASK_LOG, "Start testing: Nov 27 10:30 UTC", "Start testing: DATE"},
	{MASK_LOG, "Start testing: Nov 27 10:30 +0330", "Start testing: DATE"},
	{MASK_LOG, "\"a\" time elapsed: 00:00:03", "\"a\" time elapsed: ELAPSED"},
	{MASK_LOG, "\"a\" time elapsed: 00:0:03", "\"a\" time elapsed: 00:0:03"},
	{MASK_COST, "a 2 0.0268\nb 0 1\n---\nc 1 2", "a 2 COST\nb 0 1\n---\nc 1 2"},
	{MASK_JUNIT, "\t time=\"0.02\" timestamp=\"2026-11-21T07:35:06\"",
		"\t time=\"T\" timestamp=\"DATE\""},
	{MASK_DASHBOARD, "<StartTestTime>1795247717</StartTestTime>",
		"<StartTestTime>N</StartTestTime>"},
	{MASK_DASHBOARD,
		"<NamedMeasurement name=\"Execution Time\">\n<Value>0.01</Value>\n"
		"<NamedMeasurement name=\"Other\">\n<Value>0.01</Value>",
		"<NamedMeasurement name=\"Execution Time\">\n<Value>N</Value>\n"
		"<NamedMeasurement name=\"Other\">\n<Value>0.01</Value>"},
	{MASK_NOTHING, "Nov 27 10:30 UTC   0.03 sec", "Nov 27 10:30 UTC   0.03 sec"},
};

static struct str
join(struct arena *a, struct str_list lines)
{
	struct buf b = {.arena = a};

	for (size_t i = 0; i < lines.n; i++)
		buf_fmt(&b, "%s%.*s", i ? "\n" : "", STR_ARG(lines.v[i]));
	return buf_as_str(&b);
}

static void
lines_are_masked(void **state)
{
	struct arena *a = *state;
	struct match_set *patterns = match_set_open(a, regex_parse);
	const struct mask *m = mask_new(a, patterns);

	for (size_t i = 0; i < ROWS(rows); i++) {
		struct str got =
			join(a, mask_lines(m, a, rows[i].kind, str_of(rows[i].text)));

		assert_string_equal(str_z(a, got), rows[i].masked);
	}
	match_set_close(patterns);
}

static void
order_is_masked(void **state)
{
	struct arena *a = *state;
	struct match_set *patterns = match_set_open(a, regex_parse);
	const struct mask *m = mask_new(a, patterns);
	struct str one = STR(" 1/10 Test  #2: b ...   Passed    0.03 sec\n"
			     "10/10 Test #10: a ...   Passed    0.10 sec\n"),
		   two = STR(" 1/10 Test #10: a ...   Passed    0.11 sec\n"
			     " 2/10 Test  #2: b ...   Passed    0.02 sec\n");
	struct str first = join(a, mask_unordered(m, a, MASK_CONSOLE, one)),
		   second = join(a, mask_unordered(m, a, MASK_CONSOLE, two));

	assert_string_equal(str_z(a, first), str_z(a, second));
	match_set_close(patterns);
}

static void
separators_are_dropped(void **state)
{
	struct arena *a = *state;
	struct match_set *patterns = match_set_open(a, regex_parse);
	const struct mask *m = mask_new(a, patterns);
	struct str one = STR("[HANDLER_VERBOSE_OUTPUT] \n1: said\n[HANDLER_OUTPUT] \n"
			     " 1/10 Test  #2: b ...\n   Passed    0.03 sec\n"
			     "10/10 Test #10: a ...***Failed    0.10 sec\n"),
		   two = STR("[HANDLER_OUTPUT] \n 1/10 Test #10: a ...\n"
			     "***Failed    0.11 sec\n"
			     "[HANDLER_VERBOSE_OUTPUT] \n1: said\n\n[HANDLER_OUTPUT] \n"
			     " 2/10 Test  #2: b ...\n   Passed    0.02 sec\n");
	struct str first = join(a, mask_unordered(m, a, MASK_OUTPUT_LOG, one)),
		   second = join(a, mask_unordered(m, a, MASK_OUTPUT_LOG, two)),
		   ordered = join(a, mask_lines(m, a, MASK_OUTPUT_LOG, two));

	assert_string_equal(str_z(a, first), "1: said\n"
					     "N/N Test  #2: b ...   PassedTTTTTTTT sec\n"
					     "N/N Test #10: a ...***FailedTTTTTTTT sec");
	assert_string_equal(str_z(a, second), str_z(a, first));
	assert_true(str_begins(ordered, STR("[HANDLER_OUTPUT] \n 1/10")));
	match_set_close(patterns);
}

static void
files_have_kinds(void **state)
{
	static const struct {
		const char *path;
		enum mask_kind kind;
	} files[] = {
		{"Testing/TAG", MASK_TAG},
		{"Testing/TAG/Test.xml", MASK_DASHBOARD}, /* its tag is masked */
		{"Testing/20261127-1030/Test.xml", MASK_DASHBOARD},
		{"Testing/Temporary/LastTest.log", MASK_LOG},
		{"Testing/Temporary/LastTest_TAG.log", MASK_LOG},
		{"Testing/Temporary/LastTestsFailed.log", MASK_NOTHING},
		{"Testing/Temporary/CTestCostData.txt", MASK_COST},
	};

	(void)state;
	for (size_t i = 0; i < ROWS(files); i++)
		assert_int_equal(mask_kind_of_file(str_of(files[i].path), STR("<?xml")),
			files[i].kind);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_masked),
		cmocka_unit_test(order_is_masked),
		cmocka_unit_test(separators_are_dropped),
		cmocka_unit_test(files_have_kinds),
	};

	return run_unit_tests("mask", tests, open_arena, close_arena);
}

/* What a script's commands ask, and how they are answered. */
#include "compat/dashboard/script/script_host.h"
#include "tests/unit/unit.h"

static void
test_question(void **state)
{
	struct arena *a = arena_open();
	struct script_call call;

	(void)state;
	assert_true(script_call_parse(a,
		STR("call 2 11:ctest_sleep 3:a b 4:c;\nd\n"
		    "variable 7:CTEST_A 2:x\n\nvariable 7:CTEST_B 0:\nend\n"),
		&call));
	assert_true(str_is(call.command, "ctest_sleep"));
	assert_int_equal(call.words.n, 2);
	assert_true(str_is(call.words.v[0], "a b"));
	assert_true(str_is(call.words.v[1], "c;\nd"));
	assert_int_equal(call.variables_n, 2);
	assert_true(str_is(script_variable(&call, "CTEST_A"), "x\n"));
	assert_ptr_equal(script_variable(&call, "CTEST_C").p, NULL);
	arena_close(a);
}

static void
test_malformed(void **state)
{
	static const char *const records[] = {
		"",
		"end\n",
		"call 0 1:a\n",
		"call 0 1:a\nend",
		"call 0 2:a\nend\n",
		"call 1 1:a\nend\n",
		"call 0 1:a 1:b\nend\n",
		"call -1 1:a\nend\n",
		"call 99999999999999999999 1:a\nend\n",
		"call 1000 1:a\nend\n",
		"call 0 99999999999:a\nend\n",
		"call 0 1:a\nvariable 1:x\nend\n",
		"call 0 1:a\nvariable 1:x 5:y\nend\n",
		"call 0 1:a\nend\nend\n",
	};
	struct arena *a = arena_open();
	struct script_call call;

	(void)state;
	for (size_t i = 0; i < ROWS(records); i++)
		if (script_call_parse(a, str_of(records[i]), &call))
			fail_msg("accepted: %s", records[i]);
	arena_close(a);
}

static void
test_reply(void **state)
{
	struct arena *a = arena_open();
	struct script_reply r = {.text = {.arena = a}};
	struct str two[] = {STR("/a b"), STR("/c\"")};
	struct str_list files = {two, 2};

	(void)state;
	script_reply_set(&r, STR("v"), STR("$x\\;"));
	assert_false(r.has_error);
	script_reply_unset(&r, STR("u"));
	script_reply_files(&r, &files);
	script_reply_error(&r, STR("bad"));
	assert_true(r.has_error);
	script_reply_error(&r, STR("worse"));
	script_reply_go_on(&r);
	assert_string_equal(r.text.p,
		"set(\"v\" \"\\$x\\\\;\" PARENT_SCOPE)\n"
		"unset(\"u\" PARENT_SCOPE)\n"
		"set(_cctr_files \"/a b\" \"/c\\\"\" PARENT_SCOPE)\n"
		"set(_cctr_errors 1)\nset(_cctr_error_1 \"bad\")\n"
		"set(_cctr_errors 2)\nset(_cctr_error_2 \"worse\")\n"
		"set(_cctr_goes_on TRUE)\n");
	arena_close(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_question),
		cmocka_unit_test(test_malformed),
		cmocka_unit_test(test_reply),
	};

	return run_unit_tests("script_record", tests, NULL, NULL);
}

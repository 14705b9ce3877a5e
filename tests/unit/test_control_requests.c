/* Requests to a run, and answers as text. */
#include "runner/control/alloc_text.h"
#include "runner/control/control_requests.h"
#include "runner/control/control_text.h"
#include "tests/unit/unit.h"

static void
requests(void **state)
{
	static const struct {
		const char *line;
		enum control_verb verb;
		const char *test; /* NULL: none */
		double seconds;
		size_t bytes;
	} rows[] = {
		{"{\"version\":1,\"verb\":\"ps\"}", CONTROL_PS, NULL, 0,
			CONTROL_TAIL_MOST},
		{" { \"verb\" : \"why\", \"test\" : \"a b\", \"version\" : 1 }\r",
			CONTROL_WHY, "a b", 0, CONTROL_TAIL_MOST},
		{"{\"version\":1,\"verb\":\"limit\",\"test\":\"\\u00e4\",\"seconds\":-1."
		 "5}",
			CONTROL_LIMIT, "\xc3\xa4", -1.5, CONTROL_TAIL_MOST},
		{"{\"version\":1,\"verb\":\"tail\",\"test\":\"1\",\"bytes\":7}",
			CONTROL_TAIL, "1", 0, 7},
		{"{\"version\":1,\"verb\":\"wait\"}", CONTROL_WAIT, NULL, 0,
			CONTROL_TAIL_MOST},
		{"{\"version\":1,\"verb\":\"wait\",\"test\":\"\"}", CONTROL_WAIT, "", 0,
			CONTROL_TAIL_MOST},
	};

	for (size_t i = 0; i < ROWS(rows); i++) {
		struct control_request q;
		const char *why = NULL;

		assert_true(control_read(*state, str_of(rows[i].line), &q, &why));
		assert_int_equal(q.verb, rows[i].verb);
		assert_int_equal(q.test.p != NULL, rows[i].test != NULL);
		assert_true(!rows[i].test || str_is(q.test, rows[i].test));
		assert_true(q.seconds == rows[i].seconds);
		assert_int_equal(q.bytes, rows[i].bytes);
	}
}

static void
refused_requests(void **state)
{
	static const struct {
		const char *line, *why;
	} rows[] = {
		{"", "a request is one line of JSON"},
		{"{", "a request is one line of JSON"},
		{"{} {}", "a request is one line of JSON"},
		{"[]", "a request is an object of JSON"},
		{"{}", "the version is missing"},
		{"{\"version\":1}", "the verb is missing"},
		{"{\"version\":\"1\",\"verb\":\"ps\"}", "the version is not 1"},
		{"{\"version\":1,\"verb\":1}", "the verb is not known"},
		{"{\"version\":1,\"verb\":\"PS\"}", "the verb is not known"},
		{"{\"version\":1,\"verb\":\"why\"}", "the test is missing"},
		{"{\"version\":1,\"verb\":\"why\",\"test\":1}", "the test is not a text"},
		{"{\"version\":1,\"verb\":\"limit\",\"test\":\"a\",\"seconds\":1e999}",
			"the seconds are not a number"},
		{"{\"version\":1,\"verb\":\"tail\",\"test\":\"a\",\"bytes\":65537}",
			"the bytes are not a number from 0 to 65536"},
		{"{\"version\":1,\"verb\":\"ps\",\"then\":true}",
			"a member is not known"},
		{"{\"version\":1,\"verb\":\"ps\",\"now\":1}",
			"now, block, await and cancel are true or false"},
		{"{\"version\":1,\"verb\":\"alloc-new\",\"wish\":1}",
			"the wish is not a text"},
	};

	for (size_t i = 0; i < ROWS(rows); i++) {
		struct control_request q;
		const char *why = NULL;

		assert_false(control_read(*state, str_of(rows[i].line), &q, &why));
		assert_string_equal(why, rows[i].why);
	}
}

static void
what_is_written_is_read(void **state)
{
	static const char odd[] = "a\"\\\n\t\x7f\xc3\xa4\xff z";

	for (unsigned v = 0; v < CONTROL_VERBS; v++) {
		struct control_request q = {.verb = (enum control_verb)v,
			.test = STR("t"),
			.bytes = 9,
			.token = STR("k"),
			.id = STR("i"),
			.resources = STR("gpus:1"),
			.wish = STR("ports:1"),
			.is_immediate = true,
			.blocks = true};
		struct control_request back;
		struct buf b = {.arena = *state};
		const char *why = NULL;

		q.test = str_of(odd);
		q.seconds = 0.25;
		control_write(&b, &q);
		assert_int_equal(str_find(buf_as_str(&b), '\n'), b.n - 1);
		assert_true(control_read(*state, buf_as_str(&b), &back, &why));
		assert_int_equal(back.verb, v);
		assert_true(str_is(back.test, "a\"\\\n\t\x7f\xc3\xa4\xef\xbf\xbd z"));
		assert_true(
			back.seconds ==
			(v == CONTROL_LIMIT || control_is_alloc(back.verb) ? 0.25 : 0));
		assert_true(str_is(back.resources, "gpus:1"));
		assert_true(str_is(back.token, "k") && str_is(back.id, "i"));
		assert_true(str_is(back.wish, "ports:1"));
		assert_true(back.blocks && back.is_immediate);
		assert_int_equal(back.bytes, v == CONTROL_TAIL ? 9 : CONTROL_TAIL_MOST);
	}
	assert_int_equal(control_verb_named(STR("runs")), CONTROL_VERBS);
}

static void
answers_as_text(void **state)
{
	static const struct {
		const char *line, *text; /* the reason where it is refused */
		bool is_ok;
	} rows[] = {
		{"{\"status\":\"ok\",\"tests\":3,\"ended\":2,\"failed\":1,\"paused\":"
		 "true}",
			"2 of 3 tests have ended, 1 failed, paused\n", true},
		{"{\"status\":\"ok\",\"test\":\"t\",\"number\":4,\"state\":\"runs\","
		 "\"attempt\":2,\"seconds\":1.25,\"left\":3}",
			"4 t runs for 1.2 s, 3.0 s left, attempt 2\n", true},
		{"{\"status\":\"ok\",\"test\":\"t\",\"number\":4,\"waits\":\"resource\","
		 "\"name\":\"gpus\",\"wanted\":2,\"free\":1}",
			"4 t waits for resource gpus: 2 wanted, 1 free\n", true},
		{"{\"status\":\"ok\",\"test\":\"t\",\"number\":4,\"result\":\"failed\"}",
			"4 t has ended: failed\n", true},
		{"{\"status\":\"ok\",\"output\":\"a\\nb\"}", "a\nb", true},
		{"{\"status\":\"ok\",\"pid\":12,\"tree\":\"/t\"}", "12 /t\n", true},
		{"{\"status\":\"error\",\"reason\":\"why\"}", "why", false},
		{"{}", "", false},
		{"x", "the answer is no JSON", false},
	};

	for (size_t i = 0; i < ROWS(rows); i++) {
		struct buf b = {.arena = *state};
		struct str why = STR("");

		assert_int_equal(
			control_text(&b, str_of(rows[i].line), &why), rows[i].is_ok);
		assert_true(str_is(rows[i].is_ok ? buf_as_str(&b) : why, rows[i].text));
	}
}

/* Names and values reach the shell as they are, whatever the run answers. */
static void
answers_for_shells(void **state)
{
	static const char line[] =
		"{\"status\":\"ok\",\"request\":\"partial\",\"lease\":{\"id\":\"it's\"},"
		"\"groups\":[[{\"type\":\"g\",\"units\":[{\"id\":\"$(x)\",\"slots\":1},{"
		"\"id\":\"b\",\"slots\":2}]},{\"type\":\"h;x\",\"units\":[]}],[]]}";
	struct buf b = {.arena = *state};
	struct str why;

	assert_int_equal(
		alloc_text(&b, STR(line), ALLOC_SHELL, "V", &why), LEASE_PARTIAL);
	assert_true(str_is(buf_as_str(&b),
		"CCTR_LEASE_STATUS='partial'\nCCTR_LEASE_ID='it'\\''s'\n"
		"export V_0_G='id:$(x),slots:1;id:b,slots:2'\nunset V_0_H_X\n"
		"export V_0='g'\nexport V_1=''\nexport V_COUNT='2'\n"));
	b.n = 0;
	assert_int_equal(alloc_text(&b, STR("x"), ALLOC_SHELL, "V", &why), LEASE_DENIED);
	assert_true(
		str_is(buf_as_str(&b), "CCTR_LEASE_STATUS='denied'\nCCTR_LEASE_ID=''\n"));
	assert_true(str_is(why, "the answer is no JSON"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(requests, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(
			refused_requests, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(
			what_is_written_is_read, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(answers_as_text, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(
			answers_for_shells, open_arena, close_arena),
	};

	return run_unit_tests("control_requests", tests, NULL, NULL);
}

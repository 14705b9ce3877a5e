/* fault_place: which line of which file the output of a failed test names. */
#include "runner/report/fault_place.h"

#include <time.h>

#include "tests/unit/text_file.h"
#include "tests/unit/unit.h"

static const struct {
	const char *output;
	unsigned line; /* 0: none */
	const char *text;
} rows[] = {
	{"", 0, NULL},
	{"all is well\n", 0, NULL},
	{"a.cc:12: Failure\nExpected 1\n", 12, "a.cc:12: Failure\nExpected 1"},
	{"x\n  a.cc:12:5: error: no\n", 12, "a.cc:12:5: error: no"},
	{"a.cc:12: FAILED:\n", 12, "a.cc:12: FAILED:"},
	{"a.cc(12): ERROR: CHECK( a ) is NOT correct!\n", 12,
		"a.cc(12): ERROR: CHECK( a ) is NOT correct!"},
	{"a.cc(12): error: in \"x\": no", 12, "a.cc(12): error: in \"x\": no"},
	{"prog: a.cc:12: main: Assertion `x' failed.\n", 12,
		"prog: a.cc:12: main: Assertion `x' failed."},
	{"thread 'main' panicked at a.cc:12:5:\n", 12,
		"thread 'main' panicked at a.cc:12:5:"},
	{"[  ERROR   ] --- a.cc:12: error: Failure!\n", 12,
		"[  ERROR   ] --- a.cc:12: error: Failure!"},
	{"  File \"a.cc\", line 3, in f\n  File \"a.cc\", line 4, in g\n", 4,
		"File \"a.cc\", line 4, in g"},
	/* no failure, no such file, no line */
	{"a.cc:12: note\n", 0, NULL},
	{"b.cc:12: error\n", 0, NULL},
	{"a.cc:0: error\na.cc:99999999999: error\na.cc: error\n", 0, NULL},
	{"12:30:05 error in a.cc\n", 0, NULL},
	{":1: error\n(1): error\n", 0, NULL},
	{"b.cc:1: error at a.cc:12\n", 12, "b.cc:1: error at a.cc:12"},
};

static void
rows_hold(void **state)
{
	struct arena *a = *state;
	struct str path = text_file(a, "a.cc", STR("text"));
	struct str folders[] = {
		STR("/nowhere"), str_cut(path.p, path.n - strlen("/a.cc"))};
	struct str_list list = {folders, ROWS(folders)};

	for (size_t i = 0; i < ROWS(rows); i++) {
		struct fault_place p = {.line = 0};
		bool found = fault_place_find(a, str_of(rows[i].output), list, &p);

		assert_int_equal(found, rows[i].line != 0);
		if (!found)
			continue;
		assert_int_equal(p.line, rows[i].line);
		assert_string_equal(str_z(a, p.text), rows[i].text);
		assert_string_equal(p.path.p, path.p);
	}
}

/* One line of 4 MiB, at each colon of which a name could end: that each of them is as
 * long as the line would take hours. */
static void
long_line_is_quick(void **state)
{
	struct arena *a = *state;
	struct str folder = STR("/nowhere");
	struct str_list list = {&folder, 1};
	static const char *const parts[] = {":0", ":1"};

	for (size_t k = 0; k < ROWS(parts); k++) {
		struct buf line = {.arena = a};
		struct fault_place p = {.line = 0};
		clock_t began = clock();

		buf_z(&line, "error ");
		while (line.n < 4 << 20)
			buf_z(&line, parts[k]);
		assert_false(fault_place_find(a, buf_as_str(&line), list, &p));
		assert_int_equal(p.error, 0);
		assert_true(clock() - began < 20 * CLOCKS_PER_SEC);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_hold), cmocka_unit_test(long_line_is_quick)};

	return run_unit_tests("fault_place", tests, open_arena, close_arena);
}

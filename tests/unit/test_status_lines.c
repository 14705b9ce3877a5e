/* status_lines: what is shown, and how it is cut. */
#include "runner/report/status_lines.h"
#include "tests/unit/unit.h"

static const struct status_test running[] = {
	{STR_NONE, 7, 65.9}, {STR_NONE, 12, 3}, {STR_NONE, 3, 0.4}};
static const char *const names[] = {
	"solver", "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e", "a\nb"};

#define TOTALS "12/200 tests: 10 passed, 2 failed, 3 running"

static const struct status usual = {.tests = 200,
	.ended = 12,
	.passed = 10,
	.failed = 2,
	.running = 3,
	.slots = 8,
	.slots_used = 4,
	.gpus = 2,
	.gpus_used = 1,
	.seconds = 71,
	.left_s = 3725,
	.n = 3};

static struct str
lines_of(struct arena *a, struct status s, size_t width, size_t rows, bool has_colour)
{
	struct status_test *v = NEW_ARRAY(a, struct status_test, ROWS(running));
	struct columns *c = columns_open(a);
	struct status_place p = {c, width, rows, has_colour};
	struct buf out = {.arena = a};

	for (size_t i = 0; i < ROWS(running); i++) {
		v[i] = running[i];
		v[i].name = str_of(names[i]);
	}
	s.v = v;
	buf_z(&out, "");
	status_lines(&out, &s, &p);
	columns_close(c);
	return buf_as_str(&out);
}

#define assert_lines(got, expected) assert_string_equal((got).p, expected)

static void
all_is_shown(void **state)
{
	assert_lines(lines_of(*state, usual, 120, 8, false),
		TOTALS " | 1:11, 1:02:05 left | slots 4/8 | GPUs 1/2\n"
		       "    1:05  #7: solver\n"
		       "    0:03  #12: \xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e\n"
		       "    0:00  #3: a?b");
}

static void
what_is_not_known_is_left_out(void **state)
{
	struct status s = usual;

	s.gpus = s.slots = s.running = s.n = 0;
	s.left_s = -1;
	assert_lines(lines_of(*state, s, 120, 8, false),
		"12/200 tests: 10 passed, 2 failed, 0 running | 1:11 | slots 4");
	s.flaky = 3;
	assert_lines(lines_of(*state, s, 120, 8, false),
		"12/200 tests: 10 passed, 3 flaky, 2 failed, 0 running | 1:11 | slots 4");
	s.flaky = 0;
	s.left_s = 5;
	s.is_ending = true;
	assert_lines(lines_of(*state, s, 120, 8, false),
		"12/200 tests: 10 passed, 2 failed, 0 running | 1:11, interrupted "
		"| slots 4");
}

static void
rows_are_limited(void **state)
{
	static const struct {
		size_t rows, running;
		const char *rest;
	} rows[] = {
		{4, 3, "\n    1:05  #7: solver\n    0:03  #12: x\n    0:00  #3: x"},
		{3, 3, "\n    1:05  #7: solver\n          and 2 more"},
		{2, 3, "\n          and 3 more"},
		{1, 3, ""},
		/* only some of them are named */
		{9, 1000,
			"\n    1:05  #7: solver\n    0:03  #12: x\n    0:00  #3: x\n"
			"          and 997 more"},
	};

	for (size_t i = 0; i < ROWS(rows); i++) {
		struct status s = usual;
		struct str got;
		const char *rest;

		s.running = rows[i].running;
		got = lines_of(*state, s, 120, rows[i].rows, false);
		rest = got.p + str_find(got, '\n');
		if (strncmp(rest, rows[i].rest, 24) != 0)
			fail_msg("row %zu: got \"%s\"", i, rest);
		for (size_t k = 0, lines = 1; k < got.n; k++)
			if (got.p[k] == '\n')
				assert_true(++lines <= rows[i].rows);
	}
	assert_lines(lines_of(*state, usual, 120, 0, false), "");
	assert_lines(lines_of(*state, usual, 0, 8, false), "");
}

/* At every width, also with characters of two columns. */
static void
no_line_is_too_wide(void **state)
{
	struct columns *c = columns_open(*state);

	for (size_t width = 1; width < 120; width++) {
		struct str text = lines_of(*state, usual, width, 8, false);

		while (text.n) {
			struct str line = str_take(&text, '\n');

			assert_true(columns_of(c, line) <= width);
		}
	}
	columns_close(c);
	assert_lines(lines_of(*state, usual, 20, 2, false),
		"12/200 tests: 10 ...\n          and 3 more");
}

static void
words_are_coloured(void **state)
{
	struct status s = usual;

	assert_lines(lines_of(*state, s, 40, 1, true),
		"12/200 tests: \033[32m10 passed\033[m, \033[31m2 failed\033[m, "
		"\033[33m3 ...\033[m");
	s.failed = 0;
	assert_lines(lines_of(*state, s, 35, 1, true),
		"12/200 tests: \033[32m10 passed\033[m, 0 failed, ");
}

int
main(void)
{
#define TEST(fn) cmocka_unit_test_setup_teardown(fn, open_arena, close_arena)
	const struct CMUnitTest tests[] = {
		TEST(all_is_shown),
		TEST(what_is_not_known_is_left_out),
		TEST(rows_are_limited),
		TEST(no_line_is_too_wide),
		TEST(words_are_coloured),
	};

	return run_unit_tests("status_lines", tests, NULL, NULL);
}

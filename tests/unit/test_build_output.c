/* compat/build_output: lines, problems and what stands around them. */
#include "compat/dashboard/build/build_output.h"
#include "tests/unit/unit.h"

struct fixture {
	struct arena *arena;
	struct custom custom;
	struct build_matchers *matchers;
	struct build_output output;
};

static struct fixture
fixture(const struct variable *v, size_t n)
{
	struct fixture f = {.arena = arena_open()};
	struct buf complaint = {.arena = f.arena};

	f.custom = custom_of(f.arena, v, n);
	f.matchers = build_matchers_open(f.arena, &f.custom, &complaint);
	build_output_open(&f.output, f.arena, f.matchers, &f.custom);
	return f;
}

static void
done(struct fixture *f)
{
	build_matchers_close(f->matchers);
	arena_close(f->arena);
}

/* "E3 text [before] [after]" for each. */
static void
assert_problems(const struct fixture *f, const char *expected)
{
	struct buf b = {.arena = f->arena};

	buf_z(&b, "");
	for (size_t i = 0; i < f->output.problems.n; i++) {
		const struct build_problem *p = f->output.problems.v[i];

		buf_fmt(&b, "%c%zu %.*s [%.*s] [%.*s]\n", p->is_error ? 'E' : 'W',
			p->log_line, STR_ARG(p->text), STR_ARG(p->before),
			STR_ARG(buf_as_str(&p->after)));
	}
	assert_string_equal(b.p, expected);
}

#define CONTEXT(before, after, errors, warnings)                                         \
	{                                                                                \
		{STR("CTEST_CUSTOM_ERROR_PRE_CONTEXT"), STR(before)},                    \
			{STR("CTEST_CUSTOM_ERROR_POST_CONTEXT"), STR(after)},            \
			{STR("CTEST_CUSTOM_MAXIMUM_NUMBER_OF_ERRORS"), STR(errors)},     \
			{STR("CTEST_CUSTOM_MAXIMUM_NUMBER_OF_WARNINGS"), STR(warnings)}, \
	}

static void
test_context(void **state)
{
	static const struct {
		struct variable variables[4];
		const char *text, *expected;
	} rows[] = {
		{CONTEXT("2", "2", "50", "50"), "a\nb\nc\nx: error\nd\ne\nf\n",
			"E4 x: error [b\nc\n] [d\ne]\n"},
		{CONTEXT("2", "2", "50", "50"), "x: error\nd\n",
			"E1 x: error [] [d\n]\n"},
		{CONTEXT("2", "1", "50", "50"), "x: error\nd\nx: warning\ne\n",
			"E1 x: error [] [d]\nW3 x: warning [] [e]\n"},
		{CONTEXT("2", "1", "50", "50"), "x: error\nd\ne\nx: warning\n",
			"E1 x: error [] [d]\nW4 x: warning [e\n] []\n"},
		{CONTEXT("0", "0", "50", "50"), "a\nx: error\nd\n",
			"E2 x: error [] []\n"},
		{CONTEXT("-3", "-1", "50", "50"), "a\nx: error\nd\n",
			"E2 x: error [] []\n"},
		{CONTEXT("1000000000", "1", "50", "50"), "a\nb\nx: error\n",
			"E3 x: error [a\nb\n] []\n"},
		{CONTEXT("2", "2", "1", "1"),
			"x: error\nx: error\nx: warning\nx: warning\nx: note\n",
			"E1 x: error [] [x: error\n]\n"
			"W3 x: warning [] [x: warning\nx: note]\n"},
		{CONTEXT("2", "2", "0", "-1"), "x: error\nx: warning\n", ""},
		{CONTEXT("2", "2", "50", "50"), "a\nx: error", ""},
	};

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct fixture f = fixture(rows[i].variables, 4);

		build_output_add(&f.output, false, str_of(rows[i].text));
		assert_problems(&f, rows[i].expected);
		done(&f);
	}
}

/* A line is whole whatever came between, and in how many pieces. */
static void
test_streams(void **state)
{
	struct fixture f = fixture(NULL, 0);

	(void)state;
	build_output_add(&f.output, false, STR("a\nx: er"));
	assert_int_equal(f.output.last, BUILD_PLAIN);
	build_output_add(&f.output, true, STR("y: warn"));
	build_output_add(&f.output, false, STR(""));
	build_output_add(&f.output, false, STR("ror"));
	build_output_add(&f.output, true, STR("ing\n"));
	assert_int_equal(f.output.last, BUILD_WARNING);
	build_output_add(&f.output, false, STR("\nb\n"));
	assert_int_equal(f.output.last, BUILD_ERROR);
	assert_int_equal(f.output.errors, 1);
	assert_int_equal(f.output.warnings, 1);
	assert_problems(&f, "W2 y: warning [a\n] []\nE3 x: error [] [b\n]\n");
	done(&f);
}

static void
test_notes(void **state)
{
	struct fixture f = fixture(NULL, 0);

	(void)state;
	build_output_add(
		&f.output, false, STR("/a/b/c.c: error: in /a/b/x\nsee /a/b/ /a/b\n"));
	build_output_note(&f.output, false, STR("failed: /a/b/"));
	build_output_shorten(&f.output, STR("/a/b/"));
	build_output_shorten(&f.output, STR(""));
	assert_problems(&f, "E1 /.../c.c: error: in /.../x [] [see /.../ /a/b\n]\n"
			    "W1 failed: /.../ [] []\n");
	assert_false(build_output_is_full(&f.output, true, 49));
	assert_true(build_output_is_full(&f.output, true, 50));
	done(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_context),
		cmocka_unit_test(test_streams),
		cmocka_unit_test(test_notes),
	};

	return run_unit_tests("build_output", tests, NULL, NULL);
}

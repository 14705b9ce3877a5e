/* What cmake says, as the CMake inside ctest would tell it. */
#include "compat/dashboard/build/cmake_lines.h"
#include "tests/unit/unit.h"

#define REFUSED "CMake Error: Could not create named generator Nonsense\n"
#define ADVICE "The no-dev option is deprecated.  Use -Wno-author instead.\n"

static const struct {
	const char *said, *out, *stray;
} rows[] = {
	{"", "", ""},
	{"-- a status\n-- another", "a status\nanother", ""},
	{"-- -- x\n--\n- y\n---- z\n", "-- x\n--\n- y\n---- z\n", ""},
	{"plain -- x\n\n-- \n", "plain -- x\n\n\n", ""},
	{"CMake Error: Could", "CMake Error: Could", ""},
	{"CMake Warning:\n  x\n", "CMake Warning:\n  x\n", ""},
	{REFUSED "\nGenerators\n  Ninja\n-- x", REFUSED, "\nGenerators\n  Ninja\n-- x"},
	{"x " REFUSED "y\n", "x " REFUSED "y\n", ""},
	{ADVICE "-- x\nThe end\n", "x\nThe end\n", ADVICE},
	{"The end", "The end", ""},
};

/* Whatever pieces it comes in. */
static void
test_lines(void **state)
{
	struct arena *a = arena_open();

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++)
		for (size_t piece = 1; piece < 8; piece++) {
			struct cmake_lines l = {.line = {.arena = a}};
			struct buf out = {.arena = a}, stray = {.arena = a};
			struct str rest = str_of(rows[i].said);

			buf_z(&out, "");
			buf_z(&stray, "");
			while (rest.n) {
				size_t n = piece < rest.n ? piece : rest.n;

				cmake_lines_add(&l, str_cut(rest.p, n), &out, &stray);
				rest = str_from(rest, n);
			}
			cmake_lines_end(&l, &out);
			assert_string_equal(buf_as_str(&out).p, rows[i].out);
			assert_string_equal(buf_as_str(&stray).p, rows[i].stray);
		}
	arena_close(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_lines)};

	return run_unit_tests("cmake_lines", tests, NULL, NULL);
}

/* How build trees of each generator are built. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "compat/dashboard/build/build_commands.h"
#include "runner/base/atomic_file.h"
#include "tests/unit/unit.h"

static void
test_generators(void **state)
{
	static const struct {
		const char *generator, *target, *line;
	} rows[] = {
		{"Ninja", "", "mp"},
		{"Ninja", "a b", "mp a b"},
		{"Ninja Multi-Config", "", "mp -f build-Some.ninja"},
		{"Ninja Multi-Config", "t", "mp -f build-Some.ninja t"},
		{"Unix Makefiles", "", "mp -f Makefile"},
		{"Unix Makefiles", "t", "mp -f Makefile t"},
		{"Watcom WMake", "t", "mp -f Makefile t"},
		{"CodeBlocks - Ninja", "t", "mp t"},
		{"Eclipse CDT4 - Unix Makefiles", "t", "mp -f Makefile t"},
		{"Xcode", "", "cm --build . --config Some"},
		{"Xcode", "t", "cm --build . --config Some --target t"},
		{"ninja", "", "cm --build . --config Some"},
	};
	struct arena *a = arena_open();

	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct build_tool t = {.cmake = STR("cm"),
			.generator = str_of(rows[i].generator),
			.make_program = STR("mp"),
			.directory = STR("/nonexistent"),
			.configuration = STR("Some")};
		struct str_list words = build_command(a, &t, str_of(rows[i].target));

		assert_string_equal(build_command_line(a, words).p, rows[i].line);
	}
	arena_close(a);
}

/* What the cache says counts where nothing else is said, or something false. */
static void
test_cache(void **state)
{
	static const struct {
		const char *cache, *given, *line;
	} rows[] = {
		{"CMAKE_MAKE_PROGRAM:FILEPATH=/bin/n", "", "/bin/n clean"},
		{"a:B=c\nCMAKE_MAKE_PROGRAM:X=/bin/n\r\nd:E=f\n", "", "/bin/n clean"},
		{"CMAKE_MAKE_PROGRAM:X=/bin/n\n", "other", "other clean"},
		{"CMAKE_MAKE_PROGRAM:X=/bin/n\n", "x-NOTFOUND", "/bin/n clean"},
		{"CMAKE_MAKE_PROGRAM-ADVANCED:X=1\nCMAKE_MAKE_PROGRAM:\n", "", " clean"},
		{"", "OFF", " clean"},
	};
	struct arena *a = arena_open();
	char directory[] = "/tmp/cctr-build-XXXXXX";
	const char *cache;

	(void)state;
	assert_non_null(mkdtemp(directory));
	cache = str_fmt(a, "%s/CMakeCache.txt", directory).p;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct build_tool t = {.generator = STR("Ninja"),
			.make_program = str_of(rows[i].given),
			.directory = str_of(directory)};

		assert_true(file_write(a, cache, ".tmp", str_of(rows[i].cache)));
		assert_string_equal(build_command_line(a, build_clean_command(a, &t)).p,
			rows[i].line);
	}
	unlink(cache);
	rmdir(directory);
	arena_close(a);
}

static void
test_make_program(void **state)
{
	(void)state;
	assert_true(build_takes_make_program(STR("Kate - Ninja")));
	assert_true(build_takes_make_program(STR("MinGW Makefiles")));
	assert_false(build_takes_make_program(STR("Xcode")));
}

static void
test_quoted(void **state)
{
	struct str words[] = {STR("/bin/make"), STR("a b"), STR(""), STR("?"), STR("x?"),
		STR("q'x;y"), STR("a\"b"), STR("$a"), STR("a\\b"), STR("{1}"), STR("\t"),
		STR("a`"), STR("~")};
	struct arena *a = arena_open();

	(void)state;
	assert_string_equal(
		build_command_quoted(a, (struct str_list){words, ROWS(words)}).p,
		"/bin/make \"a b\" \"\" \"?\" x? \"q'x;y\" a\\\"b \"\\$a\" "
		"\"a\\\\b\" {1} \"\t\" \"a\\`\" \"~\"");
	arena_close(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_generators),
		cmocka_unit_test(test_cache), cmocka_unit_test(test_make_program),
		cmocka_unit_test(test_quoted)};

	return run_unit_tests("build_commands", tests, NULL, NULL);
}

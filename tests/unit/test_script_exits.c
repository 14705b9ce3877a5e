/* Which scripts may end with an exit code of their own. */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compat/dashboard/script/script_exits.h"
#include "runner/base/atomic_file.h"
#include "runner/base/files.h"
#include "runner/base/tree_removal.h"
#include "tests/unit/unit.h"

/* The script s/s.cmake runs in the directory d; e.cmake ends it, f.cmake does not. Each
 * of them is in both directories. */
static const struct {
	const char *script;
	bool may_exit;
} rows[] = {
	{"", false},
	{"message(hello)\nctest_start(Experimental)\n", false},
	{"cmake_language(EXIT 3)", true},
	{"  if(x)\n CMAKE_Language( EXIT 3)", true},
	{"my_cmake_language(EXIT 3)", false},
	{"include(e.cmake)", true},
	{"include(f.cmake)", false},
	{"INCLUDE (\n\"e.cmake\" OPTIONAL)", true},
	{"include(\"f.cmake\" OPTIONAL)", false},
	{"do_include(e.cmake)", false},
	{"include e.cmake", false},
	{"include(nope.cmake)", false},
	{"include(ProcessorCount)", false},
	{"include(\"${CTEST_SCRIPT_DIRECTORY}/e.cmake\")", true},
	{"include(${CTEST_SCRIPT_DIRECTORY}/f.cmake)", false},
	{"include(${CMAKE_CURRENT_LIST_DIR}/e.cmake)", true},
	{"include(${CMAKE_CURRENT_SOURCE_DIR}/../d/e.cmake)", true},
	{"include(${CMAKE_CURRENT_SOURCE_DIR}/../d/f.cmake)", false},
	{"include(${where}/f.cmake)", true},
	{"include(${CTEST_SCRIPT_DIRECTORY}/${which})", true},
	{"include([[f.cmake]])", true},
	{"include(f\\.cmake)", true},
	{"include(#[[\n]] f.cmake)", true},
	{"include()", true},
	{"include(", true},
	{"include", false},
	{"include(\"f", false},
	{"include(again.cmake)\n", false},
	{"include(deep.cmake)\n", true},
	{"include(.)", true},
	{"set(CMAKE_MODULE_PATH .)\ninclude(f)", true},
};

static void
put(struct arena *a, struct str directory, const char *name, const char *text)
{
	assert_true(file_write(
		a, path_join(a, directory, str_of(name)).p, ".tmp", str_of(text)));
}

static void
test_rows(void **state)
{
	struct arena *a = arena_open();
	char folder[] = "/tmp/cctr-exits-XXXXXX";
	struct str top, s, d;

	(void)state;
	assert_non_null(mkdtemp(folder));
	top = str_of(folder);
	s = path_join(a, top, STR("s"));
	d = path_join(a, top, STR("d"));
	for (int i = 0; i < 2; i++) {
		struct str where = i ? d : s;

		assert_int_equal(mkdir(where.p, 0700), 0);
		put(a, where, "e.cmake", "cmake_language(EXIT 3)\n");
		put(a, where, "f.cmake", "message(f)\n");
	}
	put(a, d, "again.cmake", "include(again.cmake)\ninclude(f.cmake)\n");
	put(a, d, "deep.cmake",
		"include(f.cmake)\ninclude(${CMAKE_CURRENT_LIST_DIR}/deeper)");
	put(a, d, "deeper", "include(e.cmake)\n");
	for (size_t i = 0; i < ROWS(rows); i++) {
		put(a, s, "s.cmake", rows[i].script);
		if (script_may_exit(a, path_join(a, s, STR("s.cmake")), d) !=
			rows[i].may_exit)
			fail_msg("%s", rows[i].script);
	}
	assert_false(script_may_exit(a, path_join(a, s, STR("nope")), d));
	assert_true(tree_remove(a, folder));
	arena_close(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows)};

	return run_unit_tests("script_exits", tests, NULL, NULL);
}

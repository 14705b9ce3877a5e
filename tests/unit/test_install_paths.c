/* install_paths: the program knows itself, and the build tree has cctr's files. An
 * installed tree is tests/meta/install.sh's. */
#include "runner/base/files.h"
#include "runner/process/install_paths.h"
#include "tests/unit/unit.h"

static void
the_program_knows_itself(void **state)
{
	struct arena *a = arena_open();
	struct str program = program_path(a);

	(void)state;
	assert_true(program.n && program.p[0] == '/');
	assert_int_equal(program.p[program.n], '\0');
	assert_true(path_exists(program.p));
	assert_true(str_has(path_name(program), STR("install_paths")));
	arena_close(a);
}

static void
the_build_tree_has_the_files(void **state)
{
	struct arena *a = arena_open();
	struct str share = share_directory(a);

	(void)state;
	assert_int_equal(share.p[share.n], '\0');
	assert_true(path_exists(path_join(a, share, STR("CctrManifest.cmake")).p));
	arena_close(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_program_knows_itself),
		cmocka_unit_test(the_build_tree_has_the_files),
	};

	return run_unit_tests("install_paths", tests, NULL, NULL);
}

/* commit: which commit the files of Git say is checked out. */
#include "runner/history/commit.h"
#include "tests/unit/text_file.h"
#include "tests/unit/unit.h"

#define ONE "0123456789abcdef0123456789abcdef01234567"
#define TWO "fedcba9876543210fedcba9876543210fedcba98"

static const struct {
	const char *files[6]; /* path, text; the folder of the source is a/b */
	const char *commit;
} rows[] = {
	{{NULL}, ""},
	{{".git/HEAD", ONE "\n"}, ONE},
	{{"a/b/.git/HEAD", TWO "\n", ".git/HEAD", ONE "\n"}, TWO},
	{{".git/HEAD", "ref: refs/heads/main\n", ".git/refs/heads/main", TWO "\n"}, TWO},
	{{".git/HEAD", "ref: refs/heads/main\n", ".git/packed-refs",
		 "# pack-refs with: peeled\n" ONE " refs/heads/other\n" TWO
		 " refs/heads/main\n^" ONE "\n"},
		TWO},
	/* a further working tree */
	{{"a/.git", "gitdir: ../own\n", "own/HEAD", "ref: refs/heads/x\n",
		 "own/commondir", "../shared\n"},
		""},
	{{"a/.git", "gitdir: ../own\n", "own/HEAD", ONE "\n"}, ONE},
	/* what is no commit */
	{{".git/HEAD", "0123\n"}, ""},
	{{".git/HEAD", "ref: refs/heads/main\n"}, ""},
	{{".git/HEAD", ""}, ""},
	{{".git", "gitdir: \n"}, ""},
	{{".git/HEAD", ONE "\n" TWO "\n"}, ""},
};

static void
files_say_it(void **state)
{
	struct arena *a = *state;

	for (size_t i = 0; i < ROWS(rows); i++) {
		struct str root = path_join(a, text_folder(), str_fmt(a, "%zu", i));
		struct str source = path_join(a, root, STR("a/b")), got;

		assert_true(directory_make(a, source.p));
		for (size_t k = 0; k < 6 && rows[i].files[k]; k += 2) {
			struct str path = path_join(a, root, str_of(rows[i].files[k]));

			assert_true(directory_make(a, str_z(a, path_parent(path))));
			assert_true(file_write(
				a, path.p, ".tmp", str_of(rows[i].files[k + 1])));
		}
		got = commit_of(a, source);
		if (!str_is(got, rows[i].commit))
			fail_msg("row %zu: got \"%.*s\"", i, STR_ARG(got));
	}
}

static void
no_directory(void **state)
{
	assert_int_equal(commit_of(*state, STR("")).n, 0);
	assert_int_equal(commit_of(*state, STR("/")).n, 0);
	assert_int_equal(commit_of(*state, STR("/nowhere/at/all")).n, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(files_say_it, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(no_directory, open_arena, close_arena),
	};

	return run_unit_tests("commit", tests, NULL, NULL);
}

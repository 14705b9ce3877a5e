/* scratch_folder: there while their owner lives, and gone when another one looks. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runner/base/atomic_file.h"
#include "runner/base/files.h"
#include "runner/base/scratch_folder.h"
#include "runner/base/tree_removal.h"
#include "tests/unit/unit.h"

/* 0: fstat works. In the place of the C library's. */
static int error_of_fstat;

int
fstat(int fd, struct stat *st)
{
	errno = error_of_fstat;
	return error_of_fstat ? -1 : fstatat(fd, "", st, AT_EMPTY_PATH);
}

static int
setup(void **state)
{
	static char parent[sizeof "/tmp/cctr-test-XXXXXX"];

	strcpy(parent, "/tmp/cctr-test-XXXXXX");
	assert_non_null(mkdtemp(parent));
	setenv("TMPDIR", parent, 1);
	*state = parent;
	return 0;
}

static int
teardown(void **state)
{
	return rmdir(*state); /* nothing is left in it */
}

static void
it_goes_with_all_that_is_in_it(void **state)
{
	struct arena *a = arena_open();
	struct scratch_folder f;

	assert_true(scratch_folder_open(a, &f));
	assert_true(str_begins(f.path, str_of(*state)));
	assert_true(directory_make(a, path_join(a, f.path, STR("a/b")).p));
	scratch_folder_sweep(a);
	assert_true(path_is_directory(f.path.p));
	scratch_folder_close(a, &f);
	assert_false(path_exists(f.path.p));
	arena_close(a);
}

static void
nowhere(void **state)
{
	struct arena *a = arena_open();
	struct scratch_folder f;

	setenv("TMPDIR", "/no/such", 1);
	assert_false(scratch_folder_open(a, &f));
	assert_int_equal(errno, ENOENT);
	scratch_folder_sweep(a);
	setenv("TMPDIR", *state, 1);
	arena_close(a);
}

static void
it_cannot_be_examined(void **state)
{
	struct arena *a = arena_open();
	struct scratch_folder f;

	(void)state;
	error_of_fstat = EIO;
	assert_false(scratch_folder_open(a, &f));
	assert_int_equal(errno, EIO);
	error_of_fstat = 0;
	arena_close(a);
}

/* 0: whatever it opened stayed for as long as it wanted it. */
static int
open_and_sweep(unsigned times, bool dies)
{
	struct arena *a = arena_open();
	struct scratch_folder f;

	for (unsigned i = 0; i < times; i++) {
		struct str file;

		if (!scratch_folder_open(a, &f))
			return 1;
		file = path_join(a, f.path, STR("file"));
		scratch_folder_sweep(a);
		if (!file_write(a, file.p, ".tmp", STR("x")) || !path_exists(file.p))
			return 2;
		if (dies)
			raise(SIGKILL);
		scratch_folder_close(a, &f);
		if (path_exists(f.path.p))
			return 3;
	}
	arena_close(a);
	return 0;
}

static void
many_at_once(void **state)
{
	enum { PROCESSES = 8, TIMES = 40 };
	struct arena *a = arena_open();
	int status;

	(void)state;
	for (int i = 0; i < PROCESSES; i++) {
		pid_t child = fork();

		assert_true(child >= 0);
		if (child == 0)
			_exit(open_and_sweep(TIMES, i % 2));
	}
	for (int i = 0; i < PROCESSES; i++) {
		assert_true(wait(&status) > 0);
		if (WIFSIGNALED(status))
			assert_int_equal(WTERMSIG(status), SIGKILL);
		else
			assert_int_equal(WEXITSTATUS(status), 0);
	}
	scratch_folder_sweep(a);
	arena_close(a);
}

/* A folder of that kind that no living process has: of another user, a link to one, and
 * one of this user. */
static void
what_others_made_stays(void **state)
{
	enum { NOBODY = 65534 };
	struct arena *a = arena_open();
	struct scratch_folder f;
	struct str theirs, link, outside = path_join(a, str_of(*state), STR("outside"));

	if (geteuid() != 0)
		SKIP_TEST("only root has files of others");
	assert_true(directory_make(a, path_join(a, outside, STR("kept")).p));
	assert_true(scratch_folder_open(a, &f));
	close(f.lock);
	theirs = str_fmt(a, "%.*sabcdef", (int)(f.path.n - 6), f.path.p);
	link = str_fmt(a, "%.*sghijkl", (int)(f.path.n - 6), f.path.p);
	assert_true(directory_make(a, path_join(a, theirs, STR("kept")).p));
	assert_int_equal(chown(theirs.p, NOBODY, NOBODY), 0);
	assert_int_equal(symlink(outside.p, link.p), 0);
	scratch_folder_sweep(a);
	assert_false(path_exists(f.path.p));
	assert_true(path_exists(path_join(a, theirs, STR("kept")).p));
	assert_true(path_exists(path_join(a, outside, STR("kept")).p));
	assert_int_equal(unlink(link.p), 0);
	assert_true(tree_remove(a, theirs.p) && tree_remove(a, outside.p));
	arena_close(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			it_goes_with_all_that_is_in_it, setup, teardown),
		cmocka_unit_test_setup_teardown(nowhere, setup, teardown),
		cmocka_unit_test_setup_teardown(it_cannot_be_examined, setup, teardown),
		cmocka_unit_test_setup_teardown(many_at_once, setup, teardown),
		cmocka_unit_test_setup_teardown(what_others_made_stays, setup, teardown),
	};

	return run_unit_tests("scratch_folder", tests, NULL, NULL);
}

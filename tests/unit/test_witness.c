/* witness: a locked file; those that nobody locks any more are removed. */
#include "runner/remote/witness.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runner/base/files.h"
#include "tests/unit/unit.h"

static char folder[] = "/tmp/cctr-unit-XXXXXX";

static int
open_folder(void **state)
{
	return open_arena(state) || !mkdtemp(folder);
}

static int
remove_folder(void **state)
{
	return rmdir(folder) || close_arena(state);
}

static struct witness
make(struct arena *a)
{
	struct diag d = diag_in(a);
	struct witness w;

	assert_true(witness_make(a, str_of(folder), &w, &d));
	return w;
}

static size_t
count_files(struct arena *a)
{
	str_vec names = {0};

	assert_true(directory_read(a, folder, &names));
	return names.n;
}

static void
its_content_is_in_the_file(void **state)
{
	struct witness w = make(*state), other = make(*state);
	struct str text;

	assert_true(file_read(*state, w.path, &text));
	assert_true(str_eq(text, w.content));
	assert_false(str_eq(w.content, other.content));
	witness_remove(&w);
	witness_remove(&other);
	assert_int_equal(count_files(*state), 0);
}

/* As a run does that is killed: nothing removes the file, and the lock is gone. */
static void
a_left_one_is_removed(void **state)
{
	struct witness left = make(*state), other;

	close(left.file);
	other = make(*state);
	assert_false(path_exists(left.path));
	assert_true(path_exists(other.path));
	witness_remove(&other);
}

static void
other_files_stay(void **state)
{
	static const char *const names[] = {
		"cctr-run.txt", "cctr-run-1234567", "xctr-run-123456"};
	struct witness w;

	for (size_t i = 0; i < ROWS(names); i++) {
		int file = open(str_fmt(*state, "%s/%s", folder, names[i]).p,
			O_WRONLY | O_CREAT, 0600);

		assert_true(file >= 0);
		close(file);
	}
	assert_int_equal(
		symlink("/nowhere", str_fmt(*state, "%s/cctr-run-abcdef", folder).p), 0);
	w = make(*state);
	witness_remove(&w);
	assert_int_equal(count_files(*state), ROWS(names) + 1);
	for (size_t i = 0; i < ROWS(names); i++)
		unlink(str_fmt(*state, "%s/%s", folder, names[i]).p);
	unlink(str_fmt(*state, "%s/cctr-run-abcdef", folder).p);
}

static void
where_none_can_be_made(void **state)
{
	struct diag d = diag_in(*state);
	struct witness w;

	assert_false(witness_make(*state, STR("/nowhere/at/all"), &w, &d));
	assert_int_equal(d.entries.n, 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(its_content_is_in_the_file),
		cmocka_unit_test(a_left_one_is_removed),
		cmocka_unit_test(other_files_stay),
		cmocka_unit_test(where_none_can_be_made),
	};

	return run_unit_tests("witness", tests, open_folder, remove_folder);
}

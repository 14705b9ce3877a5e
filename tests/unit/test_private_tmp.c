/* private_tmp: directories made, given back, kept, and removed piece by piece. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runner/process/private_tmp.h"
#include "tests/unit/unit.h"

struct fixture {
	struct arena *a;
	struct diag d;
	struct str parent;
};

static int
setup(void **state)
{
	struct arena *a = arena_open();
	struct fixture *f = NEW(a, struct fixture);
	char path[] = "/tmp/cctr-test-XXXXXX";

	assert_non_null(mkdtemp(path));
	f->a = a;
	f->d = diag_in(a);
	f->parent = str_dup(a, str_of(path));
	*state = f;
	return 0;
}

static int
teardown(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(rmdir(f->parent.p), 0);
	arena_close(f->a);
	return 0;
}

static size_t
entries(struct str path)
{
	DIR *d = opendir(path.p);
	const struct dirent *e;
	size_t n = 0;

	assert_non_null(d);
	while ((e = readdir(d)))
		n += e->d_name[0] != '.';
	closedir(d);
	return n;
}

static void
fill(struct arena *a, const char *path, int n)
{
	for (int i = 0; i < n; i++)
		assert_int_equal(mkdir(str_fmt(a, "%s/%d", path, i).p, 0700), 0);
}

static void
each_is_fresh_and_goes(void **state)
{
	enum { N = 5, FOLDERS = 100 };
	struct fixture *f = *state;
	struct private_tmp *t = private_tmp_open(f->a, f->parent, false);
	const char *path[N];
	struct stat st;

	for (int i = 0; i < N; i++) {
		path[i] = private_tmp_make(t, f->a);
		assert_non_null(path[i]);
		assert_int_equal(stat(path[i], &st), 0);
		assert_int_equal(st.st_mode & 07777, 0700);
		assert_int_equal(entries(str_of(path[i])), 0);
		fill(f->a, path[i], i == 0 ? 0 : FOLDERS);
	}
	assert_int_equal(entries(f->parent), N);
	private_tmp_ended(t, path[0], STR("a"), true);
	assert_int_equal(entries(f->parent), N - 1);
	assert_false(private_tmp_work(t, 0));
	/* Others wait while the first large one is being removed. */
	for (int i = 1; i < N; i++)
		private_tmp_ended(t, path[i], STR("a"), false);
	assert_int_equal(entries(f->parent), N - 1);
	assert_true(private_tmp_work(t, 0));
	assert_true(entries(f->parent) >= N - 2);
	while (private_tmp_work(t, 0))
		;
	assert_int_equal(entries(f->parent), 0);
	path[0] = private_tmp_make(t, f->a);
	fill(f->a, path[0], FOLDERS);
	private_tmp_ended(t, path[0], STR("a"), false);
	private_tmp_close(t, &f->d);
	assert_int_equal(f->d.entries.n, 0);
}

static void
failed_ones_can_be_kept(void **state)
{
	struct fixture *f = *state;
	struct private_tmp *t = private_tmp_open(f->a, f->parent, true);
	const char *good = private_tmp_make(t, f->a), *bad = private_tmp_make(t, f->a);

	private_tmp_ended(t, good, STR("good"), false);
	private_tmp_ended(t, bad, STR("bad"), true);
	private_tmp_close(t, &f->d);
	assert_int_equal(f->d.entries.n, 1);
	assert_int_equal(f->d.entries.v[0].kind, DIAG_NOTE);
	assert_true(str_eq(f->d.entries.v[0].text,
		str_fmt(f->a, "cctr: kept the temporary directory of bad: %s\n", bad)));
	assert_int_equal(rmdir(bad), 0);
}

static void
a_parent_that_is_not_there(void **state)
{
	struct fixture *f = *state;
	struct private_tmp *t = private_tmp_open(
		f->a, str_fmt(f->a, "%.*s/nowhere", STR_ARG(f->parent)), false);

	assert_null(private_tmp_make(t, f->a));
	assert_int_equal(errno, ENOENT);
	private_tmp_close(t, &f->d);
}

static void
the_parent_is_tmpdir(void **state)
{
	struct fixture *f = *state;

	setenv("TMPDIR", "/some//where/", 1);
	assert_true(str_is(private_tmp_parent(f->a, STR("/here")), "/some/where"));
	setenv("TMPDIR", "", 1);
	assert_true(str_is(private_tmp_parent(f->a, STR("/here")), "/tmp"));
	unsetenv("TMPDIR");
	assert_true(str_is(private_tmp_parent(f->a, STR("/here")), "/tmp"));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(each_is_fresh_and_goes),
		CASE(failed_ones_can_be_kept),
		CASE(a_parent_that_is_not_there),
		CASE(the_parent_is_tmpdir),
	};

	return run_unit_tests("private_tmp", tests, NULL, NULL);
}

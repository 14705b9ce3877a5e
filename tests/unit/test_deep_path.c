/* Deep paths are found as they are without an open directory. */
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runner/base/deep_path.h"
#include "runner/base/files.h"
#include "tests/unit/unit.h"

enum { LEVELS = 200, LONGEST_REST = 100 };

static bool
is_found(struct deep_path *d, const char *path, struct stat *s)
{
	const char *rest;
	int at = deep_path_at(d, path, &rest);

	assert_string_equal(path + strlen(path) - strlen(rest), rest);
	assert_true(strlen(path) >= PATH_MAX || strlen(rest) <= LONGEST_REST);
	return fstatat(at, rest, s, AT_SYMLINK_NOFOLLOW) == 0;
}

/* Whether a lookup says the same with and without an open directory. */
static void
check_path(struct deep_path *d, const char *path)
{
	struct stat far, near;
	bool is_there = lstat(path, &far) == 0;

	assert_int_equal(is_found(d, path, &near), is_there);
	if (is_there)
		assert_true(far.st_ino == near.st_ino && far.st_dev == near.st_dev);
}

/* The path of a directory so many levels below top. */
static struct str
level(struct arena *a, struct str top, unsigned n)
{
	struct buf path = {.arena = a};

	buf_str(&path, top);
	while (n--)
		buf_z(&path, "/d");
	return buf_as_str(&path);
}

static void
check_level(struct deep_path *d, struct arena *a, struct str top, unsigned n)
{
	static const char *const names[] = {"", "/f", "/link", "/link/f", "/../d/f",
		"/./f", "//f", "/", "/none", "/f/none", "/none/f"};
	struct str path = level(a, top, n);

	for (size_t i = 0; i < ROWS(names); i++)
		check_path(d, str_fmt(a, "%.*s%s", STR_ARG(path), names[i]).p);
}

static void
fill_level(struct arena *a, struct str top, unsigned n)
{
	struct str path = level(a, top, n);

	assert_int_equal(symlink("..", str_fmt(a, "%.*s/link", STR_ARG(path)).p), 0);
	assert_int_equal(symlink(".", str_fmt(a, "%.*s/f", STR_ARG(path)).p), 0);
}

static void
remove_level(struct arena *a, struct str top, unsigned n)
{
	struct str path = level(a, top, n);

	assert_int_equal(unlink(str_fmt(a, "%.*s/link", STR_ARG(path)).p), 0);
	assert_int_equal(unlink(str_fmt(a, "%.*s/f", STR_ARG(path)).p), 0);
	assert_int_equal(rmdir(path.p), 0);
}

static void
all_levels(void **state)
{
	struct arena *a = arena_open();
	char name[] = "/tmp/deep_path.XXXXXX";
	struct str top = str_of(mkdtemp(name));
	struct deep_path d;

	(void)state;
	deep_path_begin(&d);
	assert_true(directory_make(a, level(a, top, LEVELS).p));
	for (unsigned n = 0; n <= LEVELS; n++)
		fill_level(a, top, n);
	for (unsigned n = 0; n <= LEVELS; n++)
		check_level(&d, a, top, n);
	for (unsigned n = LEVELS; n; n--)
		check_level(&d, a, top, n);
	for (unsigned n = 0; n < 300; n++)
		check_level(&d, a, top, n * 7919 % (LEVELS + 1));
	check_path(&d, "relative");
	check_path(&d, level(a, top, PATH_MAX / 2).p);
	deep_path_close(&d);
	assert_int_equal(d.fd, -1);
	for (unsigned n = LEVELS + 1; n--;)
		remove_level(a, top, n);
	arena_close(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_levels),
	};

	return run_unit_tests("deep_path", tests, NULL, NULL);
}

/* Changes in folders: runner/base/change_watch.h. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runner/base/atomic_file.h"
#include "runner/base/change_watch.h"
#include "runner/base/files.h"
#include "runner/base/tree_removal.h"
#include "tests/unit/unit.h"

struct fixture {
	struct arena *arena;
	char folder[64];
	struct change_watch *watch;
};

static const char *
path_of(struct fixture *f, const char *name)
{
	return str_fmt(f->arena, "%s/%s", f->folder, name).p;
}

static void
make(struct fixture *f, const char *name)
{
	assert_true(file_write(f->arena, path_of(f, name), ".tmp", STR("x")));
}

static int
setup(void **state)
{
	static struct fixture f;

	f = (struct fixture){.arena = arena_open()};
	strcpy(f.folder, "/tmp/cctr-change-XXXXXX");
	if (!mkdtemp(f.folder) || !directory_make(f.arena, path_of(&f, "below")))
		return -1;
	make(&f, "before");
	f.watch = change_watch_open(f.arena);
	*state = &f;
	return f.watch && !change_watch_add(f.watch, f.folder) ? -1 : 0;
}

static int
teardown(void **state)
{
	struct fixture *f = *state;

	change_watch_close(f->watch);
	(void)!tree_remove(f->arena, f->folder);
	arena_close(f->arena);
	return 0;
}

static bool
is_readable(struct fixture *f)
{
	struct pollfd p = {.fd = change_watch_descriptor(f->watch), .events = POLLIN};

	return poll(&p, 1, 0) == 1;
}

static void
changes(void **state)
{
	struct fixture *f = *state;

	if (!f->watch)
		SKIP_TEST("no inotify");
	assert_false(is_readable(f));
	assert_false(change_watch_take(f->watch));
	make(f, "new");
	assert_true(is_readable(f));
	assert_true(change_watch_take(f->watch));
	assert_false(change_watch_take(f->watch));
	assert_int_equal(chmod(path_of(f, "before"), 0700), 0);
	assert_true(change_watch_take(f->watch));
	assert_int_equal(unlink(path_of(f, "before")), 0);
	assert_true(change_watch_take(f->watch));
	assert_int_equal(rename(path_of(f, "new"), path_of(f, "newer")), 0);
	assert_true(change_watch_take(f->watch));
}

/* A folder that is watched twice tells once. */
static void
no_changes(void **state)
{
	struct fixture *f = *state;

	if (!f->watch)
		SKIP_TEST("no inotify");
	assert_true(change_watch_add(f->watch, f->folder));
	make(f, "below/new");
	assert_false(change_watch_take(f->watch));
	assert_int_equal(rename(path_of(f, "below/new"), path_of(f, ".hidden")), 0);
	assert_false(change_watch_take(f->watch));
	assert_int_equal(rename(path_of(f, ".hidden"), path_of(f, "old~")), 0);
	assert_false(change_watch_take(f->watch));
	assert_int_equal(rename(path_of(f, "old~"), path_of(f, "old")), 0);
	assert_true(change_watch_take(f->watch));
	assert_false(change_watch_take(f->watch));
}

static void
no_folder(void **state)
{
	struct fixture *f = *state;

	if (!f->watch)
		SKIP_TEST("no inotify");
	assert_false(change_watch_add(f->watch, path_of(f, "none")));
	assert_true(change_watch_add(f->watch, path_of(f, "below")));
	assert_int_equal(rmdir(path_of(f, "below")), 0);
	assert_true(change_watch_take(f->watch));
	assert_false(change_watch_add(f->watch, path_of(f, "below")));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(changes, setup, teardown),
		cmocka_unit_test_setup_teardown(no_changes, setup, teardown),
		cmocka_unit_test_setup_teardown(no_folder, setup, teardown),
	};

	return run_unit_tests("change_watch", tests, NULL, NULL);
}

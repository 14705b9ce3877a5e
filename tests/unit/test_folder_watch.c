/* Names and changes in folders: runner/base/folder_watch.h. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runner/base/atomic_file.h"
#include "runner/base/files.h"
#include "runner/base/folder_watch.h"
#include "runner/base/tree_removal.h"
#include "tests/unit/unit.h"

struct fixture {
	struct arena *arena;
	char directory[64];
	struct folder_watch *watch;
	struct buf names;
};

static const char *
path_of(struct fixture *f, const char *name)
{
	return str_fmt(f->arena, "%s/%s", f->directory, name).p;
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
	f.names = (struct buf){.arena = f.arena};
	strcpy(f.directory, "/tmp/cctr-watch-XXXXXX");
	if (!mkdtemp(f.directory))
		return -1;
	make(&f, "before");
	f.watch = folder_watch_open(f.arena);
	*state = &f;
	return directory_make(f.arena, path_of(&f, "below")) ? 0 : -1;
}

static int
teardown(void **state)
{
	struct fixture *f = *state;

	folder_watch_close(f->watch);
	(void)!tree_remove(f->arena, f->directory);
	arena_close(f->arena);
	return 0;
}

static void
add(void *context, struct str name)
{
	struct fixture *f = context;

	if (name.n)
		buf_fmt(&f->names, "%.*s ", STR_ARG(name));
}

static void
assert_names(struct fixture *f, bool is_whole, const char *names)
{
	f->names.n = 0;
	buf_z(&f->names, "");
	assert_int_equal(folder_watch_take(f->watch, add, f), is_whole);
	assert_string_equal(str_z(f->arena, buf_as_str(&f->names)), names);
}

/* false: there is no inotify. */
static bool
watches(struct fixture *f, enum folder_news news)
{
	return f->watch && folder_watch_add(f->watch, f->directory, news);
}

/* Each once: what is made, and what gets a name there. */
static void
test_new_names(void **state)
{
	struct fixture *f = *state;

	if (!watches(f, FOLDER_NAMES))
		SKIP_TEST("no inotify");
	assert_names(f, true, "");
	make(f, "a");
	assert_int_equal(rename(path_of(f, "before"), path_of(f, "b")), 0);
	assert_names(f, true, "a.tmp a b ");
	assert_int_equal(unlink(path_of(f, "a")), 0);
	assert_names(f, true, "");
	make(f, "a");
	assert_names(f, true, "a.tmp a ");
}

static void
test_another_folder(void **state)
{
	struct fixture *f = *state;

	if (!watches(f, FOLDER_NAMES))
		SKIP_TEST("no inotify");
	assert_true(tree_remove(f->arena, f->directory));
	assert_true(directory_make(f->arena, f->directory));
	make(f, "a");
	assert_names(f, false, "");
	assert_names(f, false, "");
}

static bool
is_readable(struct fixture *f)
{
	struct pollfd p = {.fd = folder_watch_descriptor(f->watch), .events = POLLIN};

	return poll(&p, 1, 0) == 1;
}

static void
changes(void **state)
{
	struct fixture *f = *state;

	if (!watches(f, FOLDER_CHANGES))
		SKIP_TEST("no inotify");
	assert_false(is_readable(f));
	assert_false(folder_watch_has_changed(f->watch));
	make(f, "new");
	assert_true(is_readable(f));
	assert_true(folder_watch_has_changed(f->watch));
	assert_false(folder_watch_has_changed(f->watch));
	assert_int_equal(chmod(path_of(f, "before"), 0700), 0);
	assert_true(folder_watch_has_changed(f->watch));
	assert_int_equal(unlink(path_of(f, "before")), 0);
	assert_true(folder_watch_has_changed(f->watch));
	assert_int_equal(rename(path_of(f, "new"), path_of(f, "newer")), 0);
	assert_true(folder_watch_has_changed(f->watch));
}

/* A folder that is watched twice tells once. */
static void
no_changes(void **state)
{
	struct fixture *f = *state;

	if (!watches(f, FOLDER_CHANGES))
		SKIP_TEST("no inotify");
	assert_true(folder_watch_add(f->watch, f->directory, FOLDER_CHANGES));
	make(f, "below/new");
	assert_false(folder_watch_has_changed(f->watch));
	assert_int_equal(rename(path_of(f, "below/new"), path_of(f, ".hidden")), 0);
	assert_false(folder_watch_has_changed(f->watch));
	assert_int_equal(rename(path_of(f, ".hidden"), path_of(f, "old~")), 0);
	assert_false(folder_watch_has_changed(f->watch));
	assert_int_equal(rename(path_of(f, "old~"), path_of(f, "old")), 0);
	assert_true(folder_watch_has_changed(f->watch));
	assert_false(folder_watch_has_changed(f->watch));
}

static void
no_folder(void **state)
{
	struct fixture *f = *state;

	if (!watches(f, FOLDER_CHANGES))
		SKIP_TEST("no inotify");
	assert_false(folder_watch_add(f->watch, path_of(f, "none"), FOLDER_CHANGES));
	assert_false(folder_watch_add(f->watch, path_of(f, "before"), FOLDER_NAMES));
	assert_true(folder_watch_add(f->watch, path_of(f, "below"), FOLDER_CHANGES));
	assert_int_equal(rmdir(path_of(f, "below")), 0);
	assert_true(folder_watch_has_changed(f->watch));
	assert_false(folder_watch_add(f->watch, path_of(f, "below"), FOLDER_CHANGES));
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_new_names),
		TEST(test_another_folder),
		TEST(changes),
		TEST(no_changes),
		TEST(no_folder),
	};

	return run_unit_tests("folder_watch", tests, NULL, NULL);
}

/* Names that appear in a folder: runner/base/folder_watch.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
	f.watch = folder_watch_open(f.arena, f.directory);
	*state = &f;
	return 0;
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

/* Each once: what is made, and what gets a name there. */
static void
test_new_names(void **state)
{
	struct fixture *f = *state;

	if (!f->watch)
		skip();
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

	if (!f->watch)
		skip();
	assert_true(tree_remove(f->arena, f->directory));
	assert_true(directory_make(f->arena, f->directory));
	make(f, "a");
	assert_names(f, false, "");
	assert_names(f, false, "");
}

static void
test_no_folder(void **state)
{
	struct fixture *f = *state;

	assert_null(folder_watch_open(f->arena, path_of(f, "none")));
	assert_null(folder_watch_open(f->arena, path_of(f, "before")));
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_new_names),
		TEST(test_another_folder),
		TEST(test_no_folder),
	};

	return run_unit_tests("folder_watch", tests, NULL, NULL);
}

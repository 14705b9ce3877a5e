/* runner/base/atomic_file.h. Locks of one program are as those of two.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runner/base/atomic_file.h"
#include "runner/base/files.h"
#include "runner/base/tree_removal.h"
#include "tests/unit/unit.h"

struct fixture {
	struct arena *arena;
	char directory[64];
	const char *path;
};

static int
setup(void **state)
{
	static struct fixture f;

	f = (struct fixture){.arena = arena_open()};
	strcpy(f.directory, "/tmp/cctr-atomic-XXXXXX");
	if (!mkdtemp(f.directory))
		return -1;
	f.path = str_fmt(f.arena, "%s/file", f.directory).p;
	*state = &f;
	return 0;
}

static int
teardown(void **state)
{
	struct fixture *f = *state;
	bool done = tree_remove(f->arena, f->directory);

	arena_close(f->arena);
	return done ? 0 : -1;
}

static const char *
temporary_of(struct fixture *f)
{
	return str_fmt(f->arena, "%s.tmp", f->path).p;
}

static struct atomic_file
begin(struct fixture *f, const char *text)
{
	struct atomic_file d;

	assert_true(atomic_file_open(f->arena, &d, f->path, ".tmp"));
	assert_true(str_ends(str_of(d.temporary), STR(".tmp")));
	assert_true(file_put(d.file, str_of(text)));
	return d;
}

static void
end(struct atomic_file *d)
{
	close(d->file);
	assert_true(atomic_file_close(d, true));
	assert_false(path_exists(d->temporary));
}

static void
assert_text(struct fixture *f, const char *expected)
{
	struct str text;

	assert_true(file_read(f->arena, f->path, &text));
	assert_string_equal(text.p, expected);
}

static void
test_left_by_another(void **state)
{
	struct fixture *f = *state;
	struct atomic_file d;

	assert_true(file_write(f->arena, temporary_of(f), ".x", STR("left behind")));
	d = begin(f, "new");
	assert_string_equal(d.temporary, temporary_of(f));
	end(&d);
	assert_text(f, "new");
}

static void
test_not_whole(void **state)
{
	struct fixture *f = *state;
	struct atomic_file d;

	assert_true(file_write(f->arena, f->path, ".tmp", STR("old")));
	d = begin(f, "half");
	close(d.file);
	assert_false(atomic_file_close(&d, false));
	assert_false(path_exists(d.temporary));
	assert_text(f, "old");
}

static void
test_two_at_a_time(void **state)
{
	struct fixture *f = *state;
	struct atomic_file one = begin(f, "the first"), two = begin(f, "second");

	assert_string_not_equal(one.temporary, two.temporary);
	end(&one);
	assert_text(f, "the first");
	end(&two);
	assert_text(f, "second");
}

/* Between the last byte and the name. */
static void
test_closed_is_not_given_up(void **state)
{
	struct fixture *f = *state;
	struct atomic_file one = begin(f, "one"), two;

	close(one.file);
	two = begin(f, "two");
	assert_true(atomic_file_close(&one, true));
	assert_text(f, "one");
	end(&two);
	assert_text(f, "two");
}

static void
test_one_after_the_other(void **state)
{
	struct fixture *f = *state;

	for (int i = 0; i < 3; i++) {
		struct atomic_file d = begin(f, i ? "n" : "longer");

		assert_string_equal(d.temporary, temporary_of(f));
		end(&d);
		assert_text(f, i ? "n" : "longer");
	}
}

/* What others have put at the path of the temporary file. Nothing is written through it.
 */
static void
plant(struct fixture *f, int what)
{
	const char *target = str_fmt(f->arena, "%s.target", f->path).p;
	const char *name = temporary_of(f);

	assert_true(file_write(f->arena, target, ".x", STR("untouched")));
	if (what == 0)
		assert_int_equal(symlink(target, name), 0);
	else if (what == 1)
		assert_int_equal(link(target, name), 0);
	else if (what == 2)
		assert_int_equal(mkfifo(name, 0600), 0);
	else if (what == 3)
		assert_int_equal(symlink("nowhere", name), 0);
	else
		assert_true(file_write(f->arena, name, ".x", STR("read only")));
	if (what == 4)
		assert_int_equal(chmod(name, 0), 0);
	if (what == 5 && geteuid() == 0)
		assert_int_equal(chown(name, 65534, 65534), 0);
}

static void
test_planted(void **state)
{
	struct fixture *f = *state;
	struct str text;

	for (int what = 0; what < 6; what++) {
		struct atomic_file d;

		plant(f, what);
		d = begin(f, "new");
		assert_string_equal(d.temporary, temporary_of(f));
		end(&d);
		assert_text(f, "new");
		assert_true(file_read(
			f->arena, str_fmt(f->arena, "%s.target", f->path).p, &text));
		assert_string_equal(text.p, "untouched");
		assert_int_equal(unlink(f->path), 0);
	}
}

static void
test_directory_in_the_way(void **state)
{
	struct fixture *f = *state;
	struct atomic_file d;

	assert_int_equal(mkdir(temporary_of(f), 0700), 0);
	assert_false(atomic_file_open(f->arena, &d, f->path, ".tmp"));
	assert_int_equal(errno, EISDIR);
}

static void
test_device_is_not_replaced(void **state)
{
	static const char *const paths[] = {"/dev/null", "/dev/stdout"};
	struct fixture *f = *state;
	struct atomic_file d;

	for (size_t i = 0; i < ROWS(paths); i++) {
		bool is_open = atomic_file_open(f->arena, &d, paths[i], ".tmp");

		if (is_open) {
			close(d.file);
			(void)!atomic_file_close(&d, false);
		}
		assert_false(is_open);
		assert_int_equal(errno, ENOTSUP);
	}
	/* of a folder of ours it is */
	assert_int_equal(symlink("/dev/null", f->path), 0);
	assert_true(atomic_file_open(f->arena, &d, f->path, ".tmp"));
	close(d.file);
	assert_true(atomic_file_close(&d, true));
	assert_text(f, "");
}

/* A test finds it beside its own files. */
static void
test_taken_away(void **state)
{
	struct fixture *f = *state;
	const char *other = str_fmt(f->arena, "%s.other", f->path).p;
	struct str text;

	for (int what = 0; what < 3; what++) {
		struct atomic_file d = begin(f, "what was written");

		assert_true(file_write(f->arena, other, ".x", STR("forged")));
		if (what == 0)
			assert_int_equal(unlink(d.temporary), 0);
		else if (what == 1)
			assert_int_equal(rename(other, d.temporary), 0);
		else if (unlink(d.temporary) == 0)
			assert_int_equal(symlink(other, d.temporary), 0);
		close(d.file);
		assert_true(atomic_file_close(&d, true));
		assert_text(f, "what was written");
		if (what == 2) {
			assert_true(file_read(f->arena, other, &text));
			assert_string_equal(text.p, "forged");
		}
		unlink(d.temporary);
		unlink(f->path);
	}
}

static void
test_no_directory_any_more(void **state)
{
	struct fixture *f = *state;
	struct atomic_file d = begin(f, "text");

	assert_true(tree_remove(f->arena, f->directory));
	close(d.file);
	assert_false(atomic_file_close(&d, true));
	assert_int_equal(errno, ENOENT);
	assert_int_equal(mkdir(f->directory, 0700), 0);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_left_by_another),
		TEST(test_not_whole),
		TEST(test_two_at_a_time),
		TEST(test_closed_is_not_given_up),
		TEST(test_one_after_the_other),
		TEST(test_planted),
		TEST(test_directory_in_the_way),
		TEST(test_device_is_not_replaced),
		TEST(test_taken_away),
		TEST(test_no_directory_any_more),
	};

	return run_unit_tests("atomic_file", tests, NULL, NULL);
}

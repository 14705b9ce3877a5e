/* Drafts of files: runner/draft.h. Locks of one program are as those of two. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runner/draft.h"
#include "runner/files.h"
#include "runner/tree_removal.h"

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
	strcpy(f.directory, "/tmp/cctr-draft-XXXXXX");
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

static struct draft
begin(struct fixture *f, const char *text)
{
	struct draft d;

	assert_true(draft_open(f->arena, &d, f->path, ".tmp"));
	assert_true(str_ends(str_of(d.temporary), STR(".tmp")));
	assert_true(file_put(d.file, str_of(text)));
	return d;
}

static void
end(struct draft *d)
{
	close(d->file);
	assert_true(draft_close(d, true));
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
	struct draft d;

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
	struct draft d;

	assert_true(file_write(f->arena, f->path, ".tmp", STR("old")));
	d = begin(f, "half");
	close(d.file);
	assert_false(draft_close(&d, false));
	assert_false(path_exists(d.temporary));
	assert_text(f, "old");
}

static void
test_two_at_a_time(void **state)
{
	struct fixture *f = *state;
	struct draft one = begin(f, "the first"), two = begin(f, "second");

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
	struct draft one = begin(f, "one"), two;

	close(one.file);
	two = begin(f, "two");
	assert_true(draft_close(&one, true));
	assert_text(f, "one");
	end(&two);
	assert_text(f, "two");
}

static void
test_one_after_the_other(void **state)
{
	struct fixture *f = *state;

	for (int i = 0; i < 3; i++) {
		struct draft d = begin(f, i ? "n" : "longer");

		assert_string_equal(d.temporary, temporary_of(f));
		end(&d);
		assert_text(f, i ? "n" : "longer");
	}
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
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("draft", tests, NULL, NULL);
}

/* A copy of a tree, and why there is none: runner/base/tree_copy.h. */
#include "runner/base/tree_copy.h"
#include "tests/unit/text_file.h"
#include "tests/unit/unit.h"

#include <sys/stat.h>
#include <unistd.h>

struct stage {
	struct arena *arena;
	struct diag diag;
	struct str from, to;
};

static const char *
in(struct stage *p, struct str tree, const char *name)
{
	return path_join(p->arena, tree, str_of(name)).p;
}

/* A tree with a folder, a file in it, and a link to that. */
static struct stage
begin(const char *name)
{
	struct arena *a = arena_open();
	struct stage p = {.arena = a, .diag = diag_in(a)};
	struct str folder = path_join(a, text_folder(), str_of(name));

	p.from = path_join(a, folder, STR("from"));
	p.to = path_join(a, folder, STR("to"));
	assert_true(directory_make(a, in(&p, p.from, "sub")));
	assert_true(file_write(a, in(&p, p.from, "sub/file"), ".tmp", STR("text")));
	assert_int_equal(chmod(in(&p, p.from, "sub/file"), 0750), 0);
	assert_int_equal(symlink("sub/file", in(&p, p.from, "link")), 0);
	return p;
}

static void
assert_fails(struct stage *p, struct str file, const char *why)
{
	assert_false(tree_copy(p->arena, p->from.p, p->to.p, &p->diag));
	assert_int_equal(p->diag.errors, 1);
	assert_true(str_eq(p->diag.entries.v[0].at.file, file));
	assert_true(str_is(p->diag.entries.v[0].text, why));
	arena_close(p->arena);
}

static void
all_of_a_tree(void **state)
{
	struct stage p = begin("whole");
	struct str text;
	struct stat st, copied;
	char target[64] = "";

	(void)state;
	assert_true(tree_copy(p.arena, p.from.p, p.to.p, &p.diag));
	assert_true(file_read(p.arena, in(&p, p.to, "sub/file"), &text));
	assert_true(str_is(text, "text"));
	assert_int_equal(stat(in(&p, p.from, "sub/file"), &st), 0);
	assert_int_equal(stat(in(&p, p.to, "sub/file"), &copied), 0);
	assert_int_equal(copied.st_mode, st.st_mode);
	assert_int_equal(copied.st_mtim.tv_nsec, st.st_mtim.tv_nsec);
	assert_int_equal(readlink(in(&p, p.to, "link"), target, sizeof target - 1), 8);
	assert_string_equal(target, "sub/file");
	arena_close(p.arena);
}

static void
nothing_there(void **state)
{
	struct stage p = begin("nothing");

	(void)state;
	p.from = str_of(in(&p, p.from, "none"));
	assert_fails(&p, p.from, "cannot be read: No such file or directory");
}

static void
something_in_its_place(void **state)
{
	struct stage p = begin("place");

	(void)state;
	assert_true(directory_make(p.arena, p.to.p));
	assert_fails(&p, p.to, "cannot be made: File exists");
}

static void
what_cannot_be_copied(void **state)
{
	struct stage p = begin("fifo");
	const char *fifo = in(&p, p.from, "sub/fifo");

	(void)state;
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_fails(
		&p, str_of(fifo), "is no file, folder or link, and cannot be copied");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_of_a_tree),
		cmocka_unit_test(nothing_there),
		cmocka_unit_test(something_in_its_place),
		cmocka_unit_test(what_cannot_be_copied),
	};

	return run_unit_tests("tree_copy", tests, NULL, NULL);
}

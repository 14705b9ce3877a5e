/* set_aside: whatever fails, what was moved away is in its place or in the folder. */
#include "compat/compare/set_aside.h"
#include "tests/unit/text_file.h"
#include "tests/unit/unit.h"

#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A tree with a file that is set aside, and one that is not there before. */
struct stage {
	struct arena *arena;
	struct diag diag;
	struct str folder, present, absent;
	struct aside aside;
};

static struct str
below(struct stage *p, const char *name)
{
	return path_join(p->arena, p->folder, str_of(name));
}

static void
put(struct stage *p, struct str path, const char *text)
{
	assert_true(file_write(p->arena, path.p, ".tmp", str_of(text)));
}

static void
assert_has(struct stage *p, struct str path, const char *text)
{
	struct str there;

	assert_true(file_read(p->arena, path.p, &there));
	assert_true(str_is(there, text));
}

static bool
open_aside(struct stage *p)
{
	return aside_open(p->arena, &p->aside, below(p, "aside"), &p->diag);
}

static struct stage
begin(void)
{
	struct arena *a = arena_open();
	struct stage p = {.arena = a, .diag = diag_in(a)};
	struct str paths[2];

	p.folder = path_join(a, text_folder(), STR("tree"));
	assert_true(directory_make(a, p.folder.p));
	paths[0] = p.present = below(&p, "present");
	paths[1] = p.absent = below(&p, "absent");
	put(&p, p.present, "of the user");
	assert_true(open_aside(&p));
	assert_true(aside_take(a, &p.aside, (struct str_list){paths, 2}, &p.diag));
	assert_false(path_exists(p.present.p));
	return p;
}

static void
end(struct stage *p)
{
	assert_true(tree_remove(p->arena, p->folder.p));
	arena_close(p->arena);
}

/* As a process that is killed: the lock is gone, the folder is not. */
static void
be_killed(struct stage *p)
{
	close(p->aside.lock);
}

/* The folder that another comparison replaces while it is opened here, or NULL. */
static const char *replaced;

/* In the place of the C library's. */
int
flock(int fd, int operation)
{
	const char *folder = replaced;

	replaced = NULL;
	if (folder) {
		assert_int_equal(rmdir(folder), 0);
		assert_int_equal(mkdir(folder, 0700), 0);
	}
	return (int)syscall(SYS_flock, fd, operation);
}

static void
a_lock_of_a_removed_folder_is_none(void **state)
{
	struct stage p = begin();
	struct str folder = below(&p, "aside");

	(void)state;
	assert_true(aside_close(p.arena, &p.aside, &p.diag));
	assert_int_equal(mkdir(folder.p, 0700), 0);
	replaced = folder.p;
	assert_false(open_aside(&p));
	assert_true(path_exists(folder.p));
	assert_true(str_has(p.diag.entries.v[0].text, STR("another comparison runs")));
	end(&p);
}

static void
what_runs_left_is_thrown_away(void **state)
{
	struct stage p = begin();

	(void)state;
	put(&p, p.present, "of a run");
	put(&p, p.absent, "of a run");
	assert_true(aside_close(p.arena, &p.aside, &p.diag));
	assert_has(&p, p.present, "of the user");
	assert_false(path_exists(p.absent.p));
	assert_false(path_exists(below(&p, "aside").p));
	assert_int_equal(p.diag.entries.n, 0);
	end(&p);
}

static void
what_is_there_after_a_kill_is_kept_and_named(void **state)
{
	struct stage p = begin();

	(void)state;
	put(&p, p.absent, "of a run");
	be_killed(&p);
	assert_true(open_aside(&p));
	assert_has(&p, p.present, "of the user");
	assert_has(&p, below(&p, "absent.cctr-compare"), "of a run");
	assert_int_equal(p.diag.entries.n, 2);
	assert_true(str_has(p.diag.entries.v[0].text, below(&p, "absent.cctr-compare")));
	assert_true(aside_close(p.arena, &p.aside, &p.diag));
	end(&p);
}

/* The path with the number 0 of the folder leads nowhere: it is not known whether the
 * original is there. */
static void
nothing_is_removed_where_the_original_cannot_be_seen(void **state)
{
	struct stage p = begin();
	struct str originals = below(&p, "aside/original"), moved = below(&p, "moved");

	(void)state;
	assert_int_equal(rename(originals.p, moved.p), 0);
	assert_int_equal(symlink("original", originals.p), 0);
	put(&p, p.present, "perhaps of the user");
	assert_false(aside_close(p.arena, &p.aside, &p.diag));
	assert_has(&p, p.present, "perhaps of the user");
	assert_int_equal(p.diag.errors, 1);

	assert_int_equal(unlink(originals.p), 0);
	assert_int_equal(rename(moved.p, originals.p), 0);
	assert_true(open_aside(&p));
	assert_has(&p, p.present, "of the user");
	assert_has(&p, below(&p, "present.cctr-compare"), "perhaps of the user");
	assert_true(aside_close(p.arena, &p.aside, &p.diag));
	end(&p);
}

/* The journal is gone before the folder: what is then in the places is of the user. */
static void
a_folder_without_a_journal_is_removed_alone(void **state)
{
	struct stage p = begin();

	(void)state;
	assert_int_equal(unlink(below(&p, "aside/journal").p), 0);
	assert_int_equal(rename(below(&p, "aside/original/0").p, p.present.p), 0);
	put(&p, p.absent, "of the user, later");
	be_killed(&p);
	assert_true(open_aside(&p));
	assert_has(&p, p.present, "of the user");
	assert_has(&p, p.absent, "of the user, later");
	assert_int_equal(p.diag.entries.n, 0);
	assert_true(aside_close(p.arena, &p.aside, &p.diag));
	end(&p);
}

/* Builds have folders of any name. */
static void
a_folder_of_the_user_stays(void **state)
{
	struct stage p = begin();
	struct str file = below(&p, "aside/mine"),
		   original = below(&p, "aside/original/0");

	(void)state;
	assert_true(aside_close(p.arena, &p.aside, &p.diag));
	assert_true(directory_make(p.arena, below(&p, "aside/original").p));
	put(&p, file, "of the user");
	assert_false(open_aside(&p));
	assert_has(&p, file, "of the user");
	assert_true(str_eq(p.diag.entries.v[0].at.file, file));
	assert_int_equal(unlink(file.p), 0);

	put(&p, original, "of the user");
	assert_false(open_aside(&p));
	assert_has(&p, original, "of the user");
	assert_int_equal(p.diag.errors, 2);
	end(&p);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_runs_left_is_thrown_away),
		cmocka_unit_test(what_is_there_after_a_kill_is_kept_and_named),
		cmocka_unit_test(nothing_is_removed_where_the_original_cannot_be_seen),
		cmocka_unit_test(a_folder_without_a_journal_is_removed_alone),
		cmocka_unit_test(a_folder_of_the_user_stays),
		cmocka_unit_test(a_lock_of_a_removed_folder_is_none),
	};

	return run_unit_tests("set_aside", tests, NULL, NULL);
}

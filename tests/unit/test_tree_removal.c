/* tree_removal: all kinds of trees, and what lies outside of them. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runner/base/tree_removal.h"
#include "tests/unit/unit.h"

enum { NOBODY = 65534 };

struct fixture {
	struct arena *a;
	struct tree_removal *removal;
	char path[64]; /* the current directory; the tree is "t", beside it "out" */
	int here;
};

static int
setup(void **state)
{
	struct arena *a = arena_open();
	struct fixture *f = NEW(a, struct fixture);

	f->a = a;
	strcpy(f->path, "/tmp/cctr-test-XXXXXX");
	assert_non_null(mkdtemp(f->path));
	assert_int_equal(chdir(f->path), 0);
	f->here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	f->removal = tree_removal_open(a);
	*state = f;
	return 0;
}

static int
teardown(void **state)
{
	struct fixture *f = *state;
	const char *command;

	tree_removal_close(f->removal);
	close(f->here);
	assert_int_equal(chdir("/"), 0);
	command = str_fmt(f->a, "chmod -R u+rwX %s; rm -rf %s", f->path, f->path).p;
	assert_int_equal(system(command), 0);
	arena_close(f->a);
	return 0;
}

static void
shell(const char *command)
{
	assert_int_equal(system(command), 0);
}

static enum removal
remove_tree(struct fixture *f, size_t entries)
{
	enum removal result = tree_removal_start(f->removal, f->here, "t");

	while (result == REMOVAL_GOES_ON)
		result = tree_removal_work(f->removal, entries);
	return result;
}

/* How each tree is made, the piece it is removed by, and a shell's test of what is left.
 */
static const struct {
	const char *make;
	size_t entries;
	const char *left;
} trees[] = {
	{"true", 1, "true"},
	{"mkdir t", 1, "true"},
	{"mkdir t && touch t/a t/.b", 1, "true"},
	{"mkdir -p t/a/b/c t/a/d && touch t/a/b/c/x t/a/y t/z", 1, "true"},
	{"mkdir -p t/a/b/c t/a/d && touch t/a/b/c/x t/a/y t/z", 1000, "true"},
	{"mkdir t && cd t && seq 400 | xargs touch && mkdir 0 && cd 0 && seq 300 | "
	 "xargs mkdir",
		7, "true"},
	{"mkdir t && cd t && for i in 1 2 3 4 5 6 7 8 9; do mkdir -p $i/$i/$i && touch "
	 "$i/$i/$i/f $i/g; done",
		2, "true"},
	{"mkdir t && mkfifo t/fifo && touch \"t/two\nlines\" t/-rf", 1, "true"},
	/* not ours behind the links */
	{"mkdir t out && touch out/kept && ln -s ../out t/link && ln -s ../out/kept "
	 "t/file && ln -s / t/root && ln -s nowhere t/dangling",
		1, "test -f out/kept"},
	{"mkdir t out && echo text >out/kept && ln out/kept t/hard", 1,
		"test \"$(cat out/kept)\" = text"},
	/* something else in its place */
	{"mkdir out && touch out/kept && ln -s out t", 1, "test -f out/kept"},
	{"touch t", 1, "true"},
};

static void
trees_go_and_nothing_else(void **state)
{
	struct fixture *f = *state;

	for (size_t i = 0; i < ROWS(trees); i++) {
		shell(trees[i].make);
		if (remove_tree(f, trees[i].entries) != REMOVAL_DONE)
			fail_msg("tree %zu: %s", i, strerror(errno));
		shell("test ! -e t && test ! -L t");
		if (system(trees[i].left) != 0)
			fail_msg("tree %zu: not %s", i, trees[i].left);
		shell("rm -rf out");
	}
}

/* Deeper than there are descriptors, and than a path is long. */
static void
depth_is_no_limit(void **state)
{
	enum { DEPTH = 1500 };
	struct fixture *f = *state;
	int fd = f->here;

	for (int i = 0; i < DEPTH; i++) {
		const char *name = i ? "deeper" : "t";
		int next;

		assert_int_equal(mkdirat(fd, name, 0755), 0);
		next = openat(fd, name, O_RDONLY | O_DIRECTORY);
		assert_true(next >= 0);
		if (i % 100 == 0)
			close(openat(next, "file", O_CREAT | O_WRONLY, 0600));
		if (fd != f->here)
			close(fd);
		fd = next;
	}
	close(fd);
	assert_int_equal(remove_tree(f, 10), REMOVAL_DONE);
	shell("test ! -e t");
}

/* 0 when the function returned 0 in a child without privileges. */
static int
without_privileges(int (*does)(struct fixture *f), struct fixture *f)
{
	int status;
	pid_t child;

	if (geteuid() == 0)
		assert_int_equal(chown(".", NOBODY, NOBODY), 0);
	child = fork();
	if (child == 0)
		_exit(geteuid() == 0 && (setgid(NOBODY) || setuid(NOBODY)) ? 99
									   : does(f));
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 98;
}

static int
remove_unreadable(struct fixture *f)
{
	if (system("mkdir -p t/none/a t/read/a t/write/a/b && touch t/none/a/x t/read/y "
		   "t/write/a/b/z && chmod 0 t/none t/write/a/b && chmod 555 t/read/a "
		   "t/read && chmod 200 t/write/a t/write && chmod 0 t") != 0)
		return 1;
	return remove_tree(f, 1) != REMOVAL_DONE || access("t", F_OK) == 0;
}

static void
folders_without_permissions_go_too(void **state)
{
	assert_int_equal(without_privileges(remove_unreadable, *state), 0);
}

static int
remove_of_others(struct fixture *f)
{
	return remove_tree(f, 1) != REMOVAL_FAILED || errno != EACCES;
}

/* What belongs to somebody else stays; the rest goes. */
static void
what_cannot_go_is_reported(void **state)
{
	if (geteuid() != 0)
		SKIP_TEST("only root has files of others");
	shell("mkdir -p t/theirs t/ours && touch t/theirs/x t/ours/y && chmod 755 "
	      "t/theirs && chown 65534 t t/ours t/ours/y");
	assert_int_equal(without_privileges(remove_of_others, *state), 0);
	shell("test -f t/theirs/x && test ! -e t/ours");
}

static int
remove_across_mount(struct fixture *f)
{
	if (unshare(CLONE_NEWNS) != 0 ||
		mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
		mount("out", "t/in", NULL, MS_BIND, NULL) != 0)
		return 77;
	if (remove_tree(f, 1) != REMOVAL_FAILED)
		return 1;
	return access("out/kept", F_OK) != 0 || access("t/gone", F_OK) == 0;
}

static void
mounts_are_let_be(void **state)
{
	int status;
	pid_t child;

	shell("mkdir -p out t/in && touch out/kept t/gone");
	child = fork();
	if (child == 0)
		_exit(remove_across_mount(*state));
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77)
		SKIP_TEST("nothing can be mounted");
	assert_int_equal(WEXITSTATUS(status), 0);
	shell("test -f out/kept");
}

/* Somebody adds to a folder that was walked already. */
static void
what_comes_later_goes_too(void **state)
{
	struct fixture *f = *state;
	enum removal result;

	shell("mkdir -p t/a/b/c && touch t/a/b/c/x");
	result = tree_removal_start(f->removal, f->here, "t");
	for (int i = 0; result == REMOVAL_GOES_ON; i++) {
		result = tree_removal_work(f->removal, 1);
		if (i == 4)
			shell("touch t/late t/a/late && mkdir -p t/a/b/late/folder");
	}
	assert_int_equal(result, REMOVAL_DONE);
	shell("test ! -e t");
}

/* A folder is taken away while the walk is far below it. */
static void
what_is_moved_away_is_not_followed(void **state)
{
	struct fixture *f = *state;
	enum removal result;

	shell("p=t; for i in $(seq 600); do p=$p/d; done; mkdir -p $p && mkdir out && "
	      "touch "
	      "out/kept");
	result = tree_removal_start(f->removal, f->here, "t");
	for (int i = 0; i < 4000 && result == REMOVAL_GOES_ON; i++) {
		result = tree_removal_work(f->removal, 1);
		if (i == 150)
			shell("p=t; for i in $(seq 40); do p=$p/d; done; mv $p out/moved "
			      "&& chmod 500 out");
	}
	assert_int_not_equal(result, REMOVAL_GOES_ON);
	shell("test -f out/kept && test $(stat -c %a out) = 500");
}

/* Changes t/swap from a folder to a link and back, as fast as it can. */
static _Noreturn void
swap_for_ever(void)
{
	for (;;)
		if (renameat2(AT_FDCWD, "t/swap", AT_FDCWD, "link", RENAME_EXCHANGE) != 0)
			(void)renameat2(AT_FDCWD, "t/deep/swap", AT_FDCWD, "link",
				RENAME_EXCHANGE);
}

/* What a link leads to stays, whenever a folder becomes that link. */
static void
links_that_are_swapped_in_are_not_followed(void **state)
{
	enum { ROUNDS = 1000 };
	struct fixture *f = *state;
	size_t links = 0;
	pid_t child;

	shell("mkdir -p out/d && touch out/kept out/d/kept");
	child = fork();
	assert_true(child >= 0);
	if (child == 0)
		swap_for_ever();
	for (int i = 0; i < ROUNDS; i++) {
		struct stat s;

		/* A link, or the folder that took its place and was not removed. */
		if (lstat("link", &s) == 0 && S_ISDIR(s.st_mode))
			assert_true(tree_remove(f->a, "link"));
		(void)unlink("link");
		assert_int_equal(symlink("out", "link"), 0);
		assert_int_equal(mkdir("t", 0700), 0);
		assert_int_equal(mkdir("t/deep", 0700), 0);
		for (int k = 0; k < 2; k++) {
			(void)mkdir(k ? "t/deep/swap" : "t/swap", 0700);
			(void)mkdir(k ? "t/deep/swap/d" : "t/swap/d", 0700);
		}
		while (!tree_remove(f->a, "t"))
			continue;
		links += lstat("link", &s) == 0 && !S_ISLNK(s.st_mode);
		assert_int_equal(access("out/kept", F_OK), 0);
		assert_int_equal(access("out/d/kept", F_OK), 0);
	}
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_true(links > 0);
}

/* By its path: a tree, a file, a link to a tree, nothing, below nothing. */
static void
a_path_is_removed(void **state)
{
	const struct fixture *f = *state;
	struct arena *a = f->a;
	static const char *const paths[] = {"t", "file", "link", "nope", "nope/nope"};

	assert_int_equal(mkdir("t", 0700), 0);
	assert_int_equal(mkdir("t/d", 0700), 0);
	assert_int_equal(mkdir("out", 0700), 0);
	close(open("t/d/file", O_CREAT | O_WRONLY, 0600));
	close(open("file", O_CREAT | O_WRONLY, 0600));
	close(open("out/kept", O_CREAT | O_WRONLY, 0600));
	assert_int_equal(symlink("out", "link"), 0);
	for (size_t i = 0; i < ROWS(paths); i++) {
		const char *full = str_fmt(a, "%s/%s", f->path, paths[i]).p;

		assert_true(tree_remove(a, i % 2 ? full : paths[i]));
		assert_int_equal(access(full, F_OK), -1);
	}
	assert_int_equal(access("out/kept", F_OK), 0);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(trees_go_and_nothing_else),
		CASE(a_path_is_removed),
		CASE(depth_is_no_limit),
		CASE(folders_without_permissions_go_too),
		CASE(what_cannot_go_is_reported),
		CASE(mounts_are_let_be),
		CASE(what_comes_later_goes_too),
		CASE(what_is_moved_away_is_not_followed),
		CASE(links_that_are_swapped_in_are_not_followed),
	};

	return run_unit_tests("tree_removal", tests, NULL, NULL);
}

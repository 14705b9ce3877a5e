/* The paths that are left to copy are a list: the depth of a tree takes no stack. See
 * tree_copy.h. */
#include "runner/base/tree_copy.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runner/base/files.h"

struct tree_copy {
	struct arena *arena;
	struct str from, to;
	str_vec left; /* below both; "" for the root */
	struct diag *diag;
};

static bool
fail_copy(struct tree_copy *c, const char *path, const char *what)
{
	return diag_error(c->diag,
		(struct place){.file = str_dup(c->arena, str_of(path))}, "%s: %s", what,
		strerror(errno));
}

static bool
copy_link(struct tree_copy *c, const char *from, const char *to)
{
	char target[PATH_MAX];
	ssize_t n = readlink(from, target, sizeof target - 1);

	if (n < 0)
		return fail_copy(c, from, "cannot be read");
	target[n] = '\0';
	return symlink(target, to) == 0 || fail_copy(c, to, "cannot be made");
}

static bool
fill_file(int to, int from, const struct stat *st)
{
	const struct timespec times[2] = {st->st_atim, st->st_mtim};

	return file_copy(to, from, (size_t)st->st_size) &&
	       fchmod(to, st->st_mode & 07777) == 0 && futimens(to, times) == 0;
}

static bool
copy_file(struct tree_copy *c, const char *from, const char *to)
{
	struct stat st;
	int in = file_open(from, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0), out;
	bool ok;

	if (in < 0)
		return fail_copy(c, from, "cannot be read");
	out = file_open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	ok = out >= 0 && fstat(in, &st) == 0 && fill_file(out, in, &st);
	if (!ok)
		fail_copy(c, to, "cannot be written");
	if (out >= 0 && close(out) != 0 && ok)
		ok = fail_copy(c, to, "cannot be written");
	close(in);
	return ok;
}

static bool
copy_folder(struct tree_copy *c, struct str below, const char *from, const char *to,
	mode_t mode)
{
	str_vec names = {0};

	if (mkdir(to, (mode & 07777) | S_IRWXU) != 0)
		return fail_copy(c, to, "cannot be made");
	if (!directory_read(c->arena, from, &names))
		return fail_copy(c, from, "cannot be read");
	for (size_t i = 0; i < names.n; i++)
		VEC_PUSH(c->arena, &c->left, path_join(c->arena, below, names.v[i]));
	return true;
}

static bool
copy_one(struct tree_copy *c, struct str below)
{
	const char *from = below.n ? path_join(c->arena, c->from, below).p : c->from.p;
	const char *to = below.n ? path_join(c->arena, c->to, below).p : c->to.p;
	struct stat st;

	if (lstat(from, &st) != 0)
		return fail_copy(c, from, "cannot be read");
	if (S_ISDIR(st.st_mode))
		return copy_folder(c, below, from, to, st.st_mode);
	if (S_ISLNK(st.st_mode))
		return copy_link(c, from, to);
	if (S_ISREG(st.st_mode))
		return copy_file(c, from, to);
	return diag_error(c->diag,
		(struct place){.file = str_dup(c->arena, str_of(from))},
		"is no file, folder or link, and cannot be copied");
}

bool
tree_copy(struct arena *a, const char *from, const char *to, struct diag *d)
{
	struct tree_copy c = {a, str_of(from), str_of(to), {0}, d};

	INVARIANT(d);
	VEC_PUSH(a, &c.left, STR(""));
	while (c.left.n)
		if (!copy_one(&c, c.left.v[--c.left.n]))
			return false;
	return true;
}

/*
 * Removing trees. See tree_removal.h.
 *
 * A stack of directories from the root to the current one. The first MOST_OPEN levels
 * keep their stream. A deeper level closes its stream while its child is walked, and is
 * reopened as "..", which must be the same directory as before. A directory that is not
 * empty after its walk is walked again, a few times: another program may still write to
 * it.
 */
#include "runner/base/tree_removal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runner/base/files.h"

#if defined(__linux__) && __has_include(<linux/openat2.h>)
#include <linux/openat2.h>
#include <sys/syscall.h>
#endif

enum { MOST_OPEN = 32, MOST_WALKS = 3 };

struct level {
	char name[NAME_MAX + 1]; /* in the directory above */
	DIR *stream; /* NULL: closed while a child is walked */
	struct stat status;
	int walks;
};
struct tree_removal {
	struct arena *a;
	struct arena_mark empty;
	int parent;
	VEC(struct level) levels;
	int error; /* errno of an entry that stays; 0: none stays */
};

struct tree_removal *
tree_removal_open(struct arena *a)
{
	struct tree_removal *r = NEW(a, struct tree_removal);

	r->a = arena_open();
	arena_alloc(r->a, 1);
	r->empty = arena_mark(r->a);
	return r;
}

void
tree_removal_close(struct tree_removal *r)
{
	arena_close(r->a);
}

/* ---- opening --------------------------------------------------------------------- */

/* Opens a directory itself: not through a link, and not where something is mounted on
 * it. */
static int
open_below(int parent, const char *name, int flags)
{
	struct stat above, here;
	int fd, error;

#ifdef SYS_openat2
	struct open_how how = {
		.flags = (unsigned long long)(flags | O_DIRECTORY | O_CLOEXEC),
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV};

	fd = (int)syscall(SYS_openat2, parent, name, &how, sizeof how);
	if (fd >= 0 || (errno != ENOSYS && errno != EPERM))
		return fd;
#endif
	fd = openat(parent, name, flags | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return fd;
	if (fstat(fd, &here) == 0 && fstat(parent, &above) == 0 &&
		here.st_dev == above.st_dev)
		return fd;
	error = EXDEV;
	close(fd);
	errno = error;
	return -1;
}

/* Makes a directory that its owner may not read readable first. */
static int
open_unreadable(int parent, const char *name)
{
#ifdef O_PATH
	char path[64];
	int fd = open_below(parent, name, O_PATH);

	if (fd < 0)
		return -1;
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	if (chmod(path, S_IRWXU) != 0) {
		close(fd);
		errno = EACCES;
		return -1;
	}
	close(fd);
	return open_below(parent, name, O_RDONLY);
#else
	(void)parent, (void)name;
	return -1;
#endif
}

/* Closes fd when it fails. */
static bool
set_stream(struct level *l, int fd)
{
	if (fstat(fd, &l->status) == 0 && (l->status.st_mode & S_IRWXU) != S_IRWXU)
		fchmod(fd, l->status.st_mode | S_IRWXU);
	l->stream = fdopendir(fd);
	if (!l->stream)
		close(fd);
	return l->stream != NULL;
}

static void
close_stream(struct level *l)
{
	if (l->stream)
		closedir(l->stream);
	l->stream = NULL;
}

/* false: the directory stays; errno gives the reason. */
static bool
enter_folder(struct tree_removal *r, int parent, const char *name)
{
	struct level l = {.walks = 0};
	int fd = open_below(parent, name, O_RDONLY);

	if (fd < 0 && errno == EACCES)
		fd = open_unreadable(parent, name);
	if (fd < 0 || !set_stream(&l, fd))
		return false;
	snprintf(l.name, sizeof l.name, "%s", name);
	if (r->levels.n >= MOST_OPEN)
		close_stream(&r->levels.v[r->levels.n - 1]);
	VEC_PUSH(r->a, &r->levels, l);
	return true;
}

/* Reopens the stream of the level above the last one if it was closed. */
static bool
open_above(struct tree_removal *r)
{
	struct level *child = &r->levels.v[r->levels.n - 1], *l = child - 1;
	struct stat here;
	int fd;

	if (l->stream)
		return true;
	fd = openat(dirfd(child->stream), "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return false;
	/* A directory that was replaced is not changed, not even its mode. */
	if (fstat(fd, &here) == 0 && here.st_dev == l->status.st_dev &&
		here.st_ino == l->status.st_ino)
		return set_stream(l, fd);
	close(fd);
	errno = ESTALE;
	return false;
}

/* ---- the walk -------------------------------------------------------------------- */

static enum removal
give_up(struct tree_removal *r, int error)
{
	while (r->levels.n)
		close_stream(&r->levels.v[--r->levels.n]);
	arena_rewind(r->a, r->empty);
	r->levels.v = NULL;
	r->levels.cap = 0;
	errno = error;
	return error ? REMOVAL_FAILED : REMOVAL_DONE;
}

/* An entry stays. Deep in the tree this ends the walk: the entry would be found again
 * whenever its folder is reopened. */
static bool
leave_entry(struct tree_removal *r)
{
	r->error = errno;
	return r->levels.n < MOST_OPEN;
}

static bool
is_self_or_parent(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* false: the walk cannot go on. */
static bool
remove_entry(struct tree_removal *r, int directory, const struct dirent *e)
{
	bool is_directory = e->d_type == DT_DIR;

	if (!is_directory) {
		if (unlinkat(directory, e->d_name, 0) == 0 || errno == ENOENT)
			return true;
		if (errno != EISDIR && errno != EPERM)
			return leave_entry(r);
	}
	if (unlinkat(directory, e->d_name, AT_REMOVEDIR) == 0 || errno == ENOENT)
		return true;
	if (errno != ENOTEMPTY && errno != EEXIST)
		return leave_entry(r);
	return enter_folder(r, directory, e->d_name) || leave_entry(r);
}

/* Removes the current directory, after its entries. */
static enum removal
leave_level(struct tree_removal *r)
{
	struct level *l = &r->levels.v[r->levels.n - 1];
	int above = r->parent;

	if (r->levels.n > 1) {
		if (!open_above(r))
			return give_up(r, errno);
		above = dirfd(l[-1].stream);
	}
	if (unlinkat(above, l->name, AT_REMOVEDIR) != 0 && errno != ENOENT) {
		if (!r->error && (errno == ENOTEMPTY || errno == EEXIST) &&
			++l->walks < MOST_WALKS) {
			rewinddir(l->stream);
			return REMOVAL_GOES_ON;
		}
		if (!r->error)
			r->error = errno;
		if (r->levels.n >= MOST_OPEN)
			return give_up(r, r->error);
	}
	close_stream(l);
	if (--r->levels.n == 0)
		return give_up(r, r->error);
	return REMOVAL_GOES_ON;
}

enum removal
tree_removal_work(struct tree_removal *r, size_t entries)
{
	enum removal result = REMOVAL_GOES_ON;

	INVARIANT(r->levels.n > 0);
	while (entries-- && result == REMOVAL_GOES_ON) {
		DIR *stream = r->levels.v[r->levels.n - 1].stream;
		const struct dirent *e = readdir(stream);

		if (!e)
			result = leave_level(r);
		else if (!is_self_or_parent(e->d_name) &&
			 !remove_entry(r, dirfd(stream), e))
			result = give_up(r, r->error);
	}
	return result;
}

enum removal
tree_removal_start(struct tree_removal *r, int parent, const char *name)
{
	INVARIANT(!r->levels.n && !strchr(name, '/'));
	r->parent = parent;
	r->error = 0;
	if (unlinkat(parent, name, AT_REMOVEDIR) == 0 || errno == ENOENT)
		return REMOVAL_DONE;
	if (errno == ENOTDIR)
		return unlinkat(parent, name, 0) == 0 ? REMOVAL_DONE : REMOVAL_FAILED;
	if (errno != ENOTEMPTY && errno != EEXIST)
		return REMOVAL_FAILED;
	return enter_folder(r, parent, name) ? REMOVAL_GOES_ON : REMOVAL_FAILED;
}

/* path is removed from within its parent directory, since tree_removal_start takes one
 * component. */
bool
tree_remove(struct arena *a, const char *path)
{
	struct str parent = path_parent(str_of(path));
	struct str name = path_name(str_of(path));
	struct tree_removal *r = tree_removal_open(a);
	int fd = parent.n ? open(str_z(a, parent), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
			  : AT_FDCWD;
	enum removal at = errno == ENOENT ? REMOVAL_DONE : REMOVAL_FAILED;
	int error;

	INVARIANT(path);
	if (fd != -1)
		at = tree_removal_start(r, fd, str_z(a, name));
	while (at == REMOVAL_GOES_ON)
		at = tree_removal_work(r, SIZE_MAX);
	error = errno;
	tree_removal_close(r);
	file_close(&fd);
	errno = error;
	return at == REMOVAL_DONE;
}

/*
 * Folders that are locked while their owner lives. See scratch_folder.h.
 *
 * The lock is on the folder itself, so that there is no moment without a lock file. A
 * folder that another program removes before it is locked is noticed, and another one is
 * made. The name has the boot identity of the machine: on a file system that several
 * machines share, a lock may mean nothing on another machine.
 */
#include "runner/base/scratch_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runner/base/files.h"
#include "runner/base/tree_removal.h"

static const char *
temporary_folder(void)
{
	const char *said = getenv("TMPDIR");

	return said && *said ? said : "/tmp";
}

/* "cctr-scratch-0f5a2b31-93c1-". Without the machine's boot identity nothing is swept. */
static struct str
name_head(struct arena *a, bool *can_sweep)
{
	enum { DIGITS = 13 };
	struct str boot;

	*can_sweep = file_read(a, "/proc/sys/kernel/random/boot_id", &boot) &&
		     boot.n >= DIGITS;
	if (!*can_sweep)
		return STR("cctr-scratch-");
	return str_fmt(a, "cctr-scratch-%.*s-", DIGITS, boot.p);
}

/* Whether the open folder is still the one of that name. ENOENT: it is not. */
static bool
is_there(int fd, int parent, const char *name)
{
	struct stat open, there;

	if (fstat(fd, &open) != 0 ||
		fstatat(parent, name, &there, AT_SYMLINK_NOFOLLOW) != 0)
		return false;
	errno = ENOENT;
	return open.st_dev == there.st_dev && open.st_ino == there.st_ino &&
	       open.st_uid == geteuid();
}

static int
open_folder(int parent, const char *name)
{
	return openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Where the system has no locks, the folder is used without one. */
static void
lock_as_owner(int fd)
{
	int got;

	RETRY_EINTR(got, flock(fd, LOCK_EX));
}

/* false leaves errno and no folder. ENOENT: another program has removed it. */
static bool
lock_new(int *lock, const char *path)
{
	int error;

	*lock = open_folder(AT_FDCWD, path);
	if (*lock >= 0) {
		lock_as_owner(*lock);
		if (is_there(*lock, AT_FDCWD, path))
			return true;
	}
	error = errno;
	file_close(lock);
	rmdir(path);
	errno = error;
	return false;
}

/* The sweep of another program may remove the folder before it is locked, therefore it is
 * tried again. Many times in a row is no accident. */
bool
scratch_folder_open(struct arena *a, struct scratch_folder *f)
{
	enum { TIMES = 100 };
	bool can_sweep;
	struct str head = name_head(a, &can_sweep);

	INVARIANT(f);
	for (int i = 0; i < TIMES; i++) {
		struct str path =
			str_fmt(a, "%s/%.*sXXXXXX", temporary_folder(), STR_ARG(head));

		if (!mkdtemp(str_own(path)))
			return false;
		if (lock_new(&f->lock, path.p)) {
			f->path = path_join(a, path_here(a), path);
			return true;
		}
		if (errno != ENOENT)
			return false;
	}
	errno = EAGAIN;
	return false;
}

void
scratch_folder_close(struct arena *a, const struct scratch_folder *f)
{
	bool removed = tree_remove(a, f->path.p);

	INVARIANT(f->lock >= 0);
	(void)removed; /* the next sweep tries again */
	close(f->lock);
}

/* ---- those of others ------------------------------------------------------------- */

static void
remove_if_left(struct tree_removal *r, int parent, const char *name)
{
	int fd = open_folder(parent, name);
	enum removal at = REMOVAL_FAILED;

	if (fd < 0)
		return;
	if (is_there(fd, parent, name) && flock(fd, LOCK_EX | LOCK_NB) == 0 &&
		is_there(fd, parent, name))
		at = tree_removal_start(r, parent, name);
	while (at == REMOVAL_GOES_ON)
		at = tree_removal_work(r, SIZE_MAX);
	close(fd);
}

void
scratch_folder_sweep(struct arena *a)
{
	enum { RANDOM = 6 };
	bool can_sweep;
	struct str head = name_head(a, &can_sweep);
	DIR *all = can_sweep ? opendir(temporary_folder()) : NULL;
	struct tree_removal *r = tree_removal_open(a);
	const struct dirent *e;

	while (all && (e = readdir(all))) {
		struct str name = str_of(e->d_name);

		if (str_begins(name, head) && name.n == head.n + RANDOM)
			remove_if_left(r, dirfd(all), e->d_name);
	}
	if (all)
		closedir(all);
	tree_removal_close(r);
}

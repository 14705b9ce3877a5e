/*
 * See atomic_file.h.
 *
 * A lock says whether a temporary file is in use: one that a killed program left is
 * reused. The lock is held until the temporary file has its final name, so that no other
 * program can take the file before. A program that has locked a file checks that the
 * path still names this file.
 */
#include "runner/base/atomic_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runner/base/files.h"

enum { FLAGS = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY };
/* How often a file in the way is removed before that is an error. */
enum { MOST_TRIES = 100 };

enum taking { TAKEN, TAKEN_BY_ANOTHER, TAKEN_FROM_US, IN_THE_WAY, NOT_TAKEN };

/* Whether the path still names the open file. */
static bool
is_at(int file, const char *path)
{
	struct stat open, there;

	return fstat(file, &open) == 0 && lstat(path, &there) == 0 &&
	       open.st_dev == there.st_dev && open.st_ino == there.st_ino;
}

/* Whether no one else can write to the file or read it by another name. A file that we
 * have made is ours, even where the system reports another owner. */
static bool
is_ours_alone(int file, bool is_made)
{
	struct stat st;

	return fstat(file, &st) == 0 && S_ISREG(st.st_mode) &&
	       (is_made || (st.st_nlink == 1 && st.st_uid == geteuid()));
}

/* Where the system has no locks, the file counts as locked by us. */
static enum taking
lock_file(int file, const char *path, bool is_made)
{
	if (flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
		return TAKEN_BY_ANOTHER;
	if (!is_at(file, path))
		return TAKEN_FROM_US;
	if (!is_ours_alone(file, is_made))
		return IN_THE_WAY;
	return is_made || ftruncate(file, 0) == 0 ? TAKEN : NOT_TAKEN;
}

/* Why an existing file cannot be opened: because of its type, or because of the
 * system. */
static enum taking
why_not_opened(const char *path)
{
	int error = errno;
	struct stat st;
	bool is_there = lstat(path, &st) == 0;

	errno = error;
	if (error == EINTR || error == ENOENT)
		return TAKEN_FROM_US;
	if (error == EMFILE || error == ENFILE || error == ENOMEM)
		return NOT_TAKEN;
	return is_there && !S_ISDIR(st.st_mode) ? IN_THE_WAY : NOT_TAKEN;
}

static enum taking
take_path(struct atomic_file *f, const char *path)
{
	enum taking result;
	bool is_made;

	f->file = open(path, FLAGS | O_CREAT | O_EXCL, 0666);
	is_made = f->file >= 0;
	if (!is_made && errno != EEXIST)
		return errno == EINTR ? TAKEN_FROM_US : NOT_TAKEN;
	if (!is_made)
		f->file = open(path, FLAGS);
	if (f->file < 0)
		return why_not_opened(path);
	result = lock_file(f->file, path, is_made);
	if (result == TAKEN) {
		f->temporary = path;
		return TAKEN;
	}
	file_close(&f->file);
	return result;
}

static enum taking
open_as(struct atomic_file *f, const char *path)
{
	enum taking result = NOT_TAKEN;

	for (int i = 0; i < MOST_TRIES; i++) {
		result = take_path(f, path);
		if (result == IN_THE_WAY && unlink(path) != 0 && errno != ENOENT)
			return NOT_TAKEN;
		if (result != IN_THE_WAY && result != TAKEN_FROM_US)
			return result;
	}
	return NOT_TAKEN;
}

/* A file in its place would be there for all programs: /dev/full, or the link
 * /dev/stdout. */
static bool
is_device(const char *path)
{
	struct stat st;
	bool is_there = lstat(path, &st) == 0;
	bool is_in_dev = str_begins(str_of(path), STR("/dev/"));

	return is_there && (S_ISCHR(st.st_mode) || S_ISBLK(st.st_mode) ||
				   (is_in_dev && S_ISLNK(st.st_mode)));
}

bool
atomic_file_open(
	struct arena *a, struct atomic_file *f, const char *path, const char *ending)
{
	enum taking taking;
	int error;

	INVARIANT(*path && *ending);
	*f = (struct atomic_file){.path = path, .file = -1, .lock = -1};
	if (is_device(path)) {
		errno = ENOTSUP;
		return false;
	}
	taking = open_as(f, str_fmt_z(a, "%s%s", path, ending));
	if (taking == TAKEN_BY_ANOTHER)
		taking = open_as(f, str_fmt_z(a, "%s.%d%s", path, (int)getpid(), ending));
	if (taking != TAKEN)
		return false;
	f->lock = fcntl(f->file, F_DUPFD_CLOEXEC, 0);
	if (f->lock >= 0)
		return true;
	error = errno;
	file_close(&f->file);
	unlink(f->temporary);
	errno = error;
	return false;
}

FILE *
atomic_file_open_stream(
	struct arena *a, struct atomic_file *f, const char *path, const char *ending)
{
	FILE *to =
		atomic_file_open(a, f, path, ending) ? file_stream(f->file, "w") : NULL;
	int error = errno;

	if (!to && f->file >= 0) {
		close(f->file);
		atomic_file_close(f, false);
	}
	errno = error;
	return to;
}

static bool
copy_all(int to, int from)
{
	struct stat st;

	return fstat(from, &st) == 0 && file_copy(to, from, (size_t)st.st_size);
}

/* Publishes a copy, because the temporary file itself was removed or replaced while it
 * was written. */
static bool
publish_copy(const struct atomic_file *f)
{
	char path[PATH_MAX];
	struct atomic_file copy = {.path = f->path, .file = -1, .lock = -1};
	bool done;
	int error;

	if ((size_t)snprintf(path, sizeof path, "%s.%d.tmp", f->path, (int)getpid()) >=
		sizeof path) {
		errno = ENAMETOOLONG;
		return false;
	}
	if (open_as(&copy, path) != TAKEN)
		return false;
	done = copy_all(copy.file, f->lock);
	done = close(copy.file) == 0 && done && rename(path, f->path) == 0;
	error = errno;
	if (!done)
		unlink(path);
	errno = error;
	return done;
}

static bool
publish_file(const struct atomic_file *f)
{
	if (is_at(f->lock, f->temporary))
		return rename(f->temporary, f->path) == 0;
	return publish_copy(f);
}

bool
atomic_file_close(struct atomic_file *f, bool is_whole)
{
	bool done = is_whole && publish_file(f);
	int error = errno;

	INVARIANT(f->path && f->temporary);
	if (!done && f->lock >= 0 && is_at(f->lock, f->temporary))
		unlink(f->temporary);
	file_close(&f->lock);
	errno = error;
	return done;
}

bool
atomic_file_close_stream(struct atomic_file *f, FILE *stream)
{
	int error = file_is_whole(stream) ? 0 : errno;

	if (fclose(stream) != 0 && !error)
		error = errno;
	if (!atomic_file_close(f, !error) && !error)
		error = errno;
	errno = error;
	return !error;
}

/* ---- whole files ----------------------------------------------------------------- */

bool
atomic_file_write(struct atomic_file *f, struct str text)
{
	bool is_whole = file_put(f->file, text);

	INVARIANT(f->file >= 0);
	is_whole = close(f->file) == 0 && is_whole;
	return atomic_file_close(f, is_whole);
}

bool
file_write(struct arena *a, const char *path, const char *suffix, struct str text)
{
	struct arena_mark m = arena_mark(a);
	struct atomic_file f;
	bool done = atomic_file_open(a, &f, path, suffix) && atomic_file_write(&f, text);

	INVARIANT(path && suffix);
	arena_rewind(a, m);
	return done;
}

/* File systems that do not need fsync may refuse it. */
static bool
sync_file(int fd)
{
	int result;

	RETRY_EINTR(result, fsync(fd));
	return result == 0 || errno == EINVAL || errno == ENOTSUP;
}

static bool
sync_directory(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool done = fd >= 0 && sync_file(fd);

	file_close(&fd);
	return done;
}

bool
file_write_durably(struct arena *a, const char *path, const char *suffix, struct str text)
{
	struct arena_mark m = arena_mark(a);
	struct str parent = path_parent(str_of(path));
	struct atomic_file f;
	bool done = atomic_file_open(a, &f, path, suffix);

	INVARIANT(path && suffix);
	if (done) {
		bool is_whole = file_put(f.file, text) && sync_file(f.file);

		is_whole = close(f.file) == 0 && is_whole;
		done = atomic_file_close(&f, is_whole) &&
		       sync_directory(parent.n ? str_z(a, parent) : ".");
	}
	arena_rewind(a, m);
	return done;
}

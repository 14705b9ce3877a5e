/*
 * See draft.h.
 *
 * A lock tells whether the draft of a name is in use: a draft that a killed program left
 * is reused. The lock is held until the draft has its final name, so that no other
 * program can take the draft before. A program that has locked a file checks that the
 * path still names this file.
 */
#include "runner/base/draft.h"

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
lock(int file, const char *path, bool is_made)
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
take(struct draft *d, const char *path)
{
	enum taking result;
	bool is_made;
	int error;

	d->file = open(path, FLAGS | O_CREAT | O_EXCL, 0666);
	is_made = d->file >= 0;
	if (!is_made && errno != EEXIST)
		return errno == EINTR ? TAKEN_FROM_US : NOT_TAKEN;
	if (!is_made)
		d->file = open(path, FLAGS);
	if (d->file < 0)
		return why_not_opened(path);
	result = lock(d->file, path, is_made);
	if (result == TAKEN) {
		d->temporary = path;
		return TAKEN;
	}
	error = errno;
	close(d->file);
	d->file = -1;
	errno = error;
	return result;
}

static enum taking
open_as(struct draft *d, const char *path)
{
	enum taking result = NOT_TAKEN;

	for (int i = 0; i < MOST_TRIES; i++) {
		result = take(d, path);
		if (result == IN_THE_WAY && unlink(path) != 0 && errno != ENOENT)
			return NOT_TAKEN;
		if (result != IN_THE_WAY && result != TAKEN_FROM_US)
			return result;
	}
	return NOT_TAKEN;
}

bool
draft_open(struct arena *a, struct draft *d, const char *path, const char *ending)
{
	enum taking taking;
	int error;

	*d = (struct draft){.path = path, .file = -1, .lock = -1};
	taking = open_as(d, str_fmt(a, "%s%s", path, ending).p);
	if (taking == TAKEN_BY_ANOTHER)
		taking = open_as(d, str_fmt(a, "%s.%d%s", path, (int)getpid(), ending).p);
	if (taking != TAKEN)
		return false;
	d->lock = fcntl(d->file, F_DUPFD_CLOEXEC, 0);
	if (d->lock >= 0)
		return true;
	error = errno;
	close(d->file);
	d->file = -1;
	unlink(d->temporary);
	errno = error;
	return false;
}

FILE *
draft_open_stream(struct arena *a, struct draft *d, const char *path, const char *ending)
{
	FILE *f = draft_open(a, d, path, ending) ? fdopen(d->file, "w") : NULL;
	int error = errno;

	if (!f && d->file >= 0) {
		close(d->file);
		draft_close(d, false);
	}
	errno = error;
	return f;
}

static bool
copy_all(int to, int from)
{
	struct stat st;

	return fstat(from, &st) == 0 && file_copy(to, from, (size_t)st.st_size);
}

/* Publishes a copy of the draft, because the draft itself was removed or replaced while
 * it was written. */
static bool
publish_copy(const struct draft *d)
{
	char path[PATH_MAX];
	struct draft copy = {.path = d->path, .file = -1, .lock = -1};
	bool done;
	int error;

	if ((size_t)snprintf(path, sizeof path, "%s.%d.tmp", d->path, (int)getpid()) >=
		sizeof path) {
		errno = ENAMETOOLONG;
		return false;
	}
	if (open_as(&copy, path) != TAKEN)
		return false;
	done = copy_all(copy.file, d->lock);
	done = close(copy.file) == 0 && done && rename(path, d->path) == 0;
	error = errno;
	if (!done)
		unlink(path);
	errno = error;
	return done;
}

static bool
publish(const struct draft *d)
{
	if (is_at(d->lock, d->temporary))
		return rename(d->temporary, d->path) == 0;
	return publish_copy(d);
}

bool
draft_close(struct draft *d, bool is_whole)
{
	bool done = is_whole && publish(d);
	int error = errno;

	if (!done && d->lock >= 0 && is_at(d->lock, d->temporary))
		unlink(d->temporary);
	if (d->lock >= 0)
		close(d->lock);
	errno = error;
	return done;
}

/* ---- whole files ----------------------------------------------------------------- */

bool
file_write_draft(struct draft *d, struct str text)
{
	bool is_whole = file_put(d->file, text);

	is_whole = close(d->file) == 0 && is_whole;
	return draft_close(d, is_whole);
}

bool
file_write(struct arena *a, const char *path, const char *suffix, struct str text)
{
	struct arena_mark m = arena_mark(a);
	struct draft d;
	bool done = draft_open(a, &d, path, suffix) && file_write_draft(&d, text);

	arena_rewind(a, m);
	return done;
}

/* File systems that do not need fsync may refuse it. */
static bool
sync_file(int fd)
{
	int result;

	do
		result = fsync(fd);
	while (result != 0 && errno == EINTR);
	return result == 0 || errno == EINVAL || errno == ENOTSUP;
}

static bool
sync_directory(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool done = fd >= 0 && sync_file(fd);
	int error = errno;

	if (fd >= 0)
		close(fd);
	errno = error;
	return done;
}

bool
file_write_durably(struct arena *a, const char *path, const char *suffix, struct str text)
{
	struct arena_mark m = arena_mark(a);
	struct str parent = path_parent(str_of(path));
	struct draft d;
	bool done = draft_open(a, &d, path, suffix);

	if (done) {
		bool is_whole = file_put(d.file, text) && sync_file(d.file);

		is_whole = close(d.file) == 0 && is_whole;
		done = draft_close(&d, is_whole) &&
		       sync_directory(parent.n ? str_z(a, parent) : ".");
	}
	arena_rewind(a, m);
	return done;
}

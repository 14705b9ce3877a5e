/*
 * Drafts. See draft.h.
 *
 * A lock tells whether the draft of that name is still in work: one that a killed program
 * left is taken. The lock is given up when the draft has its name, so that nobody can
 * take it before; who has locked a file looks whether it is still the one of that name.
 */
#include "runner/draft.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum taking { TAKEN, TAKEN_BY_ANOTHER, TAKEN_FROM_US, NOT_TAKEN };

/* Where there are no locks, nobody else has one. */
static enum taking
take(int file, const char *path)
{
	struct stat open, there;

	if (flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
		return TAKEN_BY_ANOTHER;
	if (fstat(file, &open) != 0)
		return NOT_TAKEN;
	if (stat(path, &there) != 0 || open.st_dev != there.st_dev ||
		open.st_ino != there.st_ino)
		return TAKEN_FROM_US;
	return S_ISREG(open.st_mode) && ftruncate(file, 0) != 0 ? NOT_TAKEN : TAKEN;
}

static enum taking
open_as(struct draft *d, const char *path)
{
	enum taking result;
	int error;

	do {
		d->file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
		if (d->file < 0)
			return NOT_TAKEN;
		result = take(d->file, path);
		if (result == TAKEN) {
			d->temporary = path;
			return TAKEN;
		}
		error = errno;
		close(d->file);
		errno = error;
	} while (result == TAKEN_FROM_US);
	return result;
}

bool
draft_open(struct arena *a, struct draft *d, const char *path, const char *ending)
{
	enum taking taking;

	*d = (struct draft){.path = path, .file = -1, .lock = -1};
	taking = open_as(d, str_fmt(a, "%s%s", path, ending).p);
	if (taking == TAKEN_BY_ANOTHER)
		taking = open_as(d, str_fmt(a, "%s.%d%s", path, (int)getpid(), ending).p);
	if (taking != TAKEN)
		return false;
	d->lock = fcntl(d->file, F_DUPFD_CLOEXEC, 0);
	return true;
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

bool
draft_close(struct draft *d, bool is_whole)
{
	bool done = is_whole && rename(d->temporary, d->path) == 0;
	int error = errno;

	if (!done)
		unlink(d->temporary);
	if (d->lock >= 0)
		close(d->lock);
	errno = error;
	return done;
}

/* Witnesses. See witness.h. */
#include "runner/remote/witness.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runner/base/files.h"
#include "runner/base/loop.h"

#define NAME "cctr-run-"
#define RANDOM "XXXXXX"

static bool
is_plain(int file)
{
	struct stat st;

	return fstat(file, &st) == 0 && S_ISREG(st.st_mode) && st.st_nlink == 1;
}

/* By somebody who had its lock before us. */
static bool
is_removed(int file)
{
	struct stat st;

	return fstat(file, &st) == 0 && st.st_nlink == 0;
}

static void
remove_if_left(const char *path)
{
	int file = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	if (file < 0)
		return;
	if (flock(file, LOCK_EX | LOCK_NB) == 0 && is_plain(file))
		unlink(path);
	close(file);
}

static void
remove_left(struct arena *a, struct str directory)
{
	str_vec names = {0};

	if (!directory_read(a, str_z(a, directory), &names))
		return;
	for (size_t i = 0; i < names.n; i++)
		if (str_begins(names.v[i], STR(NAME)) &&
			names.v[i].n == strlen(NAME RANDOM))
			remove_if_left(path_join(a, directory, names.v[i]).p);
}

/* A new file, locked; -1 leaves errno. Where files cannot be locked, no run removes it.
 */
static int
open_new(char *path)
{
	size_t n = strlen(path);

	for (;;) {
		int file = mkostemp(path, O_CLOEXEC), got;

		if (file < 0)
			return -1;
		RETRY_EINTR(got, flock(file, LOCK_EX));
		if (!is_removed(file))
			return file;
		close(file);
		memcpy(path + n - strlen(RANDOM), RANDOM, strlen(RANDOM));
	}
}

static bool
refuse_directory(struct arena *a, struct str directory, struct diag *d, const char *what)
{
	return diag_error(d, (struct place){.file = directory}, "cannot %s a file: %.*s",
		what, STR_ARG(loop_error_text(a, errno)));
}

bool
witness_make(struct arena *a, struct str directory, struct witness *w, struct diag *d)
{
	struct str folder = path_join(a, path_here(a), directory);
	struct str path = str_fmt(a, "%.*s/" NAME RANDOM, STR_ARG(folder));
	int error;

	remove_left(a, folder);
	w->file = open_new(str_own(path));
	if (w->file < 0)
		return refuse_directory(a, directory, d, "make");
	w->path = path.p;
	w->content = str_fmt(a, "%.*s %d %lld\n", STR_ARG(path), (int)getpid(),
		(long long)loop_wall_us());
	if (file_put(w->file, w->content))
		return true;
	error = errno;
	witness_remove(w);
	errno = error;
	return refuse_directory(a, directory, d, "write");
}

void
witness_remove(const struct witness *w)
{
	INVARIANT(w->file >= 0);
	unlink(w->path);
	close(w->file);
}

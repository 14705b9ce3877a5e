/* See instrument_file.h. */
#include "compat/instrument/instrument_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "runner/base/files.h"

static bool
put_file(const char *path, struct str text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666), error = 0;

	if (fd < 0)
		return false;
	if (!file_put(fd, text))
		error = errno;
	if (close(fd) != 0 && !error)
		error = errno;
	errno = error;
	return error == 0;
}

/* CMake reads no name that begins with a dot, so the temporary file has one. */
bool
instrument_file_write(struct arena *a, const struct instrumentation *i,
	const char *folder, struct str name, struct str text)
{
	struct str directory = str_fmt(a, "%.*s/%s", STR_ARG(i->root), folder);
	struct str path = str_fmt(a, "%.*s/%.*s", STR_ARG(directory), STR_ARG(name));
	struct str temporary = str_fmt(
		a, "%.*s/.%.*s.%ld", STR_ARG(directory), STR_ARG(name), (long)getpid());
	int error;

	INVARIANT(folder && name.n > 0);
	if (!directory_make(a, directory.p))
		return false;
	if (put_file(temporary.p, text) && rename(temporary.p, path.p) == 0)
		return true;
	error = errno;
	unlink(temporary.p);
	errno = error;
	return false;
}

static struct str
extreme_name(
	struct arena *a, const struct instrumentation *i, const char *folder, int sign)
{
	struct str path = str_fmt(a, "%.*s/%s", STR_ARG(i->data), folder);
	struct str found = STR_NONE;
	str_vec names = {0};

	if (!directory_read(a, path.p, &names))
		return STR_NONE;
	for (size_t k = 0; k < names.n; k++)
		if (!str_begins(names.v[k], STR(".")) &&
			(!found.p || sign * str_order(names.v[k], found) > 0))
			found = names.v[k];
	return found;
}

struct str
instrument_file_newest(
	struct arena *a, const struct instrumentation *i, const char *folder)
{
	return extreme_name(a, i, folder, 1);
}

struct str
instrument_file_oldest(
	struct arena *a, const struct instrumentation *i, const char *folder)
{
	return extreme_name(a, i, folder, -1);
}

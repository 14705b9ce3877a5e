/* Deep paths. See deep_path.h. */
#include "runner/base/deep_path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>

#include "runner/base/files.h"

#ifdef O_PATH
#define OPENED O_PATH
#else
#define OPENED O_RDONLY
#endif

enum {
	PARTS_MOST = 32, /* of a path, or of its rest */
	PARTS_LEFT = 16, /* of the rest, when another directory is opened */
};

void
deep_path_begin(struct deep_path *d)
{
	d->fd = -1;
}

void
deep_path_close(struct deep_path *d)
{
	file_close(&d->fd);
}

static size_t
count_parts(const char *path)
{
	size_t n = 1;

	for (; *path; path++)
		n += *path == '/';
	return n;
}

/* Where the last PARTS_LEFT parts of a path with more parts begin. */
static const char *
last_parts(const char *path)
{
	const char *p = path + strlen(path);
	size_t n = 0;

	while (n < PARTS_LEFT)
		n += *--p == '/';
	return p + 1;
}

static bool
is_below(const struct deep_path *d, const char *path, size_t n)
{
	return d->fd >= 0 && n > d->n + 1 && path[d->n] == '/' && path[d->n + 1] != '/' &&
	       memcmp(path, d->directory, d->n) == 0;
}

/* Opens the directory that is the first n bytes of path; it is looked up as the first
 * bytes of rest, from the descriptor at. */
static bool
open_directory(struct deep_path *d, const char *path, size_t n, int at, const char *rest)
{
	char name[PATH_MAX];
	size_t length = n - (size_t)(rest - path);
	int fd, why = errno;

	memcpy(name, rest, length);
	name[length] = '\0';
	fd = openat(at, name, OPENED | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0) {
		errno = why;
		return false;
	}
	file_close(&d->fd);
	memcpy(d->directory, path, n);
	d->fd = fd;
	d->n = n;
	return true;
}

int
deep_path_at(struct deep_path *d, const char *path, const char **rest)
{
	size_t n = strlen(path);
	const char *left;
	int at = AT_FDCWD;

	*rest = path;
	if (path[0] != '/' || n >= PATH_MAX)
		return AT_FDCWD;
	if (is_below(d, path, n)) {
		at = d->fd;
		*rest = path + d->n + 1;
	}
	if (count_parts(*rest) <= PARTS_MOST)
		return at;
	left = last_parts(path);
	if (left[0] == '\0' || left[0] == '/' ||
		!open_directory(d, path, (size_t)(left - 1 - path), at, *rest))
		return at;
	*rest = left;
	return d->fd;
}

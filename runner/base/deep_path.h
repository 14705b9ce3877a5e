/*
 * Looks up absolute paths from an open directory on their way, where they are deep: the
 * system would walk each of them from its beginning, which takes quadratic time in a
 * chain of directories. Other paths are looked up as they are.
 */
#ifndef CCTR_RUNNER_BASE_DEEP_PATH_H
#define CCTR_RUNNER_BASE_DEEP_PATH_H

#include <limits.h>
#include <stddef.h>

struct deep_path {
	int fd; /* of the directory; -1: none is open */
	char directory[PATH_MAX]; /* the first n bytes are its absolute path */
	size_t n;
};

void deep_path_begin(struct deep_path *d);
void deep_path_close(struct deep_path *d);
/* The descriptor that fstatat(), openat() and the like look *rest up from: the result is
 * that of looking up path. The descriptor is valid until the next call. *rest is a part
 * of path. */
int deep_path_at(struct deep_path *d, const char *path, const char **rest);

#endif

/*
 * An installed tree can be moved: its files are found relative to the program, never by
 * the configured prefix. A program in its build tree uses the folder of the source. See
 * install_paths.h.
 */
#include "runner/process/install_paths.h"

#include <unistd.h>

#include "runner/base/files.h"

/* A file that only this folder has, so that an unrelated folder is not taken. */
#define SHARE_MARK "CctrManifest.cmake"

struct str
program_path(struct arena *a)
{
	for (size_t size = 256;; size *= 2) {
		char *p = arena_alloc(a, size);
		ssize_t n = readlink("/proc/self/exe", p, size);

		if (n < 0)
			return STR_NONE;
		if ((size_t)n < size)
			return str_cut(p, (size_t)n);
	}
}

struct str
share_directory(struct arena *a)
{
	struct str program = program_path(a);

	if (program.n) {
		struct str share =
			path_join(a, path_parent(program), STR(CCTR_SHARE_FROM_PROGRAM));

		if (path_exists(path_join(a, share, STR(SHARE_MARK)).p))
			return share;
	}
	return STR(CCTR_SHARE_SOURCE);
}

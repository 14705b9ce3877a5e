/*
 * Paths as CMake reads them before it takes them apart: kwsys' ConvertToUnixSlashes and
 * GetFilenamePath (Source/kwsys/SystemTools.cxx), which know a drive on every system.
 */
#ifndef CCTR_COMPAT_FORMAT_UNIX_PATH_H
#define CCTR_COMPAT_FORMAT_UNIX_PATH_H

#include "runner/base/base.h"
#include "runner/cmakelang/dialect.h"

/* The home of "~" (HOME) or of "~name"; NULL where there is none. */
const char *unix_home(struct arena *a, struct str tilde);
/* Slashes for backslashes, fewer of those that follow each other, none at the end, and a
 * home for "~" and "~name". */
struct str unix_slashes(struct arena *a, const struct dialect *dialect, struct str path);
/* What is before the last slash of that: "a/b/" -> "a", "\b" -> "/", "c:/b" -> "c:/",
 * "b" -> "". */
struct str unix_directory(
	struct arena *a, const struct dialect *dialect, struct str path);

#endif

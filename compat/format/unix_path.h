/*
 * Paths as CMake normalizes them before it splits them: kwsys' ConvertToUnixSlashes and
 * GetFilenamePath (Source/kwsys/SystemTools.cxx), which know drives on every system.
 */
#ifndef CCTR_COMPAT_FORMAT_UNIX_PATH_H
#define CCTR_COMPAT_FORMAT_UNIX_PATH_H

#include "runner/base/base.h"
#include "runner/cmakelang/dialect.h"

/* The home directory for "~" (HOME) or "~name". NULL: there is none. */
const char *unix_home(struct arena *a, struct str tilde);
/* Replaces backslashes by slashes, shortens runs of slashes, removes a trailing slash,
 * and expands "~" and "~name". */
struct str unix_slashes(struct arena *a, const struct dialect *dialect, struct str path);
/* What comes before the last slash of unix_slashes(path): "a/b/" -> "a", "\b" -> "/",
 * "c:/b" -> "c:/", "b" -> "". */
struct str unix_directory(
	struct arena *a, const struct dialect *dialect, struct str path);

#endif

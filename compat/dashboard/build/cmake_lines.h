/*
 * What cmake writes while it configures, as the CMake inside ctest tells it: without the
 * mark before a status, and with what is not told at all apart, for standard error.
 */
#ifndef CCTR_COMPAT_DASHBOARD_BUILD_CMAKE_LINES_H
#define CCTR_COMPAT_DASHBOARD_BUILD_CMAKE_LINES_H

#include "runner/base/base.h"

struct cmake_lines {
	struct buf line; /* its beginning, while that does not say what it is */
	bool passes; /* the rest of the line is told as it comes */
	bool is_list; /* generators are listed, to the end */
};

/* All standard output and standard error of cmake, in pieces; adds to told and to stray
 * what is clear. */
void cmake_lines_add(
	struct cmake_lines *l, struct str bytes, struct buf *told, struct buf *stray);
/* What a line without an end held back. */
void cmake_lines_end(struct cmake_lines *l, struct buf *told);

#endif

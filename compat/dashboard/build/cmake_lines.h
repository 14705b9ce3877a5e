/*
 * Turns the output of a configuring cmake into the output of the CMake inside ctest:
 * removes the mark before a status, and separates the lines that ctest's CMake does not
 * print, for standard error.
 */
#ifndef CCTR_COMPAT_DASHBOARD_BUILD_CMAKE_LINES_H
#define CCTR_COMPAT_DASHBOARD_BUILD_CMAKE_LINES_H

#include "runner/base/base.h"

struct cmake_lines {
	struct buf line; /* the beginning of a line of unknown kind */
	bool passes; /* the rest of the line is passed on at once */
	bool is_list; /* a list of generators, up to the end */
};

/* Gets all of cmake's standard output and standard error, in pieces; adds what is decided
 * to out and to stray. */
void cmake_lines_add(
	struct cmake_lines *l, struct str bytes, struct buf *out, struct buf *stray);
/* Adds an unfinished line that was kept back. */
void cmake_lines_end(struct cmake_lines *l, struct buf *out);

#endif

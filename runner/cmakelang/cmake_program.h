/* Which cmake is started, and what it has noted of a build tree. */
#ifndef CCTR_RUNNER_CMAKELANG_CMAKE_PROGRAM_H
#define CCTR_RUNNER_CMAKELANG_CMAKE_PROGRAM_H

#include "runner/base/base.h"

/* cmake beside the running program, as for an installed ctest, else in PATH; STR_NONE
 * where there is none. Ends with NUL. */
struct str cmake_program(struct arena *a);
/* A program that can be started: asked, a name or a path; else CMAKE_COMMAND of the build
 * tree's CMakeCache.txt; else the cmake in PATH. Absolute; STR_NONE: there is none. */
struct str cmake_program_for(
	struct arena *a, struct str asked, struct str build_directory);
/* The directory of the sources, by CMakeCache.txt; STR_NONE: the build tree does not
 * tell. Ends with NUL. */
struct str cmake_source_directory(struct arena *a, struct str build_directory);

#endif

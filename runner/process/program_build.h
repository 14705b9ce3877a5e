/* Which build of cctr runs. Two sides of a conversation between processes of cctr must be
 * the same, and the file of the program may be replaced while it runs. */
#ifndef CCTR_RUNNER_PROCESS_PROGRAM_BUILD_H
#define CCTR_RUNNER_PROCESS_PROGRAM_BUILD_H

#include "runner/base/base.h"

/* The program that runs, also where its file was replaced. */
#define PROGRAM_RUNNING "/proc/self/exe"

/* "VERSION (build ID)"; only the version where the linker has left no build id. */
const char *program_build(struct arena *a, const char *version);
/* Whether the file is another one than the program that runs. */
bool program_is_replaced(const char *path);

#endif

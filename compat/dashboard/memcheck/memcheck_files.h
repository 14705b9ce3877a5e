/* The files in which memory checkers report about one test. */
#ifndef CCTR_COMPAT_DASHBOARD_MEMCHECK_MEMCHECK_FILES_H
#define CCTR_COMPAT_DASHBOARD_MEMCHECK_MEMCHECK_FILES_H

#include "compat/dashboard/memcheck/memcheck_tools.h"

struct memcheck_files;
/* The files of one run; the arena must live as long. */
struct memcheck_files *memcheck_files_open(
	struct arena *a, const struct memcheck *m, struct console *c);
/* Adds the files of a test to its output, line by line, and reports if there are none. */
void memcheck_files_gather(
	struct memcheck_files *f, unsigned number, struct str name, struct buf *output);
void memcheck_files_close(struct memcheck_files *f);

#endif

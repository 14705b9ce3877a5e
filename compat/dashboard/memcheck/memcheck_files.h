/* Where memory checkers leave what they have to say of one test. */
#ifndef CCTR_COMPAT_DASHBOARD_MEMCHECK_MEMCHECK_FILES_H
#define CCTR_COMPAT_DASHBOARD_MEMCHECK_MEMCHECK_FILES_H

#include "compat/dashboard/memcheck/memcheck_tools.h"

struct memcheck_files;
/* Of a run; the arena lives as long. */
struct memcheck_files *memcheck_files_open(
	struct arena *a, const struct memcheck *m, struct console *c);
/* Adds what there is of a test to its output, line by line, and says where there is
 * nothing. */
void memcheck_files_gather(
	struct memcheck_files *f, unsigned number, struct str name, struct buf *output);
void memcheck_files_close(struct memcheck_files *f);

#endif

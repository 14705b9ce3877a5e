/* Where memory checkers leave what they have to say of one test. */
#ifndef CCTR_COMPAT_MEMCHECK_MEMCHECK_FILES_H
#define CCTR_COMPAT_MEMCHECK_MEMCHECK_FILES_H

#include "compat/memcheck/memcheck_tools.h"

/* Adds it to the output, line by line, and says where there is none. */
void memcheck_gather(const struct memcheck *m, struct console *c, unsigned number,
	struct str name, struct buf *output);

#endif

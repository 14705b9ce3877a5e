/* The line of a source file that the output of a failed test names. */
#ifndef CCTR_RUNNER_REPORT_FAULT_PLACE_H
#define CCTR_RUNNER_REPORT_FAULT_PLACE_H

#include "runner/base/base.h"

struct fault_place {
	struct str path; /* absolute */
	unsigned line;
	struct str text; /* the line of the output, and what follows it */
	/* The errno why a file could not be looked for, also where there is no place; 0:
	 * all could */
	int error;
};
/* Finds the first "file:line:" or "file(line)" in a line that speaks of a failure, as
 * GoogleTest, Catch2, doctest, cmocka, Boost.Test, assert(), Rust and compilers write it,
 * else the last frame of a traceback of Python. The file must exist in one of the
 * folders, or its path be absolute. Only the beginning of a long output is searched.
 * false: there is none. */
bool fault_place_find(struct arena *a, struct str output, struct str_list folders,
	struct fault_place *place);

#endif

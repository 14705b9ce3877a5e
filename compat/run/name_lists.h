/* --tests-from-file and --exclude-from-file: exact names, one a line. ctest(1). */
#ifndef CCTR_COMPAT_RUN_NAME_LISTS_H
#define CCTR_COMPAT_RUN_NAME_LISTS_H

#include "runner/base/base.h"
#include "runner/base/diag.h"

/* The lines of the file, empty ones left out; nothing else is taken away from them.
 * false after diag_error when it cannot be read. */
bool name_list_read(
	struct arena *a, struct str path, struct str_list *names, struct diag *d);

#endif

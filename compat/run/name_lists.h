/* --tests-from-file and --exclude-from-file: exact names, one per line. ctest(1). */
#ifndef CCTR_COMPAT_RUN_NAME_LISTS_H
#define CCTR_COMPAT_RUN_NAME_LISTS_H

#include "runner/base/base.h"
#include "runner/base/diag.h"

/* Reads the lines of the file unchanged, except that empty lines are left out. directory:
 * as for path_in. false after diag_error: it cannot be read. */
bool name_list_read(struct arena *a, struct str directory, struct str path,
	struct str_list *names, struct diag *d);

#endif

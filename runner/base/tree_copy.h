/* Copying a directory with all that is in it. */
#ifndef CCTR_RUNNER_BASE_TREE_COPY_H
#define CCTR_RUNNER_BASE_TREE_COPY_H

#include "runner/base/base.h"
#include "runner/base/diag.h"

/* Copies a file, a link or a directory to a path where nothing is: contents, permissions,
 * times of files, and links as they are. Anything else, such as a FIFO, is an error. What
 * was copied before an error stays. */
CCTR_MUST_CHECK bool tree_copy(
	struct arena *a, const char *from, const char *to, struct diag *d);

#endif

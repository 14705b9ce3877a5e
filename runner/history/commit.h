/* The commit that Git has checked out, by its files: no program is started. */
#ifndef CCTR_RUNNER_HISTORY_COMMIT_H
#define CCTR_RUNNER_HISTORY_COMMIT_H

#include "runner/base/base.h"

/* The commit, as hexadecimal digits, of the working tree that the directory is in. "": it
 * is in none, or its files do not say. */
struct str commit_of(struct arena *a, struct str directory);

#endif

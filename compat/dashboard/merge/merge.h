/* `cctr merge`: one Test.xml, JUnit file and history of the shards of a run.
 * Help/manual/cctr-merge.1.rst. */
#ifndef CCTR_COMPAT_DASHBOARD_MERGE_MERGE_H
#define CCTR_COMPAT_DASHBOARD_MERGE_MERGE_H

#include "runner/base/base.h"

/* words: those after "merge". Returns the exit code: that of the worst shard; 1: the
 * shards are not those of one run, each once and whole, or a file could not be written;
 * 2: the words cannot be understood. */
int merge_client(struct arena *a, struct str_list words);

#endif

/*
 * A folder of cctr's own in TMPDIR, for as long as it needs one.
 *
 * Who is killed removes nothing. So each folder is locked by its owner, and the system
 * takes the lock back however the owner ends: folders of the same user, made since the
 * machine was started, that nobody holds are removed by the next who needs one.
 */
#ifndef CCTR_RUNNER_BASE_SCRATCH_FOLDER_H
#define CCTR_RUNNER_BASE_SCRATCH_FOLDER_H

#include "runner/base/base.h"

struct scratch_folder {
	struct str path; /* absolute */
	int lock; /* a descriptor of the folder */
};

/* false leaves errno. */
CCTR_MUST_CHECK bool scratch_folder_open(struct arena *a, struct scratch_folder *f);
/* Removes it with all that is in it. */
void scratch_folder_close(struct arena *a, const struct scratch_folder *f);
/* Removes those whose owners are dead. */
void scratch_folder_sweep(struct arena *a);

#endif

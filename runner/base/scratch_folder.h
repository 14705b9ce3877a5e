/*
 * A temporary folder of cctr's own in TMPDIR.
 *
 * A program that is killed removes nothing. So each folder is locked by its owner, and
 * the system releases the lock however the owner ends. The next program that needs such a
 * folder removes those that are not locked, belong to the same user and were made since
 * the machine was started.
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
/* Removes the folder with all that is in it. */
void scratch_folder_close(struct arena *a, const struct scratch_folder *f);
/* Removes the folders whose owners are dead. */
void scratch_folder_sweep(struct arena *a);

#endif

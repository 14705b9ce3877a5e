/*
 * Environments of tests in messages: most of their variables are cctr's own, which the
 * agent has got once. A short message matters: with messages over a KiB tests through
 * srun took some 40 ms more each. (That srun cuts what it passes on, and that the second
 * part waits for an answer, is a guess from these figures.)
 */
#ifndef CCTR_RUNNER_REMOTE_VARIABLES_H
#define CCTR_RUNNER_REMOTE_VARIABLES_H

#include "runner/base/base.h"

/* The environment with runs of variables that are in the base, in the same order, written
 * as one item each. Both end with NULL. */
const char *const *variables_shorten(
	struct arena *a, const char *const *base, const char *const *environment);
/* The environment again. NULL: the items make no sense with this base. */
const char *const *variables_restore(
	struct arena *a, const char *const *base, const char *const *items);

#endif

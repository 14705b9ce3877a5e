/*
 * The witness: a file in the build tree with a content that is new each time. An agent
 * that can say the content sees the same tree.
 *
 * A run that is killed leaves its witness. The file is locked while the run lasts, so the
 * next run can tell, and removes it.
 */
#ifndef CCTR_RUNNER_REMOTE_WITNESS_H
#define CCTR_RUNNER_REMOTE_WITNESS_H

#include "runner/base/diag.h"

struct witness {
	const char *path; /* absolute */
	struct str content;
	int file;
};

/* Removes those that other runs have left in the directory. false after diag_error. */
bool witness_make(
	struct arena *a, struct str directory, struct witness *w, struct diag *d);
void witness_remove(const struct witness *w);

#endif

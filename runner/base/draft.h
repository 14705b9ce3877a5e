/*
 * What a file is to be, beside it until it is whole: a reader sees the old file or the
 * new one. Programs that write the same file at the same time have drafts of their own,
 * and the last one that is whole stays.
 *
 * Whatever else stands under the draft's name is never written through: a link, a FIFO or
 * somebody else's file is replaced, a directory is an error.
 */
#ifndef CCTR_RUNNER_BASE_DRAFT_H
#define CCTR_RUNNER_BASE_DRAFT_H

#include <stdio.h>

#include "runner/base/base.h"

struct draft {
	const char *path, *temporary;
	int file; /* to be written and closed by the caller */
	int lock; /* the same file, until the draft is closed */
};

/* An empty draft: PATH and the ending, with our number between them where another one is
 * in work. The path is borrowed. false leaves errno. */
CCTR_MUST_CHECK bool draft_open(
	struct arena *a, struct draft *d, const char *path, const char *ending);
/* The same as a stream, which is to be closed instead. NULL leaves errno. */
FILE *draft_open_stream(
	struct arena *a, struct draft *d, const char *path, const char *ending);
/* When the file is closed: the draft gets its name, or is removed, since it is not whole
 * or cannot have it. Where somebody has removed or replaced the draft meanwhile, what was
 * written is copied to a new one first. false leaves errno where it was whole. */
bool draft_close(struct draft *d, bool is_whole);

#endif

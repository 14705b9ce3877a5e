/*
 * A new version of a file, written beside it until it is complete: a reader sees the old
 * file or the new one. Programs that write the same file at the same time have drafts of
 * their own; the one that is completed last stays.
 *
 * cctr never writes through anything else that has the draft's name: a link, a FIFO or
 * another user's file is replaced, a directory is an error.
 */
#ifndef CCTR_RUNNER_BASE_DRAFT_H
#define CCTR_RUNNER_BASE_DRAFT_H

#include <stdio.h>

#include "runner/base/base.h"

struct draft {
	const char *path, *temporary;
	int file; /* the caller writes and closes it */
	int lock; /* the same open file, kept until draft_close */
};

/* Opens an empty draft: PATH and the ending; with our process id between them where
 * another program writes to that one. The path is borrowed. false leaves errno. */
CCTR_MUST_CHECK bool draft_open(
	struct arena *a, struct draft *d, const char *path, const char *ending);
/* As draft_open, as a stream, which the caller closes instead of the descriptor. NULL
 * leaves errno. */
FILE *draft_open_stream(
	struct arena *a, struct draft *d, const char *path, const char *ending);
/* Call it after closing the file. The draft gets its final name, or is removed where it
 * is not whole or cannot get the name. Where another program has removed or replaced the
 * draft, its content is copied to a new one first. false leaves errno, if the draft was
 * whole. */
bool draft_close(struct draft *d, bool is_whole);

/* Writes a temporary file beside it, then renames that: a reader sees the old file or the
 * new one. suffix is the ending of the temporary file, such as ".tmp". false leaves
 * errno. */
CCTR_MUST_CHECK bool file_write(
	struct arena *a, const char *path, const char *suffix, struct str text);
/* As file_write, and the data is on the disk: after a power failure there is the old file
 * or the new one. */
CCTR_MUST_CHECK bool file_write_durably(
	struct arena *a, const char *path, const char *suffix, struct str text);
/* Writes the whole text to the draft, closes it, and gives it its name if all was
 * written. false leaves errno. */
CCTR_MUST_CHECK bool file_write_draft(struct draft *d, struct str text);

#endif

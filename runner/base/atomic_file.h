/*
 * A file that is replaced as a whole: its new version is a temporary file beside it,
 * which is renamed when it is complete. A reader sees the old file or the new one.
 * Programs that write the same file at the same time have a temporary file each; the last
 * rename wins.
 *
 * cctr never writes through anything else at the temporary file's path: a link, a FIFO or
 * another user's file is replaced, a directory is an error. A device is never replaced,
 * nor is a link in /dev.
 */
#ifndef CCTR_RUNNER_BASE_ATOMIC_FILE_H
#define CCTR_RUNNER_BASE_ATOMIC_FILE_H

#include <stdio.h>

#include "runner/base/base.h"

struct atomic_file {
	const char *path, *temporary;
	int file; /* the caller writes and closes it */
	int lock; /* the same open file, kept until atomic_file_close */
};

/* Opens an empty temporary file: path and ending, or path, our process id and ending
 * where another program writes to the former. path is borrowed. false leaves errno. */
CCTR_MUST_CHECK bool atomic_file_open(
	struct arena *a, struct atomic_file *f, const char *path, const char *ending);
/* As atomic_file_open, as a stream, which the caller closes instead of the descriptor.
 * NULL leaves errno. */
FILE *atomic_file_open_stream(
	struct arena *a, struct atomic_file *f, const char *path, const char *ending);
/* Call it after closing the file. Renames the temporary file to path; removes it where
 * is_whole is false or the rename fails. Where another program has removed or replaced
 * the temporary file, its content is copied to a new one first. false leaves errno, if
 * is_whole. */
bool atomic_file_close(struct atomic_file *f, bool is_whole);

/* Closes the stream of atomic_file_open_stream, then as atomic_file_close: the file is
 * whole if all that was put into the stream is written. false leaves errno. */
CCTR_MUST_CHECK bool atomic_file_close_stream(struct atomic_file *f, FILE *stream);

/* Writes a temporary file beside it, then renames that: a reader sees the old file or the
 * new one. suffix is the ending of the temporary file, such as ".tmp". false leaves
 * errno. */
CCTR_MUST_CHECK bool file_write(
	struct arena *a, const char *path, const char *suffix, struct str text);
/* As file_write, and the data is on the disk: after a power failure there is the old file
 * or the new one. */
CCTR_MUST_CHECK bool file_write_durably(
	struct arena *a, const char *path, const char *suffix, struct str text);
/* Writes the text to the temporary file, and closes both; path is replaced if all was
 * written. false leaves errno. */
CCTR_MUST_CHECK bool atomic_file_write(struct atomic_file *f, struct str text);

#endif

/*
 * A file that grows by whole lines, so that every added line is there after a kill at any
 * moment. A line that could not be written completely has no newline and is ignored by
 * readers: the next one begins on a line of its own.
 */
#ifndef CCTR_RUNNER_BASE_JOURNAL_H
#define CCTR_RUNNER_BASE_JOURNAL_H

#include "runner/base/base.h"

struct journal {
	const char *path;
	int file; /* -1: nothing can be added */
	bool is_torn; /* the last line has no newline */
	int error; /* the first error, an errno; 0: everything is in the file */
};

/* Opens the file for appending, or makes it. Anything but a regular file with a single
 * name is refused. The path is borrowed. A failure is kept in error, and nothing is
 * added. */
void journal_open(struct journal *j, const char *path);
/* line: with its newline. A failure is kept in error; later lines are still tried. */
void journal_add(struct journal *j, struct str line);
void journal_close(struct journal *j);

#endif

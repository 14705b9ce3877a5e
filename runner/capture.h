/*
 * What a test wrote: lines joined by '\n'. A line ends at '\n' or NUL, and CRs before
 * that are dropped; the last one gets its '\n' if it has none.
 *
 * Kept in memory up to CAPTURE_CEILING and beyond it in an unlinked file, so that memory
 * stays bounded; where the file cannot be written, memory it is. Without a listener of
 * lines nothing is paid per line.
 */
#ifndef CCTR_RUNNER_CAPTURE_H
#define CCTR_RUNNER_CAPTURE_H

#include "runner/base.h"

enum { CAPTURE_CEILING = 1 << 20 };

struct capture_listener {
	void *context;
	/* false: the line is left out. */
	bool (*line)(void *context, struct str line);
	/* With every_line: a line was kept. */
	void (*grown)(void *context);
};

struct capture {
	struct arena *arena;
	const char *directory; /* for the file */
	struct capture_listener listener;
	bool every_line; /* else only the lines with "<CTest", at the end */
	bool no_file; /* it could not be written */
	bool is_cut; /* the end was not reached: a line without its '\n' is left out */
	bool has_tag; /* the file has a "<CTest" */
	struct buf kept; /* what is not in the file */
	uint64_t
		line_at; /* where the line begins that is not complete, with every_line */
	size_t held_cr; /* CRs that may be part of a line's end */
	bool in_line; /* the last byte kept did not end a line */
	int file; /* -1: all is in memory */
	uint64_t file_size;
	void *mapped;
	size_t mapped_size;
};

struct capture capture_in(
	struct arena *a, const char *directory, const struct capture_listener *listener);
void capture_add(struct capture *c, const char *p, size_t n);
/* The whole lines so far; valid until the next call. */
struct str capture_so_far(struct capture *c);
/* All of it, complete; valid until capture_close. */
struct str capture_end(struct capture *c);
void capture_close(struct capture *c);

#endif

/*
 * What a test wrote: lines joined by '\n'. A line ends at '\n' or NUL, and CRs before
 * that are dropped; the last one gets its '\n' if it has none.
 *
 * Without a listener of lines nothing is paid per line.
 */
#ifndef CCTR_RUNNER_RUN_CAPTURE_H
#define CCTR_RUNNER_RUN_CAPTURE_H

#include "runner/base/spool.h"

struct capture_listener {
	void *context;
	/* false: the line is left out. */
	bool (*line)(void *context, const struct long_text *line);
	/* With every_line: the next bytes of a line that is long, before it is complete.
	 * May be NULL. */
	void (*part)(void *context, struct str bytes);
};
enum { CAPTURE_LONG_LINE = 1 << 16 };

struct capture {
	struct capture_listener listener;
	struct spool store;
	bool every_line; /* else only the lines with "<CTest", at the end */
	bool is_cut; /* the end was not reached: a line without its '\n' is left out */
	bool has_tag; /* the store's file has a "<CTest" */
	uint64_t
		line_at; /* where the line begins that is not complete, with every_line */
	size_t held_cr; /* CRs that may be part of a line's end */
	bool in_line; /* the last byte kept did not end a line */
};

struct capture capture_in(
	struct arena *a, const char *directory, const struct capture_listener *listener);
void capture_add(struct capture *c, const char *p, size_t n);
/* All of it, complete; valid until capture_close. */
struct long_text capture_end(struct capture *c);
void capture_close(struct capture *c);

#endif

/*
 * The output of a test: lines joined by '\n'. A line ends at '\n' or NUL, and CRs before
 * that are dropped; the last line gets a '\n' if it has none.
 *
 * Without a listener for lines there is no cost per line.
 */
#ifndef CCTR_RUNNER_RUN_CAPTURE_H
#define CCTR_RUNNER_RUN_CAPTURE_H

#include "runner/base/spool.h"

struct capture_listener {
	void *context;
	struct str tag; /* not "" */
	/* false: the line is left out. */
	bool (*line)(void *context, const struct long_text *line);
	/* With every_line: the next bytes of a long line, before it is complete. May be
	 * NULL. */
	void (*part)(void *context, struct str bytes);
};
enum { CAPTURE_LONG_LINE = 1 << 16 };

struct capture {
	struct capture_listener listener;
	struct spool store;
	/* else the listener gets only the lines with the tag, at the end */
	bool every_line;
	/* the output was not read to its end: a last line without '\n' is left out */
	bool is_cut;
	bool has_tag; /* the store's file contains the tag */
	uint64_t line_at; /* with every_line: where the incomplete line begins */
	size_t held_cr; /* CRs that may belong to the end of a line */
	bool in_line; /* the last byte kept did not end a line */
};

struct capture capture_in(
	struct arena *a, const char *directory, const struct capture_listener *listener);
void capture_add(struct capture *c, const char *p, size_t n);
/* All of the output; valid until capture_close. */
struct long_text capture_end(struct capture *c);
void capture_close(struct capture *c);

#endif

/*
 * The output of a build as it arrives: the lines of its two streams, the problems in
 * them, and the lines around each problem.
 */
#ifndef CCTR_COMPAT_DASHBOARD_BUILD_BUILD_OUTPUT_H
#define CCTR_COMPAT_DASHBOARD_BUILD_BUILD_OUTPUT_H

#include "compat/dashboard/build/build_matchers.h"

struct build_problem {
	bool is_error;
	size_t log_line; /* counted from 1 */
	struct str text;
	struct str before; /* lines, with their ends */
	struct buf after; /* lines; the last of a full context has no end */
};
struct build_output {
	struct arena *arena;
	struct build_matchers *matchers; /* NULL: nothing is looked for */
	int errors_most, warnings_most, context_before, context_after;
	/* Filled: */
	size_t errors, warnings;
	VEC(struct build_problem *) problems;
	/* Kind of the last line with a problem, for progress output. */
	enum build_line last;
	struct build_lines {
		struct buf parts[2]; /* the unfinished line of each stream */
		size_t n; /* number of lines so far */
		VEC(struct buf) before; /* a ring of the last lines */
		size_t before_n; /* lines added to it so far */
		struct build_problem *open; /* lines after it are added to it */
		int after_n;
	} lines;
};

void build_output_open(struct build_output *o, struct arena *a,
	struct build_matchers *matchers, const struct custom *custom);
/* Adds text. A line counts when it has ended: an unfinished last line does not count. */
void build_output_add(struct build_output *o, bool is_error, struct str text);
/* Adds a problem that is not in a line, after all others. */
void build_output_note(struct build_output *o, bool is_error, struct str text);
/* Replaces each occurrence of directory by "/.../" in all texts. "": does nothing. */
void build_output_shorten(struct build_output *o, struct str directory);
/* true: n errors (or warnings) have been found, and no more are looked for. */
bool build_output_is_full(const struct build_output *o, bool is_error, size_t n);

#endif

/*
 * The output of a build as it comes: lines of each of its two streams, what is wrong with
 * them, and which lines stand around.
 */
#ifndef CCTR_COMPAT_DASHBOARD_BUILD_BUILD_OUTPUT_H
#define CCTR_COMPAT_DASHBOARD_BUILD_BUILD_OUTPUT_H

#include "compat/dashboard/build/build_matchers.h"

struct build_problem {
	bool is_error;
	size_t log_line; /* counted from 1 */
	struct str text;
	struct str before; /* lines, each with its end */
	struct buf behind; /* lines, all but the last of a full context with their ends */
};
struct build_output {
	struct arena *arena;
	struct build_matchers *matchers; /* NULL: nothing is looked for */
	int errors_most, warnings_most, context_before, context_behind;
	/* Filled: */
	size_t errors, warnings;
	VEC(struct build_problem *) problems;
	/* The last line that was one, for whoever shows progress. */
	enum build_line last;
	struct build_lines {
		struct buf parts[2]; /* begun, not ended, of each stream */
		size_t n; /* all of them so far */
		VEC(struct buf) before; /* a ring of the last ones */
		size_t before_n; /* that it was given */
		struct build_problem *open; /* lines behind it are added */
		int behind_n;
	} lines;
};

void build_output_open(struct build_output *o, struct arena *a,
	struct build_matchers *matchers, const struct custom *custom);
/* A line counts when it has ended: what stands behind the last end does not. */
void build_output_add(struct build_output *o, bool is_error, struct str text);
/* One that no line says; behind all that were found. */
void build_output_note(struct build_output *o, bool is_error, struct str text);
/* Each name of a directory becomes "/.../" in all texts. "": none. */
void build_output_shorten(struct build_output *o, struct str directory);
/* No more than n errors (or warnings) are looked for. */
bool build_output_is_full(const struct build_output *o, bool is_error, size_t n);

/* In a text every part by another. */
struct str build_text_replace(
	struct arena *a, struct str text, struct str part, struct str by);

#endif

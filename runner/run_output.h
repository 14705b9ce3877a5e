/*
 * What a run reads out of a test's output while it appears: <CTestDetails> and
 * <CTestLabel> lines, and the match of TIMEOUT_AFTER_MATCH. ctest(1),
 * cmake-properties(7).
 */
#ifndef CCTR_RUNNER_RUN_OUTPUT_H
#define CCTR_RUNNER_RUN_OUTPUT_H

#include "runner/model.h"

struct run_output {
	struct arena *arena; /* of the test, all its attempts */
	const struct test *test;
	struct str details; /* of this attempt; p is NULL for none */
	struct buf details_room;
	str_vec labels; /* of all attempts so far, each once, none that is declared */
	struct map known; /* these and the declared ones, once there is one to look for */
	const struct timeout_after_match *match; /* NULL: none, or it has matched */
	bool by_line; /* no pattern of it can match across lines */
	struct match_search *search; /* where not by_line: in this attempt's output */
	size_t searched; /* so much of it */
};
struct run_output run_output_of(struct arena *a, const struct test *t);
/* An attempt begins. */
void run_output_begin(struct run_output *o);
/* After the last attempt. */
void run_output_close(struct run_output *o);

enum tag_kind { TAG_NONE, TAG_DETAILS, TAG_LABEL };
struct line_tag {
	enum tag_kind kind;
	struct str text; /* until the next tag, or the end of the line */
	bool is_news; /* not a label that the test has already */
};
/* The tag of a line, noted. A line with both is one of details. */
struct line_tag run_output_tag(struct run_output *o, const struct long_text *line);

/* Whether lines are to be shown to run_output_line_matches, or all of the output to
 * run_output_matches: each is true once per test, when a pattern was found. */
bool run_output_waits_for_line(const struct run_output *o);
bool run_output_waits(const struct run_output *o);
bool run_output_line_matches(struct run_output *o, const struct long_text *line);
bool run_output_matches(struct run_output *o, const struct long_text *so_far);

#endif

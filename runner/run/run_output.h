/*
 * What a run reads out of a test's output: <CTestDetails> and <CTestLabel> lines and the
 * match of TIMEOUT_AFTER_MATCH while it appears, and the expressions of the verdict.
 * ctest(1), cmake-properties(7).
 */
#ifndef CCTR_RUNNER_RUN_RUN_OUTPUT_H
#define CCTR_RUNNER_RUN_RUN_OUTPUT_H

#include "runner/model/model.h"
#include "runner/model/outcome.h"

/* A search with memory of its own. */
struct awaited {
	struct arena *arena; /* NULL: no search */
	struct match_search *search;
};

struct run_output {
	struct arena *arena; /* of the test, all its attempts */
	const struct test *test;
	struct str details; /* of this attempt; p is NULL for none */
	struct buf details_room;
	str_vec labels; /* of all attempts so far, each once, none that is declared */
	struct map known; /* these and the declared ones, once there is one to look for */
	bool waits; /* TIMEOUT_AFTER_MATCH is set, and has not matched */
	struct awaited awaited; /* its patterns, where it waits */
	/* Of a long line some bytes have been searched, and the search before it is kept,
	 * since the line counts only if it has no tag. */
	struct awaited before_line;
	size_t line_read;
	struct match_search *verdict; /* of this attempt, once it has ended; or NULL */
	size_t verdict_read; /* so much of the output */
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

/* Whether all lines of the output are to be shown to run_output_matches, which is true
 * once per test: when a pattern of TIMEOUT_AFTER_MATCH was found. The parts of a long
 * line may be shown before. */
bool run_output_waits(const struct run_output *o);
void run_output_part(struct run_output *o, struct str bytes);
bool run_output_matches(struct run_output *o, const struct long_text *line);

/* Searches for the expressions of the verdict in the whole output, for at most a slice of
 * time. false: there is more to be done. */
bool run_output_search(struct run_output *o, const struct outcome *of);

#endif

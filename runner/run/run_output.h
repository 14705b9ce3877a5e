/*
 * What a run reads from a test's output: lines with tags, the match of
 * TIMEOUT_AFTER_MATCH while output appears, and the expressions of the verdict.
 */
#ifndef CCTR_RUNNER_RUN_RUN_OUTPUT_H
#define CCTR_RUNNER_RUN_RUN_OUTPUT_H

#include "runner/model/model.h"
#include "runner/model/outcome.h"

/* How a test says something in a line of its output. */
struct output_tags {
	const char *head; /* of every tag; not "" */
	struct tag_words {
		const char *open, *close; /* the text is between the two */
	} details, label;
};

/* A search that owns its memory. */
struct awaited {
	struct arena *arena; /* NULL: no search */
	struct match_search *search;
};

struct run_output {
	struct arena *arena; /* for the whole test, all its attempts */
	const struct test *test;
	const struct output_tags *tags;
	struct str details; /* of this attempt; p is NULL for none */
	struct buf details_room;
	str_vec labels; /* of all attempts so far, each once, without the declared ones */
	/* these and the declared labels; filled when it is first needed */
	struct map known;
	bool waits; /* TIMEOUT_AFTER_MATCH is set, and has not matched */
	struct awaited awaited; /* the search for its patterns, while it waits */
	/* before_line: the search as it was before a long line, of which line_read bytes
	 * have been searched. It is kept because the line counts only if it has no
	 * tag. */
	struct awaited before_line;
	size_t line_read;
	struct match_search *verdict; /* for this attempt, once it has ended; or NULL */
	size_t verdict_read; /* how much of the output has been searched */
};
struct run_output run_output_of(
	struct arena *a, const struct test *t, const struct output_tags *tags);
/* An attempt begins. */
void run_output_begin(struct run_output *o);
/* After the last attempt. */
void run_output_close(struct run_output *o);

enum tag_kind { TAG_NONE, TAG_DETAILS, TAG_LABEL };
struct line_tag {
	enum tag_kind kind;
	struct str text; /* up to the next tag, or to the end of the line */
	bool is_news; /* false: a label that the test has already */
};
/* Reads and notes the tag of a line. A line with both tags counts as details. */
struct line_tag run_output_tag(struct run_output *o, const struct long_text *line);

/* Whether run_output_matches must get all lines of the output. That returns true once per
 * test: when a pattern of TIMEOUT_AFTER_MATCH was found. run_output_part may get the
 * parts of a long line before. */
bool run_output_waits(const struct run_output *o);
void run_output_part(struct run_output *o, struct str bytes);
bool run_output_matches(struct run_output *o, const struct long_text *line);

/* Searches for the verdict's expressions in the whole output, for at most a slice of
 * time. false: the search is not finished. */
bool run_output_search(struct run_output *o, const struct outcome *of);

#endif

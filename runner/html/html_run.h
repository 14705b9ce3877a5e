/*
 * What the page shows of a run: its spans, and for each of them why it ended so and a
 * part of what it wrote.
 */
#ifndef CCTR_RUNNER_HTML_HTML_RUN_H
#define CCTR_RUNNER_HTML_HTML_RUN_H

#include "runner/base/spool.h"
#include "runner/history/history.h"
#include "runner/report/spans.h"

struct html_options {
	const char *path; /* borrowed */
	struct str tree; /* the build tree, as the page names it */
	const char *program; /* the version of cctr */
	size_t slots; /* 0: as many as the tests want */
	struct spans_options spans;
	struct str history; /* its path; "": the page shows no earlier runs */
	struct str configuration; /* of the tests; "": none was chosen */
};

/* Bytes that are kept of the output of one attempt that failed: its begin and its end.
 * When the outputs, reasons and commands of all of them are as long as OUTPUTS_MOST, only
 * the last few bytes of each further output are kept. */
enum {
	HEAD_MOST = 8 << 10,
	TAIL_MOST = 24 << 10,
	REST_MOST = 512,
	REASON_MOST = 2 << 10,
	OUTPUTS_MOST = 16 << 20
};

/* Between head and tail cut bytes are left out. */
struct excerpt {
	uint64_t at; /* in the spool */
	size_t head, tail;
	uint64_t bytes, cut;
};
struct span_detail {
	bool is_judged; /* false: it was lost or interrupted */
	bool has_output;
	enum verdict_kind kind;
	uint64_t cpu_ns, peak_bytes;
	struct str reason, command; /* "": none */
	struct excerpt output;
};

/* What became of a test, in the order in which the page shows it. */
enum standing {
	STANDING_FAILED,
	STANDING_UNFINISHED,
	STANDING_FLAKY, /* it passed after a failure */
	STANDING_PASSED,
	STANDING_SKIPPED,
	STANDING_DISABLED,
	STANDING_EARLIER, /* an interrupted run before this one has finished it */
	STANDINGS
};

struct html_run {
	struct html_options o;
	struct arena *arena;
	struct spans *spans;
	VEC(struct span_detail) details; /* by span */
	struct spool outputs;
	uint64_t kept; /* bytes of outputs, reasons and commands */
	struct str_list *labels; /* by node: those that its output has added */
	uint64_t duration_ns;
	const struct history_of_test *earlier; /* by node; NULL: not known */
	bool flaky_fail; /* a flaky test fails the run */
};

void html_run_note(struct html_run *r, const struct event *e);
/* By node, when the run has ended. */
enum standing *html_run_standings(struct arena *a, const struct html_run *r);
struct standing_name {
	const char *class; /* in style and script */
	const char *title; /* for people */
};
struct standing_name standing_name(enum standing s);

#endif

/*
 * What happened in a run, for pictures of it: the attempts of its tests with their times,
 * what each of them held, and the critical path.
 */
#ifndef CCTR_RUNNER_REPORT_SPANS_H
#define CCTR_RUNNER_REPORT_SPANS_H

#include "runner/report/timeline.h"
#include "runner/run/report.h"
#include "runner/schedule/critical.h"

struct spans_options {
	const struct plan *plan;
	const struct scheduler *scheduler; /* says what running tests hold */
	struct scheduler_options run; /* its options */
};

/* An attempt, or what one node ran of it. */
struct span {
	node_id node;
	unsigned run; /* 1 for the first attempt */
	uint64_t began_ns, ended_ns; /* since the begin of the run */
	const char *result;
	enum ending ending;
	int code; /* of exit, or a signal */
	uint64_t duration_ns; /* as measured */
	struct str machine; /* "": this one */
	struct str partition; /* STR_NONE: there are none */
	bool is_last, is_flaky;
};
struct spans {
	struct arena *arena;
	struct spans_options o;
	bool has_begun, is_cut_off;
	int64_t began_us; /* wall clock */
	uint64_t began_ns; /* by loop_now_ns */
	uint64_t *since_ns; /* by node: the begin of the span that goes on */
	unsigned *runs; /* by node: the attempt of that span */
	VEC(struct span) v; /* in the order of their ends */
	stay_vec stays; /* owner: index of a span */
};

struct spans *spans_new(struct arena *a, const struct spans_options *o);
/* true: a span has ended; it is the last one. */
bool spans_note(struct spans *s, const struct event *e);
/* The run was interrupted: what still ran has ended now. */
void spans_cut_off(struct spans *s);

/* A stay with this name is one of a processor slot. */
bool spans_is_slot(struct str name);
struct str spans_track_name(struct arena *a, const struct track *t);

/* The critical path of a run that was not cut off; no steps where nothing ran. */
struct span_path {
	const struct span **first, **last; /* by node; NULL: it did not run to its end */
	struct steps steps;
};
struct span_path spans_path(struct arena *a, const struct spans *s);
/* What a test had to wait for, in formats of cctr's own. */
const char *spans_why(enum step_kind kind);

#endif

/*
 * --explain: why tests wait, in a plan or in a run, and what would shorten it all. A run
 * is listened to; nothing of it changes.
 */
#ifndef CCTR_COMPAT_RUN_EXPLAIN_H
#define CCTR_COMPAT_RUN_EXPLAIN_H

#include "runner/run/report.h"
#include "runner/schedule/plan.h"
#include "runner/schedule/scheduler.h"

/* Tests may share a name: all of them are meant. */
struct explained {
	VEC(node_id) v;
};
/* false: one of the names is not that of a selected test, see d. */
CCTR_MUST_CHECK bool explain_find(struct arena *a, const str_vec *names,
	const struct selection *s, struct explained *found, struct diag *d);

struct explain_request {
	struct explained tests;
	const struct plan *plan;
	const struct recorded *recorded; /* n of the selection */
	/* As they were for the plan, and are for its run: */
	struct plan_options options;
	struct scheduler_options scheduler;
};
/* In invented time. */
void explain_plan(struct buf *out, const struct explain_request *r);

struct report *explain_open(
	struct arena *a, const struct explain_request *r, const struct scheduler *s);
/* After the run; cut off: something that ran has not ended. */
void explain_run(struct buf *out, struct report *r, bool is_cut_off);

#endif

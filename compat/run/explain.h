/*
 * --explain: why tests wait, in a plan or in a run, and what would shorten the whole. It
 * only listens to a run and changes nothing in it.
 */
#ifndef CCTR_COMPAT_RUN_EXPLAIN_H
#define CCTR_COMPAT_RUN_EXPLAIN_H

#include "compat/report/explain_json.h"
#include "runner/run/report.h"
#include "runner/schedule/plan.h"
#include "runner/schedule/scheduler.h"

/* If several tests share a name, all of them are included. */
struct explained {
	VEC(node_id) v;
};
/* false: a name is not the name of a selected test, see d. */
CCTR_MUST_CHECK bool explain_find(struct arena *a, const str_vec *names,
	const struct selection *s, struct explained *found, struct diag *d);

struct explain_request {
	struct explained tests;
	const struct plan *plan;
	const struct recorded *recorded; /* one entry for each selected test */
	/* The options of the plan and of its run: */
	struct plan_options options;
	struct scheduler_options scheduler;
	bool stop_on_failure;
	bool names_nodes; /* a batch system gives the nodes of the pool */
};
/* Explains the plan by a simulation. */
void explain_plan(struct explanation *out, const struct explain_request *r);

struct report *explain_open(
	struct arena *a, const struct explain_request *r, const struct scheduler *s);
/* Call it after the run. is_cut_off: a test that started has not ended. */
void explain_run(struct explanation *out, struct report *r, bool is_cut_off);

#endif

/* The plan of the selected tests, with the records of earlier runs. */
#ifndef CCTR_COMPAT_RUN_RUN_PLAN_H
#define CCTR_COMPAT_RUN_RUN_PLAN_H

#include "compat/records/cost_data.h"
#include "compat/resources/dynamic_spec.h"
#include "compat/run/run_tests.h"

struct run_plan {
	struct plan *plan;
	struct plan_options options;
	/* Of the run. Without a pool that a test will make. */
	struct scheduler_options scheduler;
	struct cost_data *cost;
	const struct recorded *recorded; /* one entry for each selected test */
	struct dynamic_spec *generated; /* NULL: no test makes the pool */
};
/* parallel: as many processor slots as the run has. false: there is no plan; that has
 * been reported. */
bool run_plan_make(struct run_context *c, const struct run_settings *s,
	struct run_tests *t, size_t parallel, struct run_plan *p);
/* Looks for cycles among the selected tests. false: there is one, or the pool cannot be
 * read; that has been reported. */
bool run_plan_check(
	struct run_context *c, const struct run_settings *s, struct run_tests *t);

/* The request to explain the plan. */
struct explain_request run_plan_explain_request(
	const struct run_plan *p, const struct run_tests *t);
/* Explains a plan that is not run, if --explain is given. */
void run_plan_explain(const struct run_plan *p, const struct run_tests *t,
	struct explanation *explanation);
/* Prints what a run would take. Nothing runs, and no file is written. */
enum exit_code run_plan_simulate(struct run_context *c, const struct run_settings *s,
	struct run_tests *t, struct explanation *explanation);

#endif

/*
 * The run: scheduler decides, engine executes, verdict judges, reports are told.
 */
#ifndef CCTR_RUNNER_RUN_H
#define CCTR_RUNNER_RUN_H

#include "runner/affinity.h"
#include "runner/engine.h"
#include "runner/report.h"
#include "runner/scheduler.h"

struct run {
	struct arena *arena;
	const struct selection *selection;
	const struct plan *plan;
	struct scheduler *scheduler;
	struct affinity *affinity; /* NULL: the scheduler gives no processors */
	struct str scratch_directory; /* for output beyond the ceiling */
	const struct preparer *preparer;
	struct report **reports;
	size_t reports_n;
	struct repeat repeat;
	bool stop_on_failure;
	/* A test that is refused stops the run too; else only the end of one that ran. */
	bool stop_on_refusal;
	/* Usable processor slots now (--test-load), or NULL. */
	size_t (*usable_slots)(void *context, size_t running);
	void *usable_context;
};

/* A failing test is not an error. false: the machinery failed, see d. *interrupted gets
 * the signal that ended the run early, else 0; what ran then was killed and has no END
 * event, and there is no FINISH event. */
bool run_all(struct run *r, struct tally *t, int *interrupted, struct diag *d);

#endif

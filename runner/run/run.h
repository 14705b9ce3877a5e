/*
 * The run: scheduler decides, engine executes, verdict judges, reports are told.
 */
#ifndef CCTR_RUNNER_RUN_RUN_H
#define CCTR_RUNNER_RUN_RUN_H

#include "runner/process/job_server.h"
#include "runner/process/private_tmp.h"
#include "runner/resources/affinity.h"
#include "runner/run/engine.h"
#include "runner/run/report.h"
#include "runner/schedule/scheduler.h"

/* What else decides about starts: the time of day, the load of the machine. */
struct permit {
	/* From now on nothing starts. */
	bool (*is_over)(struct permit *g);
	/* Called once when it is, after the test whose end showed it. */
	void (*closes)(struct permit *g);
	/* Before a look at what may start, which may start several tests: how many slots
	 * of processors may be in use, SIZE_MAX for no limit. */
	size_t (*usable_slots)(struct permit *g, const struct scheduler *s);
	/* Nothing starts: how long until the next look, NO_TIMEOUT when something has to
	 * end first. */
	uint64_t (*pause_ns)(struct permit *g, const struct scheduler *s);
};

/* The test that makes the pool, for tests that all wait for it. */
struct pool_maker {
	node_id node;
	/* An attempt has ended, however it did. false: there is no pool, for which it
	 * fails. */
	bool (*look)(struct pool_maker *m);
	/* Says what look has seen. */
	void (*say)(struct pool_maker *m);
	bool is_made; /* by the last look that was true */
};

struct run {
	struct arena *arena;
	const struct selection *selection;
	const struct plan *plan;
	struct scheduler *scheduler;
	struct private_tmp *private_tmp; /* NULL: launches have no directory of it */
	struct affinity *affinity; /* NULL: the scheduler gives no processors */
	struct job_server *job_server; /* NULL: tests need no token; closed at the end */
	struct str scratch_directory; /* for output beyond the ceiling */
	const struct preparer *preparer;
	struct report **reports;
	size_t reports_n;
	struct repeat repeat;
	bool stop_on_failure;
	/* A test that is refused stops the run too; else only the end of one that ran. */
	bool stop_on_refusal;
	struct permit *permit; /* NULL: only the scheduler decides */
	struct pool_maker *maker; /* NULL: the pool is what it is */
	size_t finished_n; /* nodes that an earlier run has ended, for counting */
};

/* A failing test is not an error. false: the machinery failed, see d. *interrupted gets
 * the signal that ended the run early, else 0; what ran then was killed and has no END
 * event, and there is no FINISH event. */
bool run_all(struct run *r, struct tally *t, int *interrupted, struct diag *d);

#endif

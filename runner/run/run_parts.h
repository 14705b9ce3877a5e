/* What a run is made of. The caller of run_all makes it. */
#ifndef CCTR_RUNNER_RUN_RUN_PARTS_H
#define CCTR_RUNNER_RUN_RUN_PARTS_H

#include "runner/host/host_share.h"
#include "runner/process/job_server.h"
#include "runner/process/private_tmp.h"
#include "runner/resources/affinity.h"
#include "runner/run/engine.h"
#include "runner/run/report.h"
#include "runner/schedule/partitions.h"
#include "runner/schedule/scheduler.h"

/* Limits starts by the time of day and the load of the machine. */
struct start_throttle {
	/* Whether the time for starts is over. */
	bool (*is_over)(struct start_throttle *t);
	/* Called once when it is over, after the test that ended then. */
	void (*closes)(struct start_throttle *t);
	/* Called before a look at what may start, which may start several tests. Returns
	 * how many processor slots may be in use, SIZE_MAX for no limit. */
	size_t (*usable_slots)(struct start_throttle *t, const struct scheduler *s);
	/* Nothing can start: returns the time until the next look, NO_TIMEOUT when
	 * something has to end first. */
	uint64_t (*pause_ns)(struct start_throttle *t, const struct scheduler *s);
	bool looks; /* of the run: what may start is to be asked again */
};

struct control;
struct output_tags;

/* The test that makes the pool, for tests that all wait for it. */
struct pool_maker {
	node_id node;
	/* An attempt of the test has ended. false: it made no pool, and therefore
	 * fails. */
	bool (*look)(struct pool_maker *m);
	/* Reports what look has found. */
	void (*say)(struct pool_maker *m);
	bool is_made; /* set by the last look that returned true */
};

struct run {
	struct arena *arena;
	const struct selection *selection;
	const struct plan *plan;
	struct scheduler *scheduler;
	struct engine_opener engine;
	/* The engine's nodes are those of the scheduler's pool, so many, and come when
	 * the run has begun; 0: tests run on any of the engine's nodes. */
	size_t awaited_nodes;
	struct private_tmp *private_tmp; /* NULL: launches have no temporary directory */
	struct affinity *affinity; /* NULL: the engine chooses processors */
	struct job_server *job_server; /* NULL: tests need no token; closed at the end */
	const struct output_tags *tags; /* that tests print */
	struct str scratch_directory; /* for output beyond the ceiling */
	const struct preparer *preparer;
	struct report **reports;
	size_t reports_n;
	struct repeat repeat;
	bool leak_report; /* say which processes of tests are still there at the end */
	bool hang_report; /* say what a test does at its limit */
	bool flaky_fails; /* a flaky test fails the run */
	bool stop_on_failure;
	/* A refused test stops the run too; else only a test that ran and failed. */
	bool stop_on_refusal;
	/* EVENT_SLOW tells of an attempt that has run for so long, and each time that it
	 * has run for as long again; 0: never. */
	uint64_t slow_after_ns;
	struct start_throttle *throttle; /* NULL: only the scheduler decides */
	struct pool_maker *maker; /* NULL: the pool is complete from the start */
	struct partitions *partitions; /* NULL: there are none */
	/* The answer to tests that ask for leases where the scheduler has no pool. */
	const char *no_resources;
	struct control *control; /* NULL: no one looks into the run */
	struct host_share *host; /* NULL: other runs do not matter; closed at the end */
	size_t finished_n; /* nodes that an earlier run has finished, for the count */
};

/* To all reports. */
void run_send(const struct run *r, const struct event *e);
/* Something has changed, so that more tests may start. */
void run_look_again(const struct run *r);

#endif

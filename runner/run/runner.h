/*
 * A run that goes on, for those who look into it from outside: what runs, what waits and
 * why. What they ask takes effect between two events of the run.
 */
#ifndef CCTR_RUNNER_RUN_RUNNER_H
#define CCTR_RUNNER_RUN_RUNNER_H

#include "runner/lease/lease.h"
#include "runner/model/model.h"
#include "runner/run/report.h"
#include "runner/schedule/blocker.h"
#include "runner/schedule/plan.h"

struct runner;
struct loop;
struct partitions;

/* Answers others while a run goes on. */
struct control {
	/* The run begins; its loop may watch descriptors. */
	void (*begin)(struct control *c, struct runner *r, struct loop *l);
	/* No attempt of the test follows. */
	void (*ended)(struct control *c, node_id node);
	/* Requests for leases that were pending have ended. */
	void (*leased)(struct control *c);
	/* Partitions have other states. */
	void (*parted)(struct control *c);
	/* As talk() of struct engine_listener; the answer is by runner_tell. */
	void (*talk)(struct control *c, node_id node, uint64_t talk, struct str text);
	/* No test runs any more. */
	void (*end)(struct control *c);
};

struct runner_counts {
	size_t tests, ended, passed, failed;
	bool is_paused;
};
struct runner_counts runner_count(const struct runner *r);

enum test_stage {
	TEST_WAITS,
	TEST_RUNS,
	TEST_ENDED,
};
struct test_state {
	enum test_stage stage;
	const struct attempt *attempt; /* of TEST_RUNS, else NULL */
	uint64_t started_ns; /* of TEST_RUNS, loop_now_ns */
	uint64_t began_ns; /* of TEST_RUNS: of the attempt, whatever its limit counts from
			    */
	uint64_t limit_ns; /* of TEST_RUNS: when its limit is over; LOOP_FOREVER */
	const struct result *result; /* of TEST_ENDED */
};
struct test_state runner_test(const struct runner *r, node_id node);
/* The next test that runs; *at is 0 at first. MAP_NONE: that was the last one. */
node_id runner_next(const struct runner *r, size_t *at);
/* The test of that name, or else of that number; MAP_NONE: the run has none. */
node_id runner_find(const struct runner *r, struct str name);
/* Of a test that waits. */
struct blocker runner_blocker(const struct runner *r, node_id node);
const struct node *runner_node(const struct runner *r, node_id node);
/* The end of what the running test has written so far, at most n bytes. */
struct str runner_tail(const struct runner *r, struct arena *a, node_id node, size_t n);

/* NULL: there are none. *seconds: how long the run goes on. */
const struct partitions *runner_partitions(const struct runner *r, double *seconds);
/* What is asked of the partitions. */
struct runner_change {
	struct str_list stop, start; /* as of `cctr ctl reconfig` */
	bool is_now; /* what runs in those that stop starts again elsewhere */
	bool is_off; /* the change that has been accepted does not happen */
};
enum runner_changed {
	RUNNER_CHANGED, /* now, or when nothing runs in the partitions that stop */
	RUNNER_CHANGES_OTHERWISE, /* another change waits for partitions that stop */
	RUNNER_REFUSES, /* after a diag_error: see partitions_change */
};
/* There are partitions. */
CCTR_MUST_CHECK enum runner_changed runner_change_partitions(
	struct runner *r, const struct runner_change *c, struct diag *d);
/* Whether the partition of the running test is to stop. */
bool runner_is_stopping(const struct runner *r, node_id node);

/* Nothing starts until the run goes on. */
void runner_pause(struct runner *r, bool is_paused);
/* A test that runs is ended as at its limit, and has failed; a test that waits does not
 * start, and has not run. false: it has ended. */
bool runner_cancel(struct runner *r, node_id node);
/* The attempt that runs is ended as by runner_cancel, and another one follows. It does
 * not count among the repetitions. A test that has ended waits again, as if it had not.
 * NULL, or why neither is possible, as a phrase in the arena. */
const char *runner_retry(struct runner *r, struct arena *a, node_id node);
/* As runner_cancel, for all tests that wait. */
void runner_cancel_waiting(struct runner *r);
/* The limit of the running test is over that much later, or earlier. false: the test does
 * not run, or is being ended, or has no limit. */
bool runner_move_limit(struct runner *r, node_id node, double seconds);

/* As tell() of struct engine_type, for a process that talks. */
void runner_tell(struct runner *r, uint64_t talk, struct str text);
/* The test that runs on this machine and has started the process; MAP_NONE: none. */
node_id runner_owner(const struct runner *r, int pid);
/* What the running test may ask, until the next event of the run. NULL: nothing, *why is
 * a phrase. runner_leases_changed follows each request. */
struct leases *runner_leases(struct runner *r, node_id node, const char **why);
void runner_leases_changed(struct runner *r);
/* What tests have asked for so far; NULL: nothing. */
struct leases *runner_all_leases(struct runner *r);

/* ---- for the loop of the run ---- */

struct engine;
struct live_set;
struct results;
struct run;

struct runner *runner_new(const struct run *run, uint64_t began_ns, struct engine *e,
	struct live_set *l, struct results *o);
/* Since the run has begun. */
double runner_seconds(const struct runner *r);
/* Somebody asked that the test does not start. */
bool runner_is_canceled(const struct runner *r, node_id node);
/* A test does not run any more: where none does in the partitions that stop, the others
 * begin. */
void runner_settle(struct runner *r);
/* Tells those who wait for leases. */
void runner_report_leases(struct runner *r);
/* It is not known any more what other runs hold, or they do not know what this one holds:
 * no test starts that has not. */
void runner_lose_host(struct runner *r);

#endif

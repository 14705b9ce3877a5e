/*
 * Decides what starts next. No clock, no process, no output: the same code runs real
 * tests and tests in simulated time.
 *
 * Rule (ctest's): of the tests whose dependencies have ended, the one with the lowest
 * rank that fits now. Ready tests are queued by request class; of those that need as many
 * slots only the best is looked at, and a test that did not fit is not tried again before
 * some of what it waits for came back. So an event costs O(queues that could start), not
 * O(tests).
 *
 * With a plan by pressure the best tests that do not fit have reservations, and others
 * are backfilled: see backfill.c.
 *
 * A test that ends before the next scheduler_next was refused: it never ran. What waited
 * for it and has a lower rank than it starts when the next test that did run has ended,
 * as in ctest, whose walk over its list goes on after a refused test.
 */
#ifndef CCTR_RUNNER_SCHEDULE_SCHEDULER_H
#define CCTR_RUNNER_SCHEDULE_SCHEDULER_H

#include "runner/resources/node_limits.h"
#include "runner/schedule/blocker.h"

enum action_kind {
	ACT_START, /* node, with its grant */
	ACT_WAIT, /* something must end first, or more slots become usable */
	ACT_DONE, /* nothing is pending, nothing runs */
};
struct action {
	enum action_kind kind;
	node_id node;
	/* Of ACT_START: likely to start before long, MAP_NONE: not known. Who keeps much
	 * of each node can have it fetched by then. */
	node_id soon;
	/* Of ACT_START; NULL without resource groups or pool. Valid until the node ended.
	 */
	const struct grant *grant;
	uint32_t pool_node; /* of ACT_START: where the grant is; MAP_NONE: anywhere */
	bool fits_nowhere; /* of ACT_START: the whole pool is too small for it */
	bool lacks_node; /* of ACT_START: ... because nodes of the pool are gone */
	size_t processors; /* of ACT_START: so many to itself; 0: it is not pinned */
	const struct scheduler_part *part; /* of ACT_START; NULL: there are none */
};

struct scheduler;
struct scheduler *scheduler_new(
	struct arena *a, const struct plan *p, const struct scheduler_options *o);
/* usable_slots: how many processor slots may be in use at most now (test load); SIZE_MAX
 * for no such limit. */
struct action scheduler_next(struct scheduler *s, size_t usable_slots);
/* The test that scheduler_next gave last runs: its end is no refusal, however soon it
 * comes. */
void scheduler_runs(struct scheduler *s);
/* The node's last attempt ended; its slots, locks and grant come back. */
void scheduler_ended(struct scheduler *s, node_id node);
/* The running test has not ended, but waits again, and gives all back: its node was
 * lost. */
void scheduler_again(struct scheduler *s, node_id node);
/* Why a test that has ended cannot start again: this one, which depends on it, has
 * started already. MAP_NONE: it can. */
node_id scheduler_started_user(const struct scheduler *s, node_id node);
/* The test, which has ended, waits again. Those that depend on it have not started, and
 * wait for it. */
void scheduler_retry(struct scheduler *s, node_id node);
/* The instances of the type on the node get these names: pool_name_instances. */
void scheduler_name_instances(
	struct scheduler *s, uint32_t pool_node, struct str type, struct str_list ids);
/* What tests hold some of; NULL: nothing. */
const struct pool *scheduler_pool(const struct scheduler *s);
/* Before the node comes. true: it has less than the pool was told, and these limits are
 * new: node_limits_set. */
bool scheduler_limit_node(
	struct scheduler *s, uint32_t pool_node, const struct node_limits *l);
/* A node of the pool has come, may come again, or will not. */
void scheduler_set_presence(
	struct scheduler *s, uint32_t pool_node, enum pool_presence presence);
/* Other runs on this machine hold so much of the instances of the type now; of a divided
 * pool: of those of the whole one. */
void scheduler_set_others(struct scheduler *s, uint32_t type, const uint64_t *slots);
/* Of the ready tests that would fit if other runs held nothing, the best: what it
 * requests of the pool. NULL: there is none. It may look at some of the best only. */
const struct request_class *scheduler_wanted(struct scheduler *s);
/* What the running test requests of the pool. */
const struct request_class *scheduler_request(const struct scheduler *s, node_id node);
/* The pool that was awaited has its instances now, or there is none after all. classes of
 * the options was NULL. */
void scheduler_pool_is_known(struct scheduler *s, bool is_there);
/* The parts of the options, and with them the divided pool, have changed, and so has
 * which part tests are of that do not run. Parts that are gone run nothing, and the
 * others are as before. What this allocates stays until the run ends. */
void scheduler_parts_changed(struct scheduler *s);
/* How many tests of the part run. Asked only where there are parts. */
size_t scheduler_part_running(const struct scheduler *s, uint32_t part);
/* Sets, by node, enum node_life. */
void scheduler_lives(const struct scheduler *s, unsigned char *life);
bool scheduler_is_stopped(const struct scheduler *s);
/* Nothing new starts from now on (stop on failure, stop time, interrupt). */
void scheduler_stop(struct scheduler *s);
/* What time it is, from any start. Only a plan by pressure asks for it, and only then
 * does a test that does not fit get a reservation: see runner/schedule/reservation.h. */
void scheduler_time(struct scheduler *s, double now_s);
/* Why a test has not started; changes nothing. */
struct blocker scheduler_blocker(const struct scheduler *s, node_id node);
/* What the running test holds of the pool; NULL: nothing. */
const struct grant *scheduler_grant(const struct scheduler *s, node_id node);
/* The running test asks for a lease, or changes one. NULL: the reason why there are none,
 * else what to ask; scheduler_leases_changed follows. */
struct leases *scheduler_leases(struct scheduler *s, node_id node, const char **why);
/* What tests have asked for so far; NULL: nothing. */
struct leases *scheduler_all_leases(const struct scheduler *s);
/* Whether there may be any. */
bool scheduler_can_lease(const struct scheduler *s);
/* What other runs hold is known until scheduler_close_leases. */
void scheduler_open_leases(struct scheduler *s);
void scheduler_close_leases(struct scheduler *s);
/* Tests may start on what came back. Whether pending requests have ended since the last
 * call, for whatever reason. */
bool scheduler_leases_changed(struct scheduler *s);
/* At the end of an attempt that another one follows: ends the leases of the test. false:
 * the test has released or lent some of its grant: leases_end. */
bool scheduler_end_leases(struct scheduler *s, node_id node);
size_t scheduler_running(const struct scheduler *s);
/* Tests that have not started. */
size_t scheduler_pending(const struct scheduler *s);
/* Processor slots that running tests hold. */
size_t scheduler_slots_used(const struct scheduler *s);

/* Why nothing starts although processor slots are free. */
enum load_wait_kind { WAIT_NOT_FOR_LOAD, WAIT_SERIAL_RUNS, WAIT_ONLY_SERIAL, WAIT_LOAD };
struct load_wait {
	enum load_wait_kind kind;
	/* Of WAIT_LOAD, and of WAIT_ONLY_SERIAL if a test is ready: the first ready test
	 * in the order, and the fewest slots that a ready test needs. */
	node_id first;
	size_t first_slots, least_slots;
};
/* With room for "usable" more slots as the load allows it. WAIT_NOT_FOR_LOAD: something
 * has to end first, whatever the load. */
struct load_wait scheduler_look(const struct scheduler *s, size_t usable);
/* The last test in the order that waits for nothing else and needs so many slots. Looks
 * at all tests. */
node_id scheduler_last_of(const struct scheduler *s, size_t slots);

#endif

/*
 * The tests that run. The attempts of a test share one struct live, and its arenas are
 * used again for the next test, so that memory does not grow with the number of tests.
 */
#ifndef CCTR_RUNNER_RUN_LIVE_H
#define CCTR_RUNNER_RUN_LIVE_H

#include "runner/run/results.h"
#include "runner/run/run_output.h"
#include "runner/run/run_parts.h"

/* Whether somebody has asked that the attempt ends. Each attempt begins as LIVE_GOES_ON.
 * `cancel` makes every state LIVE_CANCELED; `retry` makes every state but LIVE_MOVED
 * LIVE_RETRIED; a partition that stops makes every state but LIVE_CANCELED LIVE_MOVED. */
enum live_stop {
	LIVE_GOES_ON,
	LIVE_CANCELED, /* the test fails, and no other attempt follows */
	LIVE_RETRIED, /* another attempt follows, and this one does not count */
	LIVE_MOVED, /* as LIVE_RETRIED, but first the test waits until it has all again */
};

struct live {
	struct attempt attempt;
	uint32_t on_node; /* of the launch */
	bool lacks_node; /* nodes are gone, and the rest is too small for the test */
	unsigned losses; /* of nodes on which the attempt ran */
	struct str lost, why; /* of the last loss */
	bool waits_again; /* for the scheduler, since its node was lost */
	/* When the attempt began, since when its limit counts, and when it is over. */
	uint64_t began_ns, started_ns, limit_ns;
	uint64_t timeout_ns; /* of the launch, with what was added to it since */
	enum live_stop stop;
	struct arena *attempt_arena, *test_arena;
	struct arena_mark attempt_mark, test_mark;
	struct preparation preparation;
	struct launch launch;
	struct refusal refusal;
	struct run_output output;
	struct live *next_free;
};

struct live_set;
/* A test whose result was withdrawn goes on from its earlier attempts. */
struct live_set *live_open(const struct run *run, const struct results *results);
/* For a node that the scheduler has chosen. The attempt of a test that waited again is no
 * longer counted: it will be when it begins. */
struct live *live_take(struct live_set *s, const struct action *start);
void live_unpin(struct live_set *s, struct live *l);
void live_return(struct live_set *s, struct live *l);
/* NULL: the test has not started, or has ended. */
struct live *live_at(const struct live_set *s, node_id node);
/* NULL: no attempt of the test runs. */
struct live *live_running(const struct live_set *s, node_id node);
/* The next one; *at is 0 at first. NULL: that was the last one. */
struct live *live_next(const struct live_set *s, size_t *at);
/* How many there have been at a time. */
size_t live_most(const struct live_set *s);
/* The test that the scheduler has chosen, but without a token yet, or what the preparer
 * needs. NULL: none. */
struct live *live_chosen(const struct live_set *s);
void live_choose(struct live_set *s, struct live *l);
/* One more attempt begins, or waits again. */
void live_count_attempt(struct live *l);
/* It does not start. */
node_id live_drop_chosen(struct live_set *s);
void live_close(struct live_set *s);

#endif

/*
 * Records, while a plan runs in real or simulated time, when every test started and
 * ended, and what some chosen tests waited for before they started.
 *
 * The caller reports what has happened. Recording does not change what runs. Whenever
 * nothing more starts, the watch finds out for each chosen test that waits why it does.
 */
#ifndef CCTR_RUNNER_SCHEDULE_WATCH_H
#define CCTR_RUNNER_SCHEDULE_WATCH_H

#include "runner/schedule/scheduler.h"

enum { HOLDERS_SHOWN = 4 };
/* A running test that has some of what is waited for. */
struct wait_holder {
	node_id node;
	uint64_t amount; /* of the resource; 0: of something else */
};
struct wait {
	struct blocker why; /* as it was when the wait began */
	double from_s, to_s;
	struct wait_holder holders[HOLDERS_SHOWN]; /* by node */
	size_t holders_n; /* may be more than are in holders */
	size_t passed; /* tests that started meanwhile, before what ended it */
};

struct watched {
	node_id node;
	VEC(struct wait) waits; /* the last one is open while is_waiting */
	bool is_waiting;
	size_t next; /* of its dependencies: those before it have ended */
};
/* Of a test that did not start, or not end. */
#define NEVER_S (-1.0)
struct watch {
	struct arena *a;
	const struct plan *plan;
	struct watched *v;
	size_t n;
	double *started_s, *ended_s; /* by node */
	double now_s; /* of the last that was said */

	const struct scheduler *scheduler;
	double clock_s; /* of scheduler_time, when the watch says 0 */
	size_t starts, starts_before; /* so far; when nothing more started last */
	VEC(node_id) running;
	uint32_t *at; /* by node: its place in running */
};

struct watch *watch_new(
	struct arena *a, const struct plan *p, const node_id *nodes, size_t n);
/* Before anything starts; finished: nodes taken as done, or NULL. */
void watch_begin(
	struct watch *w, const struct scheduler *s, const bool *finished, double clock_s);
void watch_started(struct watch *w, node_id node, double now_s);
void watch_ended(struct watch *w, node_id node, double now_s);
/* Nothing more starts before something ends. */
void watch_settled(struct watch *w, double now_s);
/* What still waits does so until now. */
void watch_finish(struct watch *w, double now_s);

#endif

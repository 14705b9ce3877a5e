/*
 * Which running tests are due to be called slow. All entries wait for the same time, so
 * that the one that was added first is due first.
 */
#ifndef CCTR_RUNNER_RUN_SLOW_WATCH_H
#define CCTR_RUNNER_RUN_SLOW_WATCH_H

#include "runner/schedule/plan.h"

struct slow_entry {
	node_id node;
	uint64_t began_ns; /* of the attempt */
	uint64_t due_ns;
};
struct slow_watch {
	struct arena *arena;
	uint64_t after_ns; /* 0: nothing is ever due */
	VEC(struct slow_entry) v; /* from first on, by due_ns */
	size_t first;
};

/* The attempt has begun, or was called slow, at now_ns. */
void slow_watch_add(
	struct slow_watch *w, node_id node, uint64_t began_ns, uint64_t now_ns);
/* When the next entry is due; UINT64_MAX: there is none. */
uint64_t slow_watch_due(const struct slow_watch *w);
/* Takes out the next entry that is due; false: none is. The test may have ended. */
bool slow_watch_next(struct slow_watch *w, uint64_t now_ns, struct slow_entry *e);

#endif

/* Why a test waits; found in time that is linear in what the test needs. */
#ifndef CCTR_RUNNER_SCHEDULE_BLOCKER_H
#define CCTR_RUNNER_SCHEDULE_BLOCKER_H

#include "runner/schedule/allocation.h"

enum blocker_kind {
	BLOCKED_NOT, /* it runs, or has ended */
	BLOCKED_BY_DEPENDENCY, /* on node, the first of them */
	BLOCKED_BY_PARTITION, /* name is its partition, in which nothing starts now */
	BLOCKED_BY_SLOTS, /* too few processor slots are free, in all or of its partition
			   */
	BLOCKED_BY_PROCESSORS, /* too few that it could have to itself */
	BLOCKED_BY_OTHERS, /* RUN_SERIAL, and something runs */
	BLOCKED_BY_SERIAL, /* node is RUN_SERIAL, and runs */
	BLOCKED_BY_LOCK, /* name, which node holds */
	BLOCKED_BY_RESOURCE, /* name is a type of which too little is free */
	BLOCKED_BY_LEASE, /* name is a type that is kept for a lease of node */
	BLOCKED_BY_RESERVATION, /* it would delay node, which goes before it */
	BLOCKED_BY_RANK, /* it fits, others come first */
	BLOCKED_BY_LOAD, /* enough slots are free, but too few usable */
	BLOCKED_BY_STOP, /* nothing starts any more */
};
struct blocker {
	enum blocker_kind kind;
	node_id node; /* MAP_NONE: none */
	struct str name;
	double until_s; /* of a reservation; 0: not known */
	/* Of slots, processors, load and resources: how much is wanted, how much is free.
	 * Of a resource: of its type, on the instance with most left where a piece is too
	 * large for any, else (MAP_NONE) in all. */
	uint64_t wanted, is_free;
	uint32_t type, instance;
};
/* What a test of the class, which is ready, cannot have now; BLOCKED_NOT: it fits.
 * usable: how many slots may be in use as the load allows it. */
struct blocker blocked_by_need(const struct plan *p, const struct scheduler_options *o,
	const struct allocation *al, const struct request_class *class, size_t usable);

#endif

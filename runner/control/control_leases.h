/*
 * Requests for leases: a running test asks, through any of its processes, for more
 * resources, and gives back and lends what it holds. Help/manual/cctr-control.7.rst.
 */
#ifndef CCTR_RUNNER_CONTROL_CONTROL_LEASES_H
#define CCTR_RUNNER_CONTROL_CONTROL_LEASES_H

#include "runner/control/control_requests.h"
#include "runner/run/runner.h"

/* The attempt that asks. */
struct lease_asker {
	node_id node; /* MAP_NONE: not known yet */
	uint64_t started_ns;
};
/* What an answer that is not there yet waits for. */
struct lease_wait {
	char id[LEASE_ID_MOST + 1];
	bool is_request; /* the request itself, which ends with its client */
	bool is_short; /* only until it has been tried */
};

/* Finds out to which test the process belongs. false: *why is a phrase. */
bool lease_asker_find(
	struct lease_asker *asker, const struct runner *r, int pid, const char **why);
/* Does what is asked, and adds the answer. false: there is none yet. */
bool control_lease_answer(struct buf *b, struct runner *r,
	const struct lease_asker *asker, const struct control_request *q,
	struct lease_wait *wait);
/* Whether the request that is waited for has ended; adds the answer then. */
bool control_lease_ended(struct buf *b, struct runner *r, const struct lease_asker *asker,
	const struct lease_wait *wait);
/* The client has gone. */
void control_lease_leave(
	struct runner *r, const struct lease_asker *asker, const struct lease_wait *wait);
/* Ends leases whose time is over. When the next one ends, on the clock of the loop; 0:
 * none. */
uint64_t control_lease_expire(struct runner *r);

#endif

/* --simulate: the run in invented time, told as text. */
#ifndef CCTR_COMPAT_RUN_SIMULATE_H
#define CCTR_COMPAT_RUN_SIMULATE_H

#include "runner/schedule/simulation.h"

struct simulate_request {
	const struct plan *plan;
	const struct recorded *recorded; /* n of the selection */
	struct scheduler_options scheduler; /* of the run that is not made */
};
void simulate(struct buf *out, const struct simulate_request *r);

/* How long each test is taken to run, by node; a disabled one takes no time. */
double *durations_of(
	struct arena *a, const struct plan *p, const struct recorded *recorded);
/* A copy with the times of the JSON file; NULL: see d. */
const struct recorded *simulate_recorded(struct arena *a, struct str file,
	const struct selection *s, const struct recorded *from, struct diag *d);
/* {"name": seconds, ...}. 0 is a time that is not known; names that no test has are let
 * be, tests that share a name share its time. */
CCTR_MUST_CHECK bool simulate_read(struct arena *a, struct place at, struct str text,
	const struct selection *s, struct recorded *into, struct diag *d);

#endif

/* --simulate: runs in simulated time, and prints the result. */
#ifndef CCTR_COMPAT_RUN_SIMULATE_H
#define CCTR_COMPAT_RUN_SIMULATE_H

#include "compat/report/explain_json.h"
#include "runner/schedule/simulation.h"

struct simulate_request {
	const struct plan *plan;
	const struct recorded *recorded; /* one entry for each selected test */
	struct scheduler_options scheduler; /* of the run that is simulated */
};
/* Prints it to out, and adds it to the explanation. */
void simulate(struct buf *out, struct explanation *e, const struct simulate_request *r);

/* The assumed duration of each test, by node; one that is disabled, or could not start in
 * the last run, takes no time. *guesses: how many have the time of other tests. */
double *durations_of(struct arena *a, const struct plan *p,
	const struct recorded *recorded, size_t *guesses);
struct simulated_times {
	struct str file; /* runner/run/timings.h */
	struct str configuration;
};
/* A copy of the records with the times of the file. NULL: see d. */
const struct recorded *simulate_recorded(struct arena *a, const struct simulated_times *o,
	const struct selection *s, const struct recorded *from, struct diag *d);

#endif

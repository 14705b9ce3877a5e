/*
 * Runs a plan in simulated time: the real scheduler, no processes, and every test takes
 * as long as the caller says.
 */
#ifndef CCTR_RUNNER_SCHEDULE_SIMULATION_H
#define CCTR_RUNNER_SCHEDULE_SIMULATION_H

#include "runner/schedule/watch.h"

struct simulation_options {
	struct scheduler_options scheduler;
	const double *duration_s; /* by node; 0: ends at once */
	bool without_bounds;
	double *started_s; /* by node, filled in; or NULL */
	/* By node, filled in: those of the pool where it started; or NULL. */
	struct pool_nodes *places;
	struct watch *watch; /* records what happens; or NULL */
};
/* No run can be shorter than seconds, because of name. */
struct simulation_bound {
	struct str name;
	double seconds;
	uint32_t type; /* of a resource; MAP_NONE: of something else */
};
struct simulation {
	size_t tests, refused; /* refused: the pool is too small for them */
	double makespan_s;
	double work_s; /* time by slots, RUN_SERIAL by all of them */
	double utilisation; /* of the slots over the makespan, 0 to 1 */
	/* Work, critical path, the busiest lock, then each resource type. */
	struct simulation_bound *bounds;
	size_t bounds_n;
	double lower_bound_s; /* the largest */
	uint32_t lower_bound; /* its index */
};

/* The pool is as it was afterwards. */
struct simulation simulation_run(
	struct arena *a, const struct plan *p, const struct simulation_options *o);

#endif

/* Options of a run, for the scheduler and the request classes. */
#ifndef CCTR_RUNNER_SCHEDULE_SCHEDULER_OPTIONS_H
#define CCTR_RUNNER_SCHEDULE_SCHEDULER_OPTIONS_H

#include "runner/resources/pool.h"
#include "runner/schedule/plan.h"

struct request_classes;

enum node_life { LIFE_PENDING, LIFE_RUNS, LIFE_ENDED };

/* Tests that run beside others with processors, and where there is a pool, a partition
 * of their own. */
struct scheduler_part {
	struct str name;
	uint32_t number; /* its place among the parts */
	size_t parallel; /* processor slots; PROCESSORS is capped to it, too */
	bool is_closed; /* no test may start in it now */
};
struct scheduler_parts {
	struct scheduler_part *v; /* by partition */
	size_t n;
	uint32_t *of; /* by node */
};

struct scheduler_options {
	size_t parallel; /* processor slots; PROCESSORS is capped to it */
	/* NULL: RESOURCE_GROUPS are not enforced. One that is awaited must be there
	 * before any test that asks for some of it waits for nothing else. */
	struct pool *pool;
	/* Processors that tests with PROCESSOR_AFFINITY have to themselves; such a test
	 * asks for no more than these, and waits for them. 0: not known. */
	size_t affinity_cpus;
	bool pins_all; /* the other tests too, where so many are free when they start */
	/* Without a pool tests with RESOURCE_GROUPS run one at a time. */
	bool one_with_groups;
	const bool *finished; /* nodes taken as done (resumed run), or NULL */
	/* After a refused test start from the top at once (newer ctest), without waiting
	 * for a test that did run. */
	bool rewalk_after_refusal;
	struct scheduler_parts *parts; /* NULL: all tests are of one */
	/* Of this plan and these options; or NULL. */
	const struct request_classes *classes;
};

#endif

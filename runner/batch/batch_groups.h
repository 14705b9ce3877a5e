/*
 * Which tests may run in one process: those that run a case each of the same program, in
 * the same way in all else.
 */
#ifndef CCTR_RUNNER_BATCH_BATCH_GROUPS_H
#define CCTR_RUNNER_BATCH_BATCH_GROUPS_H

#include "runner/batch/framework.h"
#include "runner/model/select.h"

enum batch_state {
	BATCH_WAITS, /* no process has run it yet */
	BATCH_RUNS, /* a process for several is at it */
	BATCH_PROVEN, /* it has passed there */
	BATCH_ALONE /* it runs in a process of its own, or has done so */
};
struct batch_test {
	uint32_t node; /* index into the selection */
	struct batch_group *group;
	struct batch_case choice;
	size_t words; /* of its command */
	enum batch_state state;
};
struct batch_group {
	const struct framework *framework;
	struct batch_test *v; /* in the order of the plan */
	size_t n;
	size_t first; /* none before it waits */
	size_t most, most_ever; /* so many in one process */
	unsigned failures; /* processes in a row that failed for no known reason */
	bool is_checked; /* whether it is the program of the framework is known */
};
struct batch_groups {
	struct batch_test **by_node; /* NULL: it runs alone, like any test */
	size_t n;
};

struct batch_options {
	const struct selection *selection;
	const uint32_t *order; /* of the selection, as they start; as many */
	const bool *finished; /* by node: it does not start; NULL: all do */
	size_t parallel; /* so many processes at a time */
	/* By node: tests with different numbers run apart; NULL: all are the same. */
	const uint32_t *apart;
};
/* Groups of at least two tests. */
struct batch_groups batch_groups_build(struct arena *a, const struct batch_options *o);
/* The next test of the group that waits; NULL: none. */
struct batch_test *batch_group_next(struct batch_group *g);

/* What a process for several tests has left. */
struct batch_end {
	bool is_good; /* it ended as one in which all passed */
	const struct batch_report *report; /* NULL: none, or it is not whole */
	struct str last_begun; /* or STR_NONE */
};
/* The process of these n tests has ended: sets their states, unless a test has begun to
 * run alone meanwhile. cases: room for n; of each test that is proven now it gets the
 * report. Only a process that is good proves anything. Of another one the tests that are
 * likely the reason run alone next, and the others together again. */
void batch_group_settle(struct batch_group *g, struct batch_test *const *v, size_t n,
	const struct batch_end *end, struct case_report *cases);

#endif

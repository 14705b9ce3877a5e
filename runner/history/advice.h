/*
 * What the attempts in a history suggest that tests should declare: their limit, the
 * processors and the memory that they use, and which of them should start first. A pure
 * function: the same attempts give the same advice.
 */
#ifndef CCTR_RUNNER_HISTORY_ADVICE_H
#define CCTR_RUNNER_HISTORY_ADVICE_H

#include "runner/history/history.h"
#include "runner/model/select.h"

enum {
	ADVICE_ATTEMPTS_LEAST = 5, /* passed ones, or nothing is said of a test */
	ADVICE_ATTEMPTS_MOST = 50 /* the latest count */
};

enum advice_kind { ADVICE_LIMIT, ADVICE_PROCESSORS, ADVICE_MEMORY, ADVICE_COST };
struct advice {
	enum advice_kind kind;
	size_t test; /* index of the selection */
	double value; /* to declare: seconds, processors, MiB, seconds */
	double measured; /* from which that follows, in the same unit */
	double declared; /* what holds now; 0: nothing */
	size_t attempts; /* that passed */
};
struct advice_options {
	size_t slots; /* processors that tests may use at a time */
	uint64_t memory_bytes; /* of the machine; 0: not known */
	double default_limit_s; /* of tests that declare none; 0: no limit */
};
struct advice_list {
	VEC(struct advice) v; /* by kind, then by the index of the test */
	size_t unknown; /* tests with fewer attempts, without those that are disabled */
	/* The run in simulated time, in ctest's order without records of earlier runs: as
	 * it is, and with the COST of v; 0: nothing was simulated. */
	double makespan_s, makespan_with_cost_s;
};

/* content: of the tests of the selection. */
struct advice_list advice_of(struct arena *a, const struct selection *s,
	const struct history_content *content, const struct advice_options *o);

#endif

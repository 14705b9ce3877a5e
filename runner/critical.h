/*
 * Which tests a run was waiting for: from a test back to the one that ended last before
 * it started, and so on to the beginning; and forth along what depends on it.
 */
#ifndef CCTR_RUNNER_CRITICAL_H
#define CCTR_RUNNER_CRITICAL_H

#include "runner/plan.h"

/* What a test had to wait for of the one before it. */
enum step_kind {
	STEP_FIRST, /* nothing ended before it */
	STEP_DEPENDENCY,
	STEP_LOCK, /* name */
	STEP_RESOURCE, /* a type, name */
	STEP_ALONE, /* RUN_SERIAL of one of them */
	STEP_SLOTS, /* processors, or its turn */
};
struct step {
	node_id node;
	enum step_kind kind;
	struct str name;
};
struct steps {
	VEC(struct step) v; /* in the order of their times */
	double seconds; /* that they ran */
};

/* Times by node, below 0: never. */
struct times {
	const double *started_s, *ended_s;
};
/* All tests by the time they ended; for critical_path. */
struct ends {
	struct times times;
	node_id *v;
	size_t n;
};
struct ends ends_of(struct arena *a, const struct plan *p, struct times t);
/* The test must have ended. */
struct steps critical_path(
	struct arena *a, const struct plan *p, const struct ends *e, node_id through);

#endif

/*
 * The critical path through a test: back to the test that ended last before it started,
 * and so on to the beginning of the run; and forward along the tests that depend on it.
 */
#ifndef CCTR_RUNNER_SCHEDULE_CRITICAL_H
#define CCTR_RUNNER_SCHEDULE_CRITICAL_H

#include "runner/schedule/scheduler.h"

/* What a test had to wait for of the one before it. */
enum step_kind {
	STEP_FIRST, /* nothing ended before it */
	STEP_DEPENDENCY,
	STEP_LOCK, /* name */
	STEP_ALONE, /* RUN_SERIAL of one of them */
	STEP_RESOURCE, /* a type, name; enough processors were free */
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
/* A time, and how many slots have been taken, or given back, until then. */
struct slot_event {
	double at_s;
	node_id node;
	size_t slots;
};
/* All that happened, for critical_path. */
struct course {
	struct times times;
	const struct scheduler_options *o;
	struct slot_event *starts, *ends; /* by time, of tests that took any */
	size_t n;
};
struct course course_of(struct arena *a, const struct plan *p,
	const struct scheduler_options *o, struct times t);
/* The test must have ended. */
struct steps critical_path(
	struct arena *a, const struct plan *p, const struct course *c, node_id through);

#endif

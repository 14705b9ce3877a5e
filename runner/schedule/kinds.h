/*
 * What tests need, told apart: tests of one kind need exactly the same slots, locks and
 * resources, and so fit at the same times.
 */
#ifndef CCTR_RUNNER_SCHEDULE_KINDS_H
#define CCTR_RUNNER_SCHEDULE_KINDS_H

#include "runner/schedule/scheduler.h"

/* Of one resource type, over all groups of the test. */
struct kind_need {
	uint32_t type;
	uint64_t largest, total;
};
struct kind {
	size_t slots; /* processors */
	bool is_serial, fits_nowhere;
	bool needs_processors; /* as many as slots, to itself */
	uint32_t *locks; /* below kinds.locks_n */
	size_t locks_n;
	const struct resource_groups *groups; /* NULL: nothing of the pool */
	struct kind_need *needs;
	size_t needs_n;
	uint32_t shape; /* kinds that need the same of the pool; 0: nothing */
	uint32_t crowd; /* kinds that are nearly the same */
};
struct kinds {
	VEC(struct kind) v;
	uint32_t *of; /* by node */
	VEC(struct str) locks;
	size_t crowds_n, shapes_n;
};

/* Up to so many kinds are a crowd each; of more, those that differ only in amounts that
 * are the same when rounded up to three binary digits share one. */
enum { KINDS_APART = 64 };

/* The pool that was awaited is there; NULL: there is none, and groups ask for nothing. */
void kinds_settle(struct kinds *kinds, struct arena *scratch, const struct pool *p);
/* Processor slots that the test takes. */
size_t kind_slots(const struct scheduler_options *o, const struct test *t);
struct kinds *kinds_build(
	struct arena *a, const struct plan *p, const struct scheduler_options *o);

#endif

/*
 * Request classes: tests of one class request exactly the same slots, locks and
 * resources, and so fit at the same times.
 */
#ifndef CCTR_RUNNER_SCHEDULE_REQUEST_CLASS_H
#define CCTR_RUNNER_SCHEDULE_REQUEST_CLASS_H

#include "runner/schedule/scheduler_options.h"

/* Of one resource type, over all groups of the test. */
struct class_need {
	uint32_t type;
	uint64_t largest, total;
};
struct request_class {
	size_t slots; /* processors */
	bool is_serial, fits_nowhere;
	bool needs_processors; /* as many as slots, to itself */
	uint32_t *locks; /* below request_classes.locks.n */
	size_t locks_n;
	const struct resource_groups *groups; /* NULL: nothing of the pool */
	struct class_need *needs;
	size_t needs_n;
	uint32_t pool_request; /* equal: the same request to the pool; 0: none */
	uint32_t coarse; /* number of its coarse class */
};
struct request_classes {
	VEC(struct request_class) v;
	uint32_t *of; /* by node */
	VEC(struct str) locks;
	size_t coarse_n, pool_requests_n;
};

/* Up to so many classes are a coarse class each. Of more, those share a coarse class that
 * differ only in amounts that are equal when rounded up to three binary digits. */
enum { FINE_CLASSES_MOST = 64 };

/* The pool that was awaited is there; NULL: there is none, and groups ask for nothing. */
void request_classes_settle(
	struct request_classes *classes, struct arena *scratch, const struct pool *p);
/* Processor slots that the test takes. */
size_t request_slots(const struct scheduler_options *o, const struct test *t);
struct request_classes *request_classes_build(
	struct arena *a, const struct plan *p, const struct scheduler_options *o);

#endif

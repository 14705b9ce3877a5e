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
	uint32_t part;
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
	size_t types_n; /* of the pool */
	size_t coarse_n, pool_requests_n;
};

/* Whatever a test can wait for is a resource with a number: each lock, each type of the
 * pool, the types together (a node must have all that a test asks for), the processors,
 * and the idle machine. */
#define RESOURCE_NONE UINT32_MAX

static inline uint32_t
resource_of_type(const struct request_classes *c, uint32_t type)
{
	return (uint32_t)c->locks.n + type;
}

static inline uint32_t
resource_all_types(const struct request_classes *c)
{
	return resource_of_type(c, (uint32_t)c->types_n);
}

static inline uint32_t
resource_processors(const struct request_classes *c)
{
	return resource_all_types(c) + 1;
}

static inline uint32_t
resource_idle_machine(const struct request_classes *c)
{
	return resource_all_types(c) + 2;
}

static inline size_t
resources_n(const struct request_classes *c)
{
	return (size_t)resource_all_types(c) + 3;
}

static inline bool
resource_is_lock(const struct request_classes *c, uint32_t resource)
{
	return resource < c->locks.n;
}

static inline bool
resource_is_type(const struct request_classes *c, uint32_t resource)
{
	return !resource_is_lock(c, resource) && resource <= resource_all_types(c);
}

/* Up to so many classes are a coarse class each. Of more, those share a coarse class that
 * differ only in amounts that are equal when rounded up to three binary digits. */
enum { FINE_CLASSES_MOST = 64 };

/* The pool that was awaited is there; NULL: there is none, and groups ask for nothing. */
void request_classes_settle(
	struct request_classes *classes, struct arena *scratch, const struct pool *p);
/* The part that the test is of; 0 where there are none. */
static inline uint32_t
request_part(const struct scheduler_options *o, node_id node)
{
	return o->parts ? o->parts->of[node] : 0;
}

/* Processor slots that the test takes. */
size_t request_slots(
	const struct scheduler_options *o, const struct plan *p, node_id node);
struct request_classes *request_classes_build(
	struct arena *a, const struct plan *p, const struct scheduler_options *o);

#endif

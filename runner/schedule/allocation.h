/*
 * What running tests hold: processor slots, processors to themselves, locks, and their
 * grants from the pool.
 */
#ifndef CCTR_RUNNER_SCHEDULE_ALLOCATION_H
#define CCTR_RUNNER_SCHEDULE_ALLOCATION_H

#include "runner/lease/lease.h"
#include "runner/schedule/request_class.h"

struct allocation;
/* tests: how many there are. The options, with classes, are read as long as the result is
 * used. */
struct allocation *allocation_new(
	struct arena *a, size_t tests, const struct scheduler_options *o);

/* ---- taking and giving back ------------------------------------------------------ */

/* Takes locks and grant for the test of that class and rank. RESOURCE_NONE: it has them,
 * and there are enough processors. Else it has nothing, and waits for that resource. */
uint32_t allocation_take(
	struct allocation *al, const struct request_class *class, uint32_t rank);
/* Gives back what allocation_take took; the test has not started. */
void allocation_cancel(
	struct allocation *al, const struct request_class *class, uint32_t rank);
/* The test starts: slots and processors are taken. How many processors it has to itself;
 * 0: it is not pinned. */
size_t allocation_start(
	struct allocation *al, const struct request_class *class, uint32_t rank);
/* The test runs with what it has by another allocation of the same run. */
void allocation_follow(struct allocation *al, const struct allocation *old,
	const struct request_class *class, uint32_t rank);
/* The test has ended. was_refused: it never ran, so that what the pool refused to others
 * before is still refused. */
void allocation_end(struct allocation *al, const struct request_class *class,
	uint32_t rank, bool was_refused);

/* ---- what is held and what is free ----------------------------------------------- */

/* What running tests use. */
struct usage {
	size_t running, slots;
	bool serial_runs;
};
/* Always up to date. */
const struct usage *allocation_usage(const struct allocation *al);
/* How many slots of its own the part has left. Asked only where there are parts. */
size_t allocation_part_room(const struct allocation *al, uint32_t part);
/* How many of its tests run. Asked only where there are parts. */
size_t allocation_part_running(const struct allocation *al, uint32_t part);
/* usable: how many slots may be in use at most. */
size_t allocation_free_slots(const struct allocation *al, size_t usable);
size_t allocation_free_processors(const struct allocation *al);
/* NULL: the test holds nothing of the pool. */
struct grant *allocation_grant(const struct allocation *al, uint32_t rank);
/* Of the locks of the class, one that is held; RESOURCE_NONE: all are free. */
uint32_t allocation_held_lock(
	const struct allocation *al, const struct request_class *class);
/* RANK_NONE: the resource is no lock, or is free. */
uint32_t allocation_lock_holder(const struct allocation *al, uint32_t resource);
/* The pool is too small for the class, also when nothing else runs. */
bool allocation_fits_nowhere(
	const struct allocation *al, const struct request_class *class);

/* It is too small since nodes are gone. */
bool allocation_lacks_node(
	const struct allocation *al, const struct request_class *class);
/* From now on tests leave types to leases that are due. */
void allocation_set_leases(struct allocation *al, const struct leases *l);
/* The type that is kept from the class for a lease; MAP_NONE: none. */
uint32_t allocation_kept_type(
	const struct allocation *al, const struct request_class *class);
/* The test whose lease the type is kept for. */
node_id allocation_keeper(const struct allocation *al, uint32_t type);
/* Some of the type came back otherwise than by the end of a test, or other runs hold less
 * of it. */
void allocation_type_changed(struct allocation *al, uint32_t type);
/* Another node is here, away or gone: what the pool refused before may fit now. */
void allocation_nodes_changed(struct allocation *al);

/* How much of a resource is free, on one instance and in all. Of locks and of the idle
 * machine: nothing, or UINT64_MAX. */
struct room {
	uint64_t largest, total;
};
struct room allocation_room(const struct allocation *al, uint32_t resource);
/* For want of which resource the pool has refused such a request since that resource was
 * last given back; RESOURCE_NONE: for none. */
uint32_t allocation_refused(const struct allocation *al, uint32_t pool_request);

#endif

/*
 * The partitions of a run: parts of its pool, each with tests and processor slots of its
 * own, and what became of them.
 *
 * A test is of the first partition whose filters accept it. A test that none accepts is
 * of a partition without filters that has room for it, of several the one with least to
 * do. At the begin of the run a further partition, "default", has what is left, if some
 * test finds no place elsewhere.
 */
#ifndef CCTR_RUNNER_SCHEDULE_PARTITIONS_H
#define CCTR_RUNNER_SCHEDULE_PARTITIONS_H

#include "runner/resources/partition_split.h"
#include "runner/schedule/scheduler_options.h"

#define PARTITION_DEFAULT "default"
#define PARTITION_EACH "all" /* the name of no partition */

/* The words are those of RADICAL-Pilot's RFC on partitions. */
enum partition_state {
	PARTITION_NEW, /* asked for */
	PARTITION_PENDING, /* it waits until others are drained */
	PARTITION_STARTING, /* it gets its slice and its tests */
	PARTITION_ACTIVE, /* tests may start */
	PARTITION_DONE, /* the run has ended */
	PARTITION_FAILED, /* it cannot have what it asks for */
	PARTITION_CANCELED, /* somebody stopped it */
	PARTITION_STATES
};
enum partition_event {
	PARTITION_ACCEPTED, /* there is room for it */
	PARTITION_CAN_BEGIN, /* what it is to have is free */
	PARTITION_IS_READY,
	PARTITION_RUN_ENDS,
	PARTITION_IS_REFUSED,
	PARTITION_IS_STOPPED, /* and nothing runs in it any more */
	PARTITION_EVENTS
};
static inline bool
partition_is_final(enum partition_state s)
{
	return s >= PARTITION_DONE;
}

struct partition_request {
	struct str name, text; /* text: as it was written */
	struct partition_sizes sizes;
	size_t parallel; /* -j; 0: that of the run */
	const bool *accepts; /* by node; NULL: it has no filters */
};
struct partition {
	struct partition_request request;
	struct str uid; /* never used again in the run */
	enum partition_state state;
	/* Its place among the scheduler's parts, and among the partitions of the pool;
	 * MAP_NONE: it never had one. */
	uint32_t part;
	struct partition_slice slice;
	/* What its tests have used so far. */
	size_t ended;
	double slot_s; /* processor slots times seconds, of attempts that have ended */
};
/* Whether tests can get into it. */
static inline bool
partition_takes_tests(const struct partition *p)
{
	return !partition_is_final(p->state);
}

struct partitions {
	struct arena *a;
	const struct pool *whole; /* NULL: the run has no pool */
	struct pool pool; /* the divided one, if there is a pool */
	struct scheduler_parts parts;
	VEC(struct partition) v; /* in the order in which they were asked for */
	const struct selection *selection;
	size_t parallel;
	bool *is_asked_for; /* by type of the pool: some test asks for it */
};

struct partitions *partitions_new(struct arena *a, const struct pool *whole,
	const struct selection *s, size_t parallel);
/* The first ones of the run, which are ACTIVE then. false after diag_error: with the sums
 * that show what does not fit. Warns of what is in no partition. */
CCTR_MUST_CHECK bool partitions_begin(struct partitions *p,
	const struct partition_request *requests, size_t n, struct place at,
	struct diag *d);
/* An attempt of a test of the part has run for so long. */
void partitions_used(struct partitions *p, uint32_t part, const struct properties *t,
	double seconds, bool is_last);
/* The run has ended. */
void partitions_end(struct partitions *p);
/* Adds the member "partitions". seconds: since the run has begun. */
void partitions_add_json(struct buf *b, const struct partitions *p, double seconds);

#endif

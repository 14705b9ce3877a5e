/* The partitions of a run as data: see partitions.h. */
#ifndef CCTR_RUNNER_SCHEDULE_PARTITION_TABLE_H
#define CCTR_RUNNER_SCHEDULE_PARTITION_TABLE_H

#include "runner/base/diag.h"
#include "runner/resources/partition_split.h"
#include "runner/schedule/scheduler_options.h"

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
static inline bool
partition_is_final(enum partition_state s)
{
	return s >= PARTITION_DONE;
}

/* In which its tests start. */
enum partition_order {
	PARTITION_ORDER_OF_RUN,
	PARTITION_ORDER_CTEST,
	PARTITION_ORDER_PRESSURE,
	PARTITION_ORDER_RANDOM,
	PARTITION_ORDERS
};
struct partition_request {
	struct str name, text; /* text: as it was written */
	struct str engine; /* of its nodes; "": any */
	struct partition_sizes sizes;
	size_t parallel; /* -j; 0: that of the run */
	enum partition_order order;
	const bool *accepts; /* by node; NULL: it has no filters */
};
struct partition {
	struct partition_request request;
	struct str uid; /* never used again in the run */
	enum partition_state state;
	bool is_stopping; /* nothing starts in it, and then it is CANCELED */
	double since_s[PARTITION_STATES]; /* of the run; below 0: it never was */
	/* Its place among the scheduler's parts, and among the partitions of the pool;
	 * from STARTING on. MAP_NONE: it never had one. */
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
	return !partition_is_final(p->state) && !p->is_stopping;
}

/* Reads a partition as the caller writes it, or sizes alone. false after a diag_error. */
struct partition_reader {
	void *context;
	bool (*read)(void *context, struct str text, struct partition_request *q,
		struct diag *d);
};

struct partitions {
	struct arena *a;
	const struct pool *whole; /* NULL: the run has no pool */
	struct pool pool; /* the divided one, if there is a pool */
	struct scheduler_parts parts;
	VEC(struct partition) v; /* in the order in which they were asked for */
	const struct selection *selection;
	size_t parallel;
	bool *is_asked_for; /* by type of the pool: some test asks for it */
	struct partition_reader reader;
	/* What is wrong with sizes where the run has no pool. */
	const char *no_pool;
	const char *fixed; /* why they cannot change; NULL: they can */
	bool is_changing; /* a change has been accepted, and not been committed */
	uint32_t *next_of; /* of a change: by node, the part of a test that waits then */
};

#endif

/* --partition: the partitions of a run, and which tests are theirs. */
#ifndef CCTR_COMPAT_RUN_PARTITION_CHOICE_H
#define CCTR_COMPAT_RUN_PARTITION_CHOICE_H

#include "compat/resources/resource_pool.h"
#include "compat/run/run_nodes.h"
#include "runner/schedule/partitions.h"

/* *found: NULL where there is none. false after a diag_error. */
CCTR_MUST_CHECK bool partition_choose(struct run_context *c, const struct run_settings *s,
	const struct selection *selection, const struct run_nodes *nodes,
	struct resource_pool *pool, struct partitions **found);

#endif

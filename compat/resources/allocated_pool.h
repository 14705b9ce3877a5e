/*
 * The pool of a run on the nodes of a job. A file or --resource restricts on each node
 * what the job has there, and adds types that the batch system does not know.
 */
#ifndef CCTR_COMPAT_RESOURCES_ALLOCATED_POOL_H
#define CCTR_COMPAT_RESOURCES_ALLOCATED_POOL_H

#include "compat/options/resource_options.h"
#include "runner/base/diag.h"
#include "runner/resources/pool.h"

struct allocated_sources {
	const struct pool *job; /* with its nodes */
	/* What a file says: of each node by its name if there are several nodes, else of
	 * every node. */
	const struct pool *file;
	struct str file_name;
	const resource_numbers *numbers; /* --resource; of each node */
	bool adds_types; /* of the job that the file lacks; else only its processors */
};
/* Warns of what the job does not have. false after diag_error. */
bool allocated_pool_make(struct arena *a, const struct allocated_sources *from,
	struct pool *p, struct diag *d);

#endif

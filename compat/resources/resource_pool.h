/*
 * The pool of a run, from all its sources, weakest first: a file (ctest's or canary's), a
 * probe of the machine for the types that it has not, --resource, --oversubscribe.
 *
 * The machine is probed for --resource-spec-file auto, and where there is no resource
 * specification file but another of these options: ctest's file says what there is.
 *
 * Of a pool with several nodes a run has the one that is this machine.
 */
#ifndef CCTR_COMPAT_RESOURCES_RESOURCE_POOL_H
#define CCTR_COMPAT_RESOURCES_RESOURCE_POOL_H

#include "compat/options/options.h"
#include "compat/resources/resource_environment.h"
#include "runner/resources/pool.h"

struct resource_sources {
	const struct dialect *dialect;
	const struct options *options;
	struct str host; /* name of this machine; "" to ask the system */
	bool is_generated; /* a test makes the file */
	struct str suite_file; /* CTEST_RESOURCE_SPEC_FILE of the test files */
	bool (*pool_file)(
		struct arena *a, struct str path, struct pool *pool, struct diag *d);
};
struct resource_pool {
	bool is_there;
	struct pool pool;
	struct str told_as; /* a file, or the option that made it */
	/* Of a specification file alone ctest's variables are told, else cctr's too. */
	struct resource_telling telling;
};

/* No source: true, and no pool is there. false after a diag_error. */
bool resource_pool_load(struct arena *a, const struct resource_sources *from,
	struct resource_pool *found, struct diag *d);
/* As JSON it is a resource specification file. */
void resource_pool_show(struct buf *out, const struct pool *p, enum show_resources form);

#endif

/*
 * The pool of a run, from all its sources, weakest first: a file (ctest's or canary's), a
 * probe of the machine for types that the file lacks, --resource, --oversubscribe.
 *
 * The machine is probed for --resource-spec-file auto, or if another of these options is
 * given without a resource specification file: ctest's file says what exists.
 *
 * If a pool has several nodes, a run uses the one that is this machine. In a job of a
 * batch system it uses the nodes of the job (allocated_pool.h).
 */
#ifndef CCTR_COMPAT_RESOURCES_RESOURCE_POOL_H
#define CCTR_COMPAT_RESOURCES_RESOURCE_POOL_H

#include "compat/options/resource_options.h"
#include "compat/resources/resource_environment.h"
#include "runner/resources/pool.h"

struct resource_sources {
	const struct dialect *dialect;
	const struct resource_options *options;
	struct str directory; /* where relative names are: path_in */
	struct str host; /* name of this machine; "" to ask the system */
	/* What a batch system has given, on its nodes; NULL: the run is on this machine
	 */
	const struct pool *job;
	bool is_generated; /* a test makes the file */
	bool is_strict; /* what a specification has and ctest ignores is an error */
	/* --oversubscribe, --gpu-backend of the command line: an error if they do
	 * nothing */
	bool has_factors, has_backend;
	struct gpu_session gpus; /* which the run may use */
	struct str suite_file; /* CTEST_RESOURCE_SPEC_FILE of the test files */
	bool (*pool_file)(
		struct arena *a, struct str path, struct pool *pool, struct diag *d);
};
struct resource_pool {
	bool is_there;
	struct pool pool;
	struct str shown_as; /* a file, or the option that made it */
	/* With only a specification file tests get ctest's variables, else also
	 * cctr's. */
	struct resource_telling telling;
};

/* Whether a file or --resource says how much there is of the type, or a test will. What
 * is wrong with them is left to resource_pool_load. */
bool resource_pool_declares(
	struct arena *a, const struct resource_sources *from, struct str type);
/* true without a pool: there is no source. false after diag_error. */
bool resource_pool_load(struct arena *a, const struct resource_sources *from,
	struct resource_pool *found, struct diag *d);
/* Its JSON form is a resource specification file. from: who gives the nodes of the pool,
 * which are then shown; STR_NONE: they are not. */
void resource_pool_show(
	struct buf *out, const struct pool *p, enum show_resources form, struct str from);

#endif

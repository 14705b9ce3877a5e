/*
 * The environment of a test: cctr's own, then ENVIRONMENT, ENVIRONMENT_MODIFICATION and
 * CTEST_RESOURCE_GROUP_*, in the same order as under ctest. cmake-properties(7), ctest(1)
 * "Environment Variables".
 */
#ifndef CCTR_COMPAT_LAUNCH_LAUNCH_ENVIRONMENT_H
#define CCTR_COMPAT_LAUNCH_LAUNCH_ENVIRONMENT_H

#include "compat/resources/resource_environment.h"
#include "runner/process/launch.h"

struct launch_environment;
/* How the variables begin that tell a test its resources. */
#define RESOURCE_GROUP_VARIABLES "CTEST_RESOURCE_GROUP"

struct launch_environment_options {
	const struct pool *pool; /* NULL: no resource specification */
	struct resource_telling telling;
	const char *socket; /* by which the run can be asked; NULL: by none */
	const char *token; /* that tests show then */
	bool unset_empties; /* "unset": an operation after it sees no value */
};
/* What a test holds while it runs. */
struct test_holding {
	const struct grant *grant; /* NULL: no resources */
	size_t threads; /* how many threads its variables ask for; 0: no variables */
	const char *temporary; /* its TMPDIR; NULL: unchanged */
	const char *profile; /* its LLVM_PROFILE_FILE; NULL: unchanged */
	struct str_list of_nodes; /* "NAME=VALUE", of whole_nodes_tell */
	struct str_list of_pmix; /* as these, of pmix_server_admit */
	struct str partition; /* its name; STR_NONE: there are none */
};
/* Reads environ once. */
struct launch_environment *launch_environment_open(
	struct arena *a, const struct launch_environment_options *o);

/* NULL-ended, for execve. All tests that change nothing share one array. If changes is
 * not NULL, adds one line to it for each change. */
const char *const *launch_environment_of(const struct launch_environment *e,
	struct arena *attempt, const struct test *t, const struct test_holding *h,
	struct buf *changes);

/* A placeholder in a value that the test sets, with a name that is not a type of the
 * pool; STR_NONE if there is none. */
struct str launch_environment_unknown(
	const struct launch_environment *e, struct arena *a, const struct test *t);
/* The errors in ENVIRONMENT_MODIFICATION, as ctest prints them; "" for none. */
struct str launch_environment_defects(struct arena *a, const struct test *t);

#endif

/*
 * The environment of a test: cctr's own, then ENVIRONMENT, ENVIRONMENT_MODIFICATION and
 * CTEST_RESOURCE_GROUP_*, in the order in which ctest's tests find them.
 * cmake-properties(7), ctest(1) "Environment Variables".
 */
#ifndef CCTR_COMPAT_LAUNCH_LAUNCH_ENVIRONMENT_H
#define CCTR_COMPAT_LAUNCH_LAUNCH_ENVIRONMENT_H

#include "compat/resources/resource_environment.h"
#include "runner/process/launch.h"

struct launch_environment;
struct launch_environment_options {
	const struct pool *pool; /* NULL: no resource specification */
	struct resource_telling telling;
	bool unset_empties; /* "unset": what comes behind it finds nothing */
};
/* What a test has of the machine while it runs. */
struct test_holding {
	const struct grant *grant; /* NULL: no resources */
	size_t threads; /* that it is told to use; 0: it is not told */
	const char *temporary; /* its TMPDIR, NULL: as it is */
	const char *profile; /* its LLVM_PROFILE_FILE, NULL: as it is */
};
/* Reads environ, once. */
struct launch_environment *launch_environment_open(
	struct arena *a, const struct launch_environment_options *o);

/* NULL-ended, for execve; shared by all tests that change nothing. What is changed goes
 * to changes too, a line each, where that is not NULL. */
const char *const *launch_environment_of(const struct launch_environment *e,
	struct arena *attempt, const struct test *t, const struct test_holding *h,
	struct buf *changes);

/* What is wrong with ENVIRONMENT_MODIFICATION, as ctest prints it; "" when nothing is. */
struct str launch_environment_defects(struct arena *a, const struct test *t);

#endif

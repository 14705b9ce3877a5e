/*
 * The environment of a test: cctr's own, then ENVIRONMENT, ENVIRONMENT_MODIFICATION and
 * CTEST_RESOURCE_GROUP_*, in the order in which ctest's tests find them.
 * cmake-properties(7), ctest(1) "Environment Variables".
 */
#ifndef CCTR_COMPAT_TEST_ENVIRONMENT_H
#define CCTR_COMPAT_TEST_ENVIRONMENT_H

#include "runner/launch.h"

struct test_environment;
/* Reads environ, once. configuration: for CMAKE_CONFIG_TYPE, or "". pool: NULL when there
 * is no resource specification. */
struct test_environment *test_environment_open(
	struct arena *a, struct str configuration, const struct pool *pool);

/* NULL-ended, for execve; shared by all tests that change nothing. */
const char *const *test_environment_of(const struct test_environment *e,
	struct arena *attempt, const struct test *t, const struct grant *grant);

/* What is wrong with ENVIRONMENT_MODIFICATION, as ctest prints it; "" when nothing is. */
struct str test_environment_defects(struct arena *a, const struct test *t);

#endif

/*
 * What a test is told of its resources beside CTEST_RESOURCE_GROUP_*: CCTR_<TYPE>_IDS,
 * CANARY_<TYPE>_IDS, the variables by which GPU libraries see devices, and placeholders
 * such as %(gpu_ids)s in the values of its variables.
 */
#ifndef CCTR_COMPAT_RESOURCES_RESOURCE_ENVIRONMENT_H
#define CCTR_COMPAT_RESOURCES_RESOURCE_ENVIRONMENT_H

#include "compat/options/resource_options.h"
#include "runner/resources/pool.h"

struct resource_telling {
	enum resource_style style;
	bool gpu_visible;
};
struct resource_teller {
	const struct pool *pool;
	const struct grant *grant; /* NULL: holds nothing */
	struct resource_telling telling;
};

struct told_variable {
	struct str name, value;
	bool yields; /* to what the test itself says of the variable */
};
struct told_variables {
	struct told_variable *v;
	size_t n;
};
/* At most so many variables per type and in all. */
enum { TOLD_PER_TYPE = 2, TOLD_ONCE = 3 };

struct told_variables resource_variables(
	struct arena *a, const struct resource_teller *t);
/* "NAME=VALUE" with its placeholders replaced; the same pointer when there are none. A
 * placeholder whose name is no type of the pool stays as it is. */
const char *resource_placeholders(
	struct arena *a, const struct resource_teller *t, const char *variable);

#endif

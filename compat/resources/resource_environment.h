/*
 * What a test learns about its resources beside CTEST_RESOURCE_GROUP_*: CCTR_<TYPE>_IDS,
 * CCTR_<TYPE>_PROPERTY_<NAME>, CANARY_<TYPE>_IDS, the variables by which GPU libraries
 * select devices, and placeholders such as %(gpu_ids)s in the values of its variables.
 */
#ifndef CCTR_COMPAT_RESOURCES_RESOURCE_ENVIRONMENT_H
#define CCTR_COMPAT_RESOURCES_RESOURCE_ENVIRONMENT_H

#include "compat/options/resource_options.h"
#include "runner/resources/gpu_session.h"
#include "runner/resources/pool.h"

struct resource_telling {
	enum resource_style style;
	/* No option asks for the pool: a test without RESOURCE_GROUPS gets no variables.
	 */
	bool is_implied;
	bool gpu_visible;
	struct gpu_session gpus; /* of which the pool's are */
};
struct resource_teller {
	const struct pool *pool;
	const struct grant *grant; /* NULL: holds nothing */
	struct resource_telling telling;
};

/* false, with *why: gpu_visible is set, but it is not known which devices the GPUs of the
 * pool are. */
bool resource_teller_can_tell(
	struct arena *a, const struct resource_teller *t, struct str *why);

struct resource_variable {
	struct str name, value;
	bool yields; /* if the test sets the variable itself */
};
struct resource_variables {
	struct resource_variable *v;
	size_t n;
};
/* Most variables per type, besides one for each property, and further ones per test. */
enum { RESOURCE_VARIABLES_PER_TYPE = 2, RESOURCE_VARIABLES_ONCE = 3 };

/* The name is that of a variable which tells a test its resources. If cctr has it, an
 * outer cctr told it to the test that runs this one. */
bool resource_is_own_variable(struct str name);
struct resource_variables resource_variables(
	struct arena *a, const struct resource_teller *t);
/* A placeholder such as %(gpuz_ids)s or %(gpus_property_x)s with a type that the pool
 * does not have, or a property that no instance has; STR_NONE if there is none. */
struct str resource_unknown_placeholder(
	struct arena *a, const struct resource_teller *t, struct str text);
/* Replaces the placeholders in "NAME=VALUE"; returns the same pointer if there are none.
 * Unknown placeholders are not changed; "%%(" becomes "%(".
 */
const char *resource_placeholders(
	struct arena *a, const struct resource_teller *t, const char *variable);

#endif

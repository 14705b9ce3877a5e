/* Environments as values, for programs that cctr starts: "NAME=VALUE", NULL-ended. */
#ifndef CCTR_RUNNER_BASE_ENVIRONMENT_H
#define CCTR_RUNNER_BASE_ENVIRONMENT_H

#include "runner/base/base.h"

size_t environment_count(const char *const *environment);
/* The value of the name, or NULL. */
const char *environment_find(const char *const *environment, const char *name);
/* The environment with the variable changed or added. */
const char *const *environment_with(struct arena *a, const char *const *environment,
	const char *name, struct str value);
/* As environment_with, for each "NAME=VALUE"; a text without a name is ignored. */
const char *const *environment_with_all(
	struct arena *a, const char *const *environment, struct str_list variables);
const char *const *environment_without(
	struct arena *a, const char *const *environment, const char *name);

#endif

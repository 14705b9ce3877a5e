/* The environment of the cctr process as a whole. A step of a script runs in the
 * environment of its script. */
#ifndef CCTR_COMPAT_FORMAT_ENVIRONMENT_H
#define CCTR_COMPAT_FORMAT_ENVIRONMENT_H

#include "runner/base/base.h"

/* "NAME=VALUE", NULL-ended. */
const char *const *environment_copy(struct arena *a);
/* caller_environment with name set to value, for a command. */
const char *const *environment_with(struct arena *a, const char *name, const char *value);
/* The value of a name, or NULL. */
const char *environment_find(const char *const *variables, const char *name);
/* Adds or changes each "NAME=VALUE"; a text without a name is ignored. */
void environment_put(struct arena *a, struct str_list variables);
void environment_define(struct arena *a, struct str name, struct str value);
/* set(ENV{X}) of test files. */
struct environment_change;
void environment_apply(
	struct arena *a, const struct environment_change *changes, size_t n);
/* Replaces the whole environment. */
void environment_set(struct arena *a, const char *const *variables);

#endif

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
/* Adds or changes one "NAME=VALUE". */
void environment_put(struct arena *a, struct str variable);
/* Replaces the whole environment. */
void environment_set(struct arena *a, const char *const *variables);

#endif

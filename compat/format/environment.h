/* The environment of cctr itself, as a whole: a step of a script has that of its script.
 */
#ifndef CCTR_COMPAT_FORMAT_ENVIRONMENT_H
#define CCTR_COMPAT_FORMAT_ENVIRONMENT_H

#include "runner/base/base.h"

/* "NAME=VALUE", NULL-ended. */
const char *const *environment_copy(struct arena *a);
/* For a command: caller_environment with this value of the name. */
const char *const *environment_with(struct arena *a, const char *name, const char *value);
/* The value of a name, or NULL. */
const char *environment_find(const char *const *variables, const char *name);
/* One more "NAME=VALUE". */
void environment_put(struct arena *a, struct str variable);
/* In place of what there is. */
void environment_set(struct arena *a, const char *const *variables);

#endif

/* The environment of the cctr process itself, which few files may change
 * (tests/meta/own_process.sh). A value would not do where they change it: localtime()
 * reads TZ, and libcurl its proxies. For other programs see runner/base/environment.h. */
#ifndef CCTR_COMPAT_FORMAT_OWN_ENVIRONMENT_H
#define CCTR_COMPAT_FORMAT_OWN_ENVIRONMENT_H

#include "runner/base/base.h"

/* "NAME=VALUE", NULL-ended. */
const char *const *environment_copy(struct arena *a);
/* Adds or changes each "NAME=VALUE"; a text without a name is ignored. */
void environment_put(struct arena *a, struct str_list variables);
void environment_unset(const char *name);
/* set(ENV{X}) of test files. */
struct environment_change;
void environment_apply(
	struct arena *a, const struct environment_change *changes, size_t n);
/* Replaces the whole environment. */
void environment_set(struct arena *a, const char *const *variables);

#endif

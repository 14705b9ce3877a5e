/*
 * The working directory as the caller of cctr names it.
 *
 * cctr changes its working directory and keeps PWD correct, so that path_here() uses the
 * name that was asked for. Programs that cctr starts get the PWD that cctr was started
 * with.
 */
#ifndef CCTR_RUNNER_BASE_CALLER_H
#define CCTR_RUNNER_BASE_CALLER_H

#include "runner/base/base.h"

/* "NAME=VALUE" for our environment, after the working directory has changed to the
 * directory of this name. */
struct str_list caller_variables(struct arena *a, struct str name);
/* Our environment with the PWD that cctr was started with; before caller_variables() are
 * in it our environment as it is. */
const char *const *caller_environment(struct arena *a);

/* Where the caller's PWD has another name for a directory than getcwd(): the shortest
 * pair of names, each with a slash at the end, or empty. */
struct caller_names {
	struct str is, said;
};
struct caller_names caller_names(struct arena *a);
struct str caller_name_of(struct arena *a, const struct caller_names *n, struct str path);
struct str caller_real_here(struct arena *a); /* where we are, without links */
/* An existing directory by the caller's name. */
struct str caller_name_at(
	struct arena *a, const struct caller_names *n, const char *path);

#endif

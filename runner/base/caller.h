/*
 * cctr goes to another directory than the one that it was called in, and keeps PWD true,
 * so that path_here() calls it by the name that was asked for. What it starts finds the
 * PWD of who called cctr: that was not called from anywhere else.
 */
#ifndef CCTR_RUNNER_BASE_CALLER_H
#define CCTR_RUNNER_BASE_CALLER_H

#include "runner/base/base.h"

/* We are in a directory by this name now. */
void caller_is_left(struct arena *a, struct str name);
/* Our environment with the PWD that we were called with; ours itself before
 * caller_is_left(). */
const char *const *caller_environment(struct arena *a);

/* What the caller's PWD calls directories otherwise than getcwd() does: the shortest
 * pair, each with a slash behind it, or empty. */
struct caller_names {
	struct str is, said;
};
struct caller_names caller_names(struct arena *a);
struct str caller_name_of(struct arena *a, const struct caller_names *n, struct str path);
struct str caller_real_here(struct arena *a); /* where we are, without links */
/* Where we are, by that. */
struct str caller_here(struct arena *a, const struct caller_names *n);

#endif

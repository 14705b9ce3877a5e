/* Environments as values, for programs that cctr starts: "NAME=VALUE", NULL-ended. */
#ifndef CCTR_RUNNER_BASE_ENVIRONMENT_H
#define CCTR_RUNNER_BASE_ENVIRONMENT_H

#include "runner/base/base.h"

/* The variable gets the value, or is removed. */
struct environment_change {
	struct str name, value;
	bool unset;
};
typedef VEC(struct environment_change) environment_changes;

/* That of cctr itself, valid until the next change of it. */
const char *const *environment_own(void);
/* With copies of all texts. */
const char *const *environment_copy(struct arena *a, const char *const *environment);
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
/* The environment after the changes, with the last value of each name. */
const char *const *environment_changed(struct arena *a, const char *const *environment,
	const struct environment_change *changes, size_t n);
/* What makes one environment of the other: values in the order of after, then removals
 * in the order of before. */
environment_changes environment_compare(
	struct arena *a, const char *const *before, const char *const *after);
/* Reads what "env -0" writes. */
const char *const *environment_parse(struct arena *a, struct str text);

#endif

/* The environment as test files see and change it. cctr's own stays as it is. */
#ifndef CCTR_MANIFESTS_CMAKE_CMAKE_ENVIRONMENT_H
#define CCTR_MANIFESTS_CMAKE_CMAKE_ENVIRONMENT_H

#include "manifests/cmake/recent_words.h"
#include "runner/base/base.h"

struct environment;
struct environment *environment_new(struct arena *a, struct recent_words *words);
/* p NULL: unset. The value of a name that no file has changed is cctr's own. */
struct str environment_get(
	const struct environment *e, struct arena *scratch, struct str name);
/* value.p NULL unsets. Returns the name, which lives as long as the environment. */
struct str environment_set(struct environment *e, struct str name, struct str value);
/* The point to which environment_rewind goes back. */
size_t environment_mark(const struct environment *e);
void environment_rewind(struct environment *e, size_t mark);
/* Another number after each change, and never 0. */
uint64_t environment_changes_n(const struct environment *e);

#endif

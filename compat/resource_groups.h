/* The grammar of RESOURCE_GROUPS: cmake-properties(7). */
#ifndef CCTR_COMPAT_RESOURCE_GROUPS_H
#define CCTR_COMPAT_RESOURCE_GROUPS_H

#include "runner/model.h"

/* Appends to groups (setting the property again adds). false: malformed. */
bool resource_groups_parse(
	struct arena *a, struct str text, struct resource_groups *groups);

#endif

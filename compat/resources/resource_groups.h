/* The grammar of RESOURCE_GROUPS: cmake-properties(7). */
#ifndef CCTR_COMPAT_RESOURCES_RESOURCE_GROUPS_H
#define CCTR_COMPAT_RESOURCES_RESOURCE_GROUPS_H

#include "runner/model/model.h"

enum groups_text { GROUPS_RIGHT, GROUPS_MALFORMED, GROUPS_TOO_LARGE };

/* Appends the valid groups (setting the property again adds). Too large: valid except for
 * the size of a number. */
enum groups_text resource_groups_parse(
	struct arena *a, struct str text, struct resource_groups *groups);

#endif

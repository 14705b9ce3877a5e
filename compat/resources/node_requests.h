/*
 * The requirement `nodes:N` in RESOURCE_GROUPS: so many whole nodes, as CCTR_NODES says,
 * each with room for the other requirements. It means that in a run with nodes, unless
 * its pool has a type of that name.
 */
#ifndef CCTR_COMPAT_RESOURCES_NODE_REQUESTS_H
#define CCTR_COMPAT_RESOURCES_NODE_REQUESTS_H

#include "runner/model/select.h"

#define NODES_TYPE "nodes"

/* Whether a selected test has the requirement. */
bool node_requests_are_there(const struct selection *s);
/* The tests of the selection have whole nodes in the place of the requirement; a test
 * where that is impossible has a defect. The suite is copied. */
void node_requests_count(struct arena *a, struct selection *s);

#endif

/* Whether this build reads topologies. */
#ifndef CCTR_TESTS_UNIT_HAS_HWLOC_H
#define CCTR_TESTS_UNIT_HAS_HWLOC_H

#include "runner/resources/topology.h"

static inline bool
has_hwloc(struct arena *a)
{
	struct machine m = {0};

	return topology_read(a, &(struct topology_text){.synthetic = "pu:1"}, &m);
}

#endif

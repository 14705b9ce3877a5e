/* The machine as hwloc sees it: the only file that includes hwloc. See topology.h. */
#include "runner/topology.h"

#include <hwloc.h>

/* What the process is bound to (taskset), which lies within what it is allowed (cpuset).
 */
static int
processors_of(hwloc_topology_t topology)
{
	hwloc_bitmap_t bound = hwloc_bitmap_alloc();
	int n = -1;

	if (bound && hwloc_get_cpubind(topology, bound, HWLOC_CPUBIND_PROCESS) == 0)
		n = hwloc_bitmap_weight(bound);
	hwloc_bitmap_free(bound);
	if (n > 0)
		return n;
	return hwloc_bitmap_weight(hwloc_topology_get_allowed_cpuset(topology));
}

size_t
topology_processors(void)
{
	hwloc_topology_t topology;
	int n = 0;

	if (hwloc_topology_init(&topology) != 0)
		return 1;
	/* Only processors are looked for, so that loading stays cheap. */
	hwloc_topology_set_all_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE);
	if (hwloc_topology_load(topology) == 0)
		n = processors_of(topology);
	hwloc_topology_destroy(topology);
	return n > 0 ? (size_t)n : 1;
}

struct str
topology_name(struct arena *a)
{
	unsigned v = hwloc_get_api_version();

	return str_fmt(a, "hwloc %u.%u.%u", v >> 16, v >> 8 & 0xff, v & 0xff);
}

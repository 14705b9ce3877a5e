/* The machine as the C library sees it: a build without hwloc. See topology.h. */
#include "runner/resources/topology.h"

#include <unistd.h>

bool
topology_read(struct arena *a, const struct topology_text *from, struct machine *machine)
{
	long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);

	INVARIANT(from && machine);
	(void)a;
	*machine = (struct machine){
		.processors = processors_count(), .is_this_system = true};
	if (pages > 0 && size > 0)
		machine->memory_bytes = (uint64_t)pages * (uint64_t)size;
	return !from->synthetic && !from->xml;
}

bool
topology_layout(struct arena *a, const struct topology_text *from, bool with_devices,
	struct layout *layout)
{
	INVARIANT(from && layout);
	(void)with_devices;
	*layout = layout_flat(a, processors_here(a));
	return !from->synthetic && !from->xml;
}

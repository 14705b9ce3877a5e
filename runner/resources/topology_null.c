/* The machine as the C library sees it: a build without hwloc. See topology.h. */
#include "runner/resources/topology.h"

#include <unistd.h>

size_t
topology_processors(void)
{
	struct arena *scratch = arena_open();
	size_t here = processors_here(scratch).n;
	long n;

	arena_close(scratch);
	if (here)
		return here;
	n = sysconf(_SC_NPROCESSORS_ONLN);
	return n > 0 ? (size_t)n : 1;
}

bool
topology_read(struct arena *a, const struct topology_text *from, struct machine *machine)
{
	long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);

	(void)a;
	*machine = (struct machine){
		.processors = topology_processors(), .is_this_system = true};
	if (pages > 0 && size > 0)
		machine->memory_bytes = (uint64_t)pages * (uint64_t)size;
	return !from->synthetic && !from->xml;
}

bool
topology_layout(struct arena *a, const struct topology_text *from, bool with_devices,
	struct layout *layout)
{
	(void)with_devices;
	*layout = layout_flat(a, processors_here(a));
	return !from->synthetic && !from->xml;
}

struct str
topology_name(struct arena *a)
{
	return str_dup(a, STR("none"));
}

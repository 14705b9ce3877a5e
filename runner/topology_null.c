/* The machine as the C library sees it: a build without hwloc. See topology.h. */
#include "runner/topology.h"

#include <sched.h>
#include <unistd.h>

size_t
topology_processors(void)
{
	long n;
#ifdef __linux__
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
		return (size_t)CPU_COUNT(&set);
#endif
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

struct str
topology_name(struct arena *a)
{
	return str_dup(a, STR("none"));
}

/* Processors of a run. See pinning.h. */
#include "compat/launch/pinning.h"

#include "runner/resources/topology.h"

static bool
are_wanted(const struct selection *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->suite->tests[s->v[i].test].properties->processor_affinity)
			return true;
	return false;
}

struct layout
pinning_layout(
	struct arena *a, bool pins_all, const struct selection *s, bool has_devices)
{
	const struct topology_text here = {NULL, NULL};
	struct layout l = {.n = 0};

	if (pins_all && topology_layout(a, &here, has_devices, &l))
		return l;
	if (pins_all || are_wanted(s))
		l = layout_flat(a, processors_here(a));
	return l;
}

struct affinity *
pinning_open(
	struct arena *a, bool pins_all, const struct layout *l, const struct pool *pool)
{
	struct affinity_options ao = {.layout = l, .pool = pool, .is_compact = pins_all};

	return affinity_new(a, &ao);
}

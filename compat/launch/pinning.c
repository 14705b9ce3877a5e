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
pinning_layout(struct arena *a, const struct options *o, const struct selection *s,
	bool has_devices)
{
	const struct topology_text here = {NULL, NULL};
	struct layout l = {.n = 0};

	if (o->schedule.affinity && topology_layout(a, &here, has_devices, &l))
		return l;
	if (o->schedule.affinity || are_wanted(s))
		l = layout_flat(a, processors_here(a));
	return l;
}

struct affinity *
pinning_open(struct arena *a, const struct options *o, const struct layout *l,
	const struct pool *pool)
{
	struct affinity_options ao = {
		.layout = l, .pool = pool, .is_compact = o->schedule.affinity};

	return affinity_new(a, &ao);
}

/* Processors of a run. See pinning.h. */
#include "compat/launch/pinning.h"

#include "runner/resources/probe.h"

static bool
are_wanted(const struct selection *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (selected_test(s, i)->properties->processor_affinity)
			return true;
	return false;
}

struct layout
pinning_layout(struct arena *a, bool pins_all, const struct selection *s,
	bool has_devices, struct diag *d)
{
	struct layout l = {.n = 0};
	enum probe_end end = PROBE_READ;

	INVARIANT(s && d);
	if (pins_all)
		end = probe_layout(a, topology_layout, has_devices, PROBE_MS, &l);
	else if (are_wanted(s))
		l = layout_flat(a, processors_here(a));
	if (end != PROBE_READ)
		diag_warning(d, NO_PLACE,
			"cctr: %.*s; --affinity treats each processor as a core",
			STR_ARG(probe_complaint(a, end, PROBE_MS)));
	return l;
}

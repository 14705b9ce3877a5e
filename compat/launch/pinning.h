/* PROCESSOR_AFFINITY and --affinity: which processors a run gives to its tests. */
#ifndef CCTR_COMPAT_LAUNCH_PINNING_H
#define CCTR_COMPAT_LAUNCH_PINNING_H

#include "compat/options/options.h"
#include "runner/model/select.h"
#include "runner/resources/affinity.h"

/* Those that the process may use, when any selected test is to have some to itself; else
 * none, and the machine is not looked at. */
struct layout pinning_layout(struct arena *a, const struct options *o,
	const struct selection *s, bool has_devices);
struct affinity *pinning_open(struct arena *a, const struct options *o,
	const struct layout *l, const struct pool *pool);

#endif

/* PROCESSOR_AFFINITY and --affinity: which processors a run gives to its tests. */
#ifndef CCTR_COMPAT_LAUNCH_PINNING_H
#define CCTR_COMPAT_LAUNCH_PINNING_H

#include "compat/options/options.h"
#include "runner/model/select.h"
#include "runner/resources/affinity.h"

/* The processors that the process may use, if any selected test needs some of its own;
 * else none, without a look at the machine. */
struct layout pinning_layout(struct arena *a, const struct options *o,
	const struct selection *s, bool has_devices);
struct affinity *pinning_open(struct arena *a, const struct options *o,
	const struct layout *l, const struct pool *pool);

#endif

/* PROCESSOR_AFFINITY and --affinity: which processors a run gives to its tests. */
#ifndef CCTR_COMPAT_LAUNCH_PINNING_H
#define CCTR_COMPAT_LAUNCH_PINNING_H

#include "runner/base/diag.h"
#include "runner/model/select.h"
#include "runner/resources/affinity.h"

/* The processors that the process may use, if any selected test needs some of its own,
 * or if pins_all (--affinity); else none, without a look at the machine.
 * Warns if the topology cannot be read: each processor counts as a core. */
struct layout pinning_layout(struct arena *a, bool pins_all, const struct selection *s,
	bool has_devices, struct diag *d);

#endif

/*
 * What the system allows of the machine: the limits of the control group, and the memory
 * that the process may use.
 */
#ifndef CCTR_RUNNER_RESOURCES_MACHINE_LIMITS_H
#define CCTR_RUNNER_RESOURCES_MACHINE_LIMITS_H

#include "runner/base/base.h"

/* What the control group allows; the largest values where it sets no limit. */
struct machine_limits {
	double processors;
	uint64_t memory_bytes;
	/* The memory of the system (/proc/meminfo); 0: not known, or the process may not
	 * use all memory nodes. */
	uint64_t system_bytes;
};
/* root: a prefix for /proc and /sys; "" for this machine. */
struct machine_limits machine_limits_read(struct arena *a, struct str root);

#endif

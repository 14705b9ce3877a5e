/*
 * The topology of this machine, read by a separate process: whatever the parts of hwloc
 * and the drivers under them print, keep, set in the environment or break stays there,
 * and a driver that hangs ends the probe, not the run.
 */
#ifndef CCTR_RUNNER_RESOURCES_PROBE_H
#define CCTR_RUNNER_RESOURCES_PROBE_H

#include "runner/resources/topology.h"

/* What the separate process does; tests pass other functions. */
typedef bool probe_reader(
	struct arena *a, const struct topology_text *from, struct machine *machine);

/* false: that process failed, or took too long; *machine is then what needs no probe. */
bool probe_machine(struct arena *a, probe_reader *read, unsigned timeout_ms,
	struct machine *machine);

#endif

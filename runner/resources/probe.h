/*
 * The topology of this machine, read by a separate process: whatever the parts of hwloc
 * and the drivers under them print, keep, set in the environment or break stays there,
 * and a driver that hangs ends the probe, not the run. hwloc is called nowhere else for
 * this machine.
 */
#ifndef CCTR_RUNNER_RESOURCES_PROBE_H
#define CCTR_RUNNER_RESOURCES_PROBE_H

#include "runner/resources/topology.h"

/* Drivers of many GPUs may need seconds to start. */
enum { PROBE_MS = 20000 };

enum probe_end {
	PROBE_READ,
	PROBE_FAILED,
	PROBE_TOO_LONG,
};

/* What the separate process does; tests pass other functions. */
typedef bool probe_reader(
	struct arena *a, const struct topology_text *from, struct machine *machine);
typedef bool probe_layout_reader(struct arena *a, const struct topology_text *from,
	bool with_devices, struct layout *layout);

/* Unless PROBE_READ, *machine is what needs no probe: the number of processors. */
enum probe_end probe_machine(struct arena *a, probe_reader *read, unsigned timeout_ms,
	struct machine *machine);
/* Unless PROBE_READ, *layout is flat. */
enum probe_end probe_layout(struct arena *a, probe_layout_reader *read, bool with_devices,
	unsigned timeout_ms, struct layout *layout);
/* "the topology of the machine could not be read within 20 s" */
struct str probe_complaint(struct arena *a, enum probe_end end, unsigned timeout_ms);

#endif

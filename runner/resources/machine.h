/*
 * The pool that a machine is without being told: types cpus (one instance per logical
 * processor that the process may use), mem (one instance, a slot per MiB) and gpus.
 *
 * Beside the topology it reads what the system says in files: the limits of the control
 * group, and GPUs of drivers that the topology knows nothing of.
 */
#ifndef CCTR_RUNNER_RESOURCES_MACHINE_H
#define CCTR_RUNNER_RESOURCES_MACHINE_H

#include "runner/base/diag.h"
#include "runner/resources/pool.h"
#include "runner/resources/topology.h"

struct machine_source {
	struct topology_text text;
	/* In front of /proc, /sys and /dev; "" for this machine. */
	struct str root;
};
/* What the control group allows; the most that can be said where it allows everything. */
struct machine_limits {
	double processors;
	uint64_t memory_bytes;
};

struct machine_limits machine_limits(struct arena *a, struct str root);
/* By /proc/driver/nvidia/gpus, else by /dev/kfd and its topology. */
void machine_driver_gpus(struct arena *a, struct str root, struct machine *m);
/* All of it: the topology, cut to the limits. false: from->text cannot be read. */
bool machine_probe(
	struct arena *a, const struct machine_source *from, struct machine *machine);
/* The GPUs that a backend stands for: none of them, those of a vendor, or those there are
 * (auto) where they are of one vendor; "" is all. false after a diag_error. */
bool machine_choose_gpus(
	struct arena *a, struct machine *m, struct str backend, struct diag *d);
struct pool machine_pool(struct arena *a, const struct machine *machine);

#endif

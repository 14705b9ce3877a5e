/*
 * The pool of a machine when no file describes it: types cpus (one instance per logical
 * processor that the process may use), mem (one instance, a slot per MiB) and gpus.
 *
 * Besides the topology it reads the system's files (machine_limits.h, driver_gpus.h).
 */
#ifndef CCTR_RUNNER_RESOURCES_MACHINE_H
#define CCTR_RUNNER_RESOURCES_MACHINE_H

#include "runner/base/diag.h"
#include "runner/resources/gpu_session.h"
#include "runner/resources/pool.h"
#include "runner/resources/topology.h"

struct machine_source {
	struct topology_text text;
	/* A prefix for /proc, /sys and /dev; "" for this machine. */
	struct str root;
};
/* Reads everything: the topology, reduced to the limits. Warns if the topology of this
 * machine cannot be read: its processors and the GPUs of drivers are known then. false:
 * from->text cannot be read. */
bool machine_probe(struct arena *a, const struct machine_source *from,
	struct machine *machine, struct diag *d);
/* Keeps the GPUs that the session shows, in its order, and says what it calls each. An
 * entry of the session whose GPU is not known, or a part of a GPU, is a GPU of which only
 * the vendor is known. */
void machine_keep_visible(
	struct arena *a, struct machine *m, const struct gpu_session *session);
/* Keeps the GPUs that backend means: none, those of a vendor, or those there are (auto)
 * where all have one vendor; "" is all. option: what the user calls the choice. false
 * after a diag_error. */
bool machine_choose_gpus(struct arena *a, struct machine *m, struct str backend,
	const char *option, struct diag *d);
/* Makes the type's instances of the physical processors. */
void machine_number_cores(
	struct arena *a, struct resource_type *t, const struct machine *machine);
/* If all GPUs have one vendor, their ids are the numbers by which the session calls
 * them; else from 0, beside a property "device". */
struct pool machine_pool(struct arena *a, const struct machine *machine);

#endif

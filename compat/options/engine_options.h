/* Where tests run: on this machine, or by agents on other nodes. */
#ifndef CCTR_COMPAT_OPTIONS_ENGINE_OPTIONS_H
#define CCTR_COMPAT_OPTIONS_ENGINE_OPTIONS_H

#include "runner/cluster/batch_systems.h"

#define ENGINE_LOCAL "local"

struct engine_options {
	bool has_engine; /* --engine was given */
	const struct batch_system *system; /* --engine; NULL: local */
	bool has_local; /* this machine first, then the batch system */
	struct str_list launcher; /* --launcher, as words; none: this machine */
	struct str_list nodes; /* --nodes */
	str_vec system_options; /* words of --backend-opt */
	uint64_t node_timeout_s; /* --node-timeout; 0: the default */
	/* What cctr.yaml says of batch_systems[i]. */
	struct cluster_settings settings[BATCH_SYSTEMS_N];
};

/* Each function reads the value of one option. false: it is no such value, and *why is a
 * phrase. */
typedef bool engine_value_reader(
	struct arena *a, struct str value, struct engine_options *e, const char **why);
engine_value_reader engine_read_name, engine_read_launcher, engine_read_nodes,
	engine_read_timeout, engine_read_system_options;

/* Whether there is one engine of that name. false: *why is a phrase. */
bool engine_is_name(struct arena *a, struct str name, const char **why);

/* Fills in what e does not say. What e says of engine, launcher and nodes belongs
 * together: of these it gets only what fits. */
void engine_options_fill(
	struct arena *a, struct engine_options *e, const struct engine_options *weaker);

#endif

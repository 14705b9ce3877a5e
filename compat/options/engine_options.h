/* Where tests run: on this machine, or by agents on other nodes. */
#ifndef CCTR_COMPAT_OPTIONS_ENGINE_OPTIONS_H
#define CCTR_COMPAT_OPTIONS_ENGINE_OPTIONS_H

#include "runner/base/base.h"

struct batch_system;

struct engine_options {
	bool has_engine; /* --engine was given */
	const struct batch_system *system; /* --engine; NULL: local */
	struct str_list launcher; /* --launcher, as words; none: this machine */
	struct str_list nodes; /* --nodes */
	str_vec system_options; /* words of --backend-opt */
	uint64_t node_timeout_s; /* --node-timeout; 0: the default */
};

#endif

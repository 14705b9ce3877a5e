/* Which targets of a build tree make which files: the reply of CMake's file API. */
#ifndef CCTR_COMPAT_RUN_BUILD_TARGETS_H
#define CCTR_COMPAT_RUN_BUILD_TARGETS_H

#include "runner/base/base.h"

struct build_targets {
	struct map by_path; /* of a file -> index of the target that makes it */
	str_vec names;
};

/* false: the tree has no reply, or none for this configuration, or it cannot be read. */
bool build_targets_read(struct arena *a, struct str tree, struct str configuration,
	struct build_targets *t);
/* Asks CMake for a reply, which the next configuration gives. */
void build_targets_ask(struct arena *a, struct str tree);

#endif

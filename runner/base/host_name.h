/* The name of this machine. */
#ifndef CCTR_RUNNER_BASE_HOST_NAME_H
#define CCTR_RUNNER_BASE_HOST_NAME_H

#include "runner/base/base.h"

/* unknown: where the system has no name. */
struct str host_name(struct arena *a, struct str unknown);

#endif

/*
 * The machine: how many processors this process may use. topology.c asks hwloc;
 * topology_null.c is its twin for a build without it.
 */
#ifndef CCTR_RUNNER_TOPOLOGY_H
#define CCTR_RUNNER_TOPOLOGY_H

#include "runner/base.h"

/* Logical processors this process is allowed to run on; at least 1. */
size_t topology_processors(void);
/* For --version=full: "hwloc 2.9.0", or "none". */
struct str topology_name(struct arena *a);

#endif

/*
 * Warns of tests for which even a long search cannot decide whether the whole pool
 * suffices. They are not refused: they wait until nothing else runs, and then a longer
 * search decides.
 */
#ifndef CCTR_COMPAT_RESOURCES_FEASIBILITY_H
#define CCTR_COMPAT_RESOURCES_FEASIBILITY_H

#include "runner/base/diag.h"
#include "runner/model/select.h"
#include "runner/resources/pool.h"

/* One warning, for the first such test, that says how many there are. */
void feasibility_warn(const struct pool *p, const struct selection *s, struct diag *d);

#endif

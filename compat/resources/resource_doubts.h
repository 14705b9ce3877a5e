/*
 * Tests of which a long search cannot say whether the whole pool is enough. They are not
 * refused for that: they wait until nothing else runs, and then a longer search decides.
 */
#ifndef CCTR_COMPAT_RESOURCES_RESOURCE_DOUBTS_H
#define CCTR_COMPAT_RESOURCES_RESOURCE_DOUBTS_H

#include "runner/base/diag.h"
#include "runner/model/select.h"
#include "runner/resources/pool.h"

/* A warning for the first of them that says how many there are. */
void resource_doubts(const struct pool *p, const struct selection *s, struct diag *d);

#endif

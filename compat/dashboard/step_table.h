/* The steps of a dashboard, by their parts. */
#ifndef CCTR_COMPAT_DASHBOARD_STEP_TABLE_H
#define CCTR_COMPAT_DASHBOARD_STEP_TABLE_H

#include "compat/dashboard/step/step.h"

/* The step of the call's part, which must be one that has a step. false: it failed; why
 * is in the result. */
bool step_run(struct dashboard *d, const struct step_call *c, struct step_result *r);

#endif

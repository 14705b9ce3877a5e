/* The steps of a dashboard, by their parts. */
#ifndef CCTR_COMPAT_DASHBOARD_STEP_TABLE_H
#define CCTR_COMPAT_DASHBOARD_STEP_TABLE_H

#include "compat/dashboard/step/step.h"

/* Runs the step of the call's part, which must have one. false: it failed, see the
 * result. */
bool step_run(struct dashboard *d, const struct step_call *c, struct step_result *r);

#endif

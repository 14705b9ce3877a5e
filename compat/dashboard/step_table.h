/* The steps of a dashboard, by their parts. */
#ifndef CCTR_COMPAT_DASHBOARD_STEP_TABLE_H
#define CCTR_COMPAT_DASHBOARD_STEP_TABLE_H

#include "compat/dashboard/step/step.h"

/* Runs the step of the call's part, which must have one. */
struct step_result step_run(const struct step_input *in);

#endif

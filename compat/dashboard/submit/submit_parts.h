/* Which files are submitted, and in which order: part after part, each file once. */
#ifndef CCTR_COMPAT_DASHBOARD_SUBMIT_SUBMIT_PARTS_H
#define CCTR_COMPAT_DASHBOARD_SUBMIT_SUBMIT_PARTS_H

#include "compat/dashboard/step/step.h"

/* Selects by PARTS and FILES of the call. An unknown part or file is an error in the
 * result, and the others are submitted. */
struct str_list submit_parts(const struct step_input *in, struct step_result *r);

#endif

/*
 * The start of a dashboard: sets the tag of all later results. Not a step of its own: the
 * caller keeps the stamp. Each function changes the stamp as far as it comes; false after
 * a message: there can be no tag.
 */
#ifndef CCTR_COMPAT_DASHBOARD_STEP_STEP_START_H
#define CCTR_COMPAT_DASHBOARD_STEP_STEP_START_H

#include "compat/dashboard/step/step.h"

/* Makes a new tag. */
CCTR_MUST_CHECK bool start_new(const struct step_input *in, struct stamp *stamp);
/* For a caller that does not start: continues with the tag of an earlier start, or makes
 * one. */
CCTR_MUST_CHECK bool start_resume(const struct step_input *in, struct stamp *stamp);
/* For ctest_start: makes a tag, or with APPEND continues with the tag of an earlier
 * start. model_is_known: the command names the model. */
CCTR_MUST_CHECK bool start_script(
	const struct step_input *in, bool model_is_known, struct stamp *stamp);
/* The time of a dashboard with this stamp: now, or when the nightly ones begin. false
 * after a message: it is not known. */
CCTR_MUST_CHECK bool start_moment(
	const struct step_input *in, const struct stamp *stamp, int64_t *seconds);
/* The group is the one that was asked for, or else the model. */
void start_name_group(struct stamp *stamp);
/* true: the time is known. Prints nothing. */
bool start_has_moment(const struct step_input *in, const struct stamp *stamp);

#endif

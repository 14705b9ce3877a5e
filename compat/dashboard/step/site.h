/*
 * What surrounds every XML file of a dashboard: the declaration, <Site> with facts about
 * the build and the machine, the subprojects.
 */
#ifndef CCTR_COMPAT_DASHBOARD_STEP_SITE_H
#define CCTR_COMPAT_DASHBOARD_STEP_SITE_H

#include "compat/dashboard/step/step.h"
#include "compat/format/xml.h"

/* Opens <Site>; xml_close closes it. */
void site_open(struct xml *x, const struct step_input *in);
/* LabelsForSubprojects, in files of all steps but Coverage. */
void site_subprojects(struct xml *x, const struct step_input *in);
/* Opens <Site> with four attributes on one line and a stylesheet before it: for Notes,
 * Upload. */
void site_open_short(struct xml *x, const struct step_input *in);
/* "20261121-0755-Experimental": the dashboard that a file belongs to. */
struct str site_stamp(const struct step_input *in);
/* The program that wrote the file: an attribute of its first element. */
void site_generator(struct xml *x, const struct step_input *in);
/* <StartDateTime>, <StartTestTime> and the like. */
void site_time(
	struct xml *x, const char *date_name, const char *time_name, int64_t seconds);
/* <Time> and <DateTime>. */
void site_now(struct xml *x);
void site_text(struct xml *x, const char *name, struct str text);
void site_number(struct xml *x, const char *name, int64_t value);
/* With the digits of x. */
void site_double(struct xml *x, const char *name, double value);

#endif

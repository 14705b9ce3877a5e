/*
 * What stands around every XML file of a dashboard: the declaration, <Site> with what it
 * says of the build and of the machine, the subprojects.
 */
#ifndef CCTR_COMPAT_DASHBOARD_STEP_SITE_H
#define CCTR_COMPAT_DASHBOARD_STEP_SITE_H

#include "compat/dashboard/step/step.h"
#include "compat/format/xml.h"

/* Opens <Site>; xml_close closes it. */
void site_open(struct xml *x, const struct dashboard *d, bool append);
/* The same with four attributes on one line and a stylesheet before it: Notes, Upload. */
void site_open_short(struct xml *x, const struct dashboard *d);
/* "20261121-0755-Experimental": which dashboard a file is of. */
struct str site_stamp(const struct dashboard *d);
/* What has written it: an attribute of its first element. */
void site_generator(struct xml *x, const struct dashboard *d);
/* <StartDateTime>, <StartTestTime> and the like. */
void site_time(
	struct xml *x, const char *date_name, const char *time_name, int64_t seconds);
/* <Time> and <DateTime>. */
void site_now(struct xml *x);
void site_text(struct xml *x, const char *name, struct str text);
void site_number(struct xml *x, const char *name, int64_t value);

#endif

/* Build.xml. See step_build.c. */
#ifndef CCTR_COMPAT_DASHBOARD_BUILD_BUILD_XML_H
#define CCTR_COMPAT_DASHBOARD_BUILD_BUILD_XML_H

#include "compat/dashboard/build/build_launch.h"
#include "compat/dashboard/build/build_output.h"

struct build_record {
	struct str command;
	int64_t started_s, ended_s;
	/* The problems: from the output, or from the launchers if they are on. */
	struct build_output *output;
	const struct build_launch *launch;
};
void build_xml(
	struct buf *text, const struct step_input *in, const struct build_record *r);

#endif

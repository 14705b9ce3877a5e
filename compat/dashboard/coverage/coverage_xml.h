/* What the XML readers share. See coverage.h. */
#ifndef CCTR_COMPAT_DASHBOARD_COVERAGE_COVERAGE_XML_H
#define CCTR_COMPAT_DASHBOARD_COVERAGE_COVERAGE_XML_H

#include "compat/dashboard/coverage/coverage.h"
#include "compat/format/xml_read.h"

/* Reports a syntax error; what comes before it counts. */
void coverage_read_xml(
	struct coverage *c, struct str text, const struct xml_events *events);

#endif

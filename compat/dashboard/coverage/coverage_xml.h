/* What the readers of XML have in common. See coverage.h. */
#ifndef CCTR_COMPAT_DASHBOARD_COVERAGE_COVERAGE_XML_H
#define CCTR_COMPAT_DASHBOARD_COVERAGE_COVERAGE_XML_H

#include "compat/dashboard/coverage/coverage.h"
#include "compat/format/xml_read.h"

/* Says where it is not well-formed; what is before counts. */
void coverage_read_xml(
	struct coverage *c, struct str text, const struct xml_events *events);

#endif

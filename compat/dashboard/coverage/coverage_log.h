/* CoverageLog-N.xml: the lines of sources, a file for every hundred of these. */
#ifndef CCTR_COMPAT_DASHBOARD_COVERAGE_COVERAGE_LOG_H
#define CCTR_COMPAT_DASHBOARD_COVERAGE_COVERAGE_LOG_H

#include "compat/dashboard/coverage/coverage.h"
#include "compat/format/xml.h"

struct coverage_log {
	struct coverage *c;
	const struct step_call *call;
	/* Of the one that is being written: whole and out of memory before the next one
	 * begins. */
	struct xml xml;
	struct arena *scratch;
	struct buf text;
	unsigned n; /* written */
	bool is_bad; /* one could not be written */
};
void coverage_log_open(struct coverage_log *l);
void coverage_log_close(struct coverage_log *l);
void coverage_log_drop(struct coverage_log *l); /* instead of writing it */
/* Opens <File> with the name of the path's last part; below: of the tree. */
void coverage_log_file(struct xml *x, struct str path, struct str below);

#endif

/* CoverageLog-N.xml: the lines of sources, one file per hundred sources. */
#ifndef CCTR_COMPAT_DASHBOARD_COVERAGE_COVERAGE_LOG_H
#define CCTR_COMPAT_DASHBOARD_COVERAGE_COVERAGE_LOG_H

#include "compat/dashboard/coverage/coverage.h"
#include "compat/format/xml.h"

struct coverage_log {
	struct coverage *c;
	/* The file that is being written: it is complete and out of memory before the
	 * next one begins. */
	struct xml xml;
	struct arena *scratch;
	struct buf text;
	unsigned n; /* files written */
	bool is_bad; /* a file could not be written */
};
void coverage_log_open(struct coverage_log *l);
void coverage_log_close(struct coverage_log *l);
void coverage_log_drop(struct coverage_log *l); /* instead of writing it */
/* Opens <File> with the last part of path as name. below: the path within the tree. */
void coverage_log_file(struct xml *x, struct str path, struct str below);

#endif

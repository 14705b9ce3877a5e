/* CoverageLog-N.xml: the lines of sources, one file per hundred sources. Coverage.xml: a
 * row for each source, and the totals. */
#ifndef CCTR_COMPAT_DASHBOARD_COVERAGE_COVERAGE_LOG_H
#define CCTR_COMPAT_DASHBOARD_COVERAGE_COVERAGE_LOG_H

#include "compat/dashboard/coverage/coverage.h"
#include "compat/format/xml.h"

enum { SOURCES_PER_LOG = 100 };

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
/* branches: NULL without such data. */
void coverage_log_line(struct xml *x, size_t number, int count,
	const struct branch_coverage *branches, struct str text);

struct coverage_summary {
	struct coverage *c;
	struct buf text;
	struct xml xml;
	int64_t started_s;
};
/* digits: see struct xml. */
void coverage_summary_open(
	struct coverage_summary *s, struct coverage *c, int64_t started_s, int digits);
/* Adds the totals and writes the file. false after a message: it cannot be written. */
bool coverage_summary_close(
	struct coverage_summary *s, int64_t tested, int64_t untested, double percent);

#endif

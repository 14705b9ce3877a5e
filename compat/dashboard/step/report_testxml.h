/* Test.xml: what the dashboard is told of a run of tests. */
#ifndef CCTR_COMPAT_DASHBOARD_STEP_REPORT_TESTXML_H
#define CCTR_COMPAT_DASHBOARD_STEP_REPORT_TESTXML_H

#include "compat/dashboard/step/step.h"
#include "runner/run/report.h"

/*
 * Entries are written as tests end, in that order, into an unlinked file; what has to be
 * read from files at the end (attached files, measurements) is remembered. close() puts
 * the list of names before them and writes the file, also for a run that was a listing.
 */
struct testxml_options {
	const char *file; /* "Test" */
	bool append;
	/* No output is cut or compressed, and numbers have stayed as they were. */
	bool is_of_memcheck;
};
struct report *report_testxml_open(struct dashboard *d, const struct testxml_options *o);

#endif

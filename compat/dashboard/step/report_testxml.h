/* Test.xml: reports a run of tests to the dashboard. */
#ifndef CCTR_COMPAT_DASHBOARD_STEP_REPORT_TESTXML_H
#define CCTR_COMPAT_DASHBOARD_STEP_REPORT_TESTXML_H

#include "compat/dashboard/step/step.h"
#include "runner/run/report.h"

/*
 * Entries are written as tests end, in that order, into an unlinked file. Files that must
 * be read at the end (attached files, measurements) are remembered. close() writes the
 * list of names before the entries and makes the file, for a listing too.
 */
struct testxml_options {
	const char *file; /* "Test" */
	/* No output is cut or compressed, and numbers keep their old format. */
	bool is_of_memcheck;
	/* Of a run that is over, since the epoch; 0: it starts now. */
	int64_t started_s, ended_s;
};
/* The result gets the file. */
struct report *report_testxml_open(const struct step_input *in,
	struct step_result *result, const struct testxml_options *o);

#endif

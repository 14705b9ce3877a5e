/* The files of shards together. */
#ifndef CCTR_COMPAT_DASHBOARD_MERGE_MERGE_REPORTS_H
#define CCTR_COMPAT_DASHBOARD_MERGE_MERGE_REPORTS_H

#include "compat/console/console.h"
#include "compat/dashboard/merge/merged_run.h"

struct merge_request {
	struct str junit; /* "": none */
	struct str into; /* a folder, absolute, for Test.xml and the history; "": none */
	struct str timings; /* a file that the times are added to; "": none */
	const struct dialect *dialect;
	struct console *console;
};

/* Writes the files, and prints the summary. false after messages: one could not be
 * written. */
CCTR_MUST_CHECK bool merge_reports_write(
	const struct merged_run *m, const struct merge_request *q, struct diag *d);

#endif

/* Testing/Temporary/LastTest.log. */
#ifndef CCTR_COMPAT_REPORT_REPORT_LOG_H
#define CCTR_COMPAT_REPORT_REPORT_LOG_H

#include "compat/options/report_options.h"
#include "compat/options/schedule_options.h"
#include "runner/cmakelang/dialect.h"
#include "runner/run/report.h"

struct log_options {
	struct str path;
	const struct report_options *report;
	const struct schedule_options *schedule;
	const struct dialect *dialect;
};
/*
 * Writes path.tmp, one entry at a time; close() renames it. So after a killed run the
 * previous log is unchanged, and the finished entries are beside it. If nothing runs
 * (-N), only the frame is written. The selection may be filled in later, but before the
 * first event. NULL after diag_error.
 */
struct report *report_log_open(struct arena *a, const struct log_options *o,
	const struct selection *s, struct diag *d);
/* Notes that an interrupted run is continued (-F). Call it before the first event. */
void report_log_resumes(struct report *report);
/* Closes the log of a run that failed before it began (test files with errors, a bad
 * resource specification): as in ctest the file is empty. */
bool report_log_close_empty(struct report *report, struct diag *d);

#endif

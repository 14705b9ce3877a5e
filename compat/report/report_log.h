/* Testing/Temporary/LastTest.log. */
#ifndef CCTR_COMPAT_REPORT_REPORT_LOG_H
#define CCTR_COMPAT_REPORT_REPORT_LOG_H

#include "compat/options/options.h"
#include "runner/run/report.h"

/*
 * Written to path.tmp, entry by entry, and renamed by close(): a run that was killed
 * leaves the previous log as it was, and beside it the entries of what had ended. Nothing
 * but the frame when nothing runs (-N). The selection may be filled in later, but before
 * the first event. NULL after diag_error.
 */
struct report *report_log_open(struct arena *a, struct str path, const struct options *o,
	const struct dialect *dialect, const struct selection *s, struct diag *d);
/* Says that an interrupted run is gone on with: -F. Before the first event. */
void report_log_resumes(struct report *report);
/* Closes it when the run came to nothing before it began (test files with errors, a bad
 * resource specification): ctest leaves an empty file then. */
bool report_log_close_empty(struct report *report, struct diag *d);

#endif

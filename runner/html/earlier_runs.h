/* What the history has of the tests of a page before its run. */
#ifndef CCTR_RUNNER_HTML_EARLIER_RUNS_H
#define CCTR_RUNNER_HTML_EARLIER_RUNS_H

#include "runner/history/history.h"
#include "runner/html/html_run.h"

/* By node; the latest attempts first, those of this run among them. NULL: there is no
 * history. Where it cannot be read, d has a warning. */
const struct history_of_test *earlier_runs_read(
	struct arena *a, const struct html_run *r, struct diag *d);

#endif

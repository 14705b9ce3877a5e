/* Writes the attempts of a run to the history, in batches while the run goes on. */
#ifndef CCTR_RUNNER_HISTORY_REPORT_HISTORY_H
#define CCTR_RUNNER_HISTORY_REPORT_HISTORY_H

#include "runner/history/history.h"
#include "runner/run/report.h"

struct history_report {
	struct history_options options;
	/* Which tests are no longer of interest: more than twice as many as it has. */
	const struct suite *suite;
};

struct report *report_history_open(struct arena *a, const struct history_report *o);

#endif

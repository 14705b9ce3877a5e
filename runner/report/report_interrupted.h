/* What a run was doing when SIGINT, SIGTERM or SIGQUIT ended it: for people, on standard
 * error. */
#ifndef CCTR_RUNNER_REPORT_REPORT_INTERRUPTED_H
#define CCTR_RUNNER_REPORT_REPORT_INTERRUPTED_H

#include "runner/report/running.h"

/* tests: how many the run has. */
struct report *report_interrupted_open(struct arena *a, size_t tests);

#endif

/* --events: a line of JSON for each event of a run. cctr-files(5), "Events". */
#ifndef CCTR_RUNNER_REPORT_REPORT_EVENTS_H
#define CCTR_RUNNER_REPORT_REPORT_EVENTS_H

#include "runner/run/report.h"

enum { EVENTS_VERSION = 1 };

/* The file is made when the run begins. path is borrowed; tests: how many are selected.
 */
struct report *report_events_open(struct arena *a, const char *path, size_t tests);

#endif

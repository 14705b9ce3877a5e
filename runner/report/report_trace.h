/*
 * --trace: a picture of the run for ui.perfetto.dev and chrome://tracing, in the Trace
 * Event Format of Chrome. cctr-files(5), "Trace".
 */
#ifndef CCTR_RUNNER_REPORT_REPORT_TRACE_H
#define CCTR_RUNNER_REPORT_REPORT_TRACE_H

#include "runner/report/spans.h"

/* The file is written when the run ends, also if a signal ends it. path is borrowed. */
struct report *report_trace_open(
	struct arena *a, const char *path, const struct spans_options *o);

#endif

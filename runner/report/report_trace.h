/*
 * --trace: a picture of the run for ui.perfetto.dev and chrome://tracing, in the Trace
 * Event Format of Chrome. cctr-files(5), "Trace".
 */
#ifndef CCTR_RUNNER_REPORT_REPORT_TRACE_H
#define CCTR_RUNNER_REPORT_REPORT_TRACE_H

#include "runner/run/report.h"
#include "runner/schedule/scheduler.h"

struct trace_options {
	const char *path; /* borrowed */
	const struct plan *plan;
	const struct scheduler *scheduler; /* says what running tests hold */
	struct scheduler_options run; /* its options */
};
/* The file is written when the run ends, also if a signal ends it. */
struct report *report_trace_open(struct arena *a, const struct trace_options *o);

#endif

/* What a run was doing when a signal ended it: for people, on standard error. */
#ifndef CCTR_RUNNER_REPORT_REPORT_INTERRUPTED_H
#define CCTR_RUNNER_REPORT_REPORT_INTERRUPTED_H

#include "runner/report/running.h"

/* tests: how many the run has. */
struct report *report_interrupted_open(struct arena *a, size_t tests);
/* The text; signal: SIGINT, SIGTERM or SIGQUIT, for others nothing. */
void report_interrupted_text(
	struct buf *out, int signal, const struct running *running, uint64_t now_ns);

#endif

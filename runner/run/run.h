/*
 * The run: the scheduler decides, the engine executes, the verdict judges, reports
 * listen.
 */
#ifndef CCTR_RUNNER_RUN_RUN_H
#define CCTR_RUNNER_RUN_RUN_H

#include "runner/run/run_parts.h"
#include "runner/run/runner.h"

/* A failing test is not an error. false: the machinery failed, see d. *interrupted is the
 * signal that ended the run early, else 0; the tests that ran then were killed and have
 * no END event, and there is no FINISH event. */
bool run_all(struct run *r, struct tally *t, int *interrupted, struct diag *d);

#endif

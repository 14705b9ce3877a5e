/*
 * --watch: runs the tests, waits until their files change, runs again those that failed
 * or have changed, and so on. Each run is in a process of its own.
 */
#ifndef CCTR_COMPAT_RUN_WATCH_ROUNDS_H
#define CCTR_COMPAT_RUN_WATCH_ROUNDS_H

#include "compat/run/run_settings.h"
#include "runner/run/report.h"

/* Returns more than once: in the process of each run with the settings of that run, which
 * the caller makes, and then ends; and in this process NULL, when the watch is over, with
 * the exit code in *code, and in c->interrupted the signal that ended it, or 0. */
const struct run_settings *watch_rounds(
	struct run_context *c, const struct run_settings *s, enum exit_code *code);
/* In the process of a run: writes which tests must run again, and which need not, to
 * s->results. A test that is not there runs again. */
void watch_rounds_tell(
	struct arena *a, const struct run_settings *s, const struct tally *t);

#endif

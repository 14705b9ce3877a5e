/*
 * A process that ends what a run has started when cctr itself dies: by SIGKILL, for want
 * of memory, by an abort.
 *
 * The guardian is a fork in a session of its own. It holds only a pipe to cctr and /proc
 * open, and sleeps until the pipe ends. Then it kills every process that has the brand of
 * the run (brand.h), until there is none.
 */
#ifndef CCTR_RUNNER_PROCESS_GUARDIAN_H
#define CCTR_RUNNER_PROCESS_GUARDIAN_H

#include "runner/base/base.h"

/* Makes the brand and the guardian; call it before the first program is started. Later
 * calls do nothing. The fork is cheapest while cctr is small. Where the system has no
 * process or descriptor left, there is no guardian, and everything else works. */
void guardian_begin(void);
/* For the regular end of cctr: the guardian is gone when the call returns, and programs
 * that tests left running go on. */
void guardian_end(void);
/* For a process that cctr has forked: closes its end of the guardian's pipe. */
void guardian_leave(void);
/* As guardian_leave, for a process that then makes runs of its own: it gets a brand and a
 * guardian of its own. */
void guardian_begin_again(void);
/* Whether the process is the guardian, a child of cctr that no wait finds. */
bool guardian_is(int pid);

#endif

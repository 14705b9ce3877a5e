/*
 * A process that ends what a run has started when cctr itself dies: by SIGKILL, for want
 * of memory, by an abort.
 *
 * The guardian is a fork in a session of its own. It holds nothing open but a pipe to
 * cctr and /proc, and sleeps until the pipe ends. Then it kills every process that has
 * the brand of the run (brand.h), until there is none.
 */
#ifndef CCTR_RUNNER_PROCESS_GUARDIAN_H
#define CCTR_RUNNER_PROCESS_GUARDIAN_H

#include "runner/base/base.h"

/* Before the first program is started: makes the brand and the guardian. Calls after the
 * first do nothing. The fork is cheapest while cctr is small. Without a guardian, since
 * the system has no process or descriptor left, everything else works. */
void guardian_begin(void);
/* cctr ends by itself: the guardian is gone when the call returns, and what programs left
 * running goes on. */
void guardian_end(void);
/* In a process that cctr has forked: cctr's end is not this process's. */
void guardian_leave(void);
/* The process is the guardian. It is a child of cctr that no wait finds. */
bool guardian_is(int pid);

#endif

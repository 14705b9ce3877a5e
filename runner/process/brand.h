/*
 * A mark that every process of a run inherits: the soft limit of RLIMIT_RTTIME.
 *
 * The limit affects processes with a realtime schedule only, and the values used here are
 * 70,000 years and more, so that it limits nothing. It survives fork, setsid, exec and a
 * change of the user, and everyone may read it in /proc/PID/limits. The value tells which
 * run of cctr a process belongs to, and which start of a program within that run.
 */
#ifndef CCTR_RUNNER_PROCESS_BRAND_H
#define CCTR_RUNNER_PROCESS_BRAND_H

#include <sys/resource.h>

#include "runner/process/proc_folder.h"

/* Makes the mark of this run, once per process. Does nothing where the limit is in use,
 * or where the system has no such limit: then all brands are 0. */
void brand_begin(void);
/* For a process that was forked: the next brand_begin makes a mark of its own. */
void brand_forget(void);
/* The brand of the run, with the number 0. 0: there is none. */
uint64_t brand_of_run(void);
/* The brand of the next program that is started; 0: there is none. */
uint64_t brand_next(void);
/* Gives the calling process the brand. */
void brand_put(uint64_t brand);
/* The limit that is the brand. */
struct rlimit brand_limit(uint64_t brand);
/* Gives the calling process the limit that it had before any brand_put. */
void brand_remove(void);
/* The brand of a process; 0: it has none, or the process is gone. */
uint64_t brand_of_process(struct proc_folder *f, int pid);
/* Whether both are of the same run. */
bool brand_is_same_run(uint64_t a, uint64_t b);

#endif

/*
 * What processes do at the moment: for a test that hangs. Reads /proc; the processes may
 * end meanwhile.
 */
#ifndef CCTR_RUNNER_PROCESS_PROCESS_REPORT_H
#define CCTR_RUNNER_PROCESS_PROCESS_REPORT_H

#include "runner/process/proc_folder.h"

/* At most so much of each, so that a report is bounded. */
enum {
	REPORT_PROCESSES_MOST = 64,
	REPORT_THREADS_MOST = 64, /* of a process */
	REPORT_FILES_MOST = 64, /* of a process */
	REPORT_BYTES_MOST = 1 << 20, /* then no other process begins */
};

/* Adds for each process: its command line, its parent, its threads with their states and
 * where in the kernel they wait, and its open files. A process that is gone is named as
 * such. */
void process_report(struct proc_folder *f, const int *pids, size_t n, struct buf *out);

#endif

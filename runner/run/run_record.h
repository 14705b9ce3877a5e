/*
 * A file with the mark of a run (brand.h) while the run lasts. The file stays when cctr
 * and its guardian are killed together; with it the next run finds the processes that the
 * killed run has left.
 */
#ifndef CCTR_RUNNER_RUN_RUN_RECORD_H
#define CCTR_RUNNER_RUN_RUN_RECORD_H

#include "runner/base/diag.h"
#include "runner/process/brand.h"

struct run_record {
	const char *path;
	int file; /* locked; -1: there is no record */
};

/* Warns of each process that an earlier run in this directory has left, then records this
 * run. There is no record while another run has one, where the mark is not available, and
 * where the file cannot be written: the run works without it. */
struct run_record run_record_open(
	struct arena *a, struct str directory, struct proc_folder *f, struct diag *d);
/* Removes the file. */
void run_record_close(struct run_record *r);

#endif

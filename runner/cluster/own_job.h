/*
 * A job that cctr asks a batch system for, and gives back.
 *
 * A file in the folder of the run names the job before it is asked for. The file is
 * locked as long as cctr lives. So a later cctr finds the jobs of one that was killed.
 */
#ifndef CCTR_RUNNER_CLUSTER_OWN_JOB_H
#define CCTR_RUNNER_CLUSTER_OWN_JOB_H

#include "runner/cluster/cluster.h"

struct own_job {
	struct cluster_access by;
	struct str directory; /* for the file */
	/* Gets what the job waits for, when that has changed. */
	void (*waits)(void *context, struct str id, struct str reason);
	void *context;
	/* The wait ends like that by a signal when the standard input is closed. */
	bool ends_with_input;
	/* Set by own_job_open: */
	struct str name, id;
	const char *path; /* of the file; NULL: there is none */
	int file;
};
enum own_job_end {
	OWN_JOB_RUNS,
	OWN_JOB_NO_SYSTEM, /* the batch system is not there */
	OWN_JOB_REFUSED, /* it gives no such job */
	OWN_JOB_LOST, /* the job has ended while it waited */
	OWN_JOB_INTERRUPTED /* by a signal, which *interrupted gets */
};
/* Asks for the job, and waits until it runs. *why: a phrase, unless it runs. Whatever the
 * end, own_job_close follows. The request's name and settings are ignored. */
enum own_job_end own_job_open(struct arena *a, struct own_job *own,
	const struct cluster_request *r, const char *const *environment,
	struct cluster_job *job, const char **why, int *interrupted);
/* Whether the job, which ran, has ended, and how: *report. false, too: the batch system
 * does not say. */
bool own_job_ended(struct arena *a, const struct own_job *own,
	const char *const *environment, struct job_report *report);
/* Whether the other end of the standard input, a socket or pipe, is closed. */
bool own_job_input_is_closed(void);
/* Gives the job back. false: the batch system has not taken it back, *why; the file stays
 * for a later cctr. */
bool own_job_close(struct arena *a, struct own_job *own, const char **why);
/* Gives back the jobs in the folder that no process has any more. Says so, or why not;
 * whose: "an earlier run, which was killed". */
void own_jobs_give_back(struct arena *a, struct str directory,
	const struct cluster_access *by, const char *whose, struct diag *d);

#endif

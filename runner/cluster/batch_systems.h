/* All batch systems, and what is asked of one before any test starts. */
#ifndef CCTR_RUNNER_CLUSTER_BATCH_SYSTEMS_H
#define CCTR_RUNNER_CLUSTER_BATCH_SYSTEMS_H

#include "runner/cluster/cluster.h"

enum { BATCH_SYSTEMS_N = 2 };
extern const struct batch_system *const batch_systems[BATCH_SYSTEMS_N];
/* NULL: there is none of that name. */
const struct batch_system *batch_system_named(struct str name);

/*
 * The job that cctr runs in. false: there is none, or the batch system does not say what
 * the job has; *why is a phrase. *interrupted is the signal that came meanwhile; else it
 * does not change.
 */
bool cluster_job_inside(struct arena *a, const struct cluster_access *by,
	const char *const *environment, struct cluster_job *job, const char **why,
	int *interrupted);

/* The same for a job that has that id. */
bool cluster_job_read(struct arena *a, const struct cluster_access *by, struct str id,
	const char *const *environment, struct cluster_job *job, const char **why,
	int *interrupted);
/* Runs a command of a batch system. false: it has failed, or has not ended in time. */
bool cluster_run(struct arena *a, const struct cluster_access *by, struct str_list words,
	struct str *text, const char **why, int *interrupted);

#endif

/*
 * A pilot: a process that asks a batch system for a job of one node, starts an agent
 * there, and gives the job back when the agent has ended. It is the launcher of the
 * agent: its standard input and output become the agent's, once the job runs. Until then
 * it says what the job waits for.
 */
#ifndef CCTR_RUNNER_CLUSTER_PILOT_H
#define CCTR_RUNNER_CLUSTER_PILOT_H

#include "runner/cluster/cluster.h"

struct pilot {
	struct cluster_access by;
	struct str directory; /* for the files that name jobs: own_job.h */
	struct cluster_request request;
	struct str_list launcher; /* of the user; none: the batch system's */
	struct str_list agent;
};
#define PILOT_WORD "--pilot"

/* The arguments of cctr that make it the pilot. */
struct str_list pilot_words(struct arena *a, const struct pilot *p);
/* Is the pilot of these arguments, and returns its exit code. */
int pilot_run(struct arena *a, int argc, char *const *argv);

#endif

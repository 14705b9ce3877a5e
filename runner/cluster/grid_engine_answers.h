/*
 * What files and programs of Grid Engine say, as values. Pure: nothing is read or asked
 * here. All bytes are foreign; what is not understood is an error with a reason.
 */
#ifndef CCTR_RUNNER_CLUSTER_GRID_ENGINE_ANSWERS_H
#define CCTR_RUNNER_CLUSTER_GRID_ENGINE_ANSWERS_H

#include "runner/base/base.h"

/* A host of a job, and how many of its slots the job has there. */
struct grid_engine_host {
	struct str name;
	uint64_t slots;
};
typedef VEC(struct grid_engine_host) grid_engine_hosts;

/* What each slot of a job has of a resource: -l name=amount. */
struct grid_engine_share {
	struct str name, amount;
};

struct grid_engine_job {
	uint64_t number;
	struct str state; /* qstat's letters, such as "qw" */
	grid_engine_hosts hosts; /* none: it does not run yet */
	VEC(struct grid_engine_share) shares;
};
typedef VEC(struct grid_engine_job) grid_engine_jobs;

/* Where a function returns false, *why is a phrase: why not. */

/* The file of PE_HOSTFILE: lines of host, slots, queue, processors. Slots of a host that
 * has several queues are added up. */
bool grid_engine_hosts_read(
	struct arena *a, struct str text, grid_engine_hosts *hosts, const char **why);
/* The number of the job that "qsub -terse" has submitted: "12", or "12.1-3:1" for an
 * array, in the last line. false: there is none. */
bool grid_engine_number_read(struct str text, uint64_t *number);
/* "qstat -xml -g t -r": all jobs, with a line for each slot of those that run. */
bool grid_engine_jobs_read(
	struct arena *a, struct str text, grid_engine_jobs *jobs, const char **why);
/* "qstat -xml -j": the last message about a job, the sum of all. STR_NONE: there is none.
 */
struct str grid_engine_message_read(struct arena *a, struct str text);
/* How a job has ended. */
struct grid_engine_end {
	uint64_t failed;
	struct str reason; /* of failed; "" for 0 */
	struct str exit_status;
};
/* The records of "qacct -j": those of the job with that number. Of several, which are of
 * its tasks, the last that has failed decides. false: there is none. The texts are
 * borrowed. */
bool grid_engine_end_read(struct str text, struct str id, struct grid_engine_end *end);
/* An amount of memory, such as "2G": K, M and G are powers of 1024, k, m and g of 1000.
 * 0: it is none. */
uint64_t grid_engine_bytes(struct str amount);

#endif

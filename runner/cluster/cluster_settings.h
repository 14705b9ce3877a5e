/* What a site says of its batch system, by keys of a configuration file. */
#ifndef CCTR_RUNNER_CLUSTER_CLUSTER_SETTINGS_H
#define CCTR_RUNNER_CLUSTER_CLUSTER_SETTINGS_H

#include "runner/base/base.h"

/* STR_NONE and 0: it is not said. */
struct cluster_settings {
	struct str bin; /* the folder of the commands */
	struct str config; /* SLURM_CONF */
	struct str root, cell, cluster; /* SGE_ROOT, SGE_CELL, SGE_CLUSTER_NAME */
	struct str repo_key; /* the head of the names of jobs */
	struct str default_prio; /* qsub -p */
	struct str use_nice; /* "true" or "false": sbatch --nice, see job_nice.h */
	struct str time_origin, nice_factor; /* for these values */
	/* Names of Grid Engine's resources; those that are not said are not asked for. */
	struct str cpu_resource, mem_resource, tmp_resource, gpu_resource;
	struct str parallel_environment; /* qsub -pe */
	uint64_t init_timeout; /* seconds that an answer may take */
	uint64_t n_max_queued_jobs; /* that wait at a time, of those that ask the same */
	uint64_t idle_limit; /* seconds that a job is kept which no test needs */
};

/* The keys of a batch system of that name. */
struct str_list cluster_settings_keys(struct arena *a, const char *system);
/* Sets the value of one of these keys. false: it is no such value; *why is a phrase. */
bool cluster_settings_set(struct arena *a, struct cluster_settings *s, struct str key,
	struct str value, const char **why);
/* What is said, as "key=value". */
struct str_list cluster_settings_list(struct arena *a, const struct cluster_settings *s);
/* Fills in what s does not say. */
void cluster_settings_fill(
	struct cluster_settings *s, const struct cluster_settings *weaker);
/* The words before those of a command, which give it the variables that it needs; none
 * where nothing is said. path: the value of PATH. */
struct str_list cluster_settings_words(
	struct arena *a, const struct cluster_settings *s, const char *path);

#endif

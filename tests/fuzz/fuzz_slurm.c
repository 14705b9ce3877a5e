/*
 * What Slurm's commands print: a job, its number, and the states of jobs. What is read of
 * a job is a job with nodes.
 */
#include "runner/cluster/slurm.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
read_job(struct arena *a, struct str text)
{
	static const char *const environment[] = {NULL};
	struct cluster_job job = {.nodes_n = 0};
	const char *why = NULL;

	if (!slurm_system.read_job(a, STR("7"), environment, text, &job, &why)) {
		INVARIANT(why);
		return;
	}
	INVARIANT(job.nodes_n && job.launcher.n);
	for (size_t i = 0; i < job.nodes_n; i++)
		INVARIANT(job.nodes[i].name.n && job.nodes[i].processors);
}

static void
read_answers(struct arena *a, struct str text)
{
	struct str ids[] = {STR("7"), STR("8")}, id;
	struct job_report reports[2];
	const char *why = NULL;

	INVARIANT(slurm_system.read_answer(a, text, &id, &why) ? id.n > 0 : why != NULL);
	(void)slurm_system.read_states(a, text, (struct str_list){ids, 2}, reports, NULL);
	for (size_t i = 0; i < 2; i++)
		INVARIANT(reports[i].state == JOB_UNKNOWN || reports[i].reason.p);
	reports[0] = slurm_system.read_end(a, STR("7"), text);
	INVARIANT(reports[0].state == JOB_UNKNOWN || reports[0].reason.p);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_open();
	struct str text = str_dup(a, str_cut((const char *)data, size));

	read_job(a, text);
	read_answers(a, text);
	arena_close(a);
	return 0;
}

/* Whatever Grid Engine says: its readers refuse the text with a reason, or yield values
 * that may be used in the words of a command. */
#include "runner/cluster/grid_engine.h"
#include "runner/cluster/grid_engine_answers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check_hosts(const grid_engine_hosts *hosts)
{
	for (size_t i = 0; i < hosts->n; i++) {
		INVARIANT(hosts->v[i].name.n > 0 && hosts->v[i].name.p[0] != '-');
		for (size_t k = 0; k < i; k++)
			INVARIANT(!str_eq(hosts->v[i].name, hosts->v[k].name));
	}
}

static void
read_job(struct arena *a, struct str text)
{
	static const char *const environment[] = {NULL};
	struct cluster_job job = {.nodes_n = 0};
	const char *why = NULL;

	if (!grid_engine_system.read_job(a, STR("1"), environment, text, &job, &why)) {
		INVARIANT(why);
		return;
	}
	INVARIANT(job.nodes_n && job.launcher.n);
	for (size_t i = 0; i < job.nodes_n; i++)
		INVARIANT(job.nodes[i].name.n && job.nodes[i].processors);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_open();
	struct str text = str_dup(a, str_cut((const char *)data, size)), id = STR("1");
	struct job_report report;
	grid_engine_hosts hosts;
	const char *why = NULL;

	if (grid_engine_hosts_read(a, text, &hosts, &why))
		check_hosts(&hosts);
	else
		INVARIANT(why);
	read_job(a, text);
	INVARIANT(!grid_engine_system.read_answer(a, text, &id, &why) || id.n > 0);
	if (grid_engine_system.read_states(
		    a, text, (struct str_list){&id, 1}, &report, &why))
		INVARIANT(report.reason.p);
	else
		INVARIANT(why);
	report = grid_engine_system.read_end(a, STR("1"), text);
	INVARIANT(report.reason.p && report.state != JOB_RUNS);
	(void)grid_engine_system.read_reason(a, text);
	(void)grid_engine_system.read_refusal(a, text);
	arena_close(a);
	return 0;
}

/* What Slurm's commands print, as they were recorded, and the words of its commands. */
#include "runner/base/files.h"
#include "runner/cluster/batch_systems.h"
#include "runner/cluster/slurm.h"
#include "tests/unit/unit.h"

#define MIB ((uint64_t)1 << 20)

static struct str
sample(struct arena *a, const char *name)
{
	struct str text;

	assert_true(file_read(a, str_fmt(a, "tests/cases/slurm/%s", name).p, &text));
	return text;
}

static struct str
joined(struct arena *a, struct str_list l)
{
	struct buf b = {.arena = a};

	buf_z(&b, "");
	for (size_t i = 0; i < l.n; i++)
		buf_fmt(&b, "%s%.*s", i ? " " : "", STR_ARG(l.v[i]));
	return buf_as_str(&b);
}

/* "name processors MiB gpus" of each node, one a line. */
static const char *
shown(struct arena *a, const struct cluster_job *job)
{
	struct buf b = {.arena = a};

	buf_z(&b, "");
	for (size_t i = 0; i < job->nodes_n; i++) {
		const struct cluster_node *n = &job->nodes[i];

		buf_fmt(&b, "%.*s %llu %llu [%.*s]\n", STR_ARG(n->name),
			(unsigned long long)n->processors,
			(unsigned long long)(n->memory_bytes / MIB),
			STR_ARG(joined(a, n->gpus)));
	}
	return b.p;
}

static bool
read_text(struct arena *a, const char *id, struct str text, struct cluster_job *job,
	const char **why)
{
	static const char *const environment[] = {NULL};

	*job = (struct cluster_job){.nodes_n = 0};
	*why = NULL;
	return slurm_system.read_job(a, str_of(id), environment, text, job, why);
}

static void
jobs(void **state)
{
	static const struct {
		const char *name, *id, *nodes;
	} rows[] = {
		{"gpus", "1", "n1 2 200 [0]\nn2 2 200 [0]\n"},
		{"odd_name", "2", "n1 1 300 []\n"},
		{"nodes", "3", "n1 1 100 []\nn2 1 100 []\nn3 1 100 []\n"},
	};
	struct cluster_job job;
	const char *why;

	for (size_t i = 0; i < ROWS(rows); i++) {
		assert_true(read_text(
			*state, rows[i].id, sample(*state, rows[i].name), &job, &why));
		assert_string_equal(shown(*state, &job), rows[i].nodes);
		assert_true(str_list_has(job.launcher, STR("{agent}")));
		assert_true(str_list_has(job.launcher, str_of(rows[i].id)));
	}
}

#define JOB "JobId=7 JobName=x\n   JobState=RUNNING Reason=None\n"
#define NODES(text) JOB "     Nodes=" text "\n   Command=x\n"

/* As newer and older releases write GPUs. */
static void
gpus(void **state)
{
	static const struct {
		const char *gres, *gpus;
	} rows[] = {
		{"", ""},
		{"gpu:2(IDX:0-1)", "0 1"},
		{"gpu:a100:3(IDX:1,3-4)", "1 3 4"},
		{"gpu:a:1(IDX:3),gpu:b:2(IDX:0,2)", "3 0 2"},
		{"nic:1(IDX:7),gpu:2(IDX:N/A)", "0 1"},
		{"gpu:2(CNT:2)", "0 1"},
		{"gpu:2", "0 1"},
		{"gpu", "0"},
		{"shard:5(1/2,4/8)", ""},
	};
	struct cluster_job job;
	const char *why;

	for (size_t i = 0; i < ROWS(rows); i++) {
		struct str text = str_fmt(
			*state, NODES("n1 CPU_IDs=0 Mem=0 GRES=%s"), rows[i].gres);

		assert_true(read_text(*state, "7", text, &job, &why));
		assert_string_equal(joined(*state, job.nodes[0].gpus).p, rows[i].gpus);
		assert_int_equal(job.nodes[0].memory_bytes, 0);
	}
}

/* None of them is a job with nodes. */
static void
refused(void **state)
{
	static const char *const texts[] = {"", "slurm_load_jobs error\n", JOB,
		"JobId=8 JobName=x\n", NODES("n1"), NODES("n1 CPU_IDs="),
		NODES("n1 CPU_IDs=a Mem=1"), NODES("n1 CPU_IDs=3-1 Mem=1"),
		NODES("n1 CPU_IDs=0-99999999 Mem=1"), NODES("n1 CPU_IDs=0 Mem=x"),
		NODES("n[1-2 CPU_IDs=0 Mem=1"), NODES("-n1 CPU_IDs=0 Mem=1"),
		NODES("n1 CPU_IDs=0 Mem=1 GRES=gpu:x"),
		NODES("n1 CPU_IDs=0\n     Nodes=n1 CPU_IDs=0"),
		("JobId=7 JobName=x\n   JobState=PENDING Reason=Resources\n"
		 "     Nodes=n1 CPU_IDs=0 Mem=1\n"),
		"JobId=7 JobName=JobState=RUNNING\n     Nodes=n1 CPU_IDs=0 Mem=1\n"};
	struct cluster_job job;
	const char *why;

	for (size_t i = 0; i < ROWS(texts); i++) {
		assert_false(read_text(*state, "7", str_of(texts[i]), &job, &why));
		assert_non_null(why);
	}
}

static void
inside(void **state)
{
	static const char *const none[] = {"SLURM_JOB_IDS=7", "SLURM_JOB_ID=", NULL};
	static const char *const odd[] = {"SLURM_JOB_ID=7;x", NULL};
	static const char *const job[] = {"PATH=/bin", "SLURM_JOB_ID=7", NULL};

	(void)state;
	assert_int_equal(slurm_system.inside(none).n, 0);
	assert_int_equal(slurm_system.inside(odd).n, 0);
	assert_true(str_is(slurm_system.inside(job), "7"));
}

static void
asking(void **state)
{
	struct str option = STR("--partition=a b");
	struct cluster_request r = {.name = STR("cctr"),
		.nodes = 2,
		.processors = 3,
		.memory_bytes = MIB + 1,
		.tmp_bytes = MIB,
		.gpus = 1,
		.seconds = 61,
		.nice = 7,
		.options = {&option, 1}};
	struct str words = joined(*state, slurm_system.ask(*state, &r));

	assert_true(str_begins(words, STR("sbatch --parsable --no-requeue --no-kill ")));
	assert_true(str_has(words,
		STR(" --job-name=cctr --ntasks=2 --cpus-per-task=3 --mem-per-cpu=1M "
		    "--tmp=1M --gpus-per-task=1 --time=2 --nice=7 --partition=a b "
		    "--wrap ")));
	r = (struct cluster_request){.name = STR("cctr")};
	words = joined(*state, slurm_system.ask(*state, &r));
	assert_true(str_has(words, STR(" --job-name=cctr --wrap ")));
	r = (struct cluster_request){.name = STR("cctr"), .nodes = 3, .whole_nodes = 2};
	words = joined(*state, slurm_system.ask(*state, &r));
	assert_true(str_has(words, STR(" --ntasks=3 --exclusive --nodes=2-3 --wrap ")));
}

static void
answers(void **state)
{
	static const char *const bad[] = {
		"", "\n", "x", "-1", "12 13", ";cluster", "99999999999"};
	const char *why;
	struct str id;

	assert_true(slurm_system.read_answer(*state, STR("12\n"), &id, &why));
	assert_true(str_is(id, "12"));
	assert_true(slurm_system.read_answer(*state, STR("13;cluster\n"), &id, &why));
	assert_true(str_is(id, "13"));
	for (size_t i = 0; i < ROWS(bad); i++) {
		why = NULL;
		assert_false(slurm_system.read_answer(*state, str_of(bad[i]), &id, &why));
		assert_non_null(why);
	}
}

static void
states(void **state)
{
	static const struct {
		const char *said;
		enum job_state state;
		const char *reason;
	} rows[] = {
		{"7|PENDING|Resources", JOB_WAITS, "PENDING, Resources"},
		{"7|PENDING|None", JOB_WAITS, "PENDING"},
		{"7|PENDING|PartitionNodeLimit", JOB_NEVER_FITS,
			"PENDING, PartitionNodeLimit"},
		{"7|PENDING|PartitionConfig", JOB_NEVER_FITS, "PENDING, PartitionConfig"},
		{"7|PENDING|QOSMaxCpuPerJobLimit", JOB_NEVER_FITS,
			"PENDING, QOSMaxCpuPerJobLimit"},
		{"7|PENDING|QOSMaxCpuPerUserLimit", JOB_WAITS,
			"PENDING, QOSMaxCpuPerUserLimit"},
		{"7|CONFIGURING|None", JOB_WAITS, "CONFIGURING"},
		{"7|RUNNING|None", JOB_RUNS, "RUNNING"},
		{"7|CANCELLED|None", JOB_LOST, "CANCELLED"},
		{"7|NODE_FAIL|None", JOB_LOST, "NODE_FAIL"},
		{"7|PREEMPTED|None", JOB_LOST, "PREEMPTED"},
		{"7|BOOT_FAIL|None", JOB_LOST, "BOOT_FAIL"},
		{"7|TIMEOUT|TimeLimit", JOB_EXCEEDED, "TIMEOUT, TimeLimit"},
		{"7|OUT_OF_MEMORY|OutOfMemory", JOB_EXCEEDED,
			"OUT_OF_MEMORY, OutOfMemory"},
		{"7|DEADLINE|DeadLine", JOB_EXCEEDED, "DEADLINE, DeadLine"},
		{"7|FAILED|JobLaunchFailure", JOB_FAILED, "FAILED, JobLaunchFailure"},
		{"7|STATE_OF_THE_FUTURE|None", JOB_WAITS, "STATE_OF_THE_FUTURE"},
		{"77|RUNNING|None", JOB_UNKNOWN, ""},
		{"", JOB_UNKNOWN, ""},
	};
	struct str ids[] = {STR("6"), STR("7")};
	struct job_report reports[2];

	for (size_t i = 0; i < ROWS(rows); i++) {
		struct str text = str_fmt(*state, "6|RUNNING|None\n%s\n", rows[i].said);

		assert_true(slurm_system.read_states(
			*state, text, (struct str_list){ids, 2}, reports, NULL));
		assert_int_equal(reports[0].state, JOB_RUNS);
		assert_int_equal(reports[1].state, rows[i].state);
		assert_true(str_is(reports[1].reason, rows[i].reason));
	}
}

static void
ends(void **state)
{
	static const struct {
		const char *said;
		enum job_state state;
		const char *reason;
	} rows[] = {
		{"JobState=TIMEOUT Reason=TimeLimit Dependency=(null)", JOB_EXCEEDED,
			"TIMEOUT, TimeLimit"},
		{"JobState=OUT_OF_MEMORY Reason=OutOfMemory", JOB_EXCEEDED,
			"OUT_OF_MEMORY, OutOfMemory"},
		{"JobState=CANCELLED Reason=None", JOB_LOST, "CANCELLED"},
		{"JobState=PREEMPTED Reason=None", JOB_LOST, "PREEMPTED"},
		{"JobState=NODE_FAIL Reason=NodeDown", JOB_LOST, "NODE_FAIL, NodeDown"},
		{"JobState=FAILED Reason=NonZeroExitCode", JOB_FAILED,
			"FAILED, NonZeroExitCode"},
		{"JobState=RUNNING Reason=None", JOB_RUNS, "RUNNING"},
		{"JobState=COMPLETING Reason=None", JOB_WAITS, "COMPLETING"},
		{"JobState=COMPLETING Reason=TimeLimit", JOB_EXCEEDED,
			"COMPLETING, TimeLimit"},
		{"JobState=", JOB_WAITS, ""},
		{"Command=JobState=TIMEOUT", JOB_UNKNOWN, ""},
	};

	for (size_t i = 0; i < ROWS(rows); i++) {
		struct str text = str_fmt(*state,
			"JobId=6 JobName=x\n   JobState=RUNNING Reason=None\n\n"
			"JobId=7 JobName=x\n   UserId=x(1)\n   %s\n   Comment=x\n\n",
			rows[i].said);
		struct job_report report = slurm_system.read_end(*state, STR("7"), text);

		assert_int_equal(report.state, rows[i].state);
		assert_true(str_is(report.reason, rows[i].reason));
	}
	assert_int_equal(
		slurm_system.read_end(*state, STR("8"), STR("")).state, JOB_UNKNOWN);
}

static void
words(void **state)
{
	struct str ids[] = {STR("6"), STR("7")};
	struct str_list l = {ids, 2};

	assert_string_equal(joined(*state, slurm_system.show_job(*state, ids[1], NULL)).p,
		"scontrol show -d job 7");
	assert_string_equal(joined(*state, slurm_system.show_states(*state, l)).p,
		"squeue -h -t all -o %A|%T|%r -j 6,7");
	assert_string_equal(
		joined(*state, slurm_system.give_back_named(*state, STR("cctr-x"))).p,
		"scancel --name=cctr-x");
	assert_ptr_equal(batch_system_named(STR("slurm")), &slurm_system);
	assert_null(batch_system_named(STR("local")));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(jobs, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(gpus, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(refused, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(inside, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(asking, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(answers, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(states, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(ends, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(words, open_arena, close_arena),
	};

	return run_unit_tests("slurm", tests, NULL, NULL);
}

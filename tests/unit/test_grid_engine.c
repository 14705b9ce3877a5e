/* What Grid Engine says, as it was recorded on a cluster of three hosts, and the words of
 * its commands. */
#include "runner/base/files.h"
#include "runner/cluster/batch_systems.h"
#include "runner/cluster/grid_engine.h"
#include "runner/cluster/grid_engine_answers.h"
#include "tests/unit/unit.h"

#define MIB ((uint64_t)1 << 20)

static const char *const nowhere[] = {NULL};
static const struct batch_system *const system_ = &grid_engine_system;

static struct str
sample(struct arena *a, const char *name)
{
	struct str text;

	assert_true(
		file_read(a, str_fmt(a, "tests/cases/grid_engine/%s", name).p, &text));
	return text;
}

static const char *
joined(struct arena *a, struct str_list l)
{
	struct buf b = {.arena = a};

	buf_z(&b, "");
	for (size_t i = 0; i < l.n; i++)
		buf_fmt(&b, "%s%.*s", i ? " " : "", STR_ARG(l.v[i]));
	return b.p;
}

/* "name processors MiB [gpus]" of each node. */
static const char *
shown(struct arena *a, const struct cluster_job *job)
{
	struct buf b = {.arena = a};

	buf_z(&b, "");
	for (size_t i = 0; i < job->nodes_n; i++) {
		const struct cluster_node *n = &job->nodes[i];

		buf_fmt(&b, "%s%.*s %llu %llu [%s]", i ? ", " : "", STR_ARG(n->name),
			(unsigned long long)n->processors,
			(unsigned long long)(n->memory_bytes / MIB), joined(a, n->gpus));
	}
	return b.p;
}

static bool
read_job(struct arena *a, const char *id, const char *const *environment, struct str text,
	struct cluster_job *job, const char **why)
{
	*job = (struct cluster_job){.nodes_n = 0};
	*why = NULL;
	return system_->read_job(a, str_of(id), environment, text, job, why);
}

/* Job 1 is of a parallel environment whose first task has no slot, 2 of one where it has
 * one, and 5 of none. */
static void
jobs(void **state)
{
	static const struct {
		const char *id, *nodes;
	} rows[] = {
		{"1", "n1 2 0 [0 1], n2 2 0 [0 1], n3 1 0 [0]"},
		{"2", "n1 2 0 [], n2 2 0 [], n3 1 0 []"},
		{"5", "n3 1 0 []"},
	};
	struct str text = sample(*state, "jobs");
	struct cluster_job job;
	const char *why;

	for (size_t i = 0; i < ROWS(rows); i++) {
		assert_true(read_job(*state, rows[i].id, nowhere, text, &job, &why));
		assert_string_equal(shown(*state, &job), rows[i].nodes);
	}
	assert_string_equal(joined(*state, job.launcher),
		"env JOB_ID=5 SGE_TASK_ID=undefined setsid -w qrsh -inherit -noshell "
		"{node} "
		"/bin/sh -c \"$@\"; s=$?; [ $s -lt 128 ] || s=1; exit $s sh {agent}");
	assert_false(read_job(*state, "3", nowhere, text, &job, &why));
	assert_string_equal(why, "the job does not run");
	assert_false(read_job(*state, "6", nowhere, text, &job, &why));
	assert_string_equal(why, "qstat does not show the job");
	assert_false(read_job(*state, "1", nowhere, STR("error: no route"), &job, &why));
	assert_string_equal(why, "it is no list of qstat");
}

static void
memory(void **state)
{
	static const char list[] =
		"<job_info><job_list><JB_job_number>7</JB_job_number><state>r</state>"
		"<queue_name>a@n-1.x</queue_name><master>MASTER</master>"
		"<hard_request name='h_vmem'>1.5G</hard_request></job_list></job_info>";
	static const struct {
		const char *text;
		uint64_t bytes;
	} rows[] = {{"2", 2}, {"2k", 2000}, {"2K", 2048}, {"1.5M", 3 * MIB / 2},
		{"1g", 1000000000}, {"", 0}, {"INFINITY", 0}, {"-1", 0}, {"nanG", 0}};
	struct cluster_job job;
	const char *why;

	assert_true(read_job(*state, "7", nowhere, str_of(list), &job, &why));
	assert_string_equal(shown(*state, &job), "n-1.x 1 1536 []");
	for (size_t i = 0; i < ROWS(rows); i++)
		assert_int_equal(grid_engine_bytes(str_of(rows[i].text)), rows[i].bytes);
}

/* No name of a host reaches a command that could read it as anything else. */
static void
bad_lists(void **state)
{
	static const char *const lists[] = {"", "<job_info>", "<other/>",
		"<job_info><job_list><state>r</state></job_list></job_info>",
		"<job_info><job_list><JB_job_number>7</JB_job_number>"
		"<queue_name>a@-n</queue_name><master>SLAVE</master></job_list></"
		"job_info>",
		"<job_info><job_list><JB_job_number>7</JB_job_number>"
		"<queue_name>a@n;m</queue_name><master>MASTER</master></job_list></"
		"job_info>"};
	static const char *const files[] = {
		"", "\n", "n1", "n1 x", "n1 0", "-n 2", "n1 2\nn;2 1"};
	grid_engine_hosts hosts;
	grid_engine_jobs list;
	const char *why;

	for (size_t i = 0; i < ROWS(lists); i++) {
		why = NULL;
		assert_false(
			grid_engine_jobs_read(*state, str_of(lists[i]), &list, &why));
		assert_non_null(why);
	}
	for (size_t i = 0; i < ROWS(files); i++) {
		why = NULL;
		assert_false(
			grid_engine_hosts_read(*state, str_of(files[i]), &hosts, &why));
		assert_non_null(why);
	}
}

/* ---- inside of a job --------------------------------------------------------------- */

static void
inside(void **state)
{
	static const char *const several[] = {"JOB_ID=2", "NSLOTS=5",
		"SGE_TASK_ID=undefined", "PE_HOSTFILE=/spool/2.1/hosts", NULL};
	static const char *const one[] = {
		"JOB_ID=9", "NSLOTS=1", "SGE_TASK_ID=3", "HOSTNAME=n2", NULL};
	static const char *const nameless[] = {
		"JOB_ID=9", "NSLOTS=1", "SGE_TASK_ID=3", NULL};
	static const char *const others[] = {"JOB_ID=9", "SLURM_JOB_ID=9", NULL};
	struct cluster_job job;
	const char *why;

	assert_true(str_is(system_->inside(several), "2"));
	assert_string_equal(joined(*state, system_->show_job(*state, STR("2"), several)),
		"cat -- /spool/2.1/hosts");
	assert_true(read_job(*state, "2", several, sample(*state, "hosts"), &job, &why));
	assert_string_equal(shown(*state, &job), "n1 2 0 [], n2 2 0 [], n3 1 0 []");
	assert_true(str_is(job.launcher.v[5], "qrsh"));
	assert_true(read_job(*state, "2", several, STR("n1 2 a@n1 <NULL>\nn1 1 b@n1 0,1"),
		&job, &why));
	assert_string_equal(shown(*state, &job), "n1 3 0 []");
	assert_string_equal(joined(*state, job.launcher), "{agent}");

	assert_int_equal(system_->show_job(*state, STR("9"), one).n, 0);
	assert_true(read_job(*state, "9", one, STR(""), &job, &why));
	assert_string_equal(shown(*state, &job), "n2 1 0 []");
	assert_string_equal(joined(*state, job.launcher), "{agent}");
	assert_false(read_job(*state, "9", nameless, STR(""), &job, &why));
	assert_string_equal(why, "HOSTNAME and NSLOTS are not a host and its slots");
	assert_int_equal(system_->inside(others).n, 0);
	assert_int_equal(system_->inside(nowhere).n, 0);
}

/* ---- asking ------------------------------------------------------------------------ */

static void
words(void **state)
{
	struct str ids[] = {STR("6"), STR("7")}, options[] = {STR("-p"), STR("-5")};
	struct str_list l = {ids, 2};
	static const struct cluster_settings usual,
		chosen = {.parallel_environment = {"smp", 3},
			.gpu_resource = {"gpu", 3},
			.cpu_resource = {"cores", 5},
			.mem_resource = {"mem", 3},
			.default_prio = {"-7", 2}};
	struct cluster_request all = {.settings = &usual,
		.name = STR("1:a b"),
		.nodes = 2,
		.processors = 4,
		.gpus = 5,
		.memory_bytes = (uint64_t)9 << 20,
		.seconds = 90,
		.options = {options, 2}};
	struct cluster_request none = {.settings = &usual, .name = STR("cctr")};

	assert_string_equal(joined(*state, system_->ask(*state, &none)),
		"qsub -terse -b y -shell n -r n -w e -wd / -j y -o /dev/null -N cctr "
		"-pe make 1 /bin/sleep infinity");
	assert_string_equal(joined(*state, system_->ask(*state, &all)),
		"qsub -terse -b y -shell n -r n -w e -wd / -j y -o /dev/null -N c1_a_b "
		"-pe make 8 -l gpus=2 -l h_rt=90 -p -5 /bin/sleep infinity");
	all.settings = &chosen;
	assert_string_equal(joined(*state, system_->ask_why(*state, &all)),
		"qsub -terse -b y -shell n -r n -w v -wd / -j y -o /dev/null -N c1_a_b "
		"-pe smp 8 -l gpu=2 -l cores=1 -l mem=3M -l h_rt=90 -p -7 -p -5 "
		"/bin/sleep infinity");
	assert_string_equal(joined(*state, system_->give_back_named(*state, all.name)),
		"qdel c1_a_b");
	assert_string_equal(joined(*state, system_->show_reason(*state, STR("6"))),
		"qstat -xml -j 6");
	assert_string_equal(joined(*state, system_->show_job(*state, STR("6"), nowhere)),
		"qstat -xml -g t -r");
	assert_string_equal(
		joined(*state, system_->show_states(*state, l)), "qstat -xml");
}

static void
answers(void **state)
{
	static const struct {
		const char *text, *id;
	} rows[] = {{"12\n", "12"}, {"12.1-3:1\n", "12"}, {"a warning\n7\n", "7"}};
	static const char *const bad[] = {"", "0", "x", "12x", "Your job 12"};
	const char *why = NULL;
	struct str id;

	for (size_t i = 0; i < ROWS(rows); i++) {
		assert_true(
			system_->read_answer(*state, str_of(rows[i].text), &id, &why));
		assert_true(str_is(id, rows[i].id));
	}
	for (size_t i = 0; i < ROWS(bad); i++)
		assert_false(system_->read_answer(*state, str_of(bad[i]), &id, &why));
	assert_string_equal(why, "qsub says 'Your job 12', which is no number of a job");
}

static void
reasons(void **state)
{
	static const char list[] =
		"<detailed_job_info><djob_info><x>a</x></djob_info><messages><element>"
		"<MES_message>other</MES_message></element>"
		"<element><MES_message>cannot run in PE "
		"&quot;make&quot;</MES_message></element></messages>"
		"</detailed_job_info>";

	assert_string_equal(str_z(*state, system_->read_reason(*state, STR(list))),
		"cannot run in PE \"make\"");
	assert_int_equal(system_->read_reason(*state, STR("<a></a>")).n, 0);
	assert_int_equal(
		system_->read_reason(*state, STR("<a><MES_message>There are no "
						 "messages available</MES_message></a>"))
			.n,
		0);
	assert_int_equal(system_->read_reason(*state, STR("error: x")).n, 0);
	assert_string_equal(str_z(*state, system_->read_refusal(*state,
						  STR("Unable to run job: unknown "
						      "resource \"x\"\nExiting.\n"))),
		"unknown resource \"x\"");
	assert_true(system_->knows_none(
		STR("The job cctr of user(s) root does not exist\n")));
	assert_false(system_->knows_none(STR("error: commlib error")));
}

static void
shares_by_name(void **state)
{
	static const struct cluster_settings chosen = {.gpu_resource = {"g", 1},
		.mem_resource = {"m", 1},
		.tmp_resource = {"t", 1}};
	static const char list[] =
		"<job_info><queue_info><job_list><JB_job_number>7</JB_job_number>"
		"<state>r</state><queue_name>q@n1</queue_name>"
		"<hard_request name='g'>2</hard_request>"
		"<hard_request name='m'>3M</hard_request>"
		"<hard_request name='t'>5M</hard_request>"
		"<hard_request name='gpus'>9</hard_request>"
		"<hard_request name='h_vmem'>9G</hard_request><master>SLAVE</master>"
		"</job_list></queue_info></job_info>";
	struct cluster_job job = {.settings = &chosen};
	const char *why = NULL;

	assert_true(system_->read_job(*state, STR("7"), nowhere, STR(list), &job, &why));
	assert_int_equal(job.nodes_n, 1);
	assert_int_equal(job.nodes[0].gpus.n, 2);
	assert_int_equal(job.nodes[0].memory_bytes, (uint64_t)3 << 20);
	assert_int_equal(job.nodes[0].tmp_bytes, (uint64_t)5 << 20);
}

static void
states(void **state)
{
	static const struct {
		const char *letters;
		enum job_state state;
	} rows[] = {{"qw", JOB_WAITS}, {"hqw", JOB_WAITS}, {"t", JOB_WAITS},
		{"r", JOB_RUNS}, {"hr", JOB_RUNS}, {"Rr", JOB_RUNS}, {"s", JOB_RUNS},
		{"S", JOB_RUNS}, {"Eqw", JOB_FAILED}, {"dr", JOB_LOST}, {"dRr", JOB_LOST},
		{"Rq", JOB_WAITS}};
	struct str ids[] = {STR("1"), STR("3"), STR("4"), STR("77")};
	struct str_list list = {ids, 4};
	struct job_report reports[4];
	const char *why;

	assert_true(system_->read_states(
		*state, sample(*state, "states"), list, reports, &why));
	assert_int_equal(reports[0].state, JOB_RUNS);
	assert_int_equal(reports[1].state, JOB_WAITS);
	assert_int_equal(reports[2].state, JOB_FAILED);
	assert_true(str_is(reports[2].reason, "its state is Eqw"));
	assert_int_equal(reports[3].state, JOB_UNKNOWN);
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct str text = str_fmt(*state,
			"<job_info><job_list><JB_job_number>3</JB_job_number>"
			"<state>%s</state></job_list></job_info>",
			rows[i].letters);

		assert_true(system_->read_states(*state, text, list, reports, &why));
		assert_int_equal(reports[0].state, JOB_UNKNOWN);
		assert_int_equal(reports[1].state, rows[i].state);
	}
}

/* They say nothing about any job. */
static void
no_lists_of_states(void **state)
{
	static const char *const texts[] = {"", "\n", "error: no qmaster\n",
		"<job_info><job_list><JB_job_number>3</JB_job_number>",
		"<job_info><job_list><state>r</state></job_list></job_info>",
		"<unknown_jobs/>"};
	struct str ids[] = {STR("3")};
	struct job_report report;

	for (size_t i = 0; i < ROWS(texts); i++) {
		const char *why = NULL;

		assert_false(system_->read_states(*state, str_of(texts[i]),
			(struct str_list){ids, 1}, &report, &why));
		assert_non_null(why);
	}
}

/* What qacct says, of jobs with the number 7. */
static void
ends(void **state)
{
#define RECORD(number, failed, status)                                                   \
	"======\nqname        all.q               \njobnumber    " number                \
	"                   \nfailed       " failed "\nexit_status  " status "\n"
	static const struct {
		const char *text;
		enum job_state state;
		const char *reason;
	} rows[] = {
		{RECORD("7", "100 : assumedly after job",
			 "137                  (Killed)"),
			JOB_LOST, "failed 100: assumedly after job, exit_status 137"},
		{RECORD("7", "37  : qmaster enforced h_rt, h_cpu, or h_vmem limit",
			 "137  (Killed)"),
			JOB_EXCEEDED,
			"failed 37: qmaster enforced h_rt, h_cpu, or h_vmem limit, "
			"exit_status 137"},
		{RECORD("7", "0   ", "0"), JOB_LOST, "failed 0, exit_status 0"},
		/* tasks, each with a record of its own */
		{RECORD("7", "37  : limit", "137") RECORD("7", "0   ", "0"), JOB_EXCEEDED,
			"failed 37: limit, exit_status 137"},
		{RECORD("6", "37  : limit", "137"), JOB_WAITS, "qacct does not show how"},
		{RECORD("7", "x", "1"), JOB_LOST, "failed 4294967295, exit_status 1"},
		{"error: job name c1 not found\n", JOB_WAITS, "qacct does not show how"},
		{"", JOB_WAITS, "qacct does not show how"},
	};
#undef RECORD

	for (size_t i = 0; i < ROWS(rows); i++) {
		struct job_report report =
			system_->read_end(*state, STR("7"), str_of(rows[i].text));

		assert_int_equal(report.state, rows[i].state);
		assert_string_equal(str_z(*state, report.reason), rows[i].reason);
	}
	assert_string_equal(
		joined(*state, system_->show_end(*state, STR("7"), STR("1:a b"))),
		"qacct -j c1_a_b");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(jobs, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(memory, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(bad_lists, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(inside, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(words, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(answers, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(reasons, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(shares_by_name, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(states, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(
			no_lists_of_states, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(ends, open_arena, close_arena),
	};

	return run_unit_tests("grid_engine", tests, NULL, NULL);
}

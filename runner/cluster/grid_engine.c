/*
 * Grid Engine. See grid_engine.h.
 *
 * A job of cctr's own is one of a parallel environment: its own task only waits, and
 * agents are further tasks, which "qrsh -inherit" starts on the job's hosts. qrsh knows
 * the job by variables, so that cctr may be anywhere.
 *
 * Where a task ends by a signal, or as if by one, Grid Engine ends the whole job. So an
 * agent is the child of a shell, which exits with a small code. And qrsh gets no signal
 * that ends the launcher: it ends when the agent does, which ends with its connection.
 */
#include "runner/cluster/grid_engine.h"

#include <ctype.h>

#include "runner/cluster/grid_engine_answers.h"

/* A parallel environment that comes with Grid Engine, and lets tasks be started. */
#define USUAL_ENVIRONMENT "make"
#define USUAL_GPUS "gpus"
/* Accounting is written every 15 seconds, by default. */
#define END_NS 20000000000u
/* The host tells the master. */
#define DOUBT_NS 3000000000u
/* Runs the words, and exits with 1 where they end as if by a signal. */
#define SMALL_CODE "\"$@\"; s=$?; [ $s -lt 128 ] || s=1; exit $s"
#define MIB_OF(bytes) (((bytes) + ((uint64_t)1 << 20) - 1) >> 20)

enum {
	GPUS_MOST = 65536,
	FAILED_AT_LIMIT = 37 /* qacct: h_rt, h_cpu or h_vmem */
};

static bool
is_id(struct str s)
{
	uint64_t number;

	return str_unsigned(s, UINT32_MAX, &number) && number > 0;
}

/* Other programs set JOB_ID, too. */
static struct str
grid_engine_inside(const char *const *environment)
{
	struct str id = cluster_variable(environment, "JOB_ID");

	return is_id(id) && cluster_variable(environment, "NSLOTS").n &&
			       cluster_variable(environment, "SGE_TASK_ID").n
		       ? id
		       : STR_NONE;
}

static bool
is_own(struct str id, const char *const *environment)
{
	return str_eq(grid_engine_inside(environment), id);
}

/* The host of a job need not be one where qstat works, but there is a file. A job of one
 * slot without a parallel environment has none. */
static struct str_list
grid_engine_show_job(struct arena *a, struct str id, const char *const *environment)
{
	struct str hosts = cluster_variable(environment, "PE_HOSTFILE");

	if (!is_own(id, environment))
		return CLUSTER_WORDS(a, "qstat", "-xml", "-g", "t", "-r");
	return hosts.n ? CLUSTER_WORDS(a, "cat", "--", str_z(a, hosts))
		       : (struct str_list){0};
}

/* ---- what a job has -------------------------------------------------------------- */

/* task: the number of the task in an array of jobs, or "undefined". */
static struct str_list
launcher_of(struct arena *a, struct str id, struct str task)
{
	return CLUSTER_WORDS(a, "env", str_fmt_z(a, "JOB_ID=%.*s", STR_ARG(id)),
		str_fmt_z(a, "SGE_TASK_ID=%.*s", STR_ARG(task)), "setsid", "-w", "qrsh",
		"-inherit", "-noshell", "{node}", "/bin/sh", "-c", SMALL_CODE, "sh",
		"{agent}");
}

static void
take_hosts(struct arena *a, const grid_engine_hosts *hosts, struct cluster_job *job)
{
	job->nodes_n = hosts->n;
	job->nodes = NEW_ARRAY(a, struct cluster_node, hosts->n);
	for (size_t i = 0; i < hosts->n; i++) {
		job->nodes[i].name = hosts->v[i].name;
		job->nodes[i].processors = hosts->v[i].slots;
	}
}

/* A job of one host needs no further task: cctr is there, and not every parallel
 * environment lets tasks be started. */
static bool
read_own_job(struct arena *a, struct str id, const char *const *environment,
	struct str text, struct cluster_job *job, const char **why)
{
	struct grid_engine_host here = {cluster_variable(environment, "HOSTNAME"), 0};
	grid_engine_hosts hosts = {.v = &here, .n = 1};

	if (cluster_variable(environment, "PE_HOSTFILE").n) {
		if (!grid_engine_hosts_read(a, text, &hosts, why))
			return false;
	} else if (!here.name.n ||
		   !str_unsigned(cluster_variable(environment, "NSLOTS"), UINT32_MAX,
			   &here.slots) ||
		   !here.slots)
		return fail_why(why, "HOSTNAME and NSLOTS are not a host and its slots");
	take_hosts(a, &hosts, job);
	job->launcher = hosts.n == 1
				? CLUSTER_WORDS(a, "{agent}")
				: launcher_of(a, id,
					  cluster_variable(environment, "SGE_TASK_ID"));
	return true;
}

/* Grid Engine counts GPUs, and does not say which: they are those from 0. */
static void
add_gpus(struct arena *a, struct cluster_node *n, struct str amount)
{
	uint64_t count;
	str_vec v = {0};

	if (!str_unsigned(amount, GPUS_MOST, &count))
		return;
	count *= n->processors;
	for (uint64_t i = 0; i < count && i < GPUS_MOST; i++)
		VEC_PUSH(a, &v, str_fmt(a, "%llu", (unsigned long long)i));
	n->gpus = str_vec_list(&v);
}

static bool
is_gpus(const struct cluster_settings *s, struct str name)
{
	if (s && s->gpu_resource.n)
		return str_eq(name, s->gpu_resource);
	return str_is(name, USUAL_GPUS) || str_is(name, "gpu");
}

static bool
is_memory(const struct cluster_settings *s, struct str name)
{
	if (s && s->mem_resource.n)
		return str_eq(name, s->mem_resource);
	return str_is(name, "h_vmem") || str_is(name, "mem_free");
}

/* No resource is usual for temporary space. */
static bool
is_tmp(const struct cluster_settings *s, struct str name)
{
	return s && s->tmp_resource.n && str_eq(name, s->tmp_resource);
}

/* Shares are those of a slot. */
static void
add_shares(struct arena *a, const struct grid_engine_job *from, struct cluster_job *job)
{
	for (size_t i = 0; i < from->shares.n; i++)
		for (size_t k = 0; k < job->nodes_n; k++) {
			const struct grid_engine_share *s = &from->shares.v[i];
			struct cluster_node *n = &job->nodes[k];

			if (is_gpus(job->settings, s->name))
				add_gpus(a, n, s->amount);
			else if (is_memory(job->settings, s->name))
				n->memory_bytes =
					n->processors * grid_engine_bytes(s->amount);
			else if (is_tmp(job->settings, s->name))
				n->tmp_bytes =
					n->processors * grid_engine_bytes(s->amount);
		}
}

/* NULL: the list does not have it. */
static const struct grid_engine_job *
find_job(const grid_engine_jobs *jobs, struct str id)
{
	uint64_t number;

	if (str_unsigned(id, UINT32_MAX, &number))
		for (size_t i = 0; i < jobs->n; i++)
			if (jobs->v[i].number == number)
				return &jobs->v[i];
	return NULL;
}

static bool
grid_engine_read_job(struct arena *a, struct str id, const char *const *environment,
	struct str text, struct cluster_job *job, const char **why)
{
	const struct grid_engine_job *found;
	grid_engine_jobs jobs;

	if (is_own(id, environment))
		return read_own_job(a, id, environment, text, job, why);
	if (!grid_engine_jobs_read(a, text, &jobs, why))
		return false;
	found = find_job(&jobs, id);
	*why = found ? "the job does not run" : "qstat does not show the job";
	if (!found || !found->hosts.n)
		return false;
	take_hosts(a, &found->hosts, job);
	add_shares(a, found, job);
	job->launcher = launcher_of(a, id, STR("undefined"));
	return true;
}

/* ---- asking ---------------------------------------------------------------------- */

static void
add_words(struct arena *a, str_vec *words, struct str_list more)
{
	VEC_PUSH_ALL(a, words, more);
}

/* A name that Grid Engine takes: it begins with a letter. */
static const char *
name_of(struct arena *a, struct str name)
{
	struct buf b = {.arena = a};

	if (!name.n || !isalpha((unsigned char)name.p[0]))
		buf_char(&b, 'c');
	for (size_t i = 0; i < name.n; i++)
		buf_char(&b, isalnum((unsigned char)name.p[i]) ? name.p[i] : '_');
	return b.p;
}

/* Adds "-l name=n", the share of one slot, so that the slots hold at least the amount. */
static void
add_share(struct arena *a, str_vec *words, struct str name, uint64_t amount,
	uint64_t slots, const char *unit)
{
	if (!amount || !name.n)
		return;
	VEC_PUSH(a, words, STR("-l"));
	VEC_PUSH(a, words,
		str_fmt(a, "%.*s=%llu%s", STR_ARG(name),
			(unsigned long long)((amount + slots - 1) / slots), unit));
}

static struct str
or_usual(struct str said, const char *usual)
{
	return said.n ? said : str_of(usual);
}

static void
add_shares_asked(struct arena *a, str_vec *words, const struct cluster_request *r,
	uint64_t processors)
{
	const struct cluster_settings *s = r->settings;

	add_share(
		a, words, or_usual(s->gpu_resource, USUAL_GPUS), r->gpus, processors, "");
	add_share(a, words, s->cpu_resource, processors, processors, "");
	add_share(a, words, s->mem_resource, MIB_OF(r->memory_bytes), processors, "M");
	add_share(a, words, s->tmp_resource, MIB_OF(r->tmp_bytes), processors, "M");
	if (r->seconds)
		add_share(a, words, STR("h_rt"), r->seconds, 1, "");
	if (s->default_prio.n)
		add_words(a, words, CLUSTER_WORDS(a, "-p", str_z(a, s->default_prio)));
}

/* The job never starts twice. how: "e" refuses a job at once that would wait for ever,
 * "v" submits nothing and says why it would. */
static struct str_list
ask_so(struct arena *a, const struct cluster_request *r, const char *how)
{
	struct str environment =
		or_usual(r->settings->parallel_environment, USUAL_ENVIRONMENT);
	uint64_t processors = r->processors ? r->processors : 1,
		 slots = processors * (r->nodes ? r->nodes : 1);
	str_vec words = {0};

	add_words(a, &words,
		CLUSTER_WORDS(a, "qsub", "-terse", "-b", "y", "-shell", "n", "-r", "n",
			"-w", how, "-wd", "/", "-j", "y", "-o", "/dev/null", "-N",
			name_of(a, r->name), "-pe", str_z(a, environment),
			str_fmt_z(a, "%llu", (unsigned long long)slots)));
	add_shares_asked(a, &words, r, processors);
	add_words(a, &words, r->options);
	add_words(a, &words, CLUSTER_WORDS(a, "/bin/sleep", "infinity"));
	return str_vec_list(&words);
}

static struct str_list
grid_engine_ask(struct arena *a, const struct cluster_request *r)
{
	return ask_so(a, r, "e");
}

static struct str_list
grid_engine_ask_why(struct arena *a, const struct cluster_request *r)
{
	return ask_so(a, r, "v");
}

/* "Unable to run job: Job 2 cannot run in PE "make" because it only offers 4 slots", and
 * further lines that say less. */
static struct str
grid_engine_read_refusal(struct arena *a, struct str text)
{
	static const struct str head = {"Unable to run job: ", 19};
	struct str line = str_trim(str_take(&text, '\n'));

	(void)a;
	return str_begins(line, head) ? str_from(line, head.n) : line;
}

static bool
grid_engine_read_answer(
	struct arena *a, struct str text, struct str *id, const char **why)
{
	uint64_t number;

	if (!grid_engine_number_read(text, &number))
		return fail_why(
			why, str_fmt_z(a, "qsub says '%.*s', which is no number of a job",
				     STR_ARG(str_trim(text))));
	*id = str_fmt(a, "%llu", (unsigned long long)number);
	return true;
}

/* ---- states ---------------------------------------------------------------------- */

static struct str_list
grid_engine_show_states(struct arena *a, struct str_list ids)
{
	(void)ids;
	return CLUSTER_WORDS(a, "qstat", "-xml");
}

/* E: error, d: is deleted, q: waits, t: is being sent to its host. All others run, or are
 * suspended. */
static enum job_state
state_of(struct str letters)
{
	if (str_has(letters, STR("E")))
		return JOB_FAILED;
	if (str_has(letters, STR("d")))
		return JOB_LOST;
	if (!letters.n || str_has(letters, STR("q")) || str_has(letters, STR("t")))
		return JOB_WAITS;
	return JOB_RUNS;
}

static bool
grid_engine_read_states(struct arena *a, struct str text, struct str_list ids,
	struct job_report *reports, const char **why)
{
	grid_engine_jobs jobs;

	if (!grid_engine_jobs_read(a, text, &jobs, why))
		return false;
	for (size_t i = 0; i < ids.n; i++) {
		const struct grid_engine_job *job = find_job(&jobs, ids.v[i]);

		reports[i] =
			(struct job_report){JOB_UNKNOWN, STR("qstat does not show it")};
		if (job)
			reports[i] = (struct job_report){state_of(job->state),
				str_fmt(a, "its state is %.*s", STR_ARG(job->state))};
	}
	return true;
}

static struct str_list
grid_engine_show_reason(struct arena *a, struct str id)
{
	return CLUSTER_WORDS(a, "qstat", "-xml", "-j", str_z(a, id));
}

static struct str
grid_engine_read_reason(struct arena *a, struct str text)
{
	struct str said = grid_engine_message_read(a, text);

	return str_is(said, "There are no messages available") ? STR_NONE : said;
}

/* The number of a job is used again some time, its name is not. */
static struct str_list
grid_engine_show_end(struct arena *a, struct str id, struct str name)
{
	(void)id;
	return CLUSTER_WORDS(a, "qacct", "-j", name_of(a, name));
}

static struct job_report
grid_engine_read_end(struct arena *a, struct str id, struct str text)
{
	struct grid_engine_end end;

	if (!grid_engine_end_read(text, id, &end))
		return (struct job_report){JOB_WAITS, STR("qacct does not show how")};
	return (struct job_report){
		end.failed == FAILED_AT_LIMIT ? JOB_EXCEEDED : JOB_LOST,
		str_fmt(a, "failed %llu%s%.*s, exit_status %.*s",
			(unsigned long long)end.failed, end.reason.n ? ": " : "",
			STR_ARG(end.reason), STR_ARG(end.exit_status))};
}

static struct str_list
grid_engine_give_back_named(struct arena *a, struct str name)
{
	return CLUSTER_WORDS(a, "qdel", name_of(a, name));
}

static bool
grid_engine_knows_none(struct str text)
{
	return str_has(text, STR("does not exist"));
}

/* Needs the master. */
static struct str_list
grid_engine_probe(struct arena *a)
{
	return CLUSTER_WORDS(a, "qconf", "-spl");
}

const struct batch_system grid_engine_system = {
	.name = "gridengine",
	.title = "Grid Engine",
	.counts_gpus = true,
	.one_node = "parallel_environment of cctr.yaml must have the allocation rule "
		    "$pe_slots",
	.inside = grid_engine_inside,
	.show_job = grid_engine_show_job,
	.read_job = grid_engine_read_job,
	.probe = grid_engine_probe,
	.ask = grid_engine_ask,
	.ask_why = grid_engine_ask_why,
	.read_refusal = grid_engine_read_refusal,
	.read_answer = grid_engine_read_answer,
	.show_states = grid_engine_show_states,
	.read_states = grid_engine_read_states,
	.show_reason = grid_engine_show_reason,
	.read_reason = grid_engine_read_reason,
	.show_end = grid_engine_show_end,
	.read_end = grid_engine_read_end,
	.end_ns = END_NS,
	.doubt_ns = DOUBT_NS,
	.give_back_named = grid_engine_give_back_named,
	.knows_none = grid_engine_knows_none,
};

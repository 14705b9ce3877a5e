/*
 * Slurm. See slurm.h.
 *
 * Commands, not libslurm: the library ends the program where it has no configuration, and
 * has another name in every release.
 */
#include "runner/cluster/slurm.h"

#include "runner/remote/node_list.h"

enum { NUMBERS_MOST = 65536 };
#define MIB ((uint64_t)1 << 20)
#define END_NS 5000000000u /* of the processes of a job */

static bool
is_id(struct str s)
{
	uint64_t number;

	return str_unsigned(s, UINT32_MAX, &number);
}

static struct str
slurm_inside(const char *const *environment)
{
	struct str id = cluster_variable(environment, "SLURM_JOB_ID");

	return is_id(id) ? id : STR_NONE;
}

static struct str_list
slurm_show_job(struct arena *a, struct str id, const char *const *environment)
{
	(void)environment;
	return CLUSTER_WORDS(a, "scontrol", "show", "-d", "job", str_z(a, id));
}

/* ---- what a job has -------------------------------------------------------------- */

/* The value of "name=value" in the line, which blanks separate. */
static bool
find_value(struct str line, const char *name, struct str *value)
{
	size_t n = strlen(name);

	while (line.n) {
		struct str word = str_take(&line, ' ');

		if (word.n > n && word.p[n] == '=' && str_is(str_cut(word.p, n), name)) {
			*value = str_from(word, n + 1);
			return true;
		}
	}
	return false;
}

/* Adds the numbers of "0-3,6". false: it is no such list. */
static bool
read_numbers(struct arena *a, struct str text, str_vec *numbers)
{
	while (text.n) {
		struct str last = str_take(&text, ','), first = str_take(&last, '-');
		uint64_t from, to;

		if (!str_unsigned(first, UINT32_MAX, &from))
			return false;
		to = from;
		if (last.n && !str_unsigned(last, UINT32_MAX, &to))
			return false;
		if (from > to || to - from >= NUMBERS_MOST - numbers->n)
			return false;
		for (; from <= to; from++)
			VEC_PUSH(
				a, numbers, str_fmt(a, "%llu", (unsigned long long)from));
	}
	return true;
}

/* The next part of the text up to a comma outside of parentheses. */
static struct str
take_gres(struct str *text)
{
	size_t i = 0;
	int depth = 0;
	struct str part;

	for (; i < text->n && (depth || text->p[i] != ','); i++)
		depth += (text->p[i] == '(') - (text->p[i] == ')');
	part = str_cut(text->p, i);
	*text = str_from(*text, i < text->n ? i + 1 : i);
	return part;
}

/* Adds the GPUs of "gpu:a100:2(IDX:0-1)". Where their numbers are not known, they are
 * those from 0. */
static bool
add_gpus(struct arena *a, struct str gres, str_vec *gpus)
{
	struct str inner = gres, head = str_take(&inner, '('), name = head;
	uint64_t count = 1, before = gpus->n;
	size_t colon = str_rfind(head, ':');

	if (!str_is(str_take(&name, ':'), "gpu"))
		return true;
	if (str_begins(inner, STR("IDX:"))) {
		inner = str_from(inner, strlen("IDX:"));
		if (read_numbers(a, str_take(&inner, ')'), gpus))
			return true;
		gpus->n = before;
	}
	if (colon < head.n &&
		!str_unsigned(str_from(head, colon + 1), NUMBERS_MOST, &count))
		return false;
	for (uint64_t i = 0; i < count; i++)
		VEC_PUSH(a, gpus, str_fmt(a, "%llu", (unsigned long long)(before + i)));
	return true;
}

static bool
read_gpus(struct arena *a, struct str gres, struct str_list *gpus)
{
	str_vec v = {0};

	while (gres.n)
		if (!add_gpus(a, take_gres(&gres), &v))
			return false;
	*gpus = str_vec_list(&v);
	return true;
}

typedef VEC(struct cluster_node) node_vec;

/* Adds the nodes of "Nodes=n[1-2] CPU_IDs=2-3 Mem=200 GRES=gpu:2(IDX:0-1)". */
static bool
add_nodes(struct arena *a, struct str line, node_vec *nodes, const char **why)
{
	struct cluster_node n = {.processors = 0};
	struct str names, processors, memory = STR("0"), gres = STR("");
	struct str_list list;
	str_vec numbers = {0};
	uint64_t mib;

	*why = str_fmt_z(a, "it says '%.*s' of the job's nodes", STR_ARG(line));
	if (!find_value(line, "Nodes", &names) ||
		!find_value(line, "CPU_IDs", &processors))
		return false;
	(void)find_value(line, "Mem", &memory);
	(void)find_value(line, "GRES", &gres);
	if (!node_list_read(a, names, &list, why) ||
		!read_numbers(a, processors, &numbers) ||
		!str_unsigned(memory, UINT64_MAX / MIB, &mib) ||
		!read_gpus(a, gres, &n.gpus))
		return false;
	n.processors = numbers.n;
	n.memory_bytes = mib * MIB;
	for (size_t i = 0; i < list.n && n.processors; i++) {
		n.name = list.v[i];
		VEC_PUSH(a, nodes, n);
	}
	return true;
}

/* The record of that job: the lines up to the next empty one. STR_NONE: there is none. */
static struct str
record_of(struct arena *a, struct str id, struct str text)
{
	struct str head = str_fmt(a, "JobId=%.*s ", STR_ARG(id));

	while (text.n) {
		size_t n = str_search(text, STR("\n\n"));

		if (str_begins(text, head))
			return str_cut(text.p, n);
		text = str_from(text, n < text.n ? n + 2 : n);
	}
	return STR_NONE;
}

/* A step that overlaps takes nothing from the steps that tests start, and gets all that
 * the job has on the node, GPUs included. */
static struct str_list
launcher_of(struct arena *a, struct str id)
{
	return CLUSTER_WORDS(a, "srun", "-Q", "--jobid", str_z(a, id), "--overlap",
		"--cpu-bind=none", "--mpi=none", "-N1", "-n1", "-w", "{node}", "{agent}");
}

/* Lines of the user's own text, such as the job's name, are not so far to the right. */
static bool
read_record(struct arena *a, struct str record, struct cluster_job *job,
	struct str *state, const char **why)
{
	static const struct str of_nodes = {"     Nodes=", 11};
	node_vec nodes = {0};

	while (record.n) {
		struct str line = str_take(&record, '\n');

		if (str_begins(line, of_nodes) &&
			!add_nodes(a, str_trim(line), &nodes, why))
			return false;
		if (str_begins(str_trim(line), STR("JobState=")))
			(void)find_value(str_trim(line), "JobState", state);
	}
	job->nodes = nodes.v;
	job->nodes_n = nodes.n;
	return true;
}

static bool
has_node_twice(struct arena *a, const struct cluster_job *job)
{
	struct map seen = map_in(a);

	for (size_t i = 0; i < job->nodes_n; i++)
		if (!map_add(&seen, job->nodes[i].name))
			return true;
	return false;
}

static bool
slurm_read_job(struct arena *a, struct str id, const char *const *environment,
	struct str text, struct cluster_job *job, const char **why)
{
	struct str record = record_of(a, id, text), state = STR("");

	(void)environment;
	*why = "scontrol does not show the job";
	if (!record.n || !read_record(a, record, job, &state, why))
		return false;
	if (!str_is(state, "RUNNING"))
		return fail_why(why, str_fmt_z(a, "the job is %.*s", STR_ARG(state)));
	if (!job->nodes_n || has_node_twice(a, job))
		return fail_why(why, "scontrol does not show the job's nodes");
	job->launcher = launcher_of(a, id);
	return true;
}

/* ---- asking ---------------------------------------------------------------------- */

static void
add_number(struct arena *a, str_vec *words, const char *option, uint64_t number,
	const char *unit)
{
	if (number)
		VEC_PUSH(a, words,
			str_fmt(a, "%s%llu%s", option, (unsigned long long)number, unit));
}

/* The job's script only waits: agents are steps of the job. A node that is lost does not
 * take the job along, and the job never starts twice. */
static struct str_list
slurm_ask(struct arena *a, const struct cluster_request *r)
{
	uint64_t processors = r->processors ? r->processors : 1;
	str_vec words = {0};
	struct str_list fixed = CLUSTER_WORDS(a, "sbatch", "--parsable", "--no-requeue",
		"--no-kill", "--export=NONE", "--chdir=/", "--input=/dev/null",
		"--output=/dev/null", "--error=/dev/null");

	VEC_PUSH_ALL(a, &words, fixed);
	VEC_PUSH(a, &words, str_fmt(a, "--job-name=%.*s", STR_ARG(r->name)));
	add_number(a, &words, "--ntasks=", r->nodes > 1 ? r->nodes : 0, "");
	if (r->whole_nodes) {
		VEC_PUSH(a, &words, STR("--exclusive"));
		VEC_PUSH(a, &words,
			str_fmt(a, "--nodes=%llu-%llu",
				(unsigned long long)r->whole_nodes,
				(unsigned long long)r->nodes));
	}
	add_number(a, &words, "--cpus-per-task=", r->processors, "");
	add_number(a, &words,
		"--mem-per-cpu=", (r->memory_bytes / processors + MIB - 1) / MIB, "M");
	add_number(a, &words, "--tmp=", (r->tmp_bytes + MIB - 1) / MIB, "M");
	add_number(a, &words, r->nodes > 1 ? "--gpus-per-task=" : "--gres=gpu:", r->gpus,
		"");
	add_number(a, &words, "--time=", (r->seconds + 59) / 60, "");
	add_number(a, &words, "--nice=", r->nice, "");
	VEC_PUSH_ALL(a, &words, r->options);
	VEC_PUSH(a, &words, STR("--wrap"));
	VEC_PUSH(a, &words, STR("exec sleep infinity"));
	return str_vec_list(&words);
}

/* "12" or "12;cluster". */
static bool
slurm_read_answer(struct arena *a, struct str text, struct str *id, const char **why)
{
	struct str rest = str_trim(text);

	*id = str_dup(a, str_take(&rest, ';'));
	if (is_id(*id))
		return true;
	return fail_why(
		why, str_fmt_z(a, "sbatch says '%.*s', which is no number of a job",
			     STR_ARG(str_trim(text))));
}

static struct str_list
slurm_show_states(struct arena *a, struct str_list ids)
{
	return CLUSTER_WORDS(a, "squeue", "-h", "-t", "all", "-o", "%A|%T|%r", "-j",
		str_join(a, ids, STR(",")).p);
}

/* Why a job that waits will wait for ever: no limit of one job, and no fault in what was
 * asked for, goes away. */
static bool
is_for_ever(struct str reason)
{
	static const char *const reasons[] = {"PartitionNodeLimit", "PartitionTimeLimit",
		"PartitionConfig", "BadConstraints", "AccountNotAllowed", "QOSNotAllowed",
		"InvalidAccount", "InvalidQOS", "DependencyNeverSatisfied"};

	for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
		if (str_is(reason, reasons[i]))
			return true;
	return str_has(reason, STR("PerJob"));
}

static enum job_state
state_of(struct str state, struct str reason)
{
	static const struct {
		const char *name;
		enum job_state state;
	} ends[] = {{"CANCELLED", JOB_LOST}, {"NODE_FAIL", JOB_LOST},
		{"PREEMPTED", JOB_LOST}, {"BOOT_FAIL", JOB_LOST}, {"REVOKED", JOB_LOST},
		{"COMPLETED", JOB_LOST}, {"COMPLETING", JOB_LOST}, {"FAILED", JOB_FAILED},
		{"TIMEOUT", JOB_EXCEEDED}, {"OUT_OF_MEMORY", JOB_EXCEEDED},
		{"DEADLINE", JOB_EXCEEDED}};

	if (str_is(state, "PENDING"))
		return is_for_ever(reason) ? JOB_NEVER_FITS : JOB_WAITS;
	if (str_is(state, "RUNNING"))
		return JOB_RUNS;
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
		if (str_is(state, ends[i].name))
			return ends[i].state;
	return JOB_WAITS;
}

static struct job_report
report_of(struct arena *a, struct str state, struct str reason)
{
	return (struct job_report){state_of(state, reason),
		str_is(reason, "None") || !reason.n
			? str_dup(a, state)
			: str_fmt(a, "%.*s, %.*s", STR_ARG(state), STR_ARG(reason))};
}

static bool
slurm_read_states(struct arena *a, struct str text, struct str_list ids,
	struct job_report *reports, const char **why)
{
	struct map numbers = map_in(a);

	(void)why;
	for (size_t i = 0; i < ids.n; i++) {
		map_set(&numbers, ids.v[i], (uint32_t)i);
		reports[i] = (struct job_report){JOB_UNKNOWN, STR("")};
	}
	while (text.n) {
		struct str reason = str_take(&text, '\n'), id = str_take(&reason, '|'),
			   state = str_take(&reason, '|');
		uint32_t i = map_get(&numbers, str_trim(id));

		if (i == MAP_NONE)
			continue;
		reports[i] = report_of(a, state, reason);
	}
	return true;
}

/* A job whose processes end has no other state until they have, but has the reason if it
 * is at a limit. */
static struct job_report
report_of_end(struct arena *a, struct str state, struct str reason)
{
	static const char *const limits[] = {"TimeLimit", "OutOfMemory", "DeadLine"};
	struct job_report report = report_of(a, state, reason);

	if (!str_is(state, "COMPLETING"))
		return report;
	report.state = JOB_WAITS;
	for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
		if (str_is(reason, limits[i]))
			report.state = JOB_EXCEEDED;
	return report;
}

static struct job_report
slurm_read_end(struct arena *a, struct str id, struct str text)
{
	struct str record = record_of(a, id, text), state = STR(""), reason = STR("");

	while (record.n) {
		struct str line = str_trim(str_take(&record, '\n'));

		if (!str_begins(line, STR("JobState=")))
			continue;
		(void)find_value(line, "JobState", &state);
		(void)find_value(line, "Reason", &reason);
		return report_of_end(a, state, reason);
	}
	return (struct job_report){JOB_UNKNOWN, STR("")};
}

/* A step starts a task for each line of the file, beside the agent's step. */
static struct str_list
slurm_nested(struct arena *a, const struct cluster_job *job, struct str_list nodes,
	struct str file)
{
	return CLUSTER_WORDS(a, str_fmt_z(a, "SLURM_JOB_ID=%.*s", STR_ARG(job->id)),
		str_fmt_z(a, "SLURM_HOSTFILE=%.*s", STR_ARG(file)),
		str_fmt_z(a, "SLURM_NNODES=%zu", nodes.n), "SLURM_OVERLAP=1");
}

static struct str_list
slurm_give_back_named(struct arena *a, struct str name)
{
	return CLUSTER_WORDS(a, "scancel", str_fmt_z(a, "--name=%.*s", STR_ARG(name)));
}

static struct str_list
slurm_probe(struct arena *a)
{
	return CLUSTER_WORDS(a, "sinfo", "-h", "-o", "%P");
}

const struct batch_system slurm_system = {
	.name = "slurm",
	.title = "Slurm",
	.inside = slurm_inside,
	.show_job = slurm_show_job,
	.read_job = slurm_read_job,
	.probe = slurm_probe,
	.ask = slurm_ask,
	.read_answer = slurm_read_answer,
	.show_states = slurm_show_states,
	.read_states = slurm_read_states,
	.read_end = slurm_read_end,
	.end_ns = END_NS,
	.nested = slurm_nested,
	.give_back_named = slurm_give_back_named,
};

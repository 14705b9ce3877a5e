/*
 * A pilot. See pilot.h.
 *
 * It is not one of the processes that end at once when cctr is killed: the end of its
 * standard input is the end of cctr, and it gives the job back.
 */
#include "runner/cluster/pilot.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "runner/base/environment.h"
#include "runner/base/files.h"
#include "runner/base/loop.h"
#include "runner/base/streams.h"
#include "runner/cluster/batch_systems.h"
#include "runner/cluster/own_job.h"
#include "runner/process/brand.h"
#include "runner/process/command.h"
#include "runner/process/process.h"
#include "runner/process/spawn.h"
#include "runner/remote/message.h"
#include "runner/remote/node_list.h"

#define TURN_NS 1000000000u
#define PATIENCE_NS 10000000000u /* for an agent whose connection has ended */

enum { LOSSES_MOST = 3 }; /* of jobs that have ended while they waited */

/* ---- words ----------------------------------------------------------------------- */

static const struct {
	const char *key;
	size_t at; /* in struct cluster_request */
} amounts[] = {
	{"processors", offsetof(struct cluster_request, processors)},
	{"memory", offsetof(struct cluster_request, memory_bytes)},
	{"tmp", offsetof(struct cluster_request, tmp_bytes)},
	{"gpus", offsetof(struct cluster_request, gpus)},
	{"seconds", offsetof(struct cluster_request, seconds)},
	{"nice", offsetof(struct cluster_request, nice)},
};
enum { AMOUNTS_N = sizeof amounts / sizeof *amounts };

static uint64_t *
amount_of(struct cluster_request *r, size_t i)
{
	return (uint64_t *)(void *)((char *)r + amounts[i].at);
}

/* The number of the words, and the words. */
static void
add_list(struct arena *a, str_vec *words, struct str_list l)
{
	VEC_PUSH(a, words, str_fmt(a, "%zu", l.n));
	VEC_PUSH_ALL(a, words, l);
}

static struct str_list
amounts_list(struct arena *a, const struct cluster_request *r)
{
	struct cluster_request from = *r;
	str_vec v = {0};

	for (size_t i = 0; i < AMOUNTS_N; i++)
		VEC_PUSH(a, &v,
			str_fmt(a, "%s=%llu", amounts[i].key,
				(unsigned long long)*amount_of(&from, i)));
	return str_vec_list(&v);
}

struct str_list
pilot_words(struct arena *a, const struct pilot *p)
{
	str_vec words = {0};

	INVARIANT(p->by.system && p->agent.n);
	VEC_PUSH(a, &words, STR(PILOT_WORD));
	VEC_PUSH(a, &words, str_of(p->by.system->name));
	VEC_PUSH(a, &words, p->directory);
	VEC_PUSH(a, &words, str_fmt(a, "%llu", (unsigned long long)p->by.patience_ns));
	add_list(a, &words, cluster_settings_list(a, p->by.settings));
	add_list(a, &words, amounts_list(a, &p->request));
	add_list(a, &words, p->request.options);
	add_list(a, &words, p->launcher);
	add_list(a, &words, p->agent);
	return str_vec_list(&words);
}

/* What is left of the arguments. */
struct arguments {
	char *const *v;
	size_t n;
	bool is_wrong;
};

static struct str
take_argument(struct arguments *from)
{
	from->is_wrong = from->is_wrong || !from->n;
	if (from->is_wrong)
		return STR("");
	from->n--;
	return str_of(*from->v++);
}

static uint64_t
take_number(struct arguments *from)
{
	uint64_t n = 0;

	if (!str_unsigned(take_argument(from), UINT64_MAX, &n))
		from->is_wrong = true;
	return n;
}

static struct str_list
take_list(struct arena *a, struct arguments *from)
{
	uint64_t n = take_number(from);
	str_vec v = {0};

	for (uint64_t i = 0; i < n && !from->is_wrong; i++)
		VEC_PUSH(a, &v, take_argument(from));
	return str_vec_list(&v);
}

static bool
read_amounts(struct str_list l, struct cluster_request *r)
{
	for (size_t i = 0; i < l.n; i++) {
		struct str value = l.v[i], key = str_take(&value, '=');
		size_t k = 0;

		while (k < AMOUNTS_N && !str_is(key, amounts[k].key))
			k++;
		if (k == AMOUNTS_N || !str_unsigned(value, UINT64_MAX, amount_of(r, k)))
			return false;
	}
	return true;
}

static bool
read_settings(struct arena *a, struct str_list l, struct cluster_settings *s)
{
	const char *why;

	for (size_t i = 0; i < l.n; i++) {
		struct str value = l.v[i], key = str_take(&value, '=');

		if (!cluster_settings_set(a, s, key, value, &why))
			return false;
	}
	return true;
}

/* false: the words are not those of pilot_words. */
static bool
read_words(struct arena *a, struct arguments from, struct pilot *p)
{
	struct cluster_settings *s = NEW(a, struct cluster_settings);

	*p = (struct pilot){.by = {batch_system_named(take_argument(&from)), s, 0}};
	p->directory = take_argument(&from);
	p->by.patience_ns = take_number(&from);
	if (!read_settings(a, take_list(a, &from), s) ||
		!read_amounts(take_list(a, &from), &p->request))
		return false;
	p->request.nodes = 1;
	p->request.options = take_list(a, &from);
	p->launcher = take_list(a, &from);
	p->agent = take_list(a, &from);
	return p->by.system && p->agent.n && !from.is_wrong && !from.n;
}

/* ---- talking --------------------------------------------------------------------- */

/* Sends the message, or returns the errno. */
static int
send_message(const struct message *m)
{
	struct arena *scratch = arena_open();
	struct buf b = {.arena = scratch};
	int error;

	message_write(&b, m);
	error = file_put(STDOUT_FILENO, buf_as_str(&b)) ? 0 : errno;
	arena_close(scratch);
	return error;
}

static void
say_waiting(void *context, struct str id, struct str reason)
{
	struct arena *scratch = arena_open();

	(void)context;
	(void)send_message(&(struct message){.kind = MESSAGE_WAITS,
		.text = str_fmt(
			scratch, "job %.*s: %.*s", STR_ARG(id), STR_ARG(reason))});
	arena_close(scratch);
}

/* The name of the node, then the names of its GPUs, separated by blanks. Returns the
 * errno. */
static int
say_place(struct arena *a, const struct cluster_node *n)
{
	struct buf b = {.arena = a};

	buf_str(&b, n->name);
	for (size_t i = 0; i < n->gpus.n; i++)
		buf_fmt(&b, " %.*s", STR_ARG(n->gpus.v[i]));
	return send_message(
		&(struct message){.kind = MESSAGE_PLACE, .text = buf_as_str(&b)});
}

/* The agent may have been killed in the middle of a message. */
static void
say_fate(struct arena *a, const struct own_job *own)
{
	struct job_report report = {.state = JOB_UNKNOWN, .reason = STR("")};
	const char *const *environment = environment_own();
	struct buf b = {.arena = a};

	buf_z(&b, "");
	if (own_job_ended(a, own, environment, &report))
		buf_fmt(&b, "job %.*s has ended: %.*s", STR_ARG(own->id),
			STR_ARG(report.reason));
	while (b.n < MESSAGE_FATE_LEAST)
		buf_char(&b, ' ');
	(void)send_message(&(struct message){.kind = MESSAGE_FATE,
		.text = buf_as_str(&b),
		.is_limit = report.state == JOB_EXCEEDED});
}

static int
report_failure(const char *why)
{
	struct arena *scratch = arena_open();

	streams_put(STREAM_ERROR, str_fmt(scratch, "%s\n", why));
	arena_close(scratch);
	return 1;
}

/* ---- the agent ------------------------------------------------------------------- */

struct watch {
	int pid; /* of the launcher; 0: it has ended */
	bool has_failed; /* its exit code */
	int signal; /* that came */
};

static void
on_children(void *context)
{
	struct watch *w = context;
	struct process_end end;

	while (process_reap(&end))
		if (end.pid == w->pid) {
			w->pid = 0;
			w->has_failed = end.was_signalled || end.exit_code != 0;
		}
}

static void
on_signal(void *context, int signal, bool by_terminal)
{
	struct watch *w = context;

	(void)by_terminal;
	w->signal = signal;
	if (w->pid)
		kill(w->pid, SIGTERM);
}

/* Waits until the launcher has ended; where cctr has, not for long. */
static void
await_launcher(struct loop *l, struct watch *w)
{
	uint64_t until_ns = 0;

	while (w->pid) {
		uint64_t now_ns = loop_now_ns();

		loop_turn(l, loop_later(now_ns, TURN_NS));
		if (!until_ns && (w->signal || own_job_input_is_closed()))
			until_ns = loop_later(now_ns, PATIENCE_NS);
		if (until_ns && w->pid && loop_now_ns() >= until_ns)
			kill(w->pid, SIGKILL);
	}
}

/* An agent that cctr has told to end ends with 0. */
static bool
is_lost(const struct watch *w)
{
	return w->has_failed && !w->signal && !own_job_input_is_closed();
}

/* *lost: the agent has ended, and cctr still listens. */
static int
run_launcher(struct arena *a, struct str_list launcher, const struct pilot *p,
	struct str node, bool *lost)
{
	int signals[SPAWN_SIGNALS];
	struct watch w = {0};
	struct loop_listener listener = {&w, on_children, on_signal};
	struct diag d = diag_in(a);
	struct loop *l = loop_open(a, &listener, &d);
	struct spawn s = {
		.argv = drop_const(launcher_fill(a, launcher, p->agent, str_z(a, node))),
		.environment = drop_const(environment_own()),
		.streams = {-1, -1, -1},
		.signals = signals};
	struct str path;
	int error;

	if (!l)
		return report_failure("the system has no descriptor left");
	s.signals_n = spawn_changed_signals(signals, true);
	error = command_locate(a, str_of(s.argv[0]), NULL, &path);
	s.path = path.p;
	if (!error)
		error = spawn(&s, &w.pid);
	if (error)
		report_failure(str_fmt_z(
			a, "%s: %.*s", s.argv[0], STR_ARG(loop_error_text(a, error))));
	else
		await_launcher(l, &w);
	*lost = is_lost(&w);
	loop_close(l);
	return error ? 1 : 0;
}

static int
use_job(struct arena *a, const struct pilot *p, const struct own_job *own,
	const struct cluster_job *job)
{
	const char *hint = p->by.system->one_node;
	bool lost = false;
	int code, error;

	if (job->nodes_n != 1)
		return report_failure(
			str_fmt_z(a, "job %.*s has %zu nodes, but a pilot has one%s%s",
				STR_ARG(job->id), job->nodes_n, hint ? ": " : "",
				hint ? hint : ""));
	error = say_place(a, &job->nodes[0]);
	if (error)
		return report_failure(
			str_fmt_z(a, "cannot say on which node job %.*s is: %.*s",
				STR_ARG(job->id), STR_ARG(loop_error_text(a, error))));
	code = run_launcher(a, p->launcher.n ? p->launcher : job->launcher, p,
		job->nodes[0].name, &lost);
	if (lost)
		say_fate(a, own);
	return code;
}

/* ---- the job --------------------------------------------------------------------- */

static int
close_job(struct arena *a, struct own_job *own, int code)
{
	const char *why = NULL;

	return own_job_close(a, own, &why) ? code : report_failure(why);
}

/* A job that has ended while it waited is asked for again, but not for ever. */
static int
pilot_work(struct arena *a, const struct pilot *p)
{
	struct own_job own = {.by = p->by,
		.directory = p->directory,
		.waits = say_waiting,
		.ends_with_input = true};
	const char *const *environment = environment_own();
	struct cluster_job job;

	for (int losses = 0;; losses++) {
		const char *why = "the job was lost";
		int interrupted = 0;

		switch (own_job_open(
			a, &own, &p->request, environment, &job, &why, &interrupted)) {
		case OWN_JOB_RUNS:
			return close_job(a, &own, use_job(a, p, &own, &job));
		case OWN_JOB_INTERRUPTED:
			return close_job(a, &own, 1);
		case OWN_JOB_LOST:
			if (losses < LOSSES_MOST) {
				(void)close_job(a, &own, 1);
				continue;
			}
			break;
		case OWN_JOB_NO_SYSTEM:
		case OWN_JOB_REFUSED:
			break;
		}
		return close_job(a, &own, report_failure(why));
	}
}

int
pilot_run(struct arena *a, int argc, char *const *argv)
{
	struct pilot p;

	if (argc < 2 ||
		!read_words(a, (struct arguments){argv + 2, (size_t)argc - 2, false}, &p))
		return report_failure("cctr " PILOT_WORD " is for cctr alone");
	brand_begin();
	brand_remove();
	return pilot_work(a, &p);
}

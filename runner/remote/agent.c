/*
 * The agent. See agent.h.
 *
 * Requests are handled in slices between the turns of the engine, so that no limit is
 * late because many tests have to be started. What a turn reports is written together.
 * While the connection has no room, tests that write must wait.
 */
#include "runner/remote/agent.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "runner/base/environment.h"
#include "runner/base/files.h"
#include "runner/base/host_name.h"
#include "runner/base/loop.h"
#include "runner/base/streams.h"
#include "runner/pmix/pmix_server.h"
#include "runner/process/install_paths.h"
#include "runner/process/private_tmp.h"
#include "runner/remote/agent_talks.h"
#include "runner/remote/message.h"
#include "runner/remote/node_gpus.h"
#include "runner/remote/node_processors.h"
#include "runner/remote/nudge.h"
#include "runner/remote/silence.h"
#include "runner/remote/variables.h"
#include "runner/resources/machine_limits.h"
#include "runner/resources/probe.h"
#include "runner/run/engine.h"

#define SLICE_NS 2000000u
/* How long the file that proves the build tree may take to appear. */
#define WITNESS_PATIENCE_NS 5000000000u
#define WITNESS_PAUSE_NS 20000000u
/* Until cctr has said another value. */
#define SILENCE_NS 60000000000u

enum { MOST_TASKS = 1 << 20, READ_SIZE = 1 << 16, WITNESS_MOST = 256 };

/* A test that runs, with the launch that it was started by. */
struct agent_task {
	struct arena *arena;
	bool runs;
	bool keeps_failed; /* its directory */
	bool was_signalled; /* by cctr */
	uint64_t started_ns;
	const char *temporary; /* its private directory; NULL: none */
	struct launch *launch; /* that waits for the PMIx server; NULL: it has started */
};
/* The directory of a test that has ended, and that perhaps has failed. */
struct unjudged {
	node_id task; /* its number, which its post-run command has, too */
	struct arena *arena;
	const char *temporary;
};
/* An outcome that is not reported yet. */
struct held {
	node_id task;
	struct outcome outcome;
	uint64_t due_ns;
};
struct agent {
	struct arena *arena;
	const char *program;
	struct engine *engine;
	VEC(struct agent_task) tasks; /* by their number */
	int empty_input; /* what tests read */
	struct buf in, out;
	struct arena *arenas; /* of in and out */
	VEC(struct held) held;
	VEC(struct unjudged) unjudged;
	struct silence silence; /* of cctr */
	struct nudge nudge;
	uint64_t sent_ns, silence_ns, doubt_ns;
	bool is_greeted, is_interrupted;
	struct private_tmp *private_tmp; /* NULL: no test has had such a directory */
	bool has_heard; /* something was read in this turn */
	struct agent_talks *talks; /* NULL: no test was told of the socket */
	struct pmix_server *pmix; /* NULL: no test has asked for it */
	unsigned pmix_lost; /* how many such servers have ended */
	VEC(node_id) waiting; /* tests that wait for it */
	bool is_over; /* nothing is read or reported any more */
	int code;
	char block[READ_SIZE];
	const char *const *environment; /* of cctr: see variables.h */
};

/* ---- reports --------------------------------------------------------------------- */

static void
flush_reports(struct agent *g)
{
	if (g->out.n)
		streams_put(STREAM_OUTPUT, buf_as_str(&g->out));
	g->out.n = 0;
}

static void
send_report(struct agent *g, const struct message *m)
{
	if (g->is_over)
		return;
	message_write(&g->out, m);
	g->sent_ns = loop_now_ns();
	if (g->out.n >= READ_SIZE)
		flush_reports(g);
}

/* Ends the conversation. reason: what cctr gets to know; NULL: cctr does not listen any
 * more. */
static void
end_talk(struct agent *g, int code, const char *reason)
{
	if (g->is_over)
		return;
	if (reason)
		send_report(g, &(struct message){
				       .kind = MESSAGE_GOODBYE, .text = str_of(reason)});
	flush_reports(g);
	g->is_over = true;
	g->code = code;
	if (code)
		g->engine->type->interrupt(g->engine, SIGTERM);
}

/* ---- what the engine says -------------------------------------------------------- */

static void
on_bytes(void *context, node_id node, struct str bytes)
{
	struct message m = {.kind = MESSAGE_OUTPUT, .task = (int)node, .text = bytes};

	INVARIANT(bytes.n <= MESSAGE_OUTPUT_MOST);
	send_report(context, &m);
}

static bool
has_room(void *context)
{
	struct agent *g = context;

	return g->is_over || !streams_are_pending();
}

static void
free_task(struct agent *g, node_id node)
{
	struct agent_task *t = &g->tasks.v[node];

	if (g->talks)
		agent_talks_end(g->talks, (int)node);
	if (g->pmix)
		pmix_server_leave(g->pmix, node);
	if (t->temporary)
		private_tmp_ended(g->private_tmp, t->temporary, STR_NONE, false);
	arena_close(t->arena);
	*t = (struct agent_task){0};
}

/* Its outcome is reported. */
static void
end_task(struct agent *g, node_id node)
{
	struct agent_task *t = &g->tasks.v[node];

	if (t->temporary && t->keeps_failed) {
		struct arena *arena = arena_open();
		const char *path = str_dup(arena, str_of(t->temporary)).p;

		VEC_PUSH(g->arena, &g->unjudged, (struct unjudged){node, arena, path});
		t->temporary = NULL;
	}
	free_task(g, node);
}

static void
judge(struct agent *g, size_t i, struct str test, bool is_failed)
{
	struct unjudged u = g->unjudged.v[i];

	g->unjudged.v[i] = g->unjudged.v[--g->unjudged.n];
	if (is_failed)
		send_report(g, &(struct message){.kind = MESSAGE_WARNING,
				       .text = str_fmt(u.arena,
					       "kept the temporary directory of %.*s: %s",
					       STR_ARG(test), u.temporary)});
	else
		private_tmp_ended(g->private_tmp, u.temporary, STR_NONE, false);
	arena_close(u.arena);
}

/* The directories of tests that get no verdict are removed. */
static void
forget_unjudged(struct agent *g)
{
	while (g->unjudged.n)
		judge(g, 0, STR_NONE, false);
}

static void
take_verdict(struct agent *g, const struct message *m)
{
	for (size_t i = 0; i < g->unjudged.n; i++)
		if (g->unjudged.v[i].task == (node_id)m->task) {
			judge(g, i, m->text, m->is_failed);
			return;
		}
}

/* The signal that ended the test, or that its exit code names, as shells do; 0: none. */
static int
signal_of(const struct outcome *o)
{
	if (o->ending == END_SIGNALLED)
		return o->signal;
	return o->ending == END_EXITED && o->exit_code > 128 ? o->exit_code - 128 : 0;
}

/* Whether somebody else may have ended the test, who then ends the agent, too: a batch
 * system signals all processes of a job, one after the other. */
static bool
is_doubtful(const struct agent *g, node_id node, const struct outcome *o)
{
	static const int from_outside[] = {
		SIGTERM, SIGKILL, SIGINT, SIGHUP, SIGUSR1, SIGUSR2, SIGXCPU};
	int signal = signal_of(o);

	if (g->is_interrupted || g->tasks.v[node].was_signalled)
		return false;
	for (size_t i = 0; i < sizeof from_outside / sizeof *from_outside; i++)
		if (signal == from_outside[i])
			return true;
	return false;
}

/* Reported after the turn, if no signal for the agent came with it. */
static void
on_ended(void *context, node_id node, const struct outcome *o)
{
	struct agent *g = context;
	struct held held = {node, *o, loop_now_ns()};

	held.outcome.hang = str_dup(g->tasks.v[node].arena, o->hang);
	if (is_doubtful(g, node, o))
		held.due_ns = loop_later(held.due_ns, g->doubt_ns);
	VEC_PUSH(g->arena, &g->held, held);
}

/* In parts, as output. */
static void
tell_hang(struct agent *g, node_id task, struct str text)
{
	while (text.n) {
		size_t n = text.n < MESSAGE_OUTPUT_MOST ? text.n : MESSAGE_OUTPUT_MOST;

		send_report(g, &(struct message){.kind = MESSAGE_HANG,
				       .task = (int)task,
				       .text = str_cut(text.p, n)});
		text = str_from(text, n);
	}
}

static void
tell_outcome(struct agent *g, const struct held *h)
{
	uint64_t age_ns = loop_now_ns() - g->tasks.v[h->task].started_ns;

	tell_hang(g, h->task, h->outcome.hang);
	if (h->outcome.ending != END_NOT_STARTED)
		send_report(g, &(struct message){
				       .kind = MESSAGE_OUTCOME,
				       .task = (int)h->task,
				       .outcome = h->outcome,
				       .age_us = (int64_t)(age_ns / 1000),
			       });
	end_task(g, h->task);
}

/* Reports the outcomes that are due. */
static void
tell_outcomes(struct agent *g)
{
	uint64_t now_ns = g->held.n ? loop_now_ns() : 0;
	size_t left = 0;

	for (size_t i = 0; i < g->held.n; i++)
		if (now_ns >= g->held.v[i].due_ns || g->is_interrupted)
			tell_outcome(g, &g->held.v[i]);
		else
			g->held.v[left++] = g->held.v[i];
	g->held.n = left;
}

/* When the agent has something to report; at most until_ns. */
static uint64_t
next_due(const struct agent *g, uint64_t until_ns)
{
	for (size_t i = 0; i < g->held.n; i++)
		if (g->held.v[i].due_ns < until_ns)
			until_ns = g->held.v[i].due_ns;
	if (g->nudge.due_ns && g->nudge.due_ns < until_ns)
		until_ns = g->nudge.due_ns;
	return until_ns;
}

static void
on_not_started(void *context, node_id node, int error)
{
	struct message m = {
		.kind = MESSAGE_NOT_STARTED, .task = (int)node, .error = error};

	send_report(context, &m);
	free_task(context, node);
}

static void
on_left(void *context, int pid, struct str name)
{
	struct message m = {.kind = MESSAGE_LEFT, .pid = pid, .text = name};

	send_report(context, &m);
}

/* The tests that a signal to the agent ends have not failed: cctr must run them again,
 * so that no outcome of theirs is reported. */
static void
on_interrupted(void *context, int signal)
{
	struct agent *g = context;
	char reason[64];

	snprintf(reason, sizeof reason, "the agent got signal %d", signal);
	end_talk(g, 1, signal == SIGPIPE ? NULL : reason);
}

/* ---- requests -------------------------------------------------------------------- */

/* The file may be late on a network file system. */
static bool
read_witness(struct agent *g, const char *path, struct hello *h)
{
	const struct timespec pause = {.tv_nsec = WITNESS_PAUSE_NS};
	uint64_t until_ns = loop_now_ns() + WITNESS_PATIENCE_NS;

	while (!file_read(g->arena, path, &h->witness)) {
		h->witness_error = errno ? errno : EIO;
		if (loop_now_ns() >= until_ns)
			return false;
		nanosleep(&pause, NULL);
	}
	h->witness_error = 0;
	if (h->witness.n > WITNESS_MOST)
		h->witness.n = WITNESS_MOST;
	return true;
}

static void
list_places(struct agent *g, const struct greeting *from, struct hello *h)
{
	struct arena *a = g->arena;
	struct layout l;
	enum probe_end end = PROBE_READ;

	if (from->wants_topology)
		end = probe_layout(a, topology_layout, from->wants_gpus, PROBE_MS, &l);
	else
		l = layout_flat(a, processors_here(a));
	if (end != PROBE_READ)
		send_report(g, &(struct message){.kind = MESSAGE_WARNING,
				       .text = probe_complaint(a, end, PROBE_MS)});
	h->places = node_processors_list(a, &l);
	if (from->wants_gpus)
		h->gpus = node_gpus_here(a, &l);
}

/* Of the machine, or of the control group where that allows less. */
static uint64_t
memory_here(struct arena *a)
{
	long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
	struct machine_limits l = machine_limits_read(a, STR(""));
	uint64_t all = l.system_bytes;

	if (!all && pages > 0 && page > 0)
		all = (uint64_t)pages * (uint64_t)page;
	return l.memory_bytes < all ? l.memory_bytes : all;
}

static void
answer_greeting(struct agent *g, const struct greeting *from)
{
	struct message m = {
		.kind = MESSAGE_HELLO,
		.hello = {.protocol = MESSAGE_PROTOCOL,
			.program = g->program,
			.host = host_name(g->arena, STR("")).p,
			.processors = (int)processors_count(),
			.confined = (int)processors_confined(),
			.memory_bytes = memory_here(g->arena)},
	};
	bool is_ours = from->protocol == MESSAGE_PROTOCOL &&
		       strcmp(from->program, g->program) == 0;

	if (is_ours) {
		g->is_greeted = true;
		g->silence_ns = from->silence_ns;
		g->doubt_ns = from->doubt_ns;
		list_places(g, from, &m.hello);
		g->environment = environment_copy(g->arena, from->environment);
		(void)read_witness(g, from->witness, &m.hello);
	}
	send_report(g, &m);
	if (!is_ours)
		end_talk(g, 1, "cctr has another version");
}

static bool
take_number(struct agent *g, int task)
{
	if (task < 0 || task >= MOST_TASKS)
		return false;
	while (g->tasks.n <= (size_t)task)
		VEC_PUSH(g->arena, &g->tasks, (struct agent_task){0});
	return !g->tasks.v[task].runs;
}

/* Puts the directory in the place of the text that stands for it. */
static const char *const *
name_temporary(struct arena *a, const char *const *environment, const char *mark,
	const char *path)
{
	const char *now = environment_find(environment, "TMPDIR");

	return now && strcmp(now, mark) == 0
		       ? environment_with(a, environment, "TMPDIR", str_of(path))
		       : environment;
}

static void
say_no_temporary(struct agent *g, struct arena *a, int error)
{
	send_report(g, &(struct message){.kind = MESSAGE_WARNING,
			       .text = str_fmt(a,
				       "cannot make a temporary directory in %.*s: %.*s",
				       STR_ARG(private_tmp_parent(a, path_here(a))),
				       STR_ARG(loop_error_text(a, error)))});
	errno = error;
}

/* false leaves errno. */
static bool
make_temporary(struct agent *g, struct agent_task *t, struct launch *l)
{
	if (!*l->temporary_mark)
		return true;
	if (!g->private_tmp)
		g->private_tmp = private_tmp_open(g->arena,
			private_tmp_parent(g->arena, path_here(g->arena)), false);
	t->temporary = private_tmp_make(g->private_tmp, t->arena);
	if (!t->temporary) {
		say_no_temporary(g, t->arena, errno);
		return false;
	}
	l->environment =
		name_temporary(t->arena, l->environment, l->temporary_mark, t->temporary);
	return true;
}

/* ---- the socket of the run ---- */

static int
task_of_process(void *context, int pid)
{
	struct agent *g = context;
	node_id node = g->engine->type->owner(g->engine, pid);

	return node == MAP_NONE ? -1 : (int)node;
}

static void
pass_on(void *context, int task, int talk, struct str text)
{
	send_report(context,
		&(struct message){
			.kind = MESSAGE_TALK, .task = task, .talk = talk, .text = text});
}

static void
open_talks(struct agent *g)
{
	struct talk_listener listener = {g, task_of_process, pass_on};

	g->talks = agent_talks_open(g->arena, g->engine->loop, &listener);
}

/* Where there is no socket the test gets no path. */
static void
name_socket(struct agent *g, struct arena *a, struct launch *l)
{
	const char *now = environment_find(l->environment, TALK_VARIABLE);

	if (!now || strcmp(now, TALK_MARK) != 0)
		return;
	if (!g->talks)
		open_talks(g);
	l->environment = g->talks ? environment_with(a, l->environment, TALK_VARIABLE,
					    str_of(agent_talks_path(g->talks)))
				  : environment_without(a, l->environment, TALK_VARIABLE);
}

/* ---- the PMIx server of the node ---- */

/* Each server has one of its own, so that none gets an answer to another. */
static int
pmix_talk(const struct agent *g)
{
	return (int)(TALK_PMIX + g->pmix_lost % TALK_PMIX);
}

static void
pass_question(void *context, uint32_t task, uint64_t number, struct str request)
{
	struct arena *scratch = arena_open();

	pass_on(context, (int)task, pmix_talk(context),
		str_fmt(scratch, "%llu %.*s\n", (unsigned long long)number,
			STR_ARG(request)));
	arena_close(scratch);
}

static void
end_pmix_talk(void *context)
{
	struct agent *g = context;

	pass_on(g, 0, pmix_talk(g), STR(""));
	g->pmix_lost++;
}

static void
take_talk(struct agent *g, const struct message *m)
{
	if (g->pmix && m->talk == pmix_talk(g))
		pmix_server_put(g->pmix, m->text);
	else if (g->talks)
		agent_talks_put(g->talks, m->talk, m->text);
}

/* Whether it is known if the test can use the server, or does not want to. */
static bool
knows_pmix(struct agent *g, node_id node)
{
	struct pmix_listener listener = {g, pass_question, end_pmix_talk};
	const struct launch *l = g->tasks.v[node].launch;

	if (!l->pmix_ranks)
		return true;
	if (!g->pmix)
		g->pmix = pmix_server_open(g->arena, g->engine->loop, &listener);
	return pmix_server_ask(g->pmix, node, (unsigned)l->pmix_ranks);
}

/* false: it cannot, *why is a phrase. */
static bool
tell_pmix(struct agent *g, node_id node, struct launch *l, const char **why)
{
	struct arena *a = g->tasks.v[node].arena;
	struct str_list v;

	if (!l->pmix_ranks)
		return true;
	if (!pmix_server_admit(g->pmix, a, node, &v, why))
		return false;
	l->environment = environment_with_all(a, l->environment, v);
	return true;
}

static void
refuse_test(struct agent *g, node_id node, const char *why)
{
	send_report(g, &(struct message){.kind = MESSAGE_NOT_STARTED,
			       .task = (int)node,
			       .text = str_of(why)});
	free_task(g, node);
}

static void
begin_test(struct agent *g, node_id node)
{
	struct agent_task *t = &g->tasks.v[node];
	struct launch *l = t->launch;
	const char *why;
	int error = 0;

	t->launch = NULL;
	t->started_ns = loop_now_ns();
	if (!tell_pmix(g, node, l, &why))
		refuse_test(g, node, why);
	else if (!g->engine->type->start(g->engine, node, l, &error))
		on_not_started(g, node, error);
}

static node_id
take_waiting(struct agent *g, size_t at)
{
	node_id node = g->waiting.v[at];

	g->waiting.v[at] = g->waiting.v[--g->waiting.n];
	return node;
}

static void
begin_waiting(struct agent *g)
{
	size_t i = 0;

	while (i < g->waiting.n)
		if (knows_pmix(g, g->waiting.v[i]))
			begin_test(g, take_waiting(g, i));
		else
			i++;
}

/* A test that waits ends before it has begun. */
static void
end_waiting(struct agent *g, size_t at, int signal)
{
	node_id node = take_waiting(g, at);

	g->tasks.v[node].launch = NULL;
	on_ended(g, node, &(struct outcome){.ending = END_SIGNALLED, .signal = signal});
}

static void
signal_test(struct agent *g, node_id node, int signal)
{
	size_t i = 0;

	g->tasks.v[node].was_signalled = true;
	while (i < g->waiting.n && g->waiting.v[i] != node)
		i++;
	if (i < g->waiting.n)
		end_waiting(g, i, signal);
	else
		g->engine->type->signal(g->engine, node, signal);
}

static void
interrupt_tests(struct agent *g, int signal)
{
	g->is_interrupted = true;
	while (g->waiting.n)
		end_waiting(g, 0, signal);
	g->engine->type->interrupt(g->engine, signal);
}

static void
move_limit(struct agent *g, const struct message *m)
{
	struct agent_task *t = &g->tasks.v[m->task];

	if (t->launch)
		t->launch->timeout_ns = m->timeout_ns;
	else
		g->engine->type->set_limit(
			g->engine, (node_id)m->task, m->timeout_ns, m->restarts);
}

/* The message was read into the arena, which lives as long as the test. */
static void
start_test(struct agent *g, const struct message *m, struct arena *arena)
{
	struct agent_task *t = &g->tasks.v[m->task];
	struct launch *l = NEW(arena, struct launch);

	*l = m->launch;
	l->input = g->empty_input;
	if (!*l->directory)
		l->directory = NULL;
	*t = (struct agent_task){.arena = arena,
		.runs = true,
		.keeps_failed = l->keeps_failed_temporary,
		.started_ns = loop_now_ns(),
		.launch = l};
	if (!make_temporary(g, t, l)) {
		on_not_started(g, (node_id)m->task, errno);
		return;
	}
	l->processors = (struct processors){m->processors.v, m->processors.n};
	name_socket(g, arena, l);
	if (knows_pmix(g, (node_id)m->task))
		begin_test(g, (node_id)m->task);
	else
		VEC_PUSH(g->arena, &g->waiting, (node_id)m->task);
}

static bool
is_known(const struct agent *g, int task)
{
	return task >= 0 && (size_t)task < g->tasks.n && g->tasks.v[task].runs;
}

/* false: the request makes no sense. A request for a test that has ended is late, not
 * wrong. */
static bool
handle_request(struct agent *g, const struct message *m)
{
	switch (m->kind) {
	case MESSAGE_GREETING:
		if (g->is_greeted)
			return false;
		answer_greeting(g, &m->greeting);
		return true;
	case MESSAGE_LIMIT:
		if (is_known(g, m->task))
			move_limit(g, m);
		return true;
	case MESSAGE_SIGNAL:
		if (m->signal <= 0 || m->signal >= NSIG)
			return false;
		if (is_known(g, m->task))
			signal_test(g, (node_id)m->task, m->signal);
		return true;
	case MESSAGE_INTERRUPT:
		if (m->signal <= 0 || m->signal >= NSIG)
			return false;
		interrupt_tests(g, m->signal);
		return true;
	case MESSAGE_VERDICT:
		take_verdict(g, m);
		return true;
	case MESSAGE_TALK:
		take_talk(g, m);
		return true;
	case MESSAGE_HEARTBEAT:
		send_report(
			g, &(struct message){.kind = MESSAGE_HEARTBEAT, .beat = m->beat});
		return true;
	case MESSAGE_NUDGE:
		return true;
	case MESSAGE_GOODBYE:
		g->code = 0;
		g->is_over = true;
		return true;
	case MESSAGE_LAUNCH:
	case MESSAGE_HELLO:
	case MESSAGE_OUTPUT:
	case MESSAGE_OUTCOME:
	case MESSAGE_NOT_STARTED:
	case MESSAGE_LEFT:
	case MESSAGE_WARNING:
	case MESSAGE_WAITS:
	case MESSAGE_PLACE:
	case MESSAGE_FATE:
	case MESSAGE_HANG:
	case MESSAGES:
		break;
	}
	return false;
}

/* false: it is none that cctr sends. */
static bool
restore_environment(const struct agent *g, struct arena *a, struct launch *l)
{
	l->environment = variables_restore(a, g->environment, l->environment);
	return l->environment != NULL;
}

/* Handles the first message. false: there is no whole one, or the conversation is over.
 */
static bool
take_request(struct agent *g, struct str *bytes)
{
	struct arena *arena = arena_open();
	const char *why = "a request makes no sense";
	struct message m;
	enum message_reading reading = message_read(arena, bytes, &m, &why);
	bool is_launch = reading == MESSAGE_WHOLE && m.kind == MESSAGE_LAUNCH;
	bool is_right = reading != MESSAGE_BAD;

	if (is_launch && g->is_greeted && restore_environment(g, arena, &m.launch) &&
		take_number(g, m.task)) {
		start_test(g, &m, arena);
		return true;
	}
	if (reading == MESSAGE_WHOLE)
		is_right = !is_launch && (g->is_greeted || m.kind == MESSAGE_GREETING) &&
			   handle_request(g, &m);
	if (!is_right)
		end_talk(g, 1, why);
	arena_close(arena);
	return reading == MESSAGE_WHOLE && !g->is_over;
}

/* Handles requests for a slice of time. true: there may be more. */
static bool
take_requests(struct agent *g)
{
	uint64_t until_ns = loop_now_ns() + SLICE_NS;
	struct str bytes = buf_as_str(&g->in);
	bool more = true;

	while (more && loop_now_ns() < until_ns)
		more = take_request(g, &bytes);
	memmove(g->in.p, bytes.p, bytes.n);
	g->in.n = bytes.n;
	return more;
}

static void
read_requests(struct agent *g)
{
	ssize_t got = file_get_now(STDIN_FILENO, g->block, sizeof g->block);

	if (got > 0) {
		buf_add(&g->in, g->block, (size_t)got);
		g->has_heard = true;
		silence_break(&g->silence);
	} else if (got == 0 || errno != EAGAIN) {
		end_talk(g, 1, NULL);
	}
}

/* ---- the agent ------------------------------------------------------------------- */

/* Says now and then that the agent lives, and ends where cctr has not for too long. */
static void
keep_alive(struct agent *g)
{
	uint64_t now_ns = loop_now_ns();

	if (silence_exceeds(&g->silence, now_ns, g->silence_ns))
		end_talk(g, 1, "cctr was silent for too long");
	else if (g->is_greeted &&
		 now_ns >= loop_later(g->sent_ns, g->silence_ns / SILENCE_BEATS))
		send_report(g, &(struct message){.kind = MESSAGE_HEARTBEAT});
}

/* A message that is lost may be the outcome of a test, and cctr cannot read those after
 * it. Why is said by main. */
static void
end_if_lost(struct agent *g)
{
	if (!streams_error(STREAM_OUTPUT))
		return;
	g->out.n = 0;
	end_talk(g, 1, NULL);
}

/* After all whole requests were taken. */
static void
ask_for_rest(struct agent *g)
{
	uint64_t now_ns = loop_now_ns();

	if (g->has_heard)
		nudge_heard(&g->nudge, now_ns, g->in.n > 0);
	g->has_heard = false;
	if (nudge_is_due(&g->nudge, now_ns))
		send_report(g, &(struct message){.kind = MESSAGE_NUDGE});
}

/* true: there is more to remove. */
static bool
remove_temporaries(struct agent *g)
{
	return g->private_tmp && private_tmp_work(g->private_tmp, SLICE_NS);
}

static void
serve_requests(struct agent *g)
{
	bool more = false;

	while (!g->is_over) {
		uint64_t until_ns = loop_later(loop_now_ns(), g->silence_ns / 8);

		flush_reports(g);
		end_if_lost(g);
		more = remove_temporaries(g) || more;
		if (g->talks)
			agent_talks_hold(g->talks, !has_room(g));
		if (g->pmix)
			pmix_server_hold(g->pmix, !has_room(g));
		g->engine->type->wait(g->engine, more ? 0 : next_due(g, until_ns));
		if (!g->is_over)
			begin_waiting(g);
		tell_outcomes(g);
		if (!more)
			read_requests(g);
		more = g->in.n && !g->is_over && take_requests(g);
		if (!more)
			ask_for_rest(g);
		keep_alive(g);
	}
}

/* Says what could not be removed. */
static void
close_temporaries(struct agent *g)
{
	struct diag d = diag_in(g->arena);

	if (!g->private_tmp)
		return;
	private_tmp_close(g->private_tmp, &d);
	for (size_t i = 0; i < d.entries.n; i++)
		send_report(g, &(struct message){.kind = MESSAGE_WARNING,
				       .text = d.entries.v[i].text});
}

/* The engine reports what could not be ended: after a goodbye of cctr, which still
 * listens, that is passed on. */
static void
close_agent(struct agent *g)
{
	g->is_over = g->code != 0;
	if (g->talks)
		agent_talks_close(g->talks);
	g->talks = NULL;
	while (g->waiting.n)
		free_task(g, take_waiting(g, 0));
	if (g->pmix)
		pmix_server_close(g->pmix);
	g->pmix = NULL;
	g->engine->type->close(g->engine);
	g->is_interrupted = true;
	tell_outcomes(g);
	forget_unjudged(g);
	close_temporaries(g);
	end_talk(g, g->code, g->code ? NULL : "");
	streams_drain();
	close(g->empty_input);
	arena_close(g->arenas);
}

struct str_list
agent_words(struct arena *a)
{
	struct str *v = NEW_ARRAY(a, struct str, 2);

	v[0] = program_path(a);
	v[1] = STR(AGENT_WORD);
	return (struct str_list){v, 2};
}

int
agent_run(struct arena *a, const char *program)
{
	struct agent *g = NEW(a, struct agent);
	struct engine_listener listener = {.context = g,
		.line_tag = "\n",
		.bytes = on_bytes,
		.has_room = has_room,
		.ended = on_ended,
		.not_started = on_not_started,
		.left = on_left,
		.interrupted = on_interrupted};
	struct diag d = diag_in(a);

	g->arena = a;
	g->program = program;
	g->arenas = arena_open();
	g->in.arena = g->out.arena = g->arenas;
	g->silence_ns = SILENCE_NS;
	g->sent_ns = loop_now_ns();
	g->empty_input = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (g->empty_input < 0)
		return 1;
	g->engine = engine_local_open(
		NULL, a, private_tmp_parent(a, path_here(a)), &listener, &d);
	if (!g->engine)
		return 1;
	if (!loop_watch(g->engine->loop, STDIN_FILENO, NULL, NULL))
		return 1;
	serve_requests(g);
	close_agent(g);
	return g->code;
}

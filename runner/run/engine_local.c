/*
 * The engine of this machine. See engine.h.
 *
 * Everything happens in wait(): readers collect output, the loop's signal pipe leads to
 * reaping, and timers only note that a limit is over. Tests whose limit is over are
 * handled after the turn, together, since one snapshot of all processes serves them all.
 * Whether a test was in time is decided by its exit time, however late the loop comes.
 */
#include "runner/run/engine_local.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

enum { MOST_READS = 64 };

/* ---- tables of tasks ------------------------------------------------------------- */

static struct task *
task_of_node(struct local *e, node_id node)
{
	return node < e->by_node.n ? e->by_node.v[node] : NULL;
}

static void
set_task_of_node(struct local *e, node_id node, struct task *t)
{
	while (e->by_node.n <= node)
		VEC_PUSH(e->arena, &e->by_node, NULL);
	e->by_node.v[node] = t;
}

static struct task **
pid_place(struct local *e, int pid)
{
	struct task **at = &e->by_pid[(unsigned)pid % PID_BUCKETS];

	while (*at && (*at)->pid != pid)
		at = &(*at)->pid_next;
	return at;
}

static void
link_running(struct local *e, struct task *t)
{
	struct task **place = pid_place(e, t->pid);

	t->pid_next = NULL;
	*place = t;
	t->next = e->running;
	t->previous = &e->running;
	if (t->next)
		t->next->previous = &t->next;
	e->running = t;
	e->running_n++;
	set_task_of_node(e, t->node, t);
}

static void
unlink_running(struct local *e, struct task *t)
{
	*t->previous = t->next;
	if (t->next)
		t->next->previous = t->previous;
	e->running_n--;
	e->by_node.v[t->node] = NULL;
}

/* ---- output ---------------------------------------------------------------------- */

static bool
on_line(void *context, const struct long_text *line)
{
	struct task *t = context;
	const struct engine_listener *l = &t->engine->base.listener;

	return l->line ? l->line(l->context, t->node, line) : true;
}

static void
on_part(void *context, struct str bytes)
{
	struct task *t = context;
	const struct engine_listener *l = &t->engine->base.listener;

	if (l->part)
		l->part(l->context, t->node, bytes);
}

void
local_close_output(struct task *t)
{
	if (t->output < 0)
		return;
	loop_unwatch(t->reader);
	close(t->output);
	t->output = -1;
}

static void
take_output(struct task *t, size_t n)
{
	const char *p = t->engine->block;

	if (t->is_post_run) {
		t->post_run->hear(t->post_run, str_cut(p, n));
		return;
	}
	capture_add(&t->capture, p, n);
}

enum reading { READ_SOME, READ_NOTHING, READ_END };

static enum reading
read_once(struct task *t)
{
	ssize_t got;

	do
		got = read(t->output, t->engine->block, READ_SIZE);
	while (got < 0 && errno == EINTR);
	if (got > 0) {
		take_output(t, (size_t)got);
		return READ_SOME;
	}
	if (got < 0 && errno == EAGAIN)
		return READ_NOTHING;
	if (got < 0 && !t->is_post_run)
		t->lost_output = errno;
	return READ_END;
}

/* Reads what is in the pipe now; true: the pipe is at its end. */
bool
local_read_rest(struct task *t)
{
	enum reading r = READ_SOME;

	for (int i = 0; i < MOST_READS && r == READ_SOME; i++)
		r = read_once(t);
	return r == READ_END;
}

/* ---- the end of a test ----------------------------------------------------------- */

static struct outcome
outcome_of(struct task *t, uint64_t ended_ns)
{
	struct outcome o = {
		.ending = t->end.was_signalled ? END_SIGNALLED : END_EXITED,
		.exit_code = t->end.exit_code,
		.signal = t->end.signal,
		.started_us = t->started_us,
		.duration_ns = ended_ns > t->started_ns ? ended_ns - t->started_ns : 0,
		.user_ns = t->end.user_ns,
		.system_ns = t->end.system_ns,
		.peak_rss_bytes = t->end.peak_rss_bytes,
	};

	if (t->timed_out)
		o.ending = END_TIMED_OUT;
	return o;
}

/* The process is gone and its output is at its end. */
static void
local_finished(struct task *t)
{
	loop_timer_stop(t->timer);
	local_close_output(t);
	unlink_running(t->engine, t);
	t->is_expired = false;
}

/* Searches for one slice of time; true: all of the output has been searched. */
static bool
search_output(struct task *t)
{
	const struct engine_listener *l = &t->engine->base.listener;

	return !l->search || l->search(l->context, t->node, &t->outcome);
}

/* Reports the end as soon as the output has been searched; until then the task is in
 * e->searching. */
static void
tell_end(struct task *t)
{
	struct local *e = t->engine;

	if (!search_output(t)) {
		struct task **last = &e->searching;

		while (*last)
			last = &(*last)->next;
		t->next = NULL;
		*last = t;
		return;
	}
	e->base.listener.ended(e->base.listener.context, t->node, &t->outcome);
	capture_close(&t->capture);
	arena_rewind(t->arena, t->mark);
	t->next = e->free;
	e->free = t;
	e->has_room = true;
}

static void
finish(struct task *t, uint64_t ended_ns, bool by_force)
{
	struct outcome *o = &t->outcome;

	local_finished(t);
	t->timed_out = t->timed_out || ended_ns > t->limit_ns;
	*o = outcome_of(t, ended_ns);
	o->timeout_signal = t->timed_out ? t->timeout_signal : 0;
	o->signal_sufficed = o->timeout_signal && !by_force;
	o->output = capture_end(&t->capture).s;
	o->lost_output = t->lost_output ? t->lost_output : t->capture.store.lost;
	o->output_file = t->capture.store.file > 0 ? t->capture.store.file : 0;
	if (!local_begin_post_run(t))
		tell_end(t);
}

static void
finish_post_run(struct task *t)
{
	local_finished(t);
	local_end_post_run(t);
	tell_end(t);
}

void
local_step(struct task *t, enum process_event event, uint64_t at_ns)
{
	enum process_state before = t->state;

	t->state = process_next(before, event);
	if (t->state != PROCESS_DONE)
		return;
	if (t->is_post_run)
		finish_post_run(t);
	else
		finish(t, at_ns, before == PROCESS_KILLED || event == PROCESS_LIMIT);
}

static void
on_output(void *context)
{
	struct task *t = context;

	if (read_once(t) != READ_END)
		return;
	local_close_output(t);
	local_step(t, PROCESS_OUTPUT_ENDS, loop_now_ns());
}

static void
forget_pid(struct task *t)
{
	struct task **place = pid_place(t->engine, t->pid);

	if (*place == t)
		*place = t->pid_next;
}

/* The process may be reaped later; it then belongs to no test. */
void
local_give_up(struct task *t)
{
	process_note_refused(&t->engine->refused, t->pid);
	forget_pid(t);
	local_step(t, PROCESS_LIMIT, loop_now_ns());
}

/* Reads the rest of the output at once: where it is complete, the test ended at its
 * exit. */
static void
on_exit_of(struct task *t, const struct process_end *end)
{
	struct local *e = t->engine;

	forget_pid(t);
	t->end = *end;
	t->exited_ns = loop_exit_time(e->loop, end->pid);
	if (t->output >= 0 && local_read_rest(t)) {
		local_close_output(t);
		t->state = process_next(t->state, PROCESS_OUTPUT_ENDS);
	}
	local_step(t, PROCESS_EXITS, t->exited_ns);
}

static void
on_children(void *context)
{
	struct local *e = context;
	struct process_end end;

	while (process_reap(&end)) {
		struct task *t = *pid_place(e, end.pid);

		if (t)
			on_exit_of(t, &end);
	}
}

static void
on_interrupt(void *context, int signal, bool by_terminal)
{
	struct local *e = context;

	e->by_terminal = by_terminal;
	e->base.listener.interrupted(e->base.listener.context, signal);
}

/* ---- the engine ------------------------------------------------------------------ */

static struct task *
take_task(struct local *e, node_id node)
{
	struct task *t = e->free;
	struct capture_listener listener = {.tag = str_of(e->base.listener.line_tag),
		.line = on_line,
		.part = on_part};

	if (t) {
		e->free = t->next;
	} else {
		t = NEW(e->arena, struct task);
		t->engine = e;
		t->arena = arena_open();
		arena_alloc(t->arena, 1); /* the first block stays when the rest goes */
		t->mark = arena_mark(t->arena);
		t->timer = loop_timer_new(e->loop, local_limit, t);
		VEC_PUSH(e->arena, &e->all, t);
	}
	listener.context = t;
	t->node = node;
	t->is_post_run = t->timed_out = t->is_expired = false;
	t->lost_output = 0;
	t->capture = capture_in(t->arena, e->directory, &listener);
	return t;
}

bool
local_started(struct task *t, const struct process_begun *p)
{
	struct local *e = t->engine;
	int error;

	t->state = PROCESS_RUNS;
	t->pid = p->pid;
	t->brand = p->brand;
	t->output = p->outputs[0];
	t->reader = loop_watch(e->loop, t->output, on_output, t);
	if (!t->reader) {
		error = errno;
		kill(p->pid, SIGKILL);
		close(t->output);
		errno = error;
		return false;
	}
	loop_timer_start(t->timer, t->limit_ns);
	link_running(e, t);
	return true;
}

/* 0, or the errno. */
static int
start_task(struct task *t)
{
	struct local *e = t->engine;
	const struct launch *l = t->launch;
	struct process_begun begun;
	int error;

	t->started_us = loop_wall_us();
	t->started_ns = loop_now_ns();
	t->limit_ns = loop_later(t->started_ns, l->timeout_ns);
	error = process_start(e->starter, l, &begun);
	if (!error && !local_started(t, &begun))
		error = errno;
	return error;
}

static void
free_task(struct task *t)
{
	t->next = t->engine->free;
	t->engine->free = t;
}

/* Whether the start may succeed when another test has ended. */
static bool
may_wait(const struct local *e, int error)
{
	return (e->running_n || e->waiting.n) &&
	       (error == EMFILE || error == ENFILE || error == EAGAIN ||
		       error == ENOMEM || error == ENOBUFS || error == ENOSPC);
}

/* Starts the waiting tests in their order. When nothing runs any more, a test that cannot
 * be started is given up. */
static void
start_waiting(struct local *e)
{
	size_t done = 0, n = e->waiting.n;

	e->has_room = false;
	while (done < n) {
		struct task *t = e->waiting.v[done];
		node_id node = t->node;
		int error = start_task(t);

		if (error && (e->running_n || e->searching) && may_wait(e, error))
			break;
		done++;
		if (!error)
			continue;
		free_task(t);
		e->base.listener.not_started(e->base.listener.context, node, error);
	}
	memmove(e->waiting.v, e->waiting.v + done,
		(e->waiting.n - done) * sizeof *e->waiting.v);
	e->waiting.n -= done;
}

/* The tests that wait end with an outcome that does not count: the run is over. */
void
local_forget_waiting(struct local *e)
{
	for (size_t i = 0; i < e->waiting.n; i++) {
		struct task *t = e->waiting.v[i];

		t->outcome = (struct outcome){.ending = END_NOT_STARTED};
		e->base.listener.ended(e->base.listener.context, t->node, &t->outcome);
		free_task(t);
	}
	e->waiting.n = 0;
}

static bool
local_start(struct engine *base, node_id node, const struct launch *l, int *error)
{
	struct local *e = local_of(base);
	struct task *t = take_task(e, node);

	t->capture.every_line = l->wants_lines;
	t->post_run = l->post_run;
	t->timeout_signal = l->timeout_signal;
	t->grace_ns = l->timeout_grace_ns;
	t->launch = l;
	*error = start_task(t);
	if (*error && may_wait(e, *error)) {
		VEC_PUSH(e->arena, &e->waiting, t);
		return true;
	}
	if (*error)
		free_task(t);
	return *error == 0;
}

static void
local_restart_timer(struct engine *base, node_id node, uint64_t timeout_ns)
{
	struct task *t = task_of_node(local_of(base), node);

	if (!t)
		return;
	t->started_ns = loop_now_ns();
	t->limit_ns = loop_later(t->started_ns, timeout_ns);
	t->is_expired = false;
	loop_timer_start(t->timer, t->limit_ns);
}

static void
local_signal(struct engine *base, node_id node, int signal)
{
	struct local *e = local_of(base);
	struct task *t = task_of_node(e, node);

	if (t)
		local_signal_processes(e, t, false, signal);
}

/* Searches for one slice in the output of the task that has waited longest. */
static void
search_on(struct local *e)
{
	struct task *t = e->searching;

	if (!t)
		return;
	e->searching = t->next;
	tell_end(t);
}

static void
local_wait(struct engine *base, uint64_t until_ns)
{
	struct local *e = local_of(base);

	if (e->interrupted_by && e->kill_at_ns < until_ns)
		until_ns = e->kill_at_ns;
	loop_turn(e->loop, e->searching ? 0 : until_ns);
	local_handle_expired(e);
	search_on(e);
	if (e->waiting.n && (e->has_room || (!e->running_n && !e->searching)))
		start_waiting(e);
	if (e->interrupted_by && e->running_n && loop_now_ns() >= e->kill_at_ns)
		local_kill_everything(e);
}

static void
do_nothing(void *context)
{
	(void)context;
}

static void
local_watch(struct engine *base, int fd)
{
	struct local *e = local_of(base);

	if (e->watched)
		loop_unwatch(e->watched);
	e->watched = fd < 0 ? NULL : loop_watch(e->loop, fd, do_nothing, NULL);
}

static void
tell_left(struct local *e)
{
	const struct engine_listener *l = &e->base.listener;

	for (size_t i = 0; l->left && i < e->refused.pids.n; i++) {
		int pid = e->refused.pids.v[i];
		char name[64];

		if (kill(pid, 0) != 0 && errno == ESRCH)
			continue;
		if (!proc_folder_read(&e->folder, pid, "comm", name, sizeof name))
			name[0] = '\0';
		l->left(l->context, pid, str_trim(str_of(name)));
	}
}

/* After an interruption all that tests have started is killed, even where the tests have
 * ended. */
static void
local_close(struct engine *base)
{
	struct local *e = local_of(base);

	if (e->running_n || e->interrupted_by)
		local_kill_everything(e);
	while (e->running_n)
		local_wait(base, LOOP_FOREVER);
	tell_left(e);
	run_record_close(&e->record);
	loop_close(e->loop);
	if (e->adopts)
		process_adopt_orphans(false);
	for (size_t i = 0; i < e->all.n; i++)
		arena_close(e->all.v[i]->arena);
	arena_close(e->scratch);
	proc_folder_close(&e->folder);
}

/* Orphans are adopted unless cctr has children already: a shell that became cctr by exec
 * may have left some, and the orphans of those are not ours. */
static void
look_at_children(struct local *e)
{
	if (process_has_children())
		e->excluded_n = process_children(e->arena, &e->folder, &e->excluded);
	e->adopts = e->excluded_n == 0;
	if (e->adopts)
		process_adopt_orphans(true);
}

struct engine *
engine_local_open(struct arena *a, struct str directory,
	const struct engine_listener *listener, struct diag *d)
{
	static const struct engine_type type = {
		.name = "local",
		.start = local_start,
		.restart_timer = local_restart_timer,
		.signal = local_signal,
		.interrupt = local_interrupt,
		.wait = local_wait,
		.watch = local_watch,
		.close = local_close,
	};
	struct local *e = NEW(a, struct local);
	struct loop_listener of_loop = {
		.context = e, .children = on_children, .signal = on_interrupt};

	e->base = (struct engine){&type, *listener};
	e->arena = a;
	e->directory = str_z(a, directory);
	e->refused.arena = a;
	e->loop = loop_open(a, &of_loop, d);
	if (!e->loop)
		return NULL;
	e->scratch = arena_open();
	e->starter = process_starter_open(a);
	(void)proc_folder_open(&e->folder);
	e->record = run_record_open(a, directory, &e->folder, d);
	look_at_children(e);
	return &e->base;
}

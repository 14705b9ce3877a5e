/*
 * The engine of this machine. See engine.h.
 *
 * Everything happens in wait(): readers collect output, the loop's signal pipe leads to
 * reaping, and timers only note that a limit is over. Tests whose limit is over are
 * handled after the turn, together, since one snapshot of all processes serves them all.
 * Whether a test was in time is decided by its exit time, however late the loop comes.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "runner/base/files.h"
#include "runner/base/loop.h"
#include "runner/process/brand.h"
#include "runner/process/process.h"
#include "runner/process/process_report.h"
#include "runner/process/stack_dump.h"
#include "runner/run/attempt_output.h"

enum { READ_SIZE = 65536, PID_BUCKETS = 256, MOST_READS = 64 };

#define INTERRUPT_GRACE_NS 1000000000u
#define KILL_AGAIN_NS 100000000u
#define LEAK_PATIENCE_NS 200000000u
#define EXEC_PATIENCE_NS 100000000u

/* The brand that all processes of a test have. */
struct started {
	uint64_t brand;
	node_id node;
};

/* A test that runs. */
struct task {
	struct attempt_output written; /* first: see task_of_output */
	struct local *engine;
	int pid, output; /* output: the descriptor; -1 when closed */
	uint64_t brand; /* of its process */
	struct spawn_flight *flight; /* in which the process was begun */
	bool was_awaited; /* it has executed: it was started without the flight */
	enum process_state state;
	int64_t started_us;
	uint64_t started_ns, limit_ns, exited_ns;
	int timeout_signal;
	uint64_t grace_ns;
	bool timed_out, is_expired;
	bool reports_hang, reports_stacks;
	struct buf hang; /* in the arena of its output */
	struct stack_dump *dump; /* made when it is first needed */
	bool is_dumped; /* the dump goes on: nothing ends the test at its limit */
	uint64_t dump_begun_ns, dumped_ns; /* for so long */
	int lost_output; /* an errno, or 0 */
	bool is_cut; /* the output was not read to its end */
	/* in the list of expired tasks, even where its limit is not over any more */
	bool is_listed;
	struct process_end end;
	const struct launch *launch;
	struct post_run *post_run; /* from the launch, or NULL */
	bool is_post_run; /* the process is the post-run command, and the outcome is known
			   */
	struct loop_reader *reader;
	struct loop_timer *timer;
	struct task *pid_next, *next, **previous; /* links of its lists */
};
struct local {
	struct engine base;
	struct arena *arena, *scratch;
	const char *directory;
	struct process_starter *starter;
	struct task *running, *free;
	struct attempt_queue searching;
	struct task *by_pid[PID_BUCKETS];
	VEC(struct task *) by_node;
	VEC(struct task *) expired;
	VEC(struct task *) all; /* all tasks that were ever made */
	size_t running_n;
	size_t dumps_n; /* tasks that are dumped */
	/* tasks that wait for the system to have room, in order */
	VEC(struct task *) waiting;
	bool has_room; /* a task has ended since the waiting ones were last tried */
	VEC(struct started) started; /* where the listener asks for leaks */
	struct process_scope scope;
	struct process_refused refused; /* processes that could not be killed */
	bool is_held; /* the listener has no room for output */
	int interrupted_by; /* 0: not interrupted */
	/* the terminal sent the signal: tests in our process group got it too */
	bool by_terminal;
	/* killed_ns: when all were first killed; 0: not yet */
	uint64_t kill_at_ns, killed_ns;
	char block[READ_SIZE];
};

static struct local *
local_of(struct engine *e)
{
	return (struct local *)e;
}

/* Applies the event to the task's life, and ends the task where that is over. */
static void step_task(struct task *t, enum process_event event, uint64_t at_ns);
/* Of a task whose process could not execute its program. */
static void start_again(struct task *t);

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

	INVARIANT(!task_of_node(e, t->written.node));
	t->pid_next = NULL;
	*place = t;
	t->next = e->running;
	t->previous = &e->running;
	if (t->next)
		t->next->previous = &t->next;
	e->running = t;
	e->running_n++;
	set_task_of_node(e, t->written.node, t);
}

static void
unlink_running(struct local *e, struct task *t)
{
	*t->previous = t->next;
	if (t->next)
		t->next->previous = t->previous;
	e->running_n--;
	e->by_node.v[t->written.node] = NULL;
}

/* ---- output ---------------------------------------------------------------------- */

static void
close_output(struct task *t)
{
	if (t->output < 0)
		return;
	loop_unwatch(t->reader);
	file_close(&t->output);
}

static void
take_output(struct task *t, size_t n)
{
	const char *p = t->engine->block;

	if (t->is_post_run) {
		t->post_run->hear(t->post_run, str_cut(p, n));
		return;
	}
	attempt_output_add(&t->written, str_cut(p, n));
}

enum reading { READ_SOME, READ_NOTHING, READ_END };

static enum reading
read_once(struct task *t)
{
	ssize_t got = file_get_now(t->output, t->engine->block, READ_SIZE);

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
static bool
read_rest(struct task *t)
{
	enum reading r = READ_SOME;

	for (int i = 0; i < MOST_READS && r == READ_SOME; i++)
		r = read_once(t);
	return r == READ_END;
}

/* ---- the process of a task ------------------------------------------------------- */

static void
on_output(void *context)
{
	struct task *t = context;

	if (read_once(t) != READ_END)
		return;
	close_output(t);
	step_task(t, PROCESS_OUTPUT_ENDS, loop_now_ns());
}

/* A process of the task has started. false: its output cannot be read, and the process is
 * killed; errno gives the reason. */
static bool
attach_process(struct task *t, const struct process_begun *p)
{
	struct local *e = t->engine;
	int error;

	t->state = PROCESS_RUNS;
	t->pid = p->pid;
	t->brand = p->brand;
	t->end = (struct process_end){0}; /* that is so until it is reaped */
	t->output = p->outputs[0];
	t->reader = loop_watch(e->base.loop, t->output, on_output, t);
	if (!t->reader) {
		error = errno;
		kill(p->pid, SIGKILL);
		close(t->output);
		errno = error;
		return false;
	}
	loop_hold(t->reader, e->is_held);
	loop_timer_start(t->timer, t->limit_ns);
	link_running(e, t);
	return true;
}

/* The time of the dump is not the test's. */
static void
end_dump(struct task *t)
{
	t->is_dumped = false;
	t->dumped_ns = loop_now_ns() - t->dump_begun_ns;
	t->engine->dumps_n--;
}

static void
stop_dump(struct task *t)
{
	if (!t->is_dumped)
		return;
	stack_dump_stop(t->dump);
	end_dump(t);
}

/* The process is gone and its output is at its end. */
static void
detach_process(struct task *t)
{
	loop_timer_stop(t->timer);
	stop_dump(t);
	close_output(t);
	unlink_running(t->engine, t);
	t->is_expired = false;
}

/* ---- the post-run command -------------------------------------------------------- */

/*
 * The task stays, with its outcome and its output, and has another process. That process
 * is found, read, reaped and interrupted like any test, and only its test waits for it.
 */
/* false: there is none, or none any more. */
static bool
begin_post_run(struct task *t)
{
	struct local *e = t->engine;
	struct launch l = {.timeout_ns = NO_TIMEOUT};
	struct process_begun begun;
	int error;

	if (!t->post_run || e->interrupted_by || !t->post_run->begin(t->post_run, &l))
		return false;
	t->limit_ns = LOOP_FOREVER;
	t->was_awaited = true;
	error = process_start(e->starter, &l, &begun);
	if (!error && !attach_process(t, &begun))
		error = errno;
	if (error) {
		t->post_run->end(t->post_run, error, 0);
		return false;
	}
	t->is_post_run = true;
	return true;
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
		.duration_ns = ended_ns > t->started_ns + t->dumped_ns
				       ? ended_ns - t->started_ns - t->dumped_ns
				       : 0,
		.user_ns = t->end.user_ns,
		.system_ns = t->end.system_ns,
		.peak_rss_bytes = t->end.peak_rss_bytes,
		.lost_output = t->lost_output,
		.is_cut = t->is_cut,
	};

	if (t->timed_out) {
		o.ending = END_TIMED_OUT;
		o.hang = buf_as_str(&t->hang);
	}
	return o;
}

static struct task *
task_of_output(struct attempt_output *o)
{
	return (struct task *)o;
}

static void
free_task(struct task *t)
{
	t->next = t->engine->free;
	t->engine->free = t;
}

/* Reports the end as soon as the output has been searched; until then the task is in
 * e->searching. */
static void
tell_end(struct task *t)
{
	struct local *e = t->engine;

	if (!attempt_output_report(&t->written)) {
		attempt_queue_add(&e->searching, &t->written);
		return;
	}
	free_task(t);
	e->has_room = true;
}

static void
finish_test(struct task *t, uint64_t ended_ns, bool by_force)
{
	struct outcome o;

	detach_process(t);
	t->timed_out = t->timed_out || ended_ns > t->limit_ns;
	o = outcome_of(t, ended_ns);
	o.timeout_signal = t->timed_out ? t->timeout_signal : 0;
	o.signal_sufficed = o.timeout_signal && !by_force;
	attempt_output_end(&t->written, &o);
	if (!begin_post_run(t))
		tell_end(t);
}

static void
finish_post_run(struct task *t)
{
	detach_process(t);
	t->post_run->end(t->post_run, 0, t->end.was_signalled ? t->end.signal : 0);
	tell_end(t);
}

static void
step_task(struct task *t, enum process_event event, uint64_t at_ns)
{
	enum process_state before = t->state;

	t->state = process_next(before, event);
	if (t->state != PROCESS_DONE)
		return;
	if (t->is_post_run)
		finish_post_run(t);
	else
		finish_test(t, at_ns, before == PROCESS_KILLED || event == PROCESS_LIMIT);
}

static void
forget_pid(struct task *t)
{
	struct task **place = pid_place(t->engine, t->pid);

	if (*place == t)
		*place = t->pid_next;
}

/* The process may be reaped later; it then belongs to no test. */
static void
give_up_task(struct task *t)
{
	process_note_refused(&t->engine->refused, t->pid);
	forget_pid(t);
	if (!spawn_has_executed(t->flight, 0))
		t->flight = spawn_flight_new(t->engine->arena);
	step_task(t, PROCESS_LIMIT, loop_now_ns());
}

/* A process that has got a signal at its limit has an outcome. */
static bool
could_not_execute(struct task *t)
{
	return !t->was_awaited && spawn_end(t->flight) && !t->timed_out;
}

/* Reads the rest of the output at once: where it is complete, the test ended at its
 * exit. */
static void
on_exit_of(struct task *t, const struct process_end *end)
{
	struct local *e = t->engine;

	forget_pid(t);
	if (could_not_execute(t)) {
		start_again(t);
		return;
	}
	t->end = *end;
	t->exited_ns = loop_exit_time(e->base.loop, end->pid);
	if (t->output >= 0 && read_rest(t)) {
		close_output(t);
		t->state = process_next(t->state, PROCESS_OUTPUT_ENDS);
	}
	step_task(t, PROCESS_EXITS, t->exited_ns);
}

/* The child may be a debugger. */
static void
tell_dumps(struct local *e, const struct process_end *end)
{
	if (!e->dumps_n)
		return;
	for (struct task *t = e->running; t; t = t->next)
		if (t->is_dumped && stack_dump_reaped(t->dump, end))
			return;
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
		else
			tell_dumps(e, &end);
	}
}

static void
on_interrupt(void *context, int signal, bool by_terminal)
{
	struct local *e = context;

	e->by_terminal = by_terminal;
	e->base.listener.interrupted(e->base.listener.context, signal);
}

/* ---- limits ---------------------------------------------------------------------- */

/* A child that has not executed leads no group yet. One that waits for a file system is
 * known by its id. */
static bool
leads_group(struct task *t)
{
	return process_starter_groups(t->engine->starter) &&
	       (t->was_awaited || spawn_has_executed(t->flight, EXEC_PATIENCE_NS));
}

/* only: the task whose processes are wanted; NULL: those whose limit is over. */
static struct process_root *
make_roots(struct local *e, const struct task *only)
{
	struct process_root *roots =
		NEW_ARRAY(e->scratch, struct process_root, e->running_n);
	size_t n = 0;

	for (struct task *t = e->running; t; t = t->next)
		roots[n++] = (struct process_root){
			.pid = t->pid,
			.is_alive = process_is_alive(t->state),
			.has_group = leads_group(t),
			.brand = t->brand,
			.output_id = t->output >= 0 ? process_output_id(t->output) : 0,
			.wanted = only ? t == only : t->is_expired,
		};
	return roots;
}

/* only: the task whose processes are signalled; NULL: those whose limit is over. */
static void
signal_processes(struct local *e, const struct task *only, bool everything, int signal)
{
	struct arena_mark m = arena_mark(e->scratch);
	struct process_kill k = {
		.scope = &e->scope,
		.roots = make_roots(e, only),
		.roots_n = e->running_n,
		.refused = &e->refused,
		.everything = everything,
	};

	process_signal_all(e->scratch, &k, signal);
	arena_rewind(e->scratch, m);
}

/* Sends the timeout signal where a task has one and has not got it; the others remain in
 * the list. Returns how many remain. */
static size_t
warn_expired(struct local *e)
{
	size_t left = 0;

	for (size_t i = 0; i < e->expired.n; i++) {
		struct task *t = e->expired.v[i];
		bool is_first = t->state == PROCESS_RUNS || t->state == PROCESS_SILENT;

		t->timed_out = true;
		if (!is_first || !t->timeout_signal) {
			e->expired.v[left++] = t;
			continue;
		}
		t->is_expired = false;
		step_task(t, PROCESS_SOFT_LIMIT, loop_now_ns());
		kill(t->pid, t->timeout_signal);
		loop_timer_start(t->timer, loop_now_ns() + t->grace_ns);
	}
	return left;
}

static void
kill_expired(struct local *e)
{
	signal_processes(e, NULL, false, SIGKILL);
	for (size_t i = 0; i < e->expired.n; i++) {
		struct task *t = e->expired.v[i];

		t->is_expired = false;
		if (t->state == PROCESS_KILLED) {
			give_up_task(t);
			continue;
		}
		if (t->output >= 0)
			(void)read_rest(t);
		loop_timer_stop(t->timer);
		t->is_cut = t->output >= 0;
		close_output(t);
		step_task(t, PROCESS_LIMIT, loop_now_ns());
		if (t->state == PROCESS_KILLED)
			loop_timer_start(
				t->timer, loop_now_ns() + process_patience_ns(t->pid));
	}
}

/* Reads the output of the expired tasks: it may set another limit. Whether it was written
 * before the limit was over cannot be known any more. */
static void
hear_expired(struct local *e)
{
	for (size_t i = 0; i < e->expired.n; i++) {
		struct task *t = e->expired.v[i];

		if (t->is_expired && t->output >= 0)
			(void)read_rest(t);
	}
}

/* Keeps only the tasks whose limit is still over. */
static void
close_list(struct local *e)
{
	size_t left = 0;

	for (size_t i = 0; i < e->expired.n; i++) {
		struct task *t = e->expired.v[i];

		t->is_listed = false;
		if (t->is_expired)
			e->expired.v[left++] = t;
	}
	e->expired.n = left;
}

/* So many reports at a time take some milliseconds, by which other limits are late. */
enum { HANG_REPORTS_MOST = 8 };

/* For the timer of a task, and the end of its dump: only notes that its limit is over. */
static void
note_limit(void *context)
{
	struct task *t = context;

	t->is_expired = true;
	if (!t->is_listed)
		VEC_PUSH(t->engine->arena, &t->engine->expired, t);
	t->is_listed = true;
}

static void
on_dumped(void *context)
{
	struct task *t = context;

	end_dump(t);
	note_limit(t);
}

/* The limit waits until the dump is done. */
static void
begin_dump(struct task *t, const struct process_list *members)
{
	struct local *e = t->engine;
	struct stack_dump_options o = {.loop = e->base.loop,
		.starter = e->starter,
		.scope = &e->scope,
		.done = on_dumped,
		.context = t};

	if (!t->reports_stacks || e->dumps_n >= HANG_REPORTS_MOST)
		return;
	if (!t->dump)
		t->dump = stack_dump_new(e->arena, &o);
	if (!stack_dump_begin(t->dump, members->v, members->n, &t->hang))
		return;
	t->is_dumped = t->timed_out = true;
	t->is_expired = false;
	t->dump_begun_ns = loop_now_ns();
	e->dumps_n++;
}

static void
describe_hang(struct local *e, struct task *t)
{
	struct arena_mark m = arena_mark(e->scratch);
	struct process_kill k = {
		.scope = &e->scope, .roots = make_roots(e, t), .roots_n = e->running_n};
	struct process_list members = process_members(e->scratch, &k);

	process_report(&e->scope.folder, members.v, members.n, &t->hang);
	if (!t->hang.n)
		buf_z(&t->hang, "its processes cannot be read\n");
	begin_dump(t, &members);
	arena_rewind(e->scratch, m);
}

/* Only the first time that the limit of a test is over. */
static void
report_hangs(struct local *e)
{
	size_t n = 0;

	for (size_t i = 0; i < e->expired.n; i++) {
		struct task *t = e->expired.v[i];

		if (!t->reports_hang || t->timed_out || t->is_post_run)
			continue;
		if (n++ < HANG_REPORTS_MOST)
			describe_hang(e, t);
		else
			buf_z(&t->hang, "too many tests reached their limits at once\n");
	}
}

/* Warns or kills the tasks whose limit is over, together. */
static void
handle_expired(struct local *e)
{
	if (e->expired.n == 0)
		return;
	loop_look(e->base.loop);
	hear_expired(e);
	close_list(e);
	report_hangs(e);
	close_list(e);
	e->expired.n = warn_expired(e);
	if (e->expired.n)
		kill_expired(e);
	e->expired.n = 0;
}

/* ---- the start of a test --------------------------------------------------------- */

static struct task *
take_task(struct local *e, node_id node, bool every_line)
{
	struct task *t = e->free;

	if (t) {
		e->free = t->next;
	} else {
		t = NEW(e->arena, struct task);
		t->engine = e;
		attempt_output_open(&t->written, &e->base, e->directory);
		t->timer = loop_timer_new(e->base.loop, note_limit, t);
		t->flight = spawn_flight_new(e->arena);
		VEC_PUSH(e->arena, &e->all, t);
	}
	t->is_post_run = t->timed_out = t->is_expired = t->is_cut = false;
	t->lost_output = 0;
	t->dumped_ns = 0;
	attempt_output_begin(&t->written, node, every_line);
	t->hang = (struct buf){.arena = t->written.arena};
	return t;
}

/* 0, or the errno. */
static int
start_process(struct task *t, struct process_begun *begun)
{
	struct local *e = t->engine;

	if (t->was_awaited)
		return process_start(e->starter, t->launch, begun);
	return process_begin(e->starter, t->flight, t->launch, begun);
}

/* awaits: that it has executed its program. 0, or the errno. */
static int
start_task(struct task *t, bool awaits)
{
	struct local *e = t->engine;
	struct process_begun begun;
	int error;

	t->started_us = loop_wall_us();
	t->started_ns = loop_now_ns();
	t->limit_ns = loop_later(t->started_ns, t->launch->timeout_ns);
	t->was_awaited = awaits;
	error = start_process(t, &begun);
	if (!error && !attach_process(t, &begun))
		error = errno;
	if (!error && e->base.listener.leaked && t->brand)
		VEC_PUSH(e->arena, &e->started,
			(struct started){t->brand, t->written.node});
	return error;
}

/* Whether tests hold something that they give back. */
static bool
are_some_left(const struct local *e)
{
	return e->running_n || e->searching.first;
}

/* Whether the start may succeed when another test has ended. */
static bool
may_wait(const struct local *e, int error)
{
	return (are_some_left(e) || e->waiting.n) &&
	       (error == EMFILE || error == ENFILE || error == EAGAIN ||
		       error == ENOMEM || error == ENOBUFS || error == ENOSPC);
}

static void
tell_not_started(struct task *t, int error)
{
	const struct engine_listener *l = &t->engine->base.listener;
	node_id node = t->written.node;

	free_task(t);
	l->not_started(l->context, node, error);
}

/* The run is over: the test ends with an outcome that does not count. */
static void
forget_task(struct task *t)
{
	const struct engine_listener *l = &t->engine->base.listener;

	t->written.outcome = (struct outcome){.ending = END_NOT_STARTED};
	l->ended(l->context, t->written.node, &t->written.outcome);
	free_task(t);
}

static void
start_again(struct task *t)
{
	struct local *e = t->engine;
	int error;

	detach_process(t);
	if (e->interrupted_by) {
		forget_task(t);
		return;
	}
	error = start_task(t, true);
	if (error && may_wait(e, error))
		VEC_PUSH(e->arena, &e->waiting, t);
	else if (error)
		tell_not_started(t, error);
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
		int error = start_task(t, true);

		if (error && are_some_left(e) && may_wait(e, error))
			break;
		done++;
		if (error)
			tell_not_started(t, error);
	}
	memmove(e->waiting.v, e->waiting.v + done,
		(e->waiting.n - done) * sizeof *e->waiting.v);
	e->waiting.n -= done;
}

static void
forget_waiting(struct local *e)
{
	for (size_t i = 0; i < e->waiting.n; i++)
		forget_task(e->waiting.v[i]);
	e->waiting.n = 0;
}

static bool
local_start(struct engine *base, node_id node, const struct launch *l, int *error)
{
	struct local *e = local_of(base);
	struct task *t = take_task(e, node, l->wants_lines);

	t->post_run = l->post_run;
	t->reports_hang = l->reports_hang;
	t->reports_stacks = l->reports_hang && !l->limit_is_the_runs;
	t->timeout_signal = l->timeout_signal;
	t->grace_ns = l->timeout_grace_ns;
	t->launch = l;
	*error = start_task(t, false);
	if (*error && may_wait(e, *error)) {
		VEC_PUSH(e->arena, &e->waiting, t);
		return true;
	}
	if (*error)
		free_task(t);
	return *error == 0;
}

/* ---- interruption ---------------------------------------------------------------- */

static void
local_interrupt(struct engine *base, int signal)
{
	struct local *e = local_of(base);
	uint64_t now = loop_now_ns();
	bool again = e->interrupted_by != 0;

	e->interrupted_by = signal;
	forget_waiting(e);
	for (struct task *t = e->running; e->dumps_n && t; t = t->next)
		stop_dump(t);
	e->kill_at_ns = again ? now : now + INTERRUPT_GRACE_NS;
	if (!again && (process_starter_groups(e->starter) || !e->by_terminal))
		signal_processes(e, NULL, true, loop_passed_on(signal));
}

/* Ends the tasks whose process was reaped, and gives up those that could not be
 * killed. */
static void
end_those_left(struct local *e)
{
	uint64_t now_ns = loop_now_ns();
	struct task *next;

	for (struct task *t = e->running; t; t = next) {
		next = t->next;
		if (!process_is_alive(t->state)) {
			step_task(t, PROCESS_LIMIT, now_ns);
		} else if (now_ns >= e->killed_ns + process_patience_ns(t->pid)) {
			if (t->state != PROCESS_KILLED)
				step_task(t, PROCESS_LIMIT, now_ns);
			give_up_task(t);
		}
	}
}

static void
kill_everything(struct local *e)
{
	if (!e->killed_ns)
		e->killed_ns = loop_now_ns();
	e->kill_at_ns = loop_now_ns() + KILL_AGAIN_NS;
	signal_processes(e, NULL, true, SIGKILL);
	end_those_left(e);
}

/* ---- the engine ------------------------------------------------------------------ */

static void
local_set_limit(struct engine *base, node_id node, uint64_t timeout_ns, bool restarts)
{
	struct task *t = task_of_node(local_of(base), node);
	uint64_t now_ns = loop_now_ns();

	if (!t || t->is_dumped || t->timed_out)
		return;
	if (restarts)
		t->started_ns = now_ns;
	t->limit_ns = loop_later(now_ns, timeout_ns);
	t->is_expired = false;
	loop_timer_start(t->timer, t->limit_ns);
}

static node_id
local_owner(struct engine *base, int pid)
{
	struct local *e = (struct local *)base;
	struct arena_mark m = arena_mark(e->scratch);
	size_t at = process_owner(&e->scope, make_roots(e, NULL), e->running_n, pid);
	const struct task *t = e->running;

	arena_rewind(e->scratch, m);
	for (; t && at != NO_ROOT && at; at--)
		t = t->next;
	return t && at != NO_ROOT ? t->written.node : MAP_NONE;
}

static struct str
local_tail(const struct engine *base, struct arena *a, node_id node, size_t n)
{
	const struct task *t = task_of_node(local_of(drop_const(base)), node);

	return t ? attempt_output_tail(&t->written, a, n) : STR_NONE;
}

static void
local_signal(struct engine *base, node_id node, int signal)
{
	struct local *e = local_of(base);
	struct task *t = task_of_node(e, node);

	if (t)
		signal_processes(e, t, false, signal);
}

static void
end_searched(struct attempt_output *o)
{
	tell_end(task_of_output(o));
}

/* For one slice: searches in the output of the task that has waited longest, and reports
 * the ends of those that are searched. */
static void
search_on(struct local *e)
{
	attempt_queue_serve(&e->searching, &e->base, end_searched);
}

/* Tests that write more than the listener has room for must wait. */
static void
hold_outputs(struct local *e)
{
	const struct engine_listener *l = &e->base.listener;
	bool holds = l->has_room && !l->has_room(l->context);

	if (holds == e->is_held)
		return;
	e->is_held = holds;
	for (struct task *t = e->running; t; t = t->next)
		if (t->output >= 0)
			loop_hold(t->reader, holds);
}

static void
local_wait(struct engine *base, uint64_t until_ns)
{
	struct local *e = local_of(base);

	if (e->interrupted_by && e->kill_at_ns < until_ns)
		until_ns = e->kill_at_ns;
	hold_outputs(e);
	loop_turn(e->base.loop, e->searching.first && !e->base.holds_ends ? 0 : until_ns);
	handle_expired(e);
	search_on(e);
	if (e->waiting.n && (e->has_room || !are_some_left(e)))
		start_waiting(e);
	if (e->interrupted_by && e->running_n && loop_now_ns() >= e->kill_at_ns)
		kill_everything(e);
}

static void
tell_left(struct local *e)
{
	const struct engine_listener *l = &e->base.listener;

	char name[PROCESS_NAME_SIZE];
	size_t at = 0;
	int pid;

	while (l->left && (pid = process_next_refused(&e->scope, &e->refused, &at, name)))
		l->left(l->context, pid, str_of(name));
}

/* ---- leaks ----------------------------------------------------------------------- */

static const struct started *
find_started(const struct local *e, uint64_t brand)
{
	for (size_t i = e->started.n; i > 0; i--)
		if (e->started.v[i - 1].brand == brand)
			return &e->started.v[i - 1];
	return NULL;
}

/* Whether there are some. */
static bool
find_leaks(struct local *e, bool tells)
{
	const struct engine_listener *l = &e->base.listener;
	struct proc_folder *f = &e->scope.folder;
	bool found = false;
	char name[64];
	int pid;

	proc_folder_rewind(f);
	while ((pid = proc_folder_next(f)) != 0) {
		uint64_t brand = brand_of_process(f, pid);
		const struct started *s = NULL;

		if (brand_is_same_run(brand, brand_of_run()) &&
			!proc_folder_is_zombie(f, pid))
			s = find_started(e, brand);
		found = found || s;
		if (!s || !tells)
			continue;
		if (!proc_folder_read(f, pid, "comm", name, sizeof name))
			name[0] = '\0';
		l->leaked(l->context, s->node, pid, str_trim(str_of(name)));
	}
	return found;
}

/* What the last tests left may need a moment to end. */
static void
tell_leaks(struct local *e)
{
	uint64_t until_ns = loop_now_ns() + LEAK_PATIENCE_NS;

	if (!e->started.n || e->interrupted_by || !e->scope.folder.all ||
		!find_leaks(e, false))
		return;
	while (loop_now_ns() < until_ns)
		loop_turn(e->base.loop, until_ns);
	find_leaks(e, true);
}

/* After an interruption all that tests have started is killed, even where the tests have
 * ended. */
static void
local_close(struct engine *base)
{
	struct local *e = local_of(base);

	if (e->running_n || e->interrupted_by)
		kill_everything(e);
	while (e->running_n)
		local_wait(base, LOOP_FOREVER);
	tell_left(e);
	tell_leaks(e);
	loop_close(e->base.loop);
	for (size_t i = 0; i < e->all.n; i++)
		attempt_output_close(&e->all.v[i]->written);
	arena_close(e->scratch);
	process_scope_close(&e->scope);
}

struct engine *
engine_local_open(const void *options, struct arena *a, struct str directory,
	const struct engine_listener *listener, struct diag *d)
{
	static const struct engine_type type = {
		.name = "local",
		.start = local_start,
		.set_limit = local_set_limit,
		.tail = local_tail,
		.owner = local_owner,
		.signal = local_signal,
		.interrupt = local_interrupt,
		.wait = local_wait,
		.close = local_close,
	};
	struct local *e = NEW(a, struct local);
	struct loop_listener of_loop = {
		.context = e, .children = on_children, .signal = on_interrupt};

	(void)options;
	INVARIANT(listener->ended);
	e->base = (struct engine){.type = &type, .listener = *listener};
	e->arena = a;
	e->directory = str_z(a, directory);
	e->refused.arena = a;
	e->base.loop = loop_open(a, &of_loop, d);
	if (!e->base.loop)
		return NULL;
	e->scratch = arena_open();
	e->starter = process_starter_open(a, true);
	process_scope_open(&e->scope, a, true);
	return &e->base;
}

/*
 * Limits and interruptions of the local engine. See engine_local.h.
 *
 * Timers only note that a limit is over. These tasks are handled after the loop's turn,
 * together, since one snapshot of all processes serves them all.
 */
#include "runner/run/engine_local.h"

#include <errno.h>
#include <signal.h>

#define INTERRUPT_GRACE_NS 1000000000u
#define KILL_AGAIN_NS 100000000u
/* How long to wait after SIGKILL. The system may need time for a large process; a process
 * that may not be signalled ends by itself or not at all. */
#define PATIENCE_NS 10000000000u
#define PATIENCE_WITH_OTHERS_NS 1000000000u

/* ---- limits ---------------------------------------------------------------------- */

void
local_limit(void *context)
{
	struct task *t = context;

	t->is_expired = true;
	if (!t->is_listed)
		VEC_PUSH(t->engine->arena, &t->engine->expired, t);
	t->is_listed = true;
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
			.has_group = process_starter_groups(e->starter),
			.brand = t->brand,
			.output_id = t->output >= 0 ? process_output_id(t->output) : 0,
			.wanted = only ? t == only : t->is_expired,
		};
	return roots;
}

void
local_signal_processes(
	struct local *e, const struct task *only, bool everything, int signal)
{
	struct arena_mark m = arena_mark(e->scratch);
	struct process_kill k = {
		.folder = &e->folder,
		.roots = make_roots(e, only),
		.roots_n = e->running_n,
		.refused = &e->refused,
		.excluded = e->excluded,
		.excluded_n = e->excluded_n,
		.everything = everything,
		.adopts = e->adopts,
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
		local_step(t, PROCESS_SOFT_LIMIT, loop_now_ns());
		kill(t->pid, t->timeout_signal);
		loop_timer_start(t->timer, loop_now_ns() + t->grace_ns);
	}
	return left;
}

/* How long to wait for the end of the process after SIGKILL. */
static uint64_t
patience_ns(const struct task *t)
{
	return kill(t->pid, 0) != 0 && errno == EPERM ? PATIENCE_WITH_OTHERS_NS
						      : PATIENCE_NS;
}

static void
kill_expired(struct local *e)
{
	local_signal_processes(e, NULL, false, SIGKILL);
	for (size_t i = 0; i < e->expired.n; i++) {
		struct task *t = e->expired.v[i];

		t->is_expired = false;
		if (t->state == PROCESS_KILLED) {
			local_give_up(t);
			continue;
		}
		if (t->output >= 0)
			(void)local_read_rest(t);
		loop_timer_stop(t->timer);
		t->capture.is_cut = t->output >= 0;
		local_close_output(t);
		local_step(t, PROCESS_LIMIT, loop_now_ns());
		if (t->state == PROCESS_KILLED)
			loop_timer_start(t->timer, loop_now_ns() + patience_ns(t));
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
			(void)local_read_rest(t);
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

void
local_handle_expired(struct local *e)
{
	if (e->expired.n == 0)
		return;
	loop_look(e->loop);
	hear_expired(e);
	close_list(e);
	e->expired.n = warn_expired(e);
	if (e->expired.n)
		kill_expired(e);
	e->expired.n = 0;
}

/* ---- interruption ---------------------------------------------------------------- */

void
local_interrupt(struct engine *base, int signal)
{
	struct local *e = local_of(base);
	uint64_t now = loop_now_ns();
	bool again = e->interrupted_by != 0;

	e->interrupted_by = signal;
	local_forget_waiting(e);
	e->kill_at_ns = again ? now : now + INTERRUPT_GRACE_NS;
	if (!again && (process_starter_groups(e->starter) || !e->by_terminal))
		local_signal_processes(e, NULL, true, loop_passed_on(signal));
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
			local_step(t, PROCESS_LIMIT, now_ns);
		} else if (now_ns >= e->killed_ns + patience_ns(t)) {
			if (t->state != PROCESS_KILLED)
				local_step(t, PROCESS_LIMIT, now_ns);
			local_give_up(t);
		}
	}
}

void
local_kill_everything(struct local *e)
{
	if (!e->killed_ns)
		e->killed_ns = loop_now_ns();
	e->kill_at_ns = loop_now_ns() + KILL_AGAIN_NS;
	local_signal_processes(e, NULL, true, SIGKILL);
	end_those_left(e);
}

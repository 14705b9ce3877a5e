/*
 * What the parts of the local engine share: a task is a test that runs. Of no use to
 * others; they see engine.h.
 */
#ifndef CCTR_RUNNER_RUN_ENGINE_LOCAL_H
#define CCTR_RUNNER_RUN_ENGINE_LOCAL_H

#include "runner/base/loop.h"
#include "runner/process/process.h"
#include "runner/run/capture.h"
#include "runner/run/engine.h"
#include "runner/run/run_record.h"

enum { READ_SIZE = 65536, PID_BUCKETS = 256 };

struct task {
	struct local *engine;
	node_id node;
	int pid, output; /* output: -1 when closed */
	uint64_t brand; /* of its process */
	enum process_state state;
	int64_t started_us;
	uint64_t started_ns, limit_ns, exited_ns;
	int timeout_signal;
	uint64_t grace_ns;
	bool timed_out, is_expired;
	int lost_output; /* an errno, or 0 */
	bool is_listed; /* among the expired, which it may have ceased to be */
	struct process_end end;
	const struct launch *launch; /* until it has started */
	struct sequel *sequel; /* of its launch, or NULL */
	bool is_sequel; /* the process is the sequel's, and the outcome is there */
	struct outcome outcome;
	struct capture capture;
	struct arena *arena;
	struct arena_mark mark;
	struct loop_reader *reader;
	struct loop_timer *timer;
	struct task *pid_next, *next, **previous; /* in its list */
};
struct local {
	struct engine base;
	struct arena *arena, *scratch;
	const char *directory;
	struct loop *loop;
	struct loop_reader *watched; /* NULL: none */
	struct process_starter *starter;
	struct task *running, *free;
	struct task *searching; /* ended, but for the search of their output */
	struct task *by_pid[PID_BUCKETS];
	VEC(struct task *) by_node;
	VEC(struct task *) expired;
	VEC(struct task *) all; /* that were ever made */
	size_t running_n;
	VEC(struct task *) waiting; /* for the system to have room, in order */
	bool has_room; /* something has ended since they were last tried */
	struct proc_folder folder;
	struct run_record record;
	struct process_refused refused; /* those that could not be killed */
	int *excluded; /* children that were there before */
	size_t excluded_n;
	bool adopts;
	int interrupted_by; /* 0: not */
	bool by_terminal; /* the signal: tests in our process group had it too */
	uint64_t kill_at_ns, killed_ns; /* killed: first, 0: not yet */
	char block[READ_SIZE];
};

static inline struct local *
local_of(struct engine *e)
{
	return (struct local *)e;
}

/* ---- engine_local.c
 * ---------------------------------------------------------------------- */

/* A process of the task has started. false: its output cannot be read, and it is killed;
 * errno says why. */
CCTR_MUST_CHECK bool local_started(struct task *t, const struct process_begun *p);
/* Those that wait for room will not be started. */
void local_forget_waiting(struct local *e);
/* A process that was killed is not waited for any longer. */
void local_give_up(struct task *t);
/* What it wrote is at its end, and it is gone. */
void local_finished(struct task *t);

/* Reads what lies in the pipe now; true at its end. */
bool local_read_rest(struct task *t);
void local_close_output(struct task *t);
/* Ends the task where its life does. */
void local_step(struct task *t, enum process_event event, uint64_t at_ns);

/* ---- engine_local_sequel.c
 * --------------------------------------------------------------- */

/* The task's process becomes its sequel's. false: there is none, or none any more. */
bool local_begin_sequel(struct task *t);
void local_end_sequel(struct task *t);

/* ---- engine_local_limits.c
 * --------------------------------------------------------------- */

/* For the timer of a task: only notes that its limit is over. */
void local_limit(void *context);
/* Warns or kills those whose limit is over, together. */
void local_handle_expired(struct local *e);
/* only: the one whose processes are wanted, NULL for those whose limit is over. */
void local_signal_processes(
	struct local *e, const struct task *only, bool everything, int signal);
void local_interrupt(struct engine *base, int signal);
void local_kill_everything(struct local *e);

#endif

/*
 * Private to the files of the local engine; other files use engine.h. A task is a test
 * that runs.
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
	int pid, output; /* output: the descriptor; -1 when closed */
	uint64_t brand; /* of its process */
	enum process_state state;
	int64_t started_us;
	uint64_t started_ns, limit_ns, exited_ns;
	int timeout_signal;
	uint64_t grace_ns;
	bool timed_out, is_expired;
	int lost_output; /* an errno, or 0 */
	/* in the list of expired tasks, even where its limit is not over any more */
	bool is_listed;
	struct process_end end;
	const struct launch *launch; /* needed until the test has started */
	struct post_run *post_run; /* from the launch, or NULL */
	bool is_post_run; /* the process is the post-run command, and the outcome is known
			   */
	struct outcome outcome;
	struct capture capture;
	struct arena *arena;
	struct arena_mark mark;
	struct loop_reader *reader;
	struct loop_timer *timer;
	struct task *pid_next, *next, **previous; /* links of its lists */
};
struct local {
	struct engine base;
	struct arena *arena, *scratch;
	const char *directory;
	struct loop *loop;
	struct loop_reader *watched; /* NULL: none */
	struct process_starter *starter;
	struct task *running, *free;
	/* tasks that have ended, except for the search in their output */
	struct task *searching;
	struct task *by_pid[PID_BUCKETS];
	VEC(struct task *) by_node;
	VEC(struct task *) expired;
	VEC(struct task *) all; /* all tasks that were ever made */
	size_t running_n;
	/* tasks that wait for the system to have room, in order */
	VEC(struct task *) waiting;
	bool has_room; /* a task has ended since the waiting ones were last tried */
	struct proc_folder folder;
	struct run_record record;
	struct process_refused refused; /* processes that could not be killed */
	int *excluded; /* children that cctr had before */
	size_t excluded_n;
	bool adopts;
	int interrupted_by; /* 0: not interrupted */
	/* the terminal sent the signal: tests in our process group got it too */
	bool by_terminal;
	/* killed_ns: when all were first killed; 0: not yet */
	uint64_t kill_at_ns, killed_ns;
	char block[READ_SIZE];
};

static inline struct local *
local_of(struct engine *e)
{
	return (struct local *)e;
}

/* ---- engine_local.c -------------------------------------------------------------- */

/* A process of the task has started. false: its output cannot be read, and the process is
 * killed; errno gives the reason. */
CCTR_MUST_CHECK bool local_started(struct task *t, const struct process_begun *p);
/* The tasks that wait for room will not be started. */
void local_forget_waiting(struct local *e);
/* A killed process is no longer waited for. */
void local_give_up(struct task *t);

/* Reads what is in the pipe now; true: the pipe is at its end. */
bool local_read_rest(struct task *t);
void local_close_output(struct task *t);
/* Applies the event to the task's life, and ends the task where that is over. */
void local_step(struct task *t, enum process_event event, uint64_t at_ns);

/* ---- engine_local_post_run.c ------------------------------------------------------- */

/* Starts the post-run command of the task. false: there is none, or it could not start.
 */
bool local_begin_post_run(struct task *t);
void local_end_post_run(struct task *t);

/* ---- engine_local_limits.c ------------------------------------------------------- */

/* For the timer of a task: only notes that its limit is over. */
void local_limit(void *context);
/* Warns or kills the tasks whose limit is over, together. */
void local_handle_expired(struct local *e);
/* only: the task whose processes are signalled; NULL: those whose limit is over. */
void local_signal_processes(
	struct local *e, const struct task *only, bool everything, int signal);
void local_interrupt(struct engine *base, int signal);
void local_kill_everything(struct local *e);

#endif

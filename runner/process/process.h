/*
 * Processes of tests: starting, reaping with their resource usage, finding and signalling
 * all that a test started, and the life of a process as a table.
 */
#ifndef CCTR_RUNNER_PROCESS_PROCESS_H
#define CCTR_RUNNER_PROCESS_PROCESS_H

#include "runner/process/launch.h"
#include "runner/process/proc_folder.h"
#include "runner/process/spawn.h"

/* ---- life ------------------------------------------------------------------------ */

enum process_state {
	PROCESS_RUNS, /* alive, output open */
	PROCESS_SILENT, /* alive, output at its end */
	PROCESS_LEFT, /* exited; a process that it started keeps the output open */
	PROCESS_WARNED, /* alive, over its limit, got the timeout signal */
	PROCESS_WARNED_SILENT,
	PROCESS_WARNED_LEFT,
	PROCESS_KILLED, /* over its limit and killed, to be reaped; output closed */
	PROCESS_DONE,
	PROCESS_STATES
};
enum process_event {
	PROCESS_EXITS,
	PROCESS_OUTPUT_ENDS,
	/* the limit, or the grace period after the signal, is over: kill; for a killed
	 * process: do not wait any longer */
	PROCESS_LIMIT,
	PROCESS_SOFT_LIMIT, /* the limit of a test with a timeout signal */
	PROCESS_EVENTS
};
enum process_state process_next(enum process_state s, enum process_event e);
/* Whether the process has not been reaped yet. */
bool process_is_alive(enum process_state s);

/* ---- start and end --------------------------------------------------------------- */

struct process_starter;
/* What is the same for all tests. Each test gets a process group of its own, unless
 * standard input is a terminal: a test in another group could not read from it.
 * is_guarded: the guardian ends all that was started if we are killed; else what is
 * started ends itself, but not its children. */
struct process_starter *process_starter_open(struct arena *a, bool is_guarded);
bool process_starter_groups(const struct process_starter *s);
/* From now on children stay in our process group. */
void process_starter_join(struct process_starter *s);
struct process_begun {
	int pid;
	/* The descriptors to read from, closed by the caller: standard output and, with
	 * STREAMS_APART, standard error; -1 for none. */
	int outputs[2];
	/* the brand of the process and of all that it starts (brand.h); 0: none */
	uint64_t brand;
};
/* 0, or the errno. Waits until the process has executed the program. */
int process_start(
	struct process_starter *s, const struct launch *l, struct process_begun *p);
/* Does not wait: where spawn_end() of the flight gives an errno, the process has not
 * executed the program. process_start() may succeed then, since it starts a script
 * that has no interpreter. The launch is used until spawn_has_executed(). */
int process_begin(struct process_starter *s, struct spawn_flight *f,
	const struct launch *l, struct process_begun *p);

/* This process becomes that of the launch, with its own standard streams and without a
 * limit. Returns the errno only where that fails; signals have their default actions
 * then. */
int process_become(struct arena *a, const struct launch *l);

struct process_end {
	int pid;
	bool was_signalled;
	int exit_code, signal;
	uint64_t user_ns, system_ns;
	/* Never less than cctr's own memory at the start. */
	uint64_t peak_rss_bytes;
};
/* Reaps a child that exited; false when there is none. */
bool process_reap(struct process_end *end);
/* How long to wait for the end of the child after SIGKILL. */
uint64_t process_patience_ns(int pid);

/* ---- everything a test started --------------------------------------------------- */

struct process_root {
	int pid;
	bool is_alive; /* not reaped: the process id cannot belong to another process */
	bool has_group; /* leads a process group, or did so */
	uint64_t brand; /* 0: none */
	uint64_t output_id; /* its pipe (process_output_id); 0: none */
	bool wanted; /* its processes get the signal */
};
uint64_t process_output_id(int output);

/*
 * Where to look for what a test started. Children that cctr has already when it is opened
 * are excluded: a shell that became cctr by exec may have left some. Without such
 * children, and with adopts, orphans become our children instead of init's, so that they
 * are found.
 */
struct process_scope {
	struct proc_folder folder;
	int *excluded;
	size_t excluded_n;
	bool adopts; /* orphans */
};
void process_scope_open(struct process_scope *s, struct arena *a, bool adopts);
void process_scope_close(struct process_scope *s);

struct process_refused {
	struct arena *arena;
	VEC(int) pids; /* without duplicates */
};
void process_note_refused(struct process_refused *r, int pid);
/* The next of them that still runs, *at is 0 at first; 0: there are no more. */
enum { PROCESS_NAME_SIZE = 64 };
int process_next_refused(struct process_scope *s, const struct process_refused *r,
	size_t *at, char name[PROCESS_NAME_SIZE]);
/* What is said of such a process, without a newline. */
struct str process_refused_text(struct arena *a, int pid, struct str name);
/* The place of the root that has started the process, itself or by others; NO_ROOT: none.
 * A process whose parent has ended is found if the scope adopts orphans. */
#define NO_ROOT SIZE_MAX
size_t process_owner(
	struct process_scope *s, const struct process_root *roots, size_t n, int pid);
/*
 * Signals every process of the wanted roots: descendants, processes with their brand,
 * members of their groups and sessions, orphans that hold their pipe. SIGKILL is sent
 * after all have been stopped and no new one appears. roots are all running tests, so
 * that each process is attributed to its own. everything: all our descendants, except
 * those of the excluded children.
 */
struct process_kill {
	struct process_scope *scope;
	const struct process_root *roots;
	size_t roots_n;
	bool everything;
	/* With SIGKILL: the processes that may not be signalled are added, in the
	 * arena. */
	struct process_refused *refused;
};
/* The processes that process_signal_all would signal; none where /proc is not there. */
struct process_list {
	int *v;
	size_t n;
};
struct process_list process_members(struct arena *a, const struct process_kill *k);
void process_signal_all(struct arena *scratch, const struct process_kill *k, int signal);

#endif

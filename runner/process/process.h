/*
 * Processes of tests: starting, reaping with their usage, finding and signalling all that
 * a test started, and the life of one as a table.
 */
#ifndef CCTR_RUNNER_PROCESS_PROCESS_H
#define CCTR_RUNNER_PROCESS_PROCESS_H

#include "runner/process/launch.h"
#include "runner/process/proc_folder.h"

/* ---- life ----------------------------------------------------------------------------
 */

enum process_state {
	PROCESS_RUNS, /* alive, output open */
	PROCESS_SILENT, /* alive, output at its end */
	PROCESS_LEFT, /* exited; someone it started keeps the output open */
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
	PROCESS_LIMIT, /* the limit, or the grace after the signal, is over: kill; of
			* one that was killed: do not wait any longer */
	PROCESS_SOFT_LIMIT, /* the limit of a test with a timeout signal */
	PROCESS_EVENTS
};
enum process_state process_next(enum process_state s, enum process_event e);
/* Not reaped yet. */
bool process_is_alive(enum process_state s);

/* ---- start and end
 * --------------------------------------------------------------------- */

struct process_starter;
/* Everything that is the same for all tests. Tests get process groups of their own,
 * unless standard input is a terminal: they could not read from it. */
struct process_starter *process_starter_open(struct arena *a);
bool process_starter_groups(const struct process_starter *s);
/* From now on children stay in our process group. */
void process_starter_join(struct process_starter *s);
struct process_begun {
	int pid;
	/* The ends of the pipes to read from, to be closed by the caller: of standard
	 * output and, with STREAMS_APART, of standard error; -1 for none. */
	int outputs[2];
	uint64_t brand; /* of it and of all that it starts (brand.h); 0: none */
};
/* 0, or the errno. */
int process_start(
	struct process_starter *s, const struct launch *l, struct process_begun *p);

struct process_end {
	int pid;
	bool was_signalled;
	int exit_code, signal;
	uint64_t user_ns, system_ns;
	/* At least what cctr itself had in memory at the start. */
	uint64_t peak_rss_bytes;
};
/* Some child that exited; false when there is none. */
bool process_reap(struct process_end *end);
/* Orphans of tests become our children, not init's, so that they are found. */
void process_adopt_orphans(bool adopt);

/* ---- everything a test started
 * ---------------------------------------------------------- */

struct process_root {
	int pid;
	bool is_alive; /* not reaped: the number is its own */
	bool has_group; /* leads a process group, or led one */
	uint64_t brand; /* 0: none */
	uint64_t output_id; /* its pipe (process_output_id), 0 for none */
	bool wanted; /* its processes are to be signalled */
};
uint64_t process_output_id(int output);

bool process_has_children(void);
/* Our own children at the moment, as process ids: not started by tests. */
size_t process_children(struct arena *a, struct proc_folder *f, int **pids);

struct process_refused {
	struct arena *arena;
	VEC(int) pids; /* each once */
};
void process_note_refused(struct process_refused *r, int pid);
/*
 * Signals every process of the wanted roots: descendants, those with their brand, members
 * of their groups and sessions, orphans that hold their pipe. With SIGKILL they are
 * stopped first, until no new one appears. roots are all tests that run, so that each
 * process finds its own. everything: all our descendants, but for those of the excluded
 * children.
 */
struct process_kill {
	struct proc_folder *folder;
	const struct process_root *roots;
	size_t roots_n;
	const int *excluded;
	size_t excluded_n;
	bool everything;
	/* With SIGKILL: those that may not be signalled are added; in the arena. */
	struct process_refused *refused;
	bool adopts; /* process_adopt_orphans is on */
};
void process_signal_all(struct arena *scratch, const struct process_kill *k, int signal);

#endif

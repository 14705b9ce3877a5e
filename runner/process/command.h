/*
 * Runs one program to its end, apart from the tests: the tools that cctr itself calls.
 * The caller gets what it writes unchanged, and it stays in our process group, so that
 * the terminal's signals reach it.
 */
#ifndef CCTR_RUNNER_PROCESS_COMMAND_H
#define CCTR_RUNNER_PROCESS_COMMAND_H

#include <signal.h>

#include "runner/process/launch.h"

struct command {
	/* the program, searched in PATH of the environment, and its arguments */
	struct str_list words;
	const char *directory; /* NULL: where we are */
	const char *const *environment; /* NULL: ours */
	int input; /* a descriptor for its standard input; 0: ours */
	uint64_t timeout_ns; /* NO_TIMEOUT: no limit */
	/* from a signal to us until the program is killed; 0: one second */
	uint64_t grace_ns;
	/* signals that the caller blocks: they are let through where the program can
	 * get them; NULL: none */
	const sigset_t *blocked;
	enum launch_streams streams;
	/* no guardian: when we are killed, the program ends, but not what it has started.
	 * For a launcher, which costs each command of a build its time. */
	bool is_unguarded;
	/* processes that the program leaves are not ours: a server, perhaps */
	bool lets_orphans_go;
	/* Gets what the program wrote, in pieces; is_error is set only with
	 * STREAMS_APART. */
	void (*output)(void *context, bool is_error, struct str bytes);
	void *context;
};

enum command_ending {
	COMMAND_EXITED,
	COMMAND_SIGNALLED,
	COMMAND_TIMED_OUT, /* the program and all that it started were killed */
	COMMAND_NOT_STARTED,
	COMMAND_OUTPUT_LOST, /* its output could not be read to the end */
	COMMAND_INTERRUPTED /* by a signal to us, which the program got too */
};
struct command_end {
	enum command_ending ending;
	int exit_code; /* of COMMAND_EXITED */
	int signal; /* of COMMAND_SIGNALLED and COMMAND_INTERRUPTED */
	int error; /* of COMMAND_NOT_STARTED and COMMAND_OUTPUT_LOST: an errno */
};
/* It exited with 0. */
static inline bool
command_succeeded(const struct command_end *e)
{
	return e->ending == COMMAND_EXITED && e->exit_code == 0;
}

/* end.error gives the reason why the program's result is not known. */
static inline bool
command_has_error(const struct command_end *e)
{
	return e->ending == COMMAND_NOT_STARTED || e->ending == COMMAND_OUTPUT_LOST;
}

/* Returns when the program has ended and no process holds its output. */
typedef struct command_end command_runner(const struct command *c);
command_runner command_run;

/* A name without a slash is searched in PATH, as the shell does; any other name is
 * copied. The result has a NUL at its end; STR_NONE where PATH has no such program. A
 * file that the system cannot tell about ends the search: its start says what is wrong.
 */
struct str command_find(struct arena *a, struct str name);
/* As command_find, for a program that is about to be started in the directory; NULL:
 * where we are. 0, or the errno that says why it cannot be; *path is then the file that
 * the system cannot tell about, or STR_NONE where PATH has no such program. */
int command_locate(
	struct arena *a, struct str name, const char *directory, struct str *path);

#endif

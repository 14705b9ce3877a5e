/*
 * One program run to its end, beside the tests: the tools that cctr itself calls. What it
 * writes comes to the caller as it is, byte by byte, and it stays in our process group,
 * so that the terminal's signals reach it.
 */
#ifndef CCTR_RUNNER_PROCESS_COMMAND_H
#define CCTR_RUNNER_PROCESS_COMMAND_H

#include "runner/process/launch.h"

struct command {
	struct str_list words; /* the program, looked for in PATH, and its arguments */
	const char *directory; /* NULL: where we are */
	const char *const *environment; /* NULL: ours */
	int input; /* a descriptor for its standard input; 0: ours */
	uint64_t timeout_ns; /* NO_TIMEOUT: no limit */
	uint64_t grace_ns; /* from a signal to us until it is killed; 0: a second */
	enum launch_streams streams;
	bool lets_orphans_go; /* what it leaves behind is not ours: a server, perhaps */
	/* What it wrote, in pieces; is_error only with STREAMS_APART. */
	void (*output)(void *context, bool is_error, struct str bytes);
	void *context;
};

enum command_ending {
	COMMAND_EXITED,
	COMMAND_SIGNALLED,
	COMMAND_TIMED_OUT, /* it and all that it started were killed */
	COMMAND_NOT_STARTED,
	COMMAND_OUTPUT_LOST, /* its output could not be read to the end */
	COMMAND_INTERRUPTED /* by a signal to us, which it got too */
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

/* end.error says why nothing is known of it. */
static inline bool
command_has_error(const struct command_end *e)
{
	return e->ending == COMMAND_NOT_STARTED || e->ending == COMMAND_OUTPUT_LOST;
}

/* Returns when the program has ended and nobody holds its output. */
struct command_end command_run(const struct command *c);

/* A name without a slash as the shell finds it, anything else as it is, with a NUL behind
 * it; STR_NONE where PATH has no such program. */
struct str command_find(struct arena *a, struct str name);
/* The same, where that is to be started: 0, or the errno that says why not. */
int command_locate(struct arena *a, struct str name, struct str *path);

#endif

/*
 * The cmake process that evaluates one file, and taking turns with it: it works until it
 * comes to a subdirectory or ends, then it waits for its turn.
 *
 * It announces that it waits by a byte in a FIFO. It waits by locking a file that cctr
 * holds locked until the child's turn has come; each turn has a new file. A pidfd tells
 * when the child has ended; where there are none, cctr polls.
 */
#ifndef CCTR_RUNNER_CMAKELANG_CMAKE_CHILD_H
#define CCTR_RUNNER_CMAKELANG_CMAKE_CHILD_H

#include <sys/types.h>

#include "runner/base/base.h"

struct cmake_child {
	/* the folder of the FIFO "requests" and the locks "turn1", ... */
	struct str folder;
	pid_t pid;
	int ended; /* pidfd, or -1 */
	int requests; /* the FIFO; -1: no turns are taken */
	int lock; /* the lock of the turn that the child waits for */
	int messages; /* pipe from its standard error, or -1 */
	unsigned turn;
	int status; /* the status of waitpid, once the child has ended */
};
enum cmake_event { CMAKE_ENDED, CMAKE_WAITS };

/* The command, and where its streams go. */
struct cmake_command {
	char **argv, **environment;
	const char *directory;
	const char *out, *err; /* files; NULL: out is our own, err a pipe */
	bool takes_turns;
};
/* Returns an errno, or 0. Close the child in either case. */
int cmake_child_start(struct cmake_child *child, struct arena *a, struct str folder,
	const struct cmake_command *command);
enum cmake_event cmake_child_wait(struct cmake_child *child);
/* Gives the child its turn after CMAKE_WAITS. Returns an errno, or 0. */
int cmake_child_go_on(struct cmake_child *child, struct arena *a);
/* Whether the child has ended. waits: waits for its end. */
bool cmake_child_has_ended(struct cmake_child *child, bool waits);
/* Kills the child if it still runs; its files stay with the folder. */
void cmake_child_close(struct cmake_child *child);

#endif

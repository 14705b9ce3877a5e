/*
 * The cmake process that evaluates one file, and taking turns with it: it works until it
 * comes to a subdirectory or ends, then it waits for its turn.
 *
 * It says so by a byte in a FIFO. It waits by locking a file that is locked here until
 * its turn has come; a new file for each turn. Its end is seen through a pidfd, or by
 * looking again and again where there are none.
 */
#ifndef CCTR_RUNNER_CMAKELANG_CMAKE_CHILD_H
#define CCTR_RUNNER_CMAKELANG_CMAKE_CHILD_H

#include <sys/types.h>

#include "runner/base/base.h"

struct cmake_child {
	struct str folder; /* of the FIFO "requests" and the locks "turn1", ... */
	pid_t pid;
	int ended; /* pidfd, or -1 */
	int requests; /* the FIFO, or -1: no turns are taken */
	int lock; /* of the turn that the child waits for */
	int messages; /* pipe from its standard error, or -1 */
	unsigned turn;
	int status; /* as waitpid gives it, once it has ended */
};
enum cmake_event { CMAKE_ENDED, CMAKE_WAITS };

/* What is run, and where its streams go. */
struct cmake_command {
	char **argv, **environment;
	const char *directory;
	const char *out, *err; /* files; NULL: as ours, and a pipe */
	bool takes_turns;
};
/* A program that can be started: asked, a name or a path; else CMAKE_COMMAND of the build
 * tree's CMakeCache.txt; else the cmake in PATH. Absolute; STR_NONE: there is none. */
struct str cmake_child_program(
	struct arena *a, struct str asked, struct str build_directory);
/* An errno, or 0. Close it in either case. */
int cmake_child_start(struct cmake_child *child, struct arena *a, struct str folder,
	const struct cmake_command *command);
enum cmake_event cmake_child_wait(struct cmake_child *child);
/* After CMAKE_WAITS; an errno, or 0. */
int cmake_child_go_on(struct cmake_child *child, struct arena *a);
/* Looks whether it has ended, or waits for that. */
bool cmake_child_has_ended(struct cmake_child *child, bool waits);
/* What is still running is killed; its files stay with the folder. */
void cmake_child_close(struct cmake_child *child);

#endif

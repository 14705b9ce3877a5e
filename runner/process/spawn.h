/*
 * Starts one child by vfork and exec: common to every process that cctr starts.
 */
#ifndef CCTR_RUNNER_PROCESS_SPAWN_H
#define CCTR_RUNNER_PROCESS_SPAWN_H

#include <sys/resource.h>

#include "runner/process/processors.h"

struct spawn {
	const char *path; /* of the executable */
	char *const *argv, *const *environment; /* NULL-ended */
	const char *directory; /* NULL: ours */
	/* Descriptors above 2 that become the child's standard streams; -1: ours. */
	int streams[3];
	const struct processors_mask *processors; /* NULL: ours */
	const int *signals; /* signals that get their default action again */
	size_t signals_n;
	/* its limit of open files; NULL: ours */
	const struct rlimit *descriptors;
	bool leads_group;
	bool ends_with_us; /* killed when this process ends in any way */
	uint64_t brand; /* brand.h; 0: none */
	int tracer; /* whose debuggers may trace it, where the system restricts that; 0:
		       no one's */
};
/* 0 and the child's process id when it has executed; else the errno, 0 as the id,
 * and there is no child. The child starts with no signal blocked. */
int spawn(const struct spawn *s, int *pid);
/* Executes it in the place of this process. Returns the errno only where that fails. */
int spawn_instead(const struct spawn *s);
/* As waitpid, again where a signal interrupts it. */
int spawn_wait(int pid, int *status, int flags);

/* Signals that have a handler of ours and, with_ignored, those that are ignored: a child
 * must not inherit them. Returns how many. */
enum { SPAWN_SIGNALS = 64 };
size_t spawn_changed_signals(int signals[SPAWN_SIGNALS], bool with_ignored);

#endif

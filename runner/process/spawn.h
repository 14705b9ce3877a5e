/*
 * Starts one child, which uses our memory until it has executed: common to every process
 * that cctr starts.
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
	struct processors processors; /* none: ours; also where the system refuses */
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

/*
 * A start that does not wait until the child has executed. Until then the child uses the
 * struct spawn and all that it refers to.
 */
struct spawn_flight;
struct spawn_flight *spawn_flight_new(struct arena *a);
/* 0 and the child's process id, or the errno, 0 as the id, and there is no child. The
 * struct spawn is copied. Waits for the flight's last child where it has not executed. */
int spawn_begin(struct spawn_flight *f, const struct spawn *s, int *pid);
/* Waits until the child has executed or has ended, at most for so long. false: it has
 * not, and none of its memory may be changed. */
bool spawn_has_executed(struct spawn_flight *f, uint64_t patience_ns);
/* The child was reaped. 0, or the errno why it could not execute, and then its exit code
 * is no program's. */
int spawn_end(struct spawn_flight *f);

/* Executes it in the place of this process. Returns the errno only where that fails. */
int spawn_instead(const struct spawn *s);
/* As waitpid, again where a signal interrupts it. */
int spawn_wait(int pid, int *status, int flags);

/* Signals that have a handler of ours and, with_ignored, those that are ignored: a child
 * must not inherit them. Returns how many. */
enum { SPAWN_SIGNALS = 64 };
size_t spawn_changed_signals(int signals[SPAWN_SIGNALS], bool with_ignored);

#endif

/* Reaping tests, and their life as a table. See process.h; process_start.c starts. */
#include "runner/process/process.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- life ------------------------------------------------------------------------ */

/* 0 means "cannot happen": no transition leads back to PROCESS_RUNS. */
static const unsigned char transitions[PROCESS_STATES][PROCESS_EVENTS] = {
	[PROCESS_RUNS] =
		{
			[PROCESS_EXITS] = PROCESS_LEFT,
			[PROCESS_OUTPUT_ENDS] = PROCESS_SILENT,
			[PROCESS_LIMIT] = PROCESS_KILLED,
			[PROCESS_SOFT_LIMIT] = PROCESS_WARNED,
		},
	[PROCESS_SILENT] =
		{
			[PROCESS_EXITS] = PROCESS_DONE,
			[PROCESS_LIMIT] = PROCESS_KILLED,
			[PROCESS_SOFT_LIMIT] = PROCESS_WARNED_SILENT,
		},
	[PROCESS_LEFT] =
		{
			[PROCESS_OUTPUT_ENDS] = PROCESS_DONE,
			[PROCESS_LIMIT] = PROCESS_DONE,
			[PROCESS_SOFT_LIMIT] = PROCESS_DONE,
		},
	[PROCESS_WARNED] =
		{
			[PROCESS_EXITS] = PROCESS_WARNED_LEFT,
			[PROCESS_OUTPUT_ENDS] = PROCESS_WARNED_SILENT,
			[PROCESS_LIMIT] = PROCESS_KILLED,
		},
	[PROCESS_WARNED_SILENT] =
		{
			[PROCESS_EXITS] = PROCESS_DONE,
			[PROCESS_LIMIT] = PROCESS_KILLED,
		},
	[PROCESS_WARNED_LEFT] =
		{
			[PROCESS_OUTPUT_ENDS] = PROCESS_DONE,
			[PROCESS_LIMIT] = PROCESS_DONE,
		},
	[PROCESS_KILLED] =
		{
			[PROCESS_EXITS] = PROCESS_DONE,
			/* It cannot be killed: it is another user's, or the system has
			 * not released it. */
			[PROCESS_LIMIT] = PROCESS_DONE,
		},
};

enum process_state
process_next(enum process_state s, enum process_event e)
{
	enum process_state next = transitions[s][e];

	INVARIANT(next != 0);
	return next;
}

bool
process_is_alive(enum process_state s)
{
	INVARIANT(s < PROCESS_STATES);
	switch (s) {
	case PROCESS_RUNS:
	case PROCESS_SILENT:
	case PROCESS_WARNED:
	case PROCESS_WARNED_SILENT:
	case PROCESS_KILLED:
		return true;
	case PROCESS_LEFT:
	case PROCESS_WARNED_LEFT:
	case PROCESS_DONE:
	case PROCESS_STATES:
		break;
	}
	return false;
}

/* ---- end ------------------------------------------------------------------------- */

static uint64_t
time_ns(struct timeval t)
{
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_usec * 1000u;
}

bool
process_reap(struct process_end *end)
{
	struct rusage used;
	int status;
	pid_t pid;

	INVARIANT(end);
	RETRY_EINTR(pid, wait4(-1, &status, WNOHANG, &used));
	if (pid <= 0)
		return false;
	*end = (struct process_end){
		.pid = pid,
		.was_signalled = WIFSIGNALED(status),
		.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 0,
		.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0,
		.user_ns = time_ns(used.ru_utime),
		.system_ns = time_ns(used.ru_stime),
		.peak_rss_bytes = (uint64_t)used.ru_maxrss * 1024u,
	};
	return true;
}

/* The system may need time for a large process; a process that may not be signalled ends
 * by itself or not at all. */
uint64_t
process_patience_ns(int pid)
{
	bool is_of_others = kill(pid, 0) != 0 && errno == EPERM;

	INVARIANT(pid > 0);
	return is_of_others ? 1000000000u : 10000000000u;
}

uint64_t
process_output_id(int output)
{
	struct stat st;

	return fstat(output, &st) == 0 ? (uint64_t)st.st_ino : 0;
}

/*
 * Starting and reaping tests, and their life as a table. See process.h.
 *
 * This is the hot path: posix_spawn (which shares memory with the child until it
 * executes), one pipe, no thread. Attributes are made once; nothing is looked up per
 * test.
 */
#include "runner/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- life ----------------------------------------------------------------------------
 */

/* 0 is "cannot happen": no transition leads back to PROCESS_RUNS. */
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
	[PROCESS_KILLED] = {[PROCESS_EXITS] = PROCESS_DONE},
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

/* ---- start ---------------------------------------------------------------------------
 */

struct process_starter {
	posix_spawnattr_t attributes;
	bool groups;
};

struct process_starter *
process_starter_open(struct arena *a)
{
	struct process_starter *s = NEW(a, struct process_starter);
	short flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK;
	sigset_t all, none;

	/* sigfillset would leave out those that the C library keeps for itself, and
	 * posix_spawn would have tests ignore them. */
	memset(&all, 0xff, sizeof all);
	sigemptyset(&none);
	s->groups = !isatty(STDIN_FILENO);
	if (s->groups)
		flags |= POSIX_SPAWN_SETPGROUP;
	posix_spawnattr_init(&s->attributes);
	posix_spawnattr_setflags(&s->attributes, flags);
	posix_spawnattr_setpgroup(&s->attributes, 0);
	posix_spawnattr_setsigdefault(&s->attributes, &all);
	posix_spawnattr_setsigmask(&s->attributes, &none);
	return s;
}

void
process_starter_close(struct process_starter *s)
{
	posix_spawnattr_destroy(&s->attributes);
}

bool
process_starter_groups(const struct process_starter *s)
{
	return s->groups;
}

static int
make_actions(posix_spawn_file_actions_t *f, const char *directory, int output)
{
	int error;

	if ((error = posix_spawn_file_actions_init(f)))
		return error;
	if ((error = posix_spawn_file_actions_adddup2(f, output, STDOUT_FILENO)) ||
		(error = posix_spawn_file_actions_adddup2(f, output, STDERR_FILENO)) ||
		(directory &&
			(error = posix_spawn_file_actions_addchdir_np(f, directory))))
		posix_spawn_file_actions_destroy(f);
	return error;
}

/* What execvp does with a file that is executable but of no known format. */
static int
start_as_script(struct process_starter *s, const struct launch *l,
	const posix_spawn_file_actions_t *f, int *pid)
{
	struct arena *scratch = arena_open();
	const char **argv;
	size_t n = 0;
	int error;

	while (l->argv[n])
		n++;
	argv = NEW_ARRAY(scratch, const char *, n + 2);
	argv[0] = "/bin/sh";
	argv[1] = l->path;
	for (size_t i = 1; i < n; i++)
		argv[i + 1] = l->argv[i];
	error = posix_spawn(pid, argv[0], f, &s->attributes, (char *const *)argv,
		(char *const *)l->environment);
	arena_close(scratch);
	return error;
}

static int
start_with(struct process_starter *s, const struct launch *l, int output, int *pid)
{
	posix_spawn_file_actions_t f;
	int error = make_actions(&f, l->directory, output);

	if (error)
		return error;
	error = posix_spawn(pid, l->path, &f, &s->attributes, (char *const *)l->argv,
		(char *const *)l->environment);
	if (error == ENOEXEC)
		error = start_as_script(s, l, &f, pid);
	posix_spawn_file_actions_destroy(&f);
	return error;
}

/* Descriptors 0 to 2 must not be the pipe's, or dup2 would lose it. */
static int
pipe_above_standard(int ends[2])
{
	if (pipe2(ends, O_CLOEXEC) != 0)
		return errno;
	for (int i = 0; i < 2; i++) {
		int low = ends[i];

		if (low > STDERR_FILENO)
			continue;
		ends[i] = fcntl(low, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
		close(low);
		if (ends[i] < 0) {
			close(ends[1 - i]);
			return EMFILE;
		}
	}
	return 0;
}

int
process_start(struct process_starter *s, const struct launch *l, int *pid, int *output)
{
	int ends[2];
	int error = pipe_above_standard(ends);

	if (error)
		return error;
	error = start_with(s, l, ends[1], pid);
	close(ends[1]);
	if (error)
		close(ends[0]);
	else
		*output = ends[0];
	return error;
}

/* ---- end -----------------------------------------------------------------------------
 */

static uint64_t
nanoseconds(struct timeval t)
{
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_usec * 1000u;
}

bool
process_reap(struct process_end *end)
{
	struct rusage used;
	int status;
	pid_t pid;

	do
		pid = wait4(-1, &status, WNOHANG, &used);
	while (pid < 0 && errno == EINTR);
	if (pid <= 0)
		return false;
	*end = (struct process_end){
		.pid = pid,
		.was_signalled = WIFSIGNALED(status),
		.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 0,
		.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0,
		.user_ns = nanoseconds(used.ru_utime),
		.system_ns = nanoseconds(used.ru_stime),
		.peak_rss_bytes = (uint64_t)used.ru_maxrss * 1024u,
	};
	return true;
}

bool
process_has_children(void)
{
	siginfo_t info;

	return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

void
process_adopt_orphans(bool adopt)
{
	prctl(PR_SET_CHILD_SUBREAPER, (unsigned long)adopt, 0, 0, 0);
}

uint64_t
process_output_id(int output)
{
	struct stat st;

	return fstat(output, &st) == 0 ? (uint64_t)st.st_ino : 0;
}

/*
 * This is the hot path: vfork lends our memory to the child until it executes.
 *
 * posix_spawn does the same, but maps a stack for each child, and the child asks for the
 * disposition of every signal there is; for a short test that is a twentieth of its time.
 *
 * The child does only what is safe between vfork and exec: system calls, and no write to
 * memory except its errno and the error that it reports.
 */
#include "runner/process/spawn.h"

#include <errno.h>
#include <signal.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/wait.h>
#include <unistd.h>

#include "runner/process/brand.h"

enum { NOT_EXECUTED = 127 };

struct child {
	const struct spawn *spawn;
	pid_t parent;
	volatile int error; /* why the child could not execute: an errno */
};

size_t
spawn_changed_signals(int signals[SPAWN_SIGNALS], bool with_ignored)
{
	size_t n = 0;

	for (int signal = 1; signal <= SPAWN_SIGNALS; signal++) {
		struct sigaction sa;

		if (sigaction(signal, NULL, &sa) == 0 &&
			((sa.sa_flags & SA_SIGINFO) || sa.sa_handler != SIG_DFL) &&
			(with_ignored || sa.sa_handler != SIG_IGN))
			signals[n++] = signal;
	}
	return n;
}

/* Handlers must be reset before signals are unblocked: the child still uses the parent's
 * memory. */
static void
reset_signals(const struct spawn *s)
{
	struct sigaction sa = {.sa_handler = SIG_DFL};
	sigset_t none;

	for (size_t i = 0; i < s->signals_n; i++)
		sigaction(s->signals[i], &sa, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static bool
put_at(int fd, int place)
{
	int got;

	RETRY_EINTR(got, dup2(fd, place));
	return got >= 0;
}

static bool
end_with_parent(const struct child *c)
{
#ifdef PR_SET_PDEATHSIG
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
		return false;
	if (getppid() != c->parent) {
		errno = ECHILD;
		return false;
	}
#else
	(void)c;
#endif
	return true;
}

static bool
take_place(const struct child *c)
{
	const struct spawn *s = c->spawn;

	if (s->ends_with_us && !end_with_parent(c))
		return false;
	if (s->leads_group && setpgid(0, 0) != 0)
		return false;
	for (int i = 0; i < 3; i++)
		if (s->streams[i] >= 0 && !put_at(s->streams[i], i))
			return false;
	return !s->directory || chdir(s->directory) == 0;
}

/* Yama lets only an ancestor trace a process, which a debugger that we start is not. */
static void
allow_tracing(int tracer)
{
#ifdef PR_SET_PTRACER
	if (tracer)
		prctl(PR_SET_PTRACER, (unsigned long)tracer, 0, 0, 0);
#else
	(void)tracer;
#endif
}

/* Returns where it fails: errno. */
static void
execute_program(const struct child *c)
{
	const struct spawn *s = c->spawn;

	brand_put(s->brand);
	if (!take_place(c))
		return;
	if (s->processors)
		processors_keep_to(s->processors);
	if (s->descriptors)
		setrlimit(RLIMIT_NOFILE, s->descriptors);
	reset_signals(s);
	allow_tracing(s->tracer);
	execve(s->path, s->argv, s->environment);
}

static _Noreturn void
become_program(struct child *c)
{
	execute_program(c);
	c->error = errno;
	_exit(NOT_EXECUTED);
}

/* Returns when the child has executed, or has failed to. */
static pid_t
start_child(struct child *c)
{
	pid_t pid = vfork();

	if (pid == 0)
		become_program(c);
	return pid;
}

int
spawn_wait(int pid, int *status, int flags)
{
	pid_t got;

	INVARIANT(pid > 0);
	RETRY_EINTR(got, waitpid(pid, status, flags));
	return got;
}

int
spawn(const struct spawn *s, int *pid)
{
	struct child c = {.spawn = s, .parent = s->ends_with_us ? getpid() : 0};
	sigset_t all, before;

	INVARIANT(s->signals_n <= SPAWN_SIGNALS);
	INVARIANT(s->path && s->argv && s->environment);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	*pid = start_child(&c);
	if (*pid < 0)
		c.error = errno;
	else if (c.error)
		spawn_wait(*pid, NULL, 0);
	if (c.error)
		*pid = 0;
	sigprocmask(SIG_SETMASK, &before, NULL);
	return c.error;
}

int
spawn_instead(const struct spawn *s)
{
	struct child c = {.spawn = s};

	INVARIANT(s->path && s->argv && s->environment);
	execute_program(&c);
	return errno;
}

/*
 * This is the hot path. The child uses our memory until it executes: by vfork, so that we
 * wait for it, or by a clone that runs beside us on a stack of its own.
 *
 * posix_spawn does as vfork, but maps a stack for each child, and the child asks for the
 * disposition of every signal there is; for a short test that is a twentieth of its time.
 * A runner that waits for the exec of one test cannot see the end of another one: beside
 * us the child costs a tenth less time where each processor has a test.
 *
 * The child makes system calls, and writes to no memory but its stack and the error that
 * it reports. It has our thread's errno, which we may be using, so that it calls the
 * system itself, and not by the C library.
 */
#include "runner/process/spawn.h"

#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runner/process/brand.h"

enum { NOT_EXECUTED = 127, CHILD_STACK = 8192, SIGNAL_SET_SIZE = _NSIG / 8 };

struct child {
	struct spawn spawn;
	struct processors_mask processors;
	struct rlimit brand;
	pid_t parent;
	volatile int error; /* why the child could not execute: an errno */
};

struct spawn_flight {
	struct child child;
	bool runs_beside;
	/* The system makes it 0 when the child leaves our memory (CLONE_CHILD_CLEARTID of
	 * clone(2)). */
	atomic_int is_under_way;
	_Alignas(16) unsigned char stack[CHILD_STACK];
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

/* ---- in the child ---------------------------------------------------------------- */

/* The stack of a child is not one that a sanitizer knows. */
#define IN_CHILD __attribute__((no_sanitize("address", "undefined")))

/* Returns what the system does: an errno is negative. */
#if defined(__x86_64__) && defined(__LP64__)

enum { RUNS_BESIDE_US = 1 };

IN_CHILD static long
call(long number, long a, long b, long c, long d)
{
	register long fourth __asm__("r10") = d;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth)
			 : "rcx", "r11", "memory");
	return result;
}

#elif defined(__aarch64__)

enum { RUNS_BESIDE_US = 1 };

IN_CHILD static long
call(long number, long a, long b, long c, long d)
{
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;

	__asm__ volatile("svc 0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3)
			 : "memory");
	return x0;
}

#else

enum { RUNS_BESIDE_US = 0 };

static long
call(long number, long a, long b, long c, long d)
{
	long result = syscall(number, a, b, c, d);

	return result < 0 ? -errno : result;
}

#endif

IN_CHILD static void
limit(int resource, const struct rlimit *l)
{
	call(SYS_prlimit64, 0, resource, (long)l, 0);
}

/* Handlers must be reset before signals are unblocked: they are in the parent's memory.
 */
IN_CHILD static void
reset_signals(const struct spawn *s)
{
	/* the system's struct sigaction, at most: SIG_DFL, and no flags */
	unsigned long action[8] = {0}, none[2] = {0};

	for (size_t i = 0; i < s->signals_n; i++)
		call(SYS_rt_sigaction, s->signals[i], (long)action, 0, SIGNAL_SET_SIZE);
	call(SYS_rt_sigprocmask, SIG_SETMASK, (long)none, 0, SIGNAL_SET_SIZE);
}

IN_CHILD static long
put_at(int fd, int place)
{
	long got;

	do
		got = call(SYS_dup3, fd, place, 0, 0);
	while (got == -EINTR);
	return got;
}

IN_CHILD static long
end_with_parent(const struct child *c)
{
	long got = call(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0);

	if (got < 0)
		return got;
	return call(SYS_getppid, 0, 0, 0, 0) == c->parent ? 0 : -ECHILD;
}

/* Negative: an errno. */
IN_CHILD static long
take_place(const struct child *c)
{
	const struct spawn *s = &c->spawn;
	long got = 0;

	if (s->ends_with_us)
		got = end_with_parent(c);
	if (got >= 0 && s->leads_group)
		got = call(SYS_setpgid, 0, 0, 0, 0);
	for (int i = 0; i < 3 && got >= 0; i++)
		if (s->streams[i] >= 0)
			got = put_at(s->streams[i], i);
	if (got >= 0 && s->directory)
		got = call(SYS_chdir, (long)s->directory, 0, 0, 0);
	return got;
}

/* Returns where it fails: the errno. */
IN_CHILD static int
execute_program(const struct child *c)
{
	const struct spawn *s = &c->spawn;
	long got;

	if (s->brand)
		limit(RLIMIT_RTTIME, &c->brand);
	got = take_place(c);
	if (got < 0)
		return (int)-got;
	if (s->processors.n)
		call(SYS_sched_setaffinity, 0, (long)c->processors.bytes,
			(long)c->processors.bits, 0);
	if (s->descriptors)
		limit(RLIMIT_NOFILE, s->descriptors);
	reset_signals(s);
	/* Yama lets only an ancestor trace a process, which a debugger that we start is
	 * not. */
	if (s->tracer)
		call(SYS_prctl, PR_SET_PTRACER, s->tracer, 0, 0);
	return (int)-call(
		SYS_execve, (long)s->path, (long)s->argv, (long)s->environment, 0);
}

IN_CHILD static int
become_program(void *child)
{
	struct child *c = child;

	c->error = execute_program(c);
	for (;;)
		call(SYS_exit_group, NOT_EXECUTED, 0, 0, 0);
	return 0;
}

/* ---- in cctr --------------------------------------------------------------------- */

static void
describe_child(struct child *c, const struct spawn *s)
{
	INVARIANT(s->signals_n <= SPAWN_SIGNALS);
	INVARIANT(s->path && s->argv && s->environment);
	c->spawn = *s;
	if (s->processors.n)
		processors_write(&c->processors, s->processors);
	c->brand = brand_limit(s->brand);
	c->parent = s->ends_with_us ? getpid() : 0;
	c->error = 0;
}

/* Returns when the child has executed, or has failed to. */
static pid_t
start_and_wait(struct child *c)
{
	pid_t pid = vfork();

	if (pid == 0)
		become_program(c);
	return pid;
}

static pid_t
start_beside(struct spawn_flight *f)
{
	pid_t pid;

	f->is_under_way = 1;
	pid = clone(become_program, f->stack + CHILD_STACK,
		CLONE_VM | CLONE_CHILD_CLEARTID | SIGCHLD, &f->child, NULL, NULL,
		&f->is_under_way);
	if (pid < 0)
		f->is_under_way = 0;
	return pid;
}

/* Valgrind ends a program that tries it. */
static bool
can_run_beside(void)
{
	const char *preloaded = getenv("LD_PRELOAD");

	return RUNS_BESIDE_US && !(preloaded && strstr(preloaded, "/vgpreload_"));
}

/* Emulators of the system refuse what is not a vfork. */
static pid_t
start_flight(struct spawn_flight *f)
{
	pid_t pid = -1;

	if (f->runs_beside)
		pid = start_beside(f);
	if (pid < 0 && f->runs_beside && (errno == EINVAL || errno == ENOSYS))
		f->runs_beside = false;
	return f->runs_beside ? pid : start_and_wait(&f->child);
}

/* No signal may be handled in the child. */
static void
block_signals(sigset_t *before)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, before);
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
	struct child c;
	sigset_t before;

	describe_child(&c, s);
	block_signals(&before);
	*pid = start_and_wait(&c);
	if (*pid < 0)
		c.error = errno;
	else if (c.error)
		spawn_wait(*pid, NULL, 0);
	if (c.error)
		*pid = 0;
	sigprocmask(SIG_SETMASK, &before, NULL);
	return c.error;
}

struct spawn_flight *
spawn_flight_new(struct arena *a)
{
	struct spawn_flight *f = NEW(a, struct spawn_flight);

	f->runs_beside = can_run_beside();
	return f;
}

static void
await_memory(struct spawn_flight *f, const struct timespec *patience)
{
	int now = f->is_under_way;

	if (now)
		syscall(SYS_futex, &f->is_under_way, FUTEX_WAIT, now, patience, NULL, 0);
}

bool
spawn_has_executed(struct spawn_flight *f, uint64_t patience_ns)
{
	const struct timespec patience = {.tv_sec = (time_t)(patience_ns / 1000000000u),
		.tv_nsec = (long)(patience_ns % 1000000000u)};

	await_memory(f, &patience);
	return !f->is_under_way;
}

/* Systems before Linux 4.8 do not say that a child has left our memory by a signal. */
int
spawn_end(struct spawn_flight *f)
{
	f->is_under_way = 0;
	return f->child.error;
}

int
spawn_begin(struct spawn_flight *f, const struct spawn *s, int *pid)
{
	sigset_t before;
	int error;

	while (f->is_under_way)
		await_memory(f, NULL);
	describe_child(&f->child, s);
	block_signals(&before);
	*pid = start_flight(f);
	error = *pid < 0 ? errno : 0;
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (error)
		*pid = 0;
	return error;
}

int
spawn_instead(const struct spawn *s)
{
	struct child c;

	describe_child(&c, s);
	return execute_program(&c);
}

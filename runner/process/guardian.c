/*
 * The guardian. See guardian.h.
 *
 * The guardian is a child without an exit signal, so that no wait of cctr finds it and
 * cctr has no child before its first test. Its pipe ends when cctr is gone and each child
 * between fork and exec has executed: by then each has its brand.
 *
 * After cctr's death the guardian allocates no memory and writes nothing.
 */
#include "runner/process/guardian.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

#include "runner/base/files.h"
#include "runner/process/brand.h"
#include "runner/process/spawn.h"

enum { PATIENCE_MS = 10000, LONGEST_NAP_MS = 16 };

/* A process has one guardian, however many runs it makes. */
static struct {
	bool is_begun;
	pid_t pid; /* 0: none */
	int pipe; /* 0: none */
} own;

/* ---- the guardian ---------------------------------------------------------------- */

/* Returns how many processes it killed. */
static size_t
kill_once(struct proc_folder *f)
{
	size_t n = 0;
	int pid;

	proc_folder_rewind(f);
	while ((pid = proc_folder_next(f)))
		if (brand_is_same_run(brand_of_process(f, pid), brand_of_run()) &&
			!proc_folder_is_zombie(f, pid)) {
			kill(pid, SIGKILL);
			n++;
		}
	return n;
}

static void
sleep_ms(long ms)
{
	nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

/* A process that is about to be killed starts no other one, so that each round finds
 * fewer. A round that could not see all processes is followed by another one. */
static void
kill_all(struct proc_folder *f)
{
	long waited_ms = 0, nap_ms = 1;

	while ((kill_once(f) || f->is_cut) && waited_ms < PATIENCE_MS) {
		sleep_ms(nap_ms);
		waited_ms += nap_ms;
		if (nap_ms < LONGEST_NAP_MS)
			nap_ms *= 2;
	}
}

static void
close_others(int kept)
{
	if (kept > 0)
		file_close_all(0, (unsigned)kept - 1);
	file_close_all((unsigned)kept + 1, UINT_MAX);
}

/* Leaves everything that another process may wait for: open files, the working directory,
 * the session. */
static void
stand_apart(int pipe_end)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	setsid();
	close_others(pipe_end);
	if (chdir("/") != 0)
		return;
#ifdef PR_SET_NAME
	prctl(PR_SET_NAME, "cctr-guardian", 0, 0, 0);
#endif
}

/* Returns only on a hang-up of the pipe, or when cctr is no longer the parent: an error
 * of poll does not say that cctr is gone. */
static void
wait_for_end_of(pid_t cctr, int pipe_end)
{
	struct pollfd end = {.fd = pipe_end};

	while (poll(&end, 1, -1) != 1 && getppid() == cctr)
		sleep_ms(LONGEST_NAP_MS);
}

/* Removes the brand that an outer cctr may have given: the outer guardian kills cctr, and
 * this one then kills what cctr has started. */
static _Noreturn void
guard_run(pid_t cctr, int pipe_end)
{
	struct proc_folder f;

	stand_apart(pipe_end);
	brand_remove();
	(void)proc_folder_open(&f);
	wait_for_end_of(cctr, pipe_end);
	kill_all(&f);
	_exit(0);
}

/* ---- cctr ------------------------------------------------------------------------ */

#ifdef SYS_clone

static pid_t
fork_unseen(void)
{
	return (pid_t)syscall(SYS_clone, 0, NULL, NULL, NULL, NULL);
}

#else

static pid_t
fork_unseen(void)
{
	errno = ENOSYS;
	return -1;
}

#endif

void
guardian_begin(void)
{
	pid_t cctr = getpid();
	int ends[2];

	if (own.is_begun)
		return;
	own.is_begun = true;
	brand_begin();
	if (!brand_of_run() || pipe2(ends, O_CLOEXEC) != 0)
		return;
	own.pid = fork_unseen();
	if (own.pid == 0)
		guard_run(cctr, ends[0]);
	close(ends[0]);
	own.pipe = ends[1];
	if (own.pid < 0)
		guardian_leave();
}

void
guardian_end(void)
{
	/* Where the kill fails, the guardian ends when its pipe is closed. */
	if (own.pid > 0 && kill(own.pid, SIGKILL) == 0)
		spawn_wait(own.pid, NULL, __WALL);
	guardian_leave();
}

void
guardian_leave(void)
{
	if (own.pipe > 0)
		close(own.pipe);
	own.pipe = 0;
	own.pid = 0;
}

void
guardian_begin_again(void)
{
	guardian_leave();
	own.is_begun = false;
	brand_forget();
	guardian_begin();
}

bool
guardian_is(int pid)
{
	INVARIANT(pid > 0);
	return own.pid > 0 && pid == own.pid;
}

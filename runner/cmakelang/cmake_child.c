/*
 * Starts cmake and takes turns with it. See cmake_child.h.
 *
 * The next lock is taken before the current one is released, so that the child always
 * finds one to wait for. A lock belongs to the process: no other descriptor of its file
 * may be opened and closed here.
 */
#include "runner/cmakelang/cmake_child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runner/base/files.h"
#include "runner/process/brand.h"
#include "runner/process/guardian.h"
#include "runner/process/spawn.h"

/* ---- turns ----------------------------------------------------------------------- */

static const char *
fifo_path(const struct cmake_child *c, struct arena *a)
{
	return path_join(a, c->folder, STR("requests")).p;
}

static const char *
lock_path(const struct cmake_child *c, struct arena *a, unsigned turn)
{
	return str_fmt_z(a, "%.*s/turn%u", STR_ARG(c->folder), turn);
}

static int
take_lock(const struct cmake_child *c, struct arena *a, unsigned turn, int *lock)
{
	struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	*lock = open(lock_path(c, a, turn), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	return *lock < 0 || fcntl(*lock, F_SETLK, &all) < 0 ? errno : 0;
}

/* The FIFO is opened for writing, too, so that reading never meets its end. */
static int
prepare_turns(struct cmake_child *c, struct arena *a)
{
	const char *fifo = fifo_path(c, a);

	if (mkfifo(fifo, 0600) < 0)
		return errno;
	c->requests = open(fifo, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (c->requests < 0)
		return errno;
	c->turn = 1;
	return take_lock(c, a, c->turn, &c->lock);
}

/* ---- the process ----------------------------------------------------------------- */

/* Returns an errno, or 0 and the descriptor in *fd; -1 there where there is no path. */
static int
open_output(const char *path, int *fd)
{
	*fd = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
	return path && *fd < 0 ? errno : 0;
}

static int
open_outputs(const struct cmake_command *command, int streams[3], int *messages)
{
	int ends[2], error = open_output(command->out, &streams[STDOUT_FILENO]);

	if (error || command->err)
		return error ? error : open_output(command->err, &streams[STDERR_FILENO]);
	if (pipe2(ends, O_CLOEXEC) < 0)
		return errno;
	*messages = ends[0];
	streams[STDERR_FILENO] = ends[1];
	return 0;
}

/* The child is killed when cctr ends in any way: no other process would give it its
 * turn. */
static int
start_program(struct cmake_child *c, const struct cmake_command *command)
{
	int signals[SPAWN_SIGNALS];
	struct spawn s = {.path = command->argv[0],
		.argv = command->argv,
		.environment = command->environment,
		.directory = command->directory,
		.streams = {-1, -1, -1},
		.signals = signals,
		.signals_n = spawn_changed_signals(signals, false),
		.ends_with_us = true};
	int error;

	guardian_begin();
	s.brand = brand_next();
	error = open_outputs(command, s.streams, &c->messages);
	if (!error)
		error = spawn(&s, &c->pid);
	for (int i = STDOUT_FILENO; i <= STDERR_FILENO; i++)
		file_close(&s.streams[i]);
	return error;
}

int
cmake_child_start(struct cmake_child *c, struct arena *a, struct str folder,
	const struct cmake_command *command)
{
	int error = 0;

	INVARIANT(command->argv[0]);
	*c = (struct cmake_child){.folder = folder,
		.ended = -1,
		.requests = -1,
		.lock = -1,
		.messages = -1};
	if (command->takes_turns)
		error = prepare_turns(c, a);
	if (!error)
		error = start_program(c, command);
#ifdef SYS_pidfd_open
	if (!error)
		c->ended = (int)syscall(SYS_pidfd_open, c->pid, 0);
#endif
	return error;
}

static bool
has_ended(struct cmake_child *c, int flags)
{
	if (spawn_wait(c->pid, &c->status, flags) == 0)
		return false;
	c->pid = 0;
	return true;
}

bool
cmake_child_has_ended(struct cmake_child *c, bool waits)
{
	return c->pid <= 0 || has_ended(c, waits ? 0 : WNOHANG);
}

enum cmake_event
cmake_child_wait(struct cmake_child *c)
{
	enum { LOOK_AGAIN_MS = 10 };
	char byte;

	if (c->requests < 0) {
		(void)has_ended(c, 0);
		return CMAKE_ENDED;
	}
	for (;;) {
		struct pollfd events[] = {
			{.fd = c->requests, .events = POLLIN},
			{.fd = c->ended, .events = POLLIN},
		};

		(void)poll(events, 2, c->ended < 0 ? LOOK_AGAIN_MS : -1);
		if (read(c->requests, &byte, 1) == 1)
			return CMAKE_WAITS;
		if (has_ended(c, WNOHANG))
			return CMAKE_ENDED;
	}
}

int
cmake_child_go_on(struct cmake_child *c, struct arena *a)
{
	int next, error = take_lock(c, a, c->turn + 1, &next);

	INVARIANT(c->requests >= 0 && c->turn > 0);
	close(c->lock);
	unlink(lock_path(c, a, c->turn - 1));
	c->lock = next;
	c->turn++;
	return error;
}

void
cmake_child_close(struct cmake_child *c)
{
	if (c->pid > 0) {
		kill(c->pid, SIGKILL);
		(void)has_ended(c, 0);
	}
	file_close(&c->ended);
	file_close(&c->requests);
	file_close(&c->lock);
	file_close(&c->messages);
}

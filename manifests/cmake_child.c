/*
 * Spawns cmake and takes turns with it. See cmake_child.h.
 *
 * The next lock is taken before the one before is given up, so that the child always
 * finds one to wait for. A lock belongs to the process: no other descriptor of its file
 * may be opened and closed here.
 */
#include "manifests/cmake_child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runner/files.h"

static const char *
fifo_path(const struct cmake_child *c, struct arena *a)
{
	return path_join(a, c->folder, STR("requests")).p;
}

static const char *
lock_path(const struct cmake_child *c, struct arena *a, unsigned turn)
{
	return str_fmt(a, "%.*s/turn%u", STR_ARG(c->folder), turn).p;
}

static int
take_lock(const struct cmake_child *c, struct arena *a, unsigned turn, int *lock)
{
	struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	*lock = open(lock_path(c, a, turn), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	return *lock < 0 || fcntl(*lock, F_SETLK, &all) < 0 ? errno : 0;
}

/* Opened for writing, too: the FIFO then never ends. */
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

static int
spawn(struct cmake_child *c, const struct cmake_command *command)
{
	const int flags = O_WRONLY | O_CREAT | O_TRUNC;
	posix_spawn_file_actions_t actions;
	int error;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(
		&actions, STDOUT_FILENO, command->out, flags, 0600);
	posix_spawn_file_actions_addopen(
		&actions, STDERR_FILENO, command->err, flags, 0600);
	posix_spawn_file_actions_addchdir_np(&actions, command->directory);
	error = posix_spawn(&c->pid, command->argv[0], &actions, NULL, command->argv,
		command->environment);
	posix_spawn_file_actions_destroy(&actions);
	if (error)
		c->pid = 0;
	return error;
}

int
cmake_child_start(struct cmake_child *c, struct arena *a, struct str folder,
	const struct cmake_command *command)
{
	int error = 0;

	*c = (struct cmake_child){
		.folder = folder, .ended = -1, .requests = -1, .lock = -1};
	if (command->takes_turns)
		error = prepare_turns(c, a);
	if (!error)
		error = spawn(c, command);
#ifdef SYS_pidfd_open
	if (!error)
		c->ended = (int)syscall(SYS_pidfd_open, c->pid, 0);
#endif
	return error;
}

static bool
has_ended(struct cmake_child *c, int flags)
{
	pid_t got;

	do
		got = waitpid(c->pid, &c->status, flags);
	while (got < 0 && errno == EINTR);
	if (got == 0)
		return false;
	c->pid = 0;
	return true;
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

	close(c->lock);
	unlink(lock_path(c, a, c->turn - 1));
	c->lock = next;
	c->turn++;
	return error;
}

void
cmake_child_close(struct cmake_child *c, struct arena *a)
{
	if (c->pid > 0) {
		kill(c->pid, SIGKILL);
		(void)has_ended(c, 0);
	}
	if (c->ended >= 0)
		close(c->ended);
	if (c->requests >= 0) {
		close(c->requests);
		unlink(fifo_path(c, a));
	}
	if (c->lock >= 0)
		close(c->lock);
	for (unsigned turn = c->turn > 1 ? c->turn - 2 : 0; turn <= c->turn; turn++)
		unlink(lock_path(c, a, turn));
}

/*
 * Spawns cmake and takes turns with it. See cmake_child.h.
 *
 * The next lock is taken before the one before is given up, so that the child always
 * finds one to wait for. A lock belongs to the process: no other descriptor of its file
 * may be opened and closed here.
 */
#include "runner/cmakelang/cmake_child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runner/base/files.h"
#include "runner/process/brand.h"
#include "runner/process/guardian.h"

/* ---- which cmake ----------------------------------------------------------------------
 */

static bool
is_program(const char *path)
{
	return access(path, X_OK) == 0 && !path_is_directory(path);
}

/* CMAKE_COMMAND:INTERNAL=/usr/bin/cmake */
static struct str
cached_cmake(struct arena *a, struct str build_directory)
{
	const struct str key = STR("\nCMAKE_COMMAND:INTERNAL=");
	struct str text, value;
	size_t at;

	if (!file_read(a, path_join(a, build_directory, STR("CMakeCache.txt")).p, &text))
		return STR_NONE;
	at = str_search(text, key);
	if (at == text.n)
		return STR_NONE;
	value = str_from(text, at + key.n);
	value = str_trim(str_cut(value.p, str_find(value, '\n')));
	return is_program(str_z(a, value)) ? str_dup(a, value) : STR_NONE;
}

static struct str
program_in_path(struct arena *a, struct str name)
{
	struct str path = str_of(getenv("PATH"));

	while (path.n) {
		size_t n = str_find(path, ':');
		struct str full = path_join(a, n ? str_cut(path.p, n) : STR("."), name);

		if (is_program(full.p))
			return full;
		path = str_from(path, n < path.n ? n + 1 : n);
	}
	return STR_NONE;
}

/* Absolute, since it is started in another directory. */
struct str
cmake_child_program(struct arena *a, struct str asked, struct str build_directory)
{
	struct str found = asked;

	if (found.n && str_find(found, '/') == found.n)
		found = program_in_path(a, found);
	if (!found.n)
		found = cached_cmake(a, build_directory);
	if (!found.n)
		found = program_in_path(a, STR("cmake"));
	return found.n ? path_join(a, path_here(a), found) : STR_NONE;
}

/* ---- turns --------------------------------------------------------------------------
 */

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

/* ---- the process ------------------------------------------------------------------- */

/* What the child needs between vfork and exec; it answers with the error that kept it. */
struct birth {
	const struct cmake_command *command;
	int messages; /* writing end of the pipe, or -1 */
	pid_t parent;
	uint64_t brand;
	sigset_t mask;
	volatile int error;
};

static bool
direct(int stream, const char *path, int otherwise)
{
	int file = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600) : otherwise;

	if (file < 0)
		return !path;
	return dup2(file, stream) == stream && (!path || file == stream || !close(file));
}

/* Handlers must be gone before signals come through: memory is still the parent's. */
static void
reset_signals(const sigset_t *mask)
{
	const struct sigaction standard = {.sa_handler = SIG_DFL};
	struct sigaction sa;

	for (int signal = 1; signal < NSIG; signal++)
		if (sigaction(signal, NULL, &sa) == 0 && sa.sa_handler != SIG_IGN)
			sigaction(signal, &standard, NULL);
	sigprocmask(SIG_SETMASK, mask, NULL);
}

/* It ends with its parent, however that ends: nobody else would give it its turn. */
static bool
take_place(const struct birth *b)
{
	const struct cmake_command *command = b->command;

#ifdef PR_SET_PDEATHSIG
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != b->parent)
		return false;
#endif
	return direct(STDOUT_FILENO, command->out, -1) &&
	       direct(STDERR_FILENO, command->err, b->messages) &&
	       (!command->directory || chdir(command->directory) == 0);
}

static _Noreturn void
become(struct birth *b)
{
	brand_put(b->brand);
	if (take_place(b)) {
		reset_signals(&b->mask);
		execve(b->command->argv[0], b->command->argv, b->command->environment);
	}
	b->error = errno ? errno : ECHILD;
	_exit(127);
}

/* Returns when the child has executed, or has failed to. */
static int
bear(struct birth *b, pid_t *pid)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &b->mask);
	errno = 0;
	*pid = vfork();
	if (*pid == 0)
		become(b);
	if (*pid < 0)
		b->error = errno;
	else if (b->error)
		waitpid(*pid, NULL, 0);
	sigprocmask(SIG_SETMASK, &b->mask, NULL);
	return b->error;
}

static int
spawn(struct cmake_child *c, const struct cmake_command *command)
{
	struct birth b = {.command = command, .parent = getpid()};
	int ends[2] = {-1, -1};

	guardian_begin();
	b.brand = brand_next();
	if (!command->err && pipe2(ends, O_CLOEXEC) < 0)
		return errno;
	b.messages = ends[1];
	if (bear(&b, &c->pid))
		c->pid = 0;
	if (ends[1] >= 0)
		close(ends[1]);
	c->messages = ends[0];
	return b.error;
}

int
cmake_child_start(struct cmake_child *c, struct arena *a, struct str folder,
	const struct cmake_command *command)
{
	int error = 0;

	*c = (struct cmake_child){.folder = folder,
		.ended = -1,
		.requests = -1,
		.lock = -1,
		.messages = -1};
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
	if (c->ended >= 0)
		close(c->ended);
	if (c->requests >= 0)
		close(c->requests);
	if (c->lock >= 0)
		close(c->lock);
	if (c->messages >= 0)
		close(c->messages);
}

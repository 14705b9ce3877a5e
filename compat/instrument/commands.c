/*
 * The commands, and the build watcher: a build tool that CMake generates for starts it
 * first. It waits until the tool has ended, records the build and runs the hook
 * postBuild. See commands.h.
 */
#include "compat/instrument/commands.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "compat/instrument/index.h"
#include "compat/instrument/snippet.h"
#include "runner/base/environment.h"
#include "runner/base/files.h"
#include "runner/base/loop.h"
#include "runner/base/streams.h"
#include "runner/process/spawn.h"

enum { LOOK_AGAIN_MS = 100 };

/* -1: another process has it, or it cannot be locked. CMake's ctest locks the same file
 * in the same way. */
static int
lock_build(struct arena *a, const struct instrumentation *i)
{
	struct str path = str_fmt(a, "%.*s/.build.lock", STR_ARG(i->root));
	struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	int fd;

	if (!directory_make(a, str_z(a, i->root)))
		return -1;
	fd = open(path.p, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (fd >= 0 && fcntl(fd, F_SETLK, &whole) != 0) {
		close(fd);
		return -1;
	}
	return fd;
}

/* The watcher holds none of the build tool's pipes: the tool's reader would wait for
 * it. */
static bool
spawn_watcher(struct arena *a, const struct instrumentation *i, long parent)
{
	char *argv[] = {(char *)"ctest", (char *)"--wait-and-collect-instrumentation",
		str_own(str_dup(a, i->build)), str_own(str_fmt(a, "%ld", parent)), NULL};
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), pid, error;
	int high = null < 0 ? -1 : fcntl(null, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	struct spawn s = {.path = "/proc/self/exe",
		.argv = argv,
		.environment = drop_const(environment_own()),
		.streams = {high, high, high}};

	if (high < 0)
		return false;
	error = spawn(&s, &pid);
	close(high);
	close(null);
	errno = error;
	return error == 0;
}

/* --start-instrumentation: runs the hook preBuild, unless another build of the tree is
 * watched, and starts the watcher of our parent. false after a message. */
static bool
start_watcher(struct arena *a, const struct instrumentation *i)
{
	bool has_lock = i->dialect->has[DIALECT_INSTRUMENTATION_LOCK];
	int lock = has_lock ? lock_build(a, i) : -1;
	long parent = (long)getppid();
	bool is_collected = true;

	if (lock >= 0)
		close(lock);
	if (lock >= 0 || !has_lock)
		is_collected = instrument_collect(a, i, HOOK_PRE_BUILD, NULL);
	if (!has_lock && !i->hooks[HOOK_POST_BUILD])
		return is_collected;
	if (spawn_watcher(a, i, parent))
		return is_collected;
	streams_put(STREAM_ERROR,
		str_fmt(a, "cctr: cannot watch the build: %s\n", strerror(errno)));
	return false;
}

/* ---- the watcher ----------------------------------------------------------------- */

/* Ended is enough: who started the build tool may never ask for its exit code. */
static void
await_process(pid_t pid)
{
	bool has_ended = false;
	int fd = -1;

#ifdef SYS_pidfd_open
	fd = (int)syscall(SYS_pidfd_open, pid, 0);
#endif
	if (fd >= 0) {
		has_ended = loop_await(fd, POLLIN, LOOP_FOREVER) > 0;
		close(fd);
	}
	while (!has_ended && kill(pid, 0) == 0)
		poll(NULL, 0, LOOK_AGAIN_MS);
}

/* --wait-and-collect-instrumentation: the watcher itself; pid is the build tool's. One
 * watcher is enough for a tree: a second one ends at once. */
static bool
wait_for_build(
	struct arena *a, const struct dialect *dialect, struct str build, pid_t pid)
{
	struct snippet s = {
		.directory = path_here(a), .role = "build", .has_content = true};
	const struct instrumentation *i = instrumentation_read(a, dialect, build);
	struct snippet_start start = snippet_begin(i);
	bool has_lock = dialect->has[DIALECT_INSTRUMENTATION_LOCK];

	if (has_lock && lock_build(a, i) < 0)
		return true;
	setsid();
	await_process(pid);
	/* The build may have changed the queries: it configures again when it must. */
	if (has_lock)
		i = instrumentation_read(a, dialect, build);
	if (i->is_asked && !snippet_write(a, i, &s, &start).p)
		return false;
	return instrument_collect(a, i, HOOK_POST_BUILD, NULL);
}

static bool
watch_build(struct arena *a, const struct dialect *dialect, struct str build,
	struct str process)
{
	uint64_t pid;

	if (str_unsigned(process, INT_MAX, &pid) && pid)
		return wait_for_build(a, dialect, build, (pid_t)pid);
	streams_put(STREAM_ERROR,
		str_fmt(a, "cctr: cannot watch the build: '%.*s' is no process id\n",
			STR_ARG(process)));
	return false;
}

/* ---- the commands ---------------------------------------------------------------- */

static bool
is_command(int argc, char *const *argv, const char *word, int words)
{
	return argc == words && strcmp(argv[1], word) == 0;
}

bool
instrument_command(struct arena *a, int argc, char *const *argv, int *code)
{
	bool starts = is_command(argc, argv, "--start-instrumentation", 3);
	bool collects = is_command(argc, argv, "--collect-instrumentation", 3);
	bool waits = is_command(argc, argv, "--wait-and-collect-instrumentation", 4);
	struct dialect dialect;
	struct str build;
	const struct instrumentation *i;
	bool ok;

	INVARIANT(code);
	if (!starts && !collects && !waits)
		return false;
	build = str_of(argv[2]);
	dialect = instrument_dialect(a, build);
	if (!dialect.has[DIALECT_CMAKE_INSTRUMENTATION])
		return false;
	if (waits) {
		ok = watch_build(a, &dialect, build, str_of(argv[3]));
	} else {
		i = instrumentation_read(a, &dialect, build);
		streams_put(STREAM_ERROR, i->messages);
		ok = starts ? start_watcher(a, i)
			    : instrument_collect(a, i, HOOK_MANUAL, NULL);
	}
	*code = ok ? 0 : 1;
	return true;
}

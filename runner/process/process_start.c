/*
 * Starting tests. See process.h.
 *
 * This is the hot path: one pipe, no thread, and vfork, which lends our memory to the
 * child until it executes. posix_spawn does the same, but maps a stack for each child and
 * has it ask for the disposition of every signal there is; for a short test that is a
 * twentieth of its time. The child does only what is safe between vfork and exec: system
 * calls, and no write to memory but its errno and the error that it tells.
 */
#include "runner/process/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runner/process/brand.h"
#include "runner/process/guardian.h"

enum { MOST_SIGNALS = 64, NOT_EXECUTED = 127 };

struct process_starter {
	/* Signals that a test would inherit as ignored, or that would run a handler of
	 * ours in the child. */
	int changed[MOST_SIGNALS];
	size_t changed_n;
	bool groups;
	struct processors_mask mask; /* of the test being started */
};

/* All that the child needs; it answers with the error that kept it from executing. */
struct child {
	const struct process_starter *starter;
	const char *path, *directory;
	char *const *argv, *const *environment;
	const struct processors_mask *mask; /* NULL: where we run ourselves */
	int input; /* for its stream 0; 0: ours */
	int outputs[2]; /* for its streams 1 and 2; -1: ours */
	uint64_t brand;
	volatile int error;
};

static bool
is_changed(int signal)
{
	struct sigaction sa;

	return sigaction(signal, NULL, &sa) == 0 &&
	       ((sa.sa_flags & SA_SIGINFO) || sa.sa_handler != SIG_DFL);
}

struct process_starter *
process_starter_open(struct arena *a)
{
	struct process_starter *s = NEW(a, struct process_starter);

	guardian_begin();
	s->groups = !isatty(STDIN_FILENO);
	for (int signal = 1; signal <= MOST_SIGNALS; signal++)
		if (is_changed(signal))
			s->changed[s->changed_n++] = signal;
	return s;
}

bool
process_starter_groups(const struct process_starter *s)
{
	return s->groups;
}

void
process_starter_join(struct process_starter *s)
{
	s->groups = false;
}

/* ---- the child
 * -------------------------------------------------------------------------- */

/* Handlers must be gone before signals come through: memory is still ours. */
static void
reset_signals(const struct process_starter *s)
{
	struct sigaction sa = {.sa_handler = SIG_DFL};
	sigset_t none;

	for (size_t i = 0; i < s->changed_n; i++)
		sigaction(s->changed[i], &sa, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static bool
put_at(int fd, int place)
{
	int got;

	do
		got = dup2(fd, place);
	while (got < 0 && errno == EINTR);
	return got >= 0;
}

static bool
take_place(const struct child *c)
{
	if (c->starter->groups && setpgid(0, 0) != 0)
		return false;
	if (c->input > STDIN_FILENO && !put_at(c->input, STDIN_FILENO))
		return false;
	for (int i = 0; i < 2; i++)
		if (c->outputs[i] >= 0 && !put_at(c->outputs[i], STDOUT_FILENO + i))
			return false;
	return !c->directory || chdir(c->directory) == 0;
}

static _Noreturn void
become(struct child *c)
{
	brand_put(c->brand);
	if (take_place(c)) {
		if (c->mask)
			processors_keep_to(c->mask);
		reset_signals(c->starter);
		execve(c->path, c->argv, c->environment);
	}
	c->error = errno;
	_exit(NOT_EXECUTED);
}

/* ---- the parent
 * ------------------------------------------------------------------------- */

/* Returns when the child has executed, or has failed to. */
static int
start_child(struct child *c)
{
	pid_t pid = vfork();

	if (pid == 0)
		become(c);
	return pid;
}

/* 0, or the errno. */
static int
start_once(struct child *c, int *pid)
{
	sigset_t all, before;

	c->error = 0;
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	*pid = start_child(c);
	if (*pid < 0)
		c->error = errno;
	else if (c->error)
		while (waitpid(*pid, NULL, 0) < 0 && errno == EINTR)
			continue;
	sigprocmask(SIG_SETMASK, &before, NULL);
	return c->error;
}

/* What execvp does with a file that is executable but of no known format. */
static int
start_as_script(struct child *c, int *pid)
{
	struct arena *scratch = arena_open();
	const char **argv;
	size_t n = 0;
	int error;

	while (c->argv[n])
		n++;
	argv = NEW_ARRAY(scratch, const char *, n + 2);
	argv[0] = "/bin/sh";
	argv[1] = c->path;
	for (size_t i = 1; i < n; i++)
		argv[i + 1] = c->argv[i];
	c->path = argv[0];
	c->argv = (char *const *)argv;
	error = start_once(c, pid);
	arena_close(scratch);
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

static void
close_both(const int ends[2])
{
	if (ends[0] >= 0)
		close(ends[0]);
	if (ends[1] >= 0 && ends[1] != ends[0])
		close(ends[1]);
}

/* Reading ends, and the ends that the child's two streams become. */
static int
make_pipes(enum launch_streams streams, int outputs[2], int inputs[2])
{
	int ends[2];
	int error;

	outputs[0] = outputs[1] = inputs[0] = inputs[1] = -1;
	if (streams == STREAMS_INHERITED)
		return 0;
	error = pipe_above_standard(ends);
	if (error)
		return error;
	outputs[0] = ends[0];
	inputs[0] = inputs[1] = ends[1];
	if (streams == STREAMS_TOGETHER)
		return 0;
	error = pipe_above_standard(ends);
	if (error) {
		close_both(outputs);
		close_both(inputs);
		return error;
	}
	outputs[1] = ends[0];
	inputs[1] = ends[1];
	return 0;
}

int
process_start(struct process_starter *s, const struct launch *l, struct process_begun *p)
{
	struct child c = {
		.starter = s,
		.path = l->path,
		.directory = l->directory,
		.input = l->input,
		.argv = (char *const *)l->argv,
		.environment = (char *const *)l->environment,
		.brand = brand_next(),
	};
	int error = make_pipes(l->streams, p->outputs, c.outputs);

	if (error)
		return error;
	if (l->processors.n) {
		processors_write(&s->mask, l->processors);
		c.mask = &s->mask;
	}
	p->brand = c.brand;
	error = start_once(&c, &p->pid);
	if (error == ENOEXEC)
		error = start_as_script(&c, &p->pid);
	close_both(c.outputs);
	if (error)
		close_both(p->outputs);
	return error;
}

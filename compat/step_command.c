/*
 * One process at a time, in cctr's own process group: what interrupts cctr at a terminal
 * interrupts it too. See step_command.h.
 */
#include "compat/step_command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compat/custom_commands.h"

extern char **environ;

enum { CHUNK = 1024 };

static enum step_exception
exception_of(int number)
{
	switch (number) {
	case SIGSEGV:
	case SIGBUS:
		return EXCEPTION_FAULT;
	case SIGILL:
		return EXCEPTION_ILLEGAL;
	case SIGINT:
		return EXCEPTION_INTERRUPT;
	case SIGFPE:
		return EXCEPTION_NUMERICAL;
	default:
		return EXCEPTION_OTHER;
	}
}

static int
spawn(char **argv, int output, pid_t *child)
{
	posix_spawn_file_actions_t streams;
	int error;

	posix_spawn_file_actions_init(&streams);
	posix_spawn_file_actions_adddup2(&streams, output, STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&streams, output, STDERR_FILENO);
	error = posix_spawnp(child, argv[0], &streams, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&streams);
	return error;
}

/* As ctest has it, a NUL ends a line. */
static void
read_all(struct step_command *c, int from)
{
	char chunk[CHUNK];
	ssize_t n;

	while ((n = read(from, chunk, sizeof chunk)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return;
		for (ssize_t i = 0; i < n; i++)
			chunk[i] = chunk[i] ? chunk[i] : '\n';
		buf_add(&c->output, chunk, (size_t)n);
		c->more(c->context, str_cut(chunk, (size_t)n), c->output.n);
	}
}

static void
await(struct step_command *c, pid_t child)
{
	int status;

	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return;
	if (WIFEXITED(status))
		c->exit_code = WEXITSTATUS(status);
	else
		c->exception = exception_of(WTERMSIG(status));
}

void
step_command_run(struct arena *a, struct step_command *c)
{
	struct str_list words = custom_command_words(a, c->line);
	char **argv = NEW_ARRAY(a, char *, words.n + 1);
	int ends[2];
	pid_t child;

	for (size_t i = 0; i < words.n; i++)
		argv[i] = (char *)str_z(a, words.v[i]);
	if (!words.n || pipe2(ends, O_CLOEXEC) != 0) {
		c->error = words.n ? errno : ENOENT;
		return;
	}
	c->error = spawn(argv, ends[1], &child);
	close(ends[1]);
	if (!c->error) {
		read_all(c, ends[0]);
		await(c, child);
	}
	close(ends[0]);
}

/*
 * Runs commands without a shell. See custom_commands.h.
 *
 * What they write to either stream goes to standard output as it comes, even under -Q,
 * and not into the --output-log. A NUL becomes a blank.
 */
#include "compat/custom_commands.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compat/report_text.h"

/* ---- words ---------------------------------------------------------------------------
 */

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static struct str
quoted_word(struct str *rest)
{
	struct str inside = str_from(*rest, 1);
	size_t n = str_find(inside, *rest->p);

	*rest = str_from(inside, n < inside.n ? n + 1 : n);
	return str_cut(inside.p, n);
}

static struct str
plain_word(struct arena *a, struct str *rest)
{
	struct buf word = {.arena = a};

	while (rest->n && !is_blank(*rest->p)) {
		if (*rest->p == '\\') {
			*rest = str_from(*rest, 1);
			if (!rest->n)
				break;
		}
		buf_char(&word, *rest->p);
		*rest = str_from(*rest, 1);
	}
	return buf_as_str(&word);
}

struct str_list
custom_command_words(struct arena *a, struct str line)
{
	str_vec words = {0};

	for (;;) {
		struct str word;

		while (line.n && is_blank(*line.p))
			line = str_from(line, 1);
		if (!line.n)
			return str_vec_list(&words);
		word = *line.p == '"' || *line.p == '\'' ? quoted_word(&line)
							 : plain_word(a, &line);
		VEC_PUSH(a, &words, word);
	}
}

/* ---- one process ---------------------------------------------------------------------
 */

static char **
argv_of(struct arena *a, struct str line)
{
	struct str_list words = custom_command_words(a, line);
	char **argv = NEW_ARRAY(a, char *, words.n + 1);

	for (size_t i = 0; i < words.n; i++)
		argv[i] = (char *)str_z(a, words.v[i]);
	return argv;
}

struct pipes {
	int output[2], error[2];
};

CCTR_NORETURN static void
become(char **argv, const struct pipes *p)
{
	ssize_t put;
	int error;

	dup2(p->output[1], STDOUT_FILENO);
	dup2(p->output[1], STDERR_FILENO);
	execvp(argv[0], argv);
	error = errno;
	put = write(p->error[1], &error, sizeof error);
	_exit(put == sizeof error ? 127 : 126);
}

static ssize_t
read_some(int fd, void *to, size_t n)
{
	ssize_t got;

	do
		got = read(fd, to, n);
	while (got < 0 && errno == EINTR);
	return got;
}

static void
pass_on(struct console *c, int fd)
{
	char bytes[4096];
	ssize_t got;

	while ((got = read_some(fd, bytes, sizeof bytes)) > 0) {
		for (ssize_t i = 0; i < got; i++)
			if (bytes[i] == '\0')
				bytes[i] = ' ';
		console_raw(c, str_cut(bytes, (size_t)got));
	}
}

static bool
open_pipes(struct pipes *p)
{
	if (pipe2(p->output, O_CLOEXEC) != 0)
		return false;
	if (pipe2(p->error, O_CLOEXEC) == 0)
		return true;
	close(p->output[0]);
	close(p->output[1]);
	return false;
}

/* 0, or the errno that kept it from starting; then *status says how it ended. */
static int
run(struct console *c, char **argv, int *status)
{
	struct pipes p;
	int error = 0;
	pid_t child;

	if (!open_pipes(&p))
		return errno;
	child = fork();
	if (child == 0)
		become(argv, &p);
	if (child < 0)
		error = errno;
	close(p.output[1]);
	close(p.error[1]);
	if (child > 0 && read_some(p.error[0], &error, sizeof error) <= 0)
		pass_on(c, p.output[0]);
	while (child > 0 && waitpid(child, status, 0) < 0 && errno == EINTR)
		;
	close(p.output[0]);
	close(p.error[0]);
	return error;
}

/* ---- all of them ---------------------------------------------------------------------
 */

static void
say_why(struct console *c, struct str why)
{
	console_raw_error(c, why);
	console_raw_error(c, STR("\n"));
}

static bool
succeeds(struct arena *a, struct console *c, struct str line)
{
	char **argv = argv_of(a, line);
	int status = 0, error;

	if (!argv[0])
		return false;
	error = run(c, argv, &status);
	if (error)
		say_why(c, str_of(strerror(error)));
	else if (WIFSIGNALED(status))
		say_why(c, report_signal(a, WTERMSIG(status)));
	return !error && status == 0;
}

bool
custom_commands_run(struct arena *a, struct console *c, const struct str_list *commands,
	const char *when)
{
	for (size_t i = 0; i < commands->n; i++) {
		struct arena_mark mark = arena_mark(a);
		struct str line = commands->v[i];
		bool ok;

		console_fmt(c, CHANNEL_VERBOSE, "Run command: %.*s\n", STR_ARG(line));
		ok = succeeds(a, c, line);
		arena_rewind(a, mark);
		if (ok)
			continue;
		console_fmt(c, CHANNEL_ERROR, "Problem running command: %.*s\n",
			STR_ARG(line));
		console_fmt(c, CHANNEL_ERROR, "Problem executing %s command(s).\n", when);
		return false;
	}
	return true;
}

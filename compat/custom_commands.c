/* No shell: the words are cut here. See custom_commands.h. */
#include "compat/custom_commands.h"

#include <errno.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static bool
is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* The next word; the line loses it. */
static struct str
next_word(struct arena *a, struct str *line)
{
	struct buf word = {.arena = a};
	char quote = '\0';
	size_t i = 0;

	buf_z(&word, "");
	for (; i < line->n && (quote || !is_blank(line->p[i])); i++) {
		char c = line->p[i];

		if (c == '\\' && i + 1 < line->n)
			buf_char(&word, line->p[++i]);
		else if (c == quote)
			quote = '\0';
		else if (!quote && (c == '"' || c == '\''))
			quote = c;
		else
			buf_char(&word, c);
	}
	*line = str_from(*line, i);
	return buf_as_str(&word);
}

struct str_list
custom_command_words(struct arena *a, struct str line)
{
	str_vec words = {0};

	for (;;) {
		while (line.n && is_blank(line.p[0]))
			line = str_from(line, 1);
		if (!line.n)
			return str_vec_list(&words);
		VEC_PUSH(a, &words, next_word(a, &line));
	}
}

static bool
run(struct arena *a, struct console *c, struct str line)
{
	struct str_list words = custom_command_words(a, line);
	char **argv = NEW_ARRAY(a, char *, words.n + 1);
	posix_spawn_file_actions_t streams;
	int error, status;
	pid_t child;

	for (size_t i = 0; i < words.n; i++)
		argv[i] = (char *)str_z(a, words.v[i]);
	if (!words.n)
		return false;
	/* What it writes to standard error stands among the rest, as in ctest. */
	posix_spawn_file_actions_init(&streams);
	posix_spawn_file_actions_adddup2(&streams, STDOUT_FILENO, STDERR_FILENO);
	error = posix_spawnp(&child, argv[0], &streams, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&streams);
	if (error) {
		console_raw_error(c, str_fmt(a, "%s\n", strerror(error)));
		return false;
	}
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return false;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool
custom_commands_run(struct arena *a, struct console *c, const struct str_list *commands,
	const char *when)
{
	for (size_t i = 0; i < commands->n; i++) {
		struct str line = commands->v[i];

		console_fmt(c, CHANNEL_VERBOSE, "Run command: %.*s\n", STR_ARG(line));
		if (run(a, c, line))
			continue;
		console_fmt(c, CHANNEL_ERROR, "Problem running command: %.*s\n",
			STR_ARG(line));
		console_fmt(c, CHANNEL_ERROR, "Problem executing %s command(s).\n", when);
		return false;
	}
	return true;
}

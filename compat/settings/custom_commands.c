/*
 * Runs commands without a shell. See custom_commands.h.
 *
 * Their output on either stream goes to standard output without delay, even under -Q, and
 * not into the --output-log. A NUL becomes a blank.
 */
#include "compat/settings/custom_commands.h"

#include "compat/console/report_text.h"
#include "compat/format/secrets.h"
#include "runner/process/command.h"

/* ---- words ----------------------------------------------------------------------- */

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

/* ---- one command ----------------------------------------------------------------- */

static void
pass_on(void *context, bool is_error, struct str bytes)
{
	struct console *c = context;
	char piece[4096];

	(void)is_error;
	while (bytes.n) {
		size_t n = bytes.n < sizeof piece ? bytes.n : sizeof piece;

		for (size_t i = 0; i < n; i++)
			piece[i] = bytes.p[i] ? bytes.p[i] : ' ';
		console_raw(c, str_cut(piece, n));
		bytes = str_from(bytes, n);
	}
}

static bool
run_line(struct arena *a, const struct custom_runner *r, struct str line)
{
	struct command command = {.words = custom_command_words(a, line),
		.timeout_ns = NO_TIMEOUT,
		.lets_orphans_go = true,
		.directory = r->directory,
		.output = pass_on,
		.context = r->console};
	struct console *c = r->console;
	struct command_end end;
	struct str why;

	if (!command.words.n)
		return false;
	end = command_run(&command);
	why = report_end_reason(a, r->dialect, &end);
	if (why.n) {
		console_raw_error(c, why);
		console_raw_error(c, STR("\n"));
	}
	if (end.ending == COMMAND_INTERRUPTED)
		*r->interrupted = end.signal;
	return command_succeeded(&end);
}

/* ---- all commands ---------------------------------------------------------------- */

bool
custom_commands_run(
	struct arena *a, const struct custom_runner *r, const struct str_list *commands)
{
	struct console *c = r->console;

	INVARIANT(r->interrupted && r->when);
	for (size_t i = 0; i < commands->n; i++) {
		struct arena_mark mark = arena_mark(a);
		struct str line = commands->v[i];
		struct str shown = secrets_masked(a, line);
		bool ok;

		console_fmt(c, CHANNEL_ASIDE, "Run command: %.*s\n", STR_ARG(shown));
		ok = run_line(a, r, line);
		arena_rewind(a, mark);
		if (ok)
			continue;
		if (*r->interrupted)
			return false;
		console_fmt(c, CHANNEL_ERROR, "Problem running command: %.*s\n",
			STR_ARG(secrets_masked(a, line)));
		console_fmt(
			c, CHANNEL_ERROR, "Problem executing %s command(s).\n", r->when);
		return false;
	}
	return true;
}

/*
 * The command stays in cctr's process group: an interrupt from the terminal reaches it
 * too. See step_command.h.
 */
#include "compat/dashboard/step/step_command.h"

#include <errno.h>
#include <signal.h>

#include "compat/console/report_text.h"
#include "runner/base/files.h"

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
number_of(const struct step_input *in, const struct step_command *c, int number)
{
	enum step_exception exception = exception_of(number);

	if (!in->dialect->has[DIALECT_SIGNAL_NUMBER_RETURNED])
		return (int)exception;
	if (c->tells_signals)
		return number;
	return (int)(exception == EXCEPTION_OTHER ? EXCEPTION_OTHER_NOW : exception);
}

static void
pass_on(void *context, bool is_error, struct str bytes)
{
	const struct step_command *c = context;
	char chunk[STEP_CHUNK_MOST];

	while (bytes.n) {
		size_t n = bytes.n < c->chunk_most ? bytes.n : c->chunk_most;

		for (size_t i = 0; i < n; i++)
			chunk[i] = bytes.p[i] ? bytes.p[i] : '\n';
		c->chunk(c->context, is_error, str_cut(chunk, n));
		bytes = str_from(bytes, n);
	}
	if (c->pause)
		c->pause(c->context);
}

/* If the program is executable, the folder is what could not be entered. */
static bool
is_startable(const struct step_input *in, const struct command *c)
{
	struct str path;

	return c->words.n &&
	       command_locate(in->arena, c->words.v[0], c->directory, &path) == 0 &&
	       path_is_program(path_in(in->arena, str_of(c->directory), path));
}

void
step_command_run(const struct step_input *in, struct step_command *c)
{
	struct str directory = step_key(in, "BuildDirectory");
	struct command command = {.timeout_ns = NO_TIMEOUT,
		.streams = c->streams,
		.environment = c->environment,
		.directory = step_path(in, directory.n ? directory : STR(".")),
		.words = c->words,
		.output = pass_on,
		.context = c};
	struct command_end end;

	c->chunk_most = in->dialect->has[DIALECT_PROGRESS_BY_64_KIB] ? STEP_CHUNK_MOST
								     : STEP_CHUNK;
	step_fmt(in, CHANNEL_VERBOSE, "Run command: %.*s\n",
		STR_ARG(step_words(in->arena, &c->words)));
	end = command_run(&command);
	c->was_started = !command_has_error(&end);
	switch (end.ending) {
	case COMMAND_NOT_STARTED:
		c->was_refused = end.error == EACCES && is_startable(in, &command);
		c->error = end.error;
		break;
	case COMMAND_OUTPUT_LOST:
		c->error = end.error;
		break;
	case COMMAND_EXITED:
		c->exit_code = end.exit_code;
		break;
	case COMMAND_INTERRUPTED:
		c->interrupted = end.signal;
		break;
	case COMMAND_SIGNALLED:
	case COMMAND_TIMED_OUT:
		c->exception = number_of(in, c, end.signal);
		break;
	}
}

void
step_command_say_end(const struct step_input *in, const struct step_command *c)
{
	if (c->interrupted || !c->was_started)
		return;
	if (c->exception)
		step_fmt(in, CHANNEL_WARNING, "There was an exception: %d\n",
			c->exception);
	else
		step_fmt(in, CHANNEL_VERBOSE, "Command exited with the value: %d\n",
			c->exit_code);
}

static bool
is_of_system(int error)
{
	static const int of_command[] = {
		ENOENT, ENOTDIR, EACCES, ENOEXEC, EISDIR, ELOOP, ENAMETOOLONG};

	for (size_t i = 0; i < sizeof of_command / sizeof *of_command; i++)
		if (error == of_command[i])
			return false;
	return error != 0;
}

bool
step_command_is_lost(const struct step_command *c)
{
	return c->was_refused || is_of_system(c->error);
}

void
step_note_lost_result(const struct step_input *in, const struct str_list *words,
	const struct command_end *end)
{
	struct str_list shown = {words->v, words->n < 2 ? words->n : 2};
	bool is_lost = command_has_error(end) ? is_of_system(end->error)
					      : end->ending == COMMAND_SIGNALLED;

	if (!is_lost)
		return;
	console_fmt(in->console, CHANNEL_ERROR,
		"cctr: the result of %.*s is lost: %.*s\n",
		STR_ARG(step_words(in->arena, &shown)),
		STR_ARG(report_end_reason(in->arena, in->dialect, end)));
	console_note_loss(in->console);
}

int
step_command_value(const struct step_command *c)
{
	return c->exception ? c->exception : c->exit_code;
}

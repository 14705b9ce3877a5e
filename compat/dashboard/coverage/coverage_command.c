/* See coverage_command.h. */
#include "compat/dashboard/coverage/coverage_command.h"

#include "compat/console/report_text.h"
#include "compat/dashboard/step/step_command.h"
#include "compat/settings/custom_commands.h"
#include "runner/base/caller.h"
#include "runner/base/environment.h"
#include "runner/process/command.h"

struct streams {
	struct coverage *c;
	const struct coverage_command *command;
	struct buf text[2]; /* output, errors */
};

str_vec
coverage_command_words(struct coverage *c, struct str command)
{
	struct str flags = step_key(c->in, "CoverageExtraFlags");
	struct str_list more = custom_command_words(c->arena, flags);
	str_vec words = {0};

	VEC_PUSH(c->arena, &words, command);
	VEC_PUSH_ALL(c->arena, &words, more);
	return words;
}

/* As ctest shows them: a word with blanks is quoted. */
static void
coverage_command_spell(struct buf *out, const str_vec *words)
{
	for (size_t i = 0; i < words->n; i++) {
		struct str word = words->v[i];
		const char *quote = str_find(word, ' ') < word.n ? "\"" : "";

		buf_fmt(out, "%s%s%.*s%s", i ? " " : "", quote, STR_ARG(word), quote);
	}
}

static void
take_output(void *context, bool is_error, struct str bytes)
{
	struct streams *s = context;

	buf_str(&s->text[is_error], bytes);
	if (s->command->passes)
		console_raw(s->c->in->console, bytes);
	else if (!s->command->is_silent)
		console_say(s->c->in->console, CHANNEL_VERBOSE, bytes);
}

void
coverage_command_run(struct coverage *c, struct coverage_command *command)
{
	struct streams streams = {c, command, {{.arena = c->arena}, {.arena = c->arena}}};
	struct command run = {.words = str_vec_list(&command->words),
		.directory = command->directory ? command->directory
						: step_path(c->in, STR(".")),
		.environment = command->in_c ? environment_with(c->arena,
						       caller_environment(c->arena),
						       "LC_ALL", STR("C"))
					     : NULL,
		.timeout_ns = NO_TIMEOUT,
		.streams = STREAMS_APART,
		.output = take_output,
		.context = &streams};
	struct command_end end;
	struct str why;

	end = c->run(&run);
	if (end.ending == COMMAND_INTERRUPTED)
		c->result->interrupted = end.signal;
	why = report_end_reason(c->arena, c->in->dialect, &end);
	if (why.n && !command->is_silent) {
		console_fmt(c->in->console, CHANNEL_ERROR, "%.*s\n", STR_ARG(why));
		buf_str(&streams.text[1], why);
	}
	step_note_lost_result(c->in, &run.words, &end);
	command->was_started = end.ending != COMMAND_NOT_STARTED;
	command->has_ended = end.ending == COMMAND_EXITED;
	command->exit_code = end.exit_code;
	command->output = buf_as_str(&streams.text[0]);
	command->errors = buf_as_str(&streams.text[1]);
}

static void
say_output(struct coverage *c, struct str output)
{
	static const char line[] =
		"--------------------------------------------------------------\n";

	coverage_say(c, CHANNEL_VERBOSE, "%s%.*s\n%s", line, STR_ARG(output), line);
}

static void
say_problem(struct coverage *c, const struct coverage_command *command, struct str file)
{
	if (!command->has_ended) {
		coverage_say(c, CHANNEL_ERROR, "Problem running coverage on file: %.*s\n",
			STR_ARG(file));
		coverage_say(c, CHANNEL_ERROR, "Command produced error: %.*s\n",
			STR_ARG(command->errors));
		c->errors++;
	} else if (command->exit_code) {
		coverage_say(c, CHANNEL_ERROR,
			"Coverage command returned: %d while processing: %.*s\n",
			command->exit_code, STR_ARG(file));
		coverage_say(
			c, CHANNEL_ERROR, "Command produced error: %zu\n", c->errors);
	}
}

bool
coverage_command_call(struct coverage *c, struct coverage_command *command,
	struct str directory, struct str file)
{
	struct buf line = {.arena = c->arena};

	coverage_command_spell(&line, &command->words);
	coverage_say(c, CHANNEL_VERBOSE, "%.*s\n", STR_ARG(buf_as_str(&line)));
	coverage_command_run(c, command);
	buf_fmt(&c->log,
		"* Run coverage for: %.*s\n  Command: %.*s\n  Output: %.*s\n"
		"  Errors: %.*s\n",
		STR_ARG(directory), STR_ARG(buf_as_str(&line)), STR_ARG(command->output),
		STR_ARG(command->errors));
	say_problem(c, command, file);
	if (command->has_ended)
		say_output(c, command->output);
	return command->has_ended;
}

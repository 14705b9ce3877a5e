/* The log has only whole lines of the command's output, as in ctest. */
#include "compat/dashboard/script/script_checkout.h"

#include "compat/format/secrets.h"
#include "compat/settings/custom_commands.h"
#include "runner/base/files.h"
#include "runner/process/command.h"

/* One of the command's streams. */
struct stream {
	struct buf *log;
	const char *prefix;
	struct buf line;
};
struct checkout {
	struct stream out, err;
};

static void
take_output(void *context, bool is_error, struct str bytes)
{
	struct checkout *c = context;
	struct stream *s = is_error ? &c->err : &c->out;

	for (size_t i = 0; i < bytes.n; i++) {
		if (bytes.p[i] != '\n' && bytes.p[i] != '\0') {
			if (bytes.p[i] != '\r')
				buf_char(&s->line, bytes.p[i]);
			continue;
		}
		buf_fmt(s->log, "%s", s->prefix);
		buf_str(s->log, buf_as_str(&s->line));
		buf_char(s->log, '\n');
		s->line.n = 0;
	}
}

static bool
run_checkout(const struct command *command, int *interrupted)
{
	struct command_end end = command_run(command);

	if (end.ending == COMMAND_INTERRUPTED)
		*interrupted = end.signal;
	return command_succeeded(&end);
}

bool
script_checkout(const struct step_input *in, struct str line,
	const char *const *environment, struct buf *log, int *interrupted)
{
	struct str parent = path_parent(in->source);
	struct checkout checkout = {
		.out = {log, "co-out> ", {.arena = in->arena}},
		.err = {log, "co-err> ", {.arena = in->arena}},
	};
	struct command command = {.words = custom_command_words(in->arena, line),
		.directory = str_z(in->arena, parent),
		.environment = environment,
		.timeout_ns = NO_TIMEOUT,
		.streams = STREAMS_APART,
		.output = take_output,
		.context = &checkout};
	bool ok;

	console_fmt(in->console, CHANNEL_OUTPUT,
		"   First perform the initial checkout: %.*s\n"
		"   Perform checkout in directory: %.*s\n",
		STR_ARG(secrets_masked(in->arena, line)), STR_ARG(parent));
	if (!directory_make(in->arena, str_z(in->arena, parent))) {
		console_fmt(in->console, CHANNEL_ERROR, "Cannot create directory: %.*s\n",
			STR_ARG(parent));
		return false;
	}
	buf_fmt(log, "--- Begin Initial Checkout ---\n%.*s\n",
		STR_ARG(step_words(in->arena, &command.words)));
	ok = command.words.n && run_checkout(&command, interrupted);
	buf_z(log, "--- End Initial Checkout ---\n");
	if (!ok)
		console_say(
			in->console, CHANNEL_ERROR, STR("Initial checkout failed!\n"));
	return ok;
}

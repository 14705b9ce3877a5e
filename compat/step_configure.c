/* The configure step: ConfigureCommand, its output and how it ended. See step.h. */
#include "compat/step.h"

#include <string.h>
#include <time.h>

#include "compat/custom_commands.h"
#include "compat/site.h"
#include "compat/step_command.h"
#include "runner/files.h"

enum { TICK_BYTES = 1024, TICKS_PER_LINE = 50 };

struct progress {
	struct dashboard *d;
	size_t ticks;
};

/* A dot for every started kilobyte; under -V what it says itself. */
static void
more(void *context, struct str text, size_t total)
{
	struct progress *p = context;
	struct console *c = p->d->console;

	if (console_is_verbose(c)) {
		console_say(c, CHANNEL_OUTPUT, text);
		return;
	}
	while (total > p->ticks * TICK_BYTES) {
		console_say(c, CHANNEL_OUTPUT, STR("."));
		p->ticks++;
		if (p->ticks % TICKS_PER_LINE == 0)
			console_fmt(c, CHANNEL_OUTPUT, "  Size: %zuK\n    ",
				total / TICK_BYTES + 1);
	}
}

static void
say_words(const struct dashboard *d, struct str line)
{
	struct str_list words = custom_command_words(d->arena, line);
	struct buf text = {.arena = d->arena};

	for (size_t i = 0; i < words.n; i++)
		buf_fmt(&text, " \"%.*s\"", STR_ARG(words.v[i]));
	console_fmt(d->console, CHANNEL_VERBOSE, "Run command:%.*s\n",
		STR_ARG(buf_as_str(&text)));
}

static void
run(struct dashboard *d, struct step_command *command)
{
	struct progress progress = {d, 0};
	bool is_verbose = console_is_verbose(d->console);

	command->more = more;
	command->context = &progress;
	command->output = (struct buf){.arena = d->arena};
	if (!is_verbose)
		console_say(d->console, CHANNEL_OUTPUT,
			STR("   Each . represents 1024 bytes of output\n    "));
	say_words(d, command->line);
	step_command_run(d->arena, command);
	if (!is_verbose)
		console_fmt(d->console, CHANNEL_OUTPUT, " Size of output: %zuK\n",
			command->output.n / TICK_BYTES);
	if (!command->error && !command->exception)
		console_fmt(d->console, CHANNEL_VERBOSE,
			"Command exited with the value: %d\n", command->exit_code);
}

/* What ctest says of a command that did not come to an end of its own. */
static void
say_end(const struct dashboard *d, struct step_command *command)
{
	if (command->exception)
		console_fmt(d->console, CHANNEL_WARNING, "There was an exception: %d\n",
			(int)command->exception);
	if (!command->error)
		return;
	console_fmt(d->console, CHANNEL_WARNING, "There was an error: %s\n",
		strerror(command->error));
	buf_fmt(&command->output,
		"\n*** ERROR executing: %s\n***The build process failed.",
		strerror(command->error));
}

static bool
write_log(const struct dashboard *d, struct str text)
{
	struct str path = dashboard_log(d, "Configure");

	if (directory_make(d->arena, str_z(d->arena, path_parent(path))) &&
		file_write(d->arena, path.p, ".tmp", text))
		return true;
	console_say(d->console, CHANNEL_ERROR,
		STR("Cannot create log file: LastConfigure.log\n"));
	return false;
}

struct times {
	int64_t started_s, ended_s;
};

static bool
write_xml(struct dashboard *d, const struct step_call *c,
	const struct step_command *command, int status, const struct times *times)
{
	struct buf text = {.arena = d->arena};
	struct xml x;

	xml_begin(&x, &text, 0);
	site_open(&x, d, c->append);
	xml_open(&x, "Configure");
	site_time(&x, "StartDateTime", "StartConfigureTime", times->started_s);
	site_text(&x, "ConfigureCommand", command->line);
	site_text(&x, "Log", buf_as_str(&command->output));
	site_number(&x, "ConfigureStatus", status);
	site_time(&x, "EndDateTime", "EndConfigureTime", times->ended_s);
	site_number(&x, "ElapsedMinutes", (times->ended_s - times->started_s) / 60);
	xml_close(&x);
	xml_close(&x);
	buf_char(&text, '\n');
	return dashboard_write(d, "Configure", buf_as_str(&text));
}

static bool
fail(struct step_result *r, int value)
{
	r->value = value;
	r->failed = true;
	return false;
}

bool
step_configure(struct dashboard *d, const struct step_call *c, struct step_result *r)
{
	struct step_command command = {
		.line = configuration_get(&d->configuration, "ConfigureCommand")};
	struct times times = {.started_s = time(NULL)};
	struct str said;
	bool is_listing = d->options->show_only != SHOW_NOTHING;

	console_say(d->console, CHANNEL_OUTPUT, STR("Configure project\n"));
	if (!command.line.n) {
		console_say(d->console, CHANNEL_ERROR,
			STR("Cannot find ConfigureCommand key in the "
			    "DartConfiguration.tcl\n"));
		return fail(r, -1);
	}
	if (!is_listing) {
		console_fmt(d->console, CHANNEL_VERBOSE, "Configure with command: %.*s\n",
			STR_ARG(command.line));
		run(d, &command);
		said = buf_as_str(&command.output);
		say_end(d, &command);
		times.ended_s = time(NULL);
		r->value = command.exception ? (int)command.exception : command.exit_code;
		if (!dashboard_directory(d).n || !write_log(d, said) ||
			!write_xml(d, c, &command, r->value, &times))
			return fail(r, -1);
	}
	if (!is_listing && r->value == 0)
		return true;
	console_say(d->console, CHANNEL_ERROR,
		STR("Error(s) when configuring the project\n"));
	return fail(r, is_listing ? -1 : r->value);
}

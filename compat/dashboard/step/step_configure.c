/* The configure step: ConfigureCommand, its output and its result. See step.h. */
#include <time.h>

#include "compat/console/report_text.h"
#include "compat/dashboard/step/site.h"
#include "compat/instrument/cdash.h"
#include "compat/dashboard/step/step_command.h"
#include "compat/dashboard/step/step_progress.h"
#include "compat/format/secrets.h"
#include "compat/settings/custom_commands.h"
#include "runner/base/atomic_file.h"
#include "runner/base/files.h"

struct configure {
	const struct step_input *in;
	struct step_input loud; /* without QUIET */
	struct step_result *result;
	struct str line;
	struct step_command command;
	struct step_progress progress;
	struct buf output;
	int64_t started_s, ended_s;
};

static void
take_chunk(void *context, bool is_error, struct str text)
{
	struct configure *f = context;

	(void)is_error;
	buf_str(&f->output, text);
	step_progress_add(&f->progress, text.n, '.');
	step_say(&f->loud, CHANNEL_VERBOSE, text);
}

static void
show_progress(void *context)
{
	struct configure *f = context;

	step_progress_show(&f->progress);
}

/* QUIET does not hide the output and the progress of the command. */
static void
run_command(struct configure *f)
{
	struct step_command *c = &f->command;

	step_fmt(f->in, CHANNEL_VERBOSE, "Configure with command: %.*s\n",
		STR_ARG(secrets_masked(f->in->arena, f->line)));
	f->output = (struct buf){.arena = f->in->arena};
	f->progress = (struct step_progress){.in = &f->loud, .line_rounding = STEP_CHUNK};
	*c = (struct step_command){.words = custom_command_words(f->in->arena, f->line),
		.chunk = take_chunk,
		.pause = show_progress,
		.context = f};
	step_progress_begin(&f->progress, "   Each . represents 1024 bytes of output\n");
	step_command_run(&f->loud, c);
	step_progress_end(&f->progress);
	step_command_say_end(&f->loud, c);
}

static void
note_error(struct configure *f)
{
	struct str why =
		report_start_error(f->in->arena, f->in->dialect, f->command.error);

	step_fmt(f->in, CHANNEL_ERROR, "There was an error: %.*s\n", STR_ARG(why));
	buf_fmt(&f->output, "\n*** ERROR executing: %.*s\n***The build process failed.",
		STR_ARG(why));
}

static bool
write_log(const struct configure *f, struct str text)
{
	const struct step_input *in = f->in;
	struct str path = step_log(in, "Configure");

	if (!step_log_directory(in, path))
		return false;
	if (file_write(in->arena, path.p, ".tmp", text))
		return true;
	step_fmt(in, CHANNEL_ERROR, "Cannot create log file: %.*s\n",
		STR_ARG(path_name(path)));
	return false;
}

static bool
write_xml(const struct configure *f)
{
	const struct step_input *in = f->in;
	struct buf text = {.arena = in->arena}, complaints = {.arena = in->arena};
	const struct instrumentation *recorded = step_instrumentation(in);
	struct xml x;

	xml_begin(&x, &text, 0);
	site_open(&x, in);
	site_subprojects(&x, in);
	xml_open(&x, "Configure");
	site_time(&x, "StartDateTime", "StartConfigureTime", f->started_s);
	site_text(&x, "ConfigureCommand", secrets_masked(in->arena, f->line));
	site_text(&x, "Log", buf_as_str(&f->output));
	site_number(&x, "ConfigureStatus", f->result->value);
	site_time(&x, "EndDateTime", "EndConfigureTime", f->ended_s);
	site_number(&x, "ElapsedMinutes", (f->ended_s - f->started_s) / 60);
	if (recorded)
		cdash_add_commands(&x, in->arena, recorded, "configure", &complaints);
	step_complain(in, &complaints);
	xml_close(&x);
	xml_close(&x);
	buf_char(&text, '\n');
	return step_write(in, f->result, "Configure", buf_as_str(&text));
}

static bool
run_and_log(struct configure *f)
{
	struct step_result *r = f->result;
	size_t said;

	run_command(f);
	if (f->command.interrupted) {
		r->interrupted = f->command.interrupted;
		return step_fail(r);
	}
	said = f->output.n;
	if (!f->command.was_started)
		note_error(f);
	f->ended_s = time(NULL);
	r->value = step_command_value(&f->command);
	return write_log(f, str_cut(buf_as_str(&f->output).p, said)) || step_fail(r);
}

static bool
run_and_write(struct configure *f)
{
	if (!run_and_log(f))
		return false;
	if (!write_xml(f) || step_command_is_lost(&f->command))
		return step_fail(f->result);
	return true;
}

static void
say_failure(const struct step_input *in)
{
	step_say(in, CHANNEL_ERROR, STR("Error(s) when configuring the project\n"));
}

/* Since 4.0 the command runs, and its result cannot be written. */
static bool
run_without_tag(struct configure *f)
{
	struct step_result *r = f->result;

	if (!run_and_log(f))
		return false;
	if (r->value != 0)
		say_failure(f->in);
	(void)step_directory(f->in, r);
	step_say(f->in, CHANNEL_ERROR, STR("Cannot open configure file\n"));
	r->refusal = STR("unknown error.");
	return true;
}

static bool
say_no_key(const struct step_input *in, const char *key, struct step_result *r)
{
	step_fmt(in, CHANNEL_ERROR, "Cannot find %s key in the DartConfiguration.tcl\n",
		key);
	return step_fail(r);
}

bool
step_configure(const struct step_input *in, struct step_result *r)
{
	struct configure f = {.in = in,
		.loud = *in,
		.result = r,
		.line = step_key(in, "ConfigureCommand"),
		.started_s = time(NULL)};
	bool is_listing = in->options->show_only != SHOW_NOTHING;
	bool returns_exit_code = in->dialect->has[DIALECT_CONFIGURE_RETURNS_EXIT_CODE];

	f.loud.is_quiet = false;
	step_say(in, CHANNEL_OUTPUT, STR("Configure project\n"));
	if (!f.line.n)
		return say_no_key(in, "ConfigureCommand", r);
	if (!step_key(in, "BuildDirectory").n)
		return say_no_key(in, "BuildDirectory ", r);
	if (!is_listing && returns_exit_code && in->stamp.tag.n == 0)
		return run_without_tag(&f);
	if (!is_listing && !step_directory(in, r).n) {
		step_say(in, CHANNEL_ERROR, STR("Cannot open configure file\n"));
		r->value = 1;
		return true;
	}
	if (!is_listing && !run_and_write(&f))
		return false;
	if (r->value == 0 && (!is_listing || returns_exit_code))
		return true;
	say_failure(in);
	return (!is_listing && returns_exit_code) || step_fail(r);
}

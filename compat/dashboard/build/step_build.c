/*
 * The build step: runs MakeCommand, finds errors and warnings in its output or by its
 * launchers, writes Build.xml. See step.h.
 *
 * The log is written during the build, and renamed at the end.
 */
#include <errno.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "compat/console/report_text.h"
#include "compat/dashboard/build/build_xml.h"
#include "compat/dashboard/build/launcher_fragment.h"
#include "compat/dashboard/step/step_command.h"
#include "compat/dashboard/step/step_progress.h"
#include "compat/format/secrets.h"
#include "compat/settings/custom_commands.h"
#include "runner/base/atomic_file.h"
#include "runner/base/files.h"
#include "runner/cmakelang/cmake_text.h"

enum { ROUNDING = 512 };

struct log {
	FILE *file; /* NULL: it cannot be written, which was reported */
	int error; /* of the first failed write; 0: none */
	struct str path;
	struct atomic_file atomic;
};
struct build {
	const struct step_input *in;
	struct step_result *result;
	struct step_command command;
	struct step_progress progress;
	struct build_output output;
	struct build_launch launch;
	struct log log;
};

static struct str
make_command(const struct step_input *in)
{
	struct str command = step_key(in, "MakeCommand"),
		   type = in->options->configuration;

	step_fmt(in, CHANNEL_VERBOSE, "MakeCommand:%.*s\n",
		STR_ARG(secrets_masked(in->arena, command)));
	if (!type.n)
		type = step_key(in, "DefaultCTestConfigurationType");
	if (!type.n)
		type = STR("Release");
	return str_replace(in->arena, command, STR("${CTEST_CONFIGURATION_TYPE}"), type);
}

/* ---- the log --------------------------------------------------------------------- */

static void
open_log(struct build *b)
{
	struct arena *a = b->in->arena;
	struct log *l = &b->log;

	l->path = step_log(b->in, "Build");
	if (step_log_directory(b->in, l->path))
		l->file =
			atomic_file_open_stream(a, &l->atomic, str_z(a, l->path), ".tmp");
	if (l->file)
		return;
	l->error = errno;
	step_say(b->in, CHANNEL_ERROR, STR("Cannot create build log file\n"));
	console_lost_file(b->in->console, l->path, l->error);
}

static void
close_log(struct build *b)
{
	struct log *l = &b->log;

	if (!l->file)
		return;
	if (fclose(l->file) != 0 && !l->error)
		l->error = errno;
	if (atomic_file_close(&l->atomic, !l->error))
		return;
	l->error = l->error ? l->error : errno;
	console_lost_file(b->in->console, l->path, l->error);
}

/* ---- the command ----------------------------------------------------------------- */

static char
symbol_of(enum build_line kind)
{
	static const char symbols[] = {
		[BUILD_PLAIN] = '.', [BUILD_WARNING] = '*', [BUILD_ERROR] = '!'};

	return symbols[kind];
}

/* The output of a command is shown even if its step is quiet. */
static void
take_chunk(void *context, bool is_error, struct str text)
{
	struct build *b = context;

	build_output_add(&b->output, is_error, text);
	if (step_progress_add(&b->progress, text.n, symbol_of(b->output.last)))
		b->output.last = BUILD_PLAIN;
	console_say(b->in->console, CHANNEL_VERBOSE, text);
	if (b->log.file && fwrite(text.p, 1, text.n, b->log.file) != text.n &&
		!b->log.error)
		b->log.error = errno;
}

static void
show_progress(void *context)
{
	struct build *b = context;

	step_progress_show(&b->progress);
}

static void
note_failure(struct build *b)
{
	struct arena *a = b->in->arena;
	struct str_list words = b->command.words;
	struct str log = STR("");

	if (!b->launch.is_on) {
		build_output_note(&b->output, false,
			str_fmt(a,
				"*** WARNING non-zero return value in ctest from: %.*s",
				STR_ARG(words.v[0])));
		return;
	}
	if (b->log.file && fflush(b->log.file) == 0 &&
		!file_read(a, b->log.atomic.temporary, &log))
		log = STR("");
	build_launch_note(&b->launch, &words, b->command.exit_code, log);
}

static void
note_end(struct build *b)
{
	const struct step_command *c = &b->command;
	struct str why = report_start_error(b->in->arena, b->in->dialect, c->error);

	step_command_say_end(b->in, c);
	if (c->was_started) {
		if (!c->exception && c->exit_code)
			note_failure(b);
		return;
	}
	build_output_note(&b->output, true,
		str_fmt(b->in->arena, "*** ERROR executing: %.*s", STR_ARG(why)));
	step_fmt(b->in, CHANNEL_ERROR, "There was an error: %.*s\n", STR_ARG(why));
}

static void
run_command(struct build *b)
{
	struct step_command *c = &b->command;

	c->streams = STREAMS_APART;
	c->tells_signals = true;
	c->chunk = take_chunk;
	c->pause = show_progress;
	c->context = b;
	build_launch_begin(&b->launch);
	c->environment = b->launch.environment;
	/* As in ctest. */
	b->result->unset = LAUNCH_VARIABLE;
	b->progress = (struct step_progress){
		.in = b->in, .line_rounding = ROUNDING, .end_rounding = ROUNDING};
	step_progress_begin(&b->progress,
		b->launch.is_on ? "   Each symbol represents 1024 bytes of output.\n"
				: "   Each symbol represents 1024 bytes of output.\n"
				  "   '!' represents an error and '*' a warning.\n");
	step_command_run(b->in, c);
	build_launch_end(&b->launch);
	step_progress_end(&b->progress);
	note_end(b);
}

/* ---- results --------------------------------------------------------------------- */

/* Replaces the parents of the directory in all texts, if its path is long. */
static void
shorten_paths(struct build *b, const char *name)
{
	enum { SHORT_NAME = 20 };
	struct str directory = step_key(b->in, name);
	size_t slash;

	if (directory.n <= SHORT_NAME)
		return;
	slash = str_rfind(directory, '/');
	if (slash < directory.n)
		build_output_shorten(&b->output, str_cut(directory.p, slash + 1));
}

static bool
write_xml(struct build *b, const struct build_record *record)
{
	struct buf text = {.arena = b->in->arena};

	build_xml(&text, b->in, record);
	if (step_directory(b->in, b->result).n &&
		step_write(b->in, b->result, "Build", buf_as_str(&text)))
		return true;
	step_say(b->in, CHANNEL_ERROR, STR("Cannot create build XML file\n"));
	return false;
}

static void
say_number(const struct build *b, bool is_error, size_t n)
{
	console_fmt(b->in->console, CHANNEL_OUTPUT, "   %zu%s Compiler %s\n", n,
		build_output_is_full(&b->output, is_error, n) ? " or more" : "",
		is_error ? "errors" : "warnings");
}

static void
say_result(const struct build *b)
{
	struct step_result *r = b->result;
	struct arena *a = b->in->arena;
	size_t errors = b->output.errors + b->launch.errors;
	size_t warnings = b->output.warnings + b->launch.warnings;
	bool is_listing = b->in->options->show_only != SHOW_NOTHING;

	if (r->value || errors || (!b->command.words.n && !is_listing))
		step_say(b->in, CHANNEL_ERROR, STR("Error(s) when building project\n"));
	say_number(b, true, errors);
	say_number(b, false, warnings);
	VEC_PUSH(a, &r->outputs,
		(struct step_output){STR("NUMBER_ERRORS"), str_fmt(a, "%zu", errors)});
	VEC_PUSH(a, &r->outputs,
		(struct step_output){
			STR("NUMBER_WARNINGS"), str_fmt(a, "%zu", warnings)});
}

static bool
build_and_report(struct build *b, struct build_record *record)
{
	struct step_result *r = b->result;
	bool is_listing = b->in->options->show_only != SHOW_NOTHING;

	record->started_s = time(NULL);
	open_log(b);
	if (!is_listing && b->command.words.n)
		run_command(b);
	close_log(b);
	record->ended_s = time(NULL);
	r->value = step_command_value(&b->command);
	if (b->command.interrupted) {
		r->interrupted = b->command.interrupted;
		return step_fail(r);
	}
	shorten_paths(b, "SourceDirectory");
	shorten_paths(b, "BuildDirectory");
	if (b->launch.is_on)
		build_launch_collect(&b->launch);
	record->command = make_command(b->in);
	if (!write_xml(b, record))
		return step_fail(r);
	say_result(b);
	return (!step_command_is_lost(&b->command) && !b->log.error) || step_fail(r);
}

static bool
open_and_build(struct build *b)
{
	const struct step_input *in = b->in;
	struct buf complaint = {.arena = in->arena};
	struct build_matchers *matchers =
		build_matchers_open(in->arena, in->custom, &complaint);
	struct build_record record = {.output = &b->output, .launch = &b->launch};
	bool is_done;

	console_raw(in->console, buf_as_str(&complaint));
	build_output_open(
		&b->output, in->arena, b->launch.is_on ? NULL : matchers, in->custom);
	is_done = build_and_report(b, &record);
	build_matchers_close(matchers);
	return is_done;
}

bool
step_build(const struct step_input *in, struct step_result *r)
{
	struct build b = {.in = in, .result = r, .launch = {.in = in}};
	struct str line;

	step_say(in, CHANNEL_OUTPUT, STR("Build project\n"));
	if (!step_has_time(in->options))
		return true;
	line = make_command(in);
	if (!line.n) {
		step_say(in, CHANNEL_ERROR,
			STR("Cannot find MakeCommand key in the "
			    "DartConfiguration.tcl\n"));
		return step_fail(r);
	}
	if (!step_key(in, "BuildDirectory").n) {
		step_say(in, CHANNEL_ERROR,
			STR("Cannot find BuildDirectory  key in the "
			    "DartConfiguration.tcl\n"));
		return step_fail(r);
	}
	b.command.words = custom_command_words(in->arena, line);
	b.launch.is_on = in->stamp.tag.n && cmake_is_on(step_key(in, "UseLaunchers"));
	return open_and_build(&b);
}

/* Texts are ctest's. See script_start.h. */
#include "compat/dashboard/script/script_start.h"

#include <errno.h>

#include "compat/console/report_text.h"
#include "compat/dashboard/script/script_checkout.h"
#include "compat/dashboard/script/script_custom.h"
#include "compat/dashboard/script/script_depth.h"
#include "compat/dashboard/script/script_keys.h"
#include "compat/dashboard/step/step_start.h"
#include "compat/report/report_junit.h"
#include "compat/settings/settings.h"
#include "runner/base/atomic_file.h"
#include "runner/base/environment.h"
#include "runner/base/files.h"

/* The words of a call. A word may be empty: one that is not given has no address. */
struct start {
	struct str model, source, binary, group;
	bool append, quiet;
};

/* One ctest_start while it reads CTestConfig.cmake, which may call others, or
 * CTestCustom.cmake. */
struct script_start {
	struct script_start *outer;
	struct script_call call;
	struct step_input in; /* of the start */
	bool model_is_known;
	bool goes_on; /* it has no error so far */
	bool is_configured; /* CTestConfig.cmake has been read */
};

static void
fail_start(struct script_command *c, struct str text)
{
	script_reply_error(
		c->reply, str_fmt(c->scripts->arena, "ctest_start %.*s", STR_ARG(text)));
}

static bool
is_flag(struct str word)
{
	return str_is(word, "APPEND") || str_is(word, "QUIET");
}

/* The error in the words, or STR_NONE. */
static struct str
parse_words(const struct str_list *w, struct arena *a, struct start *s)
{
	struct str *places[] = {&s->model, &s->source, &s->binary};
	size_t n = 0;

	if (w->n == 0)
		return STR("called with incorrect number of arguments");
	for (size_t i = 0; i < w->n; i++) {
		if (str_is(w->v[i], "GROUP") || str_is(w->v[i], "TRACK")) {
			if (++i == w->n || is_flag(w->v[i]))
				return str_fmt(a, "%.*s argument missing group name",
					STR_ARG(w->v[i - 1]));
			s->group = w->v[i];
		} else if (str_is(w->v[i], "APPEND")) {
			s->append = true;
		} else if (str_is(w->v[i], "QUIET")) {
			s->quiet = true;
		} else if (n == 3) {
			return STR("Too many arguments");
		} else {
			*places[n++] = w->v[i];
		}
	}
	return STR_NONE;
}

/* What the words leave open is taken from variables. Returns the error, or STR_NONE. */
static struct str
complete_start(const struct script_call *call, struct start *s)
{
	if (!s->source.p)
		s->source = script_variable(call, "CTEST_SOURCE_DIRECTORY");
	if (!s->binary.p)
		s->binary = script_variable(call, "CTEST_BINARY_DIRECTORY");
	if (!s->source.p)
		return STR("source directory not specified.  Specify source directory as "
			   "an argument or set CTEST_SOURCE_DIRECTORY");
	if (!s->binary.p)
		return STR("binary directory not specified.  Specify binary directory as "
			   "an argument or set CTEST_BINARY_DIRECTORY");
	if (!s->model.p && !s->append)
		return STR("no test model specified and APPEND not specified.  Specify "
			   "either a test model or the APPEND argument");
	return STR_NONE;
}

static void
say_start(const struct step_input *in, const struct start *s, struct str group)
{
	struct str model = s->model.p
				   ? str_fmt(in->arena, "model %.*s", STR_ARG(s->model))
				   : STR("to-be-determined model");

	step_fmt(in, CHANNEL_OUTPUT,
		"Run dashboard with %.*s\n   Source directory: %.*s\n"
		"   Build directory: %.*s\n",
		STR_ARG(model), STR_ARG(s->source), STR_ARG(s->binary));
	if (group.n)
		step_fmt(in, CHANNEL_OUTPUT, "   Group: %.*s\n", STR_ARG(group));
}

/* Called before anything else is done. false after CMake's message: it cannot be
 * opened. */
static bool
open_log(const struct step_input *in, struct dashboard *d, struct atomic_file *log)
{
	struct str path =
		path_join(d->arena, in->binary, STR("Testing/Temporary/LastStart.log"));
	int error;

	directory_try_make(d->arena, str_z(d->arena, path_parent(path)));
	if (atomic_file_open(d->arena, log, path.p, ".tmp"))
		return true;
	error = errno;
	path = str_fmt(d->arena, "%s.tmp", path.p);
	console_raise(d->console, report_not_opened(d->arena, path.p, error));
	console_say(d->console, CHANNEL_ERROR,
		STR("Cannot create log file: LastStart.log\n"));
	return false;
}

static bool
check_out_logged(
	struct script_command *c, const struct step_input *in, struct dashboard *d)
{
	struct str line = script_variable(c->call, "CTEST_CHECKOUT_COMMAND");
	struct buf text = {.arena = d->arena};
	struct atomic_file log;
	bool ok = true;

	if (!open_log(in, d, &log))
		return false;
	if (!line.p)
		line = script_variable(c->call, "CTEST_CVS_CHECKOUT");
	if (line.p)
		ok = script_checkout(
			in, line, c->call->environment, &text, &d->interrupted);
	if (!atomic_file_write(&log, buf_as_str(&text))) {
		console_say(d->console, CHANNEL_ERROR,
			STR("Cannot create log file: LastStart.log\n"));
		console_note_loss(d->console);
	}
	return ok;
}

/* true: in the end the source directory exists. */
static bool
check_out(struct script_command *c, const struct step_input *in, struct dashboard *d)
{
	if (!check_out_logged(c, in, d))
		fail_start(c, STR("unknown error."));
	else if (!path_is_directory(str_z(d->arena, in->source)))
		fail_start(
			c, str_fmt(d->arena,
				   "given source path\n  %.*s\nwhich is not an existing "
				   "directory.  Set CTEST_CHECKOUT_COMMAND to a command "
				   "line to create it.",
				   STR_ARG(in->source)));
	else
		return true;
	return false;
}

/* Adds one existing file, from the build tree or else from the source tree. */
static bool
name_configuration(struct script_command *c, const struct step_input *in)
{
	struct arena *a = c->scripts->arena;
	struct str file = path_join(a, in->binary, STR("CTestConfig.cmake"));

	if (!path_may_exist(file.p))
		file = path_join(a, in->source, STR("CTestConfig.cmake"));
	if (!path_may_exist(file.p))
		return false;
	step_fmt(in, CHANNEL_PROGRAM, "   Reading ctest configuration file: %.*s\n",
		STR_ARG(file));
	if (!script_may_read(c, file))
		return false;
	script_reply_files(c->reply, &(struct str_list){&file, 1});
	return true;
}

static void
take_directories(struct script_command *c, struct step_input *in, const struct start *s)
{
	struct scripts *scripts = c->scripts;
	struct dashboard *d = script_dashboard(scripts);

	d->configuration = (struct configuration){.arena = scripts->arena,
		.keys = map_in(scripts->arena),
		.overwrites = &scripts->options->tree.overwrites};
	script_set_key(d, in, "SourceDirectory", script_path(scripts, s->source));
	script_set_key(d, in, "BuildDirectory", script_path(scripts, s->binary));
	in->source = configuration_get(&d->configuration, "SourceDirectory");
	/* Since 4.0 --overwrite does not change where files go. */
	in->binary = d->dialect->has[DIALECT_STEPS_RUN_AS_SCRIPT]
			     ? script_path(scripts, s->binary)
			     : configuration_get(&d->configuration, "BuildDirectory");
}

/* The group counts from now on, even if the start fails. */
static void
take_group(struct dashboard *d, const struct start *s)
{
	struct stamp *stamp = &d->stamp;

	if (s->group.p)
		stamp->asked_group = s->group;
	if (stamp->tag.n)
		start_name_group(stamp);
}

/* From now on results belong to this start. */
static void
begin_results(struct dashboard *d, const struct step_input *in, const struct start *s)
{
	d->wants_files = true;
	d->files.n = 0;
	d->build = STR("");
	d->binary = in->binary;
	d->stamp.model = model_guess(s->model);
	start_name_group(&d->stamp);
}

/* false: no file must be read. */
static bool
answer_start(struct script_command *c, struct script_start *start)
{
	struct dashboard *d = script_dashboard(c->scripts);
	struct start s = {0};
	struct str wrong = parse_words(&c->call->words, c->scripts->arena, &s);

	script_reply_files(c->reply, &(struct str_list){0});
	take_group(d, &s);
	if (!wrong.n)
		wrong = complete_start(c->call, &s);
	if (wrong.n) {
		fail_start(c, wrong);
		return false;
	}
	start->in.is_quiet = s.quiet;
	start->in.call.append = s.append;
	start->model_is_known = s.model.p;
	take_directories(c, &start->in, &s);
	say_start(&start->in, &s, d->stamp.asked_group);
	start->goes_on = check_out(c, &start->in, d);
	if (start->goes_on)
		begin_results(d, &start->in, &s);
	return start->goes_on && name_configuration(c, &start->in);
}

bool
script_is_starting(const struct scripts *s)
{
	return s->frame.starts && s->frame.starts->goes_on;
}

void
script_answer_start(struct script_command *c)
{
	struct scripts *s = c->scripts;
	struct script_start *start = NEW(s->arena, struct script_start);
	bool reads;

	*start = (struct script_start){.outer = s->frame.starts, .call = *c->call};
	start->in = dashboard_input(script_dashboard(s), s->options);
	start->in.is_script = true;
	reads = answer_start(c, start);
	s->frame.starts = start;
	script_depth_enter(c, reads, 0);
}

void
script_answer_configured(struct script_command *c)
{
	struct arena *a = c->scripts->arena;
	struct dashboard *d = script_dashboard(c->scripts);
	struct script_start *start = c->scripts->frame.starts;
	struct step_input *in;
	struct str file, name;

	script_reply_files(c->reply, &(struct str_list){0});
	if (start)
		start->is_configured = true;
	if (!start || !start->goes_on)
		return;
	in = &start->in;
	in->binary = d->binary;
	script_take_key(d, in, c->call, "NightlyStartTime", "CTEST_NIGHTLY_START_TIME");
	script_take_key(d, in, c->call, "Site", "CTEST_SITE");
	script_take_key(d, in, c->call, "BuildName", "CTEST_BUILD_NAME");
	name = report_build_name(
		a, d->dialect, configuration_get(&d->configuration, "BuildName"));
	step_fmt(in, CHANNEL_PROGRAM, "   Site: %.*s\n   Build name: %.*s\n",
		STR_ARG(configuration_get(&d->configuration, "Site")), STR_ARG(name));
	file = script_custom_file(a, d->binary);
	if (file.p && start_has_moment(in, &d->stamp) && script_may_read(c, file))
		script_custom_begin(c, &(struct str_list){&file, 1}, &file,
			c->scripts->dialect->has[DIALECT_DECLARATIVE_SCRIPTS]);
}

/* A start of a dashboard sets ctest's variables in the environment. */
static void
set_variables(struct script_command *c)
{
	static const char *const none[] = {NULL};
	struct scripts *s = c->scripts;
	struct str_list all = settings_variables(s->arena, s->options, s->dialect, true);
	environment_changes changes = environment_compare(
		s->arena, none, environment_with_all(s->arena, none, all));

	script_reply_environment(c->reply, &changes);
}

void
script_answer_customized(struct script_command *c)
{
	struct dashboard *d = script_dashboard(c->scripts);
	struct script_start *start = c->scripts->frame.starts;

	script_depth_leave(c);
	if (!start)
		return;
	if (start->goes_on) {
		set_variables(c);
		start->in.binary = d->binary;
		if (!start_script(&start->in, start->model_is_known, &d->stamp))
			fail_start(c, STR("unknown error."));
	}
	c->scripts->frame.starts = start->outer;
}

void
script_starts_end(struct scripts *s)
{
	struct script_reply nowhere = {.text = {.arena = s->arena}};

	while (s->frame.starts) {
		struct script_call call = s->frame.starts->call;
		struct script_command c = {s, &call, &nowhere, false};

		if (!s->frame.starts->is_configured)
			script_answer_configured(&c);
		s->frame.reading = NULL;
		script_answer_customized(&c);
	}
}

/*
 * cctr: parses the command line, chooses where tests come from, and starts the mode.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "compat/command_line/command_line.h"
#include "compat/command_line/config.h"
#include "compat/command_line/option_table.h"
#include "compat/compare/compare.h"
#include "compat/console/console.h"
#include "compat/dashboard/build/build_and_test.h"
#include "compat/dashboard/build/launcher.h"
#include "compat/dashboard/client/dashboard.h"
#include "compat/dashboard/merge/merge.h"
#include "compat/dashboard/script/script.h"
#include "compat/instrument/commands.h"
#include "compat/launch/launch_environment.h"
#include "compat/options/options.h"
#include "compat/presets/presets.h"
#include "compat/run/mode.h"
#include "compat/run/watch_rounds.h"
#include "compat/settings/settings.h"
#include "manifests/bridge/testfile.h"
#include "manifests/canary/canary_pool.h"
#include "manifests/json/json_manifest.h"
#include "runner/base/environment.h"
#include "runner/base/files.h"
#include "runner/base/inheritance.h"
#include "runner/base/local_time.h"
#include "runner/base/streams.h"
#include "runner/cluster/pilot.h"
#include "runner/control/alloc_client.h"
#include "runner/control/control_client.h"
#include "runner/pmix/pmix_host.h"
#include "runner/process/guardian.h"
#include "runner/process/install_paths.h"
#include "runner/process/program_build.h"
#include "runner/remote/agent.h"

/* How the process will end. */
struct exit_state {
	int code;
	bool has_loss;
	int interrupted; /* by that signal; 0: by none */
	bool is_listing; /* the text that is printed is the only result */
};

/* A report has standard output: what cctr itself prints goes to standard error. */
static bool
reports_to_output(const struct options *o)
{
	return streams_is_output(o->report.events) || streams_is_output(o->report.tap);
}

static void
say_messages(const options_messages *messages)
{
	for (size_t i = 0; i < messages->n; i++) {
		const struct options_message *m = &messages->v[i];

		if (!m->is_silent)
			streams_put(m->to_stderr ? STREAM_ERROR : STREAM_OUTPUT, m->text);
	}
}

/* ---- changes of the process ------------------------------------------------------ */

/* Only this file changes the working directory and the environment of cctr
 * (tests/meta/own_process.sh). */

static void
define_variable(struct arena *a, struct str name, struct str value)
{
	if (setenv(str_z(a, name), str_z(a, value), 1) != 0 && errno == ENOMEM)
		memory_end();
}

static void
change_variables(struct arena *a, const struct environment_change *changes, size_t n)
{
	INVARIANT(changes || !n);
	for (size_t i = 0; i < n; i++) {
		const struct environment_change *c = &changes[i];

		if (c->unset)
			unsetenv(str_z(a, c->name));
		else
			define_variable(a, c->name, c->value);
	}
}

/* "NAME=VALUE"; a text without a name is ignored. */
static void
put_variable(struct arena *a, struct str variable)
{
	size_t end = str_find(variable, '=');

	if (end && end < variable.n)
		define_variable(a, str_cut(variable.p, end), str_from(variable, end + 1));
}

static void
put_variables(struct arena *a, struct str_list variables)
{
	for (size_t i = 0; i < variables.n; i++)
		put_variable(a, variables.v[i]);
}

static void
replace_variables(struct arena *a, const char *const *variables)
{
	INVARIANT(variables);
	clearenv();
	for (; *variables; variables++)
		put_variable(a, str_of(*variables));
}

/* 0, or the errno. */
static int
enter_directory(struct arena *a, const char *path, struct str name)
{
	if (chdir(path) != 0)
		return errno;
	put_variables(a, caller_variables(a, name));
	return 0;
}

/* Enters the directory of --test-dir. Where the dialect reports this, it does so
 * only if the directory changes, and uses its physical path or the caller's name for
 * that. */
static bool
enter_test_dir(struct arena *a, struct options *o, const struct dialect *dialect,
	struct console *console)
{
	bool is_said = dialect->has[DIALECT_SAYS_CHANGING_DIRECTORY];
	struct str here = path_here(a), target = path_join(a, here, o->tree.test_dir);
	int error;

	if (is_said) {
		o->tree.names = caller_names(a);
		target = caller_name_of(a, &o->tree.names,
			path_join(a, caller_real_here(a), o->tree.test_dir));
	}
	if (!o->tree.test_dir.n || str_eq(here, target))
		return true;
	if (is_said && !o->print_commands.n && !o->names && !o->debug_test.p)
		console_fmt(console, CHANNEL_PROGRAM,
			"Internal ctest changing into directory: %.*s\n",
			STR_ARG(target));
	if (o->tree.source_dir.n && !directory_make(a, target.p)) {
		streams_put(STREAM_ERROR, str_fmt(a, "Failed to create directory: %.*s\n",
						  STR_ARG(target)));
		return false;
	}
	error = enter_directory(a, target.p,
		is_said ? caller_name_at(a, &o->tree.names, target.p) : target);
	if (error) {
		console_fmt(console, CHANNEL_ERROR,
			"Failed to change working directory to \"%.*s\"%s: %s\n",
			STR_ARG(target), is_said ? " " : "", strerror(error));
		return false;
	}
	o->tree.entered = target;
	return true;
}

/* Enters the build tree that the configuration names. A failure is said in quiet modes,
 * too. */
static bool
enter_place(struct arena *a, const struct settings_place *place)
{
	int error = place->path.n ? enter_directory(a, place->path.p, place->name) : 0;

	if (error)
		streams_put(STREAM_ERROR, str_fmt(a, "%.*s cannot be entered: %s\n",
						  STR_ARG(place->path), strerror(error)));
	return error == 0;
}

/* Logs the messages about the options that come after use number `logs` of --output-log,
 * up to the next use. */
static void
log_messages(struct console *console, const options_messages *messages, size_t logs)
{
	for (size_t i = 0; i < messages->n; i++) {
		const struct options_message *m = &messages->v[i];

		if (logs && m->logs == logs)
			console_log(console,
				m->is_warning ? CHANNEL_WARNING : CHANNEL_ERROR, m->text);
	}
}

/* Writes the logs of --output-log that a later --output-log replaced. false: one could
 * not be written, which was reported. */
static bool
write_earlier_logs(struct arena *a, const struct console_options *o,
	const struct dialect *dialect, const options_messages *messages)
{
	bool all = true;

	for (size_t i = 0; i < o->earlier_logs.n; i++) {
		struct console_options one = {.output_log = o->earlier_logs.v[i]};
		struct console *console = console_open(a, &one, dialect, NULL);

		log_messages(console, messages, i + 1);
		all = !console_lacks_log(console) && all;
		all = console_close(console) && all;
	}
	return all;
}

/* The number of the use of --output-log that counts. */
static size_t
last_log(const struct console_options *o)
{
	return o->output_log.n ? o->earlier_logs.n + 1 : 0;
}

/* Files, tests and steps after CTestCustom.cmake see the variables that it sets. */
static bool
read_custom(struct arena *a, const struct source_request *r, struct settings_file *found,
	struct diag *d)
{
	bool is_good = testfile_custom(a, r, found, d);

	change_variables(a, found->environment, found->environment_n);
	return is_good;
}

static struct test_inputs
test_inputs_of(struct arena *a, const struct options *o)
{
	static const struct own_environment changer = {
		change_variables, replace_variables};

	return (struct test_inputs){
		.source = o->manifest.n ? &json_source : &testfile_source,
		.path = o->manifest,
		.share = share_directory(a),
		.custom = o->manifest.n ? NULL : read_custom,
		.environment = &changer,
		.pool_file = canary_pool_load,
	};
}

static int
run_plainly(struct arena *a, const struct options *o, const struct dialect *dialect,
	struct console *console, const struct test_inputs *inputs, int *interrupted)
{
	struct run_context c = run_context_of(a, dialect, console);
	const struct run_settings *s = run_settings_read(&c, o, inputs, NULL);
	enum exit_code code;
	struct run_end end;

	if (!enter_place(a, &s->files.place))
		return EXIT_TESTS_FAILED;
	c.directory = path_here(a);
	if (o->run.watches)
		s = watch_rounds(&c, s, &code);
	if (!s) {
		*interrupted = c.interrupted;
		return (int)code;
	}
	end = test_mode(&c, s);
	*interrupted = end.interrupted;
	return (int)end.code;
}

/* Enters the build tree that a preset names. */
static bool
enter_preset(struct client *c, struct arena *a, struct str build, struct console *console)
{
	if (!directory_make(a, str_z(a, build)) || chdir(build.p) != 0) {
		console_fmt(console, CHANNEL_ERROR, "Failed to create directory: %.*s\n",
			STR_ARG(build));
		return false;
	}
	dashboard_read_again(c);
	return enter_place(a, dashboard_place(c));
}

static int
run_dashboard(struct arena *a, const struct options *o, const struct dialect *dialect,
	struct console *console, const struct test_inputs *inputs, int *interrupted)
{
	struct client *c = dashboard_open(a, o, dialect, console, inputs);
	const char *unset;
	struct str build;

	if (!enter_place(a, dashboard_place(c)) || !dashboard_introduce(c, &build) ||
		(build.n && !enter_preset(c, a, build, console)) || !dashboard_begin(c))
		return EXIT_NO_DASHBOARD;
	while (dashboard_step(c, &unset))
		if (unset)
			unsetenv(unset);
	return dashboard_end(c, interrupted);
}

/* A dashboard or a plain run, in the directory of --test-dir. */
static int
run_in_tree(struct arena *a, struct options *o, const struct dialect *dialect,
	struct console *console, int *interrupted)
{
	struct test_inputs inputs = test_inputs_of(a, o);
	bool has_commands =
		o->dashboard.is_on && dialect->has[DIALECT_STEPS_RUN_AS_SCRIPT];

	if (!enter_test_dir(a, o, dialect, console))
		return EXIT_USAGE;
	put_variables(a, settings_variables(a, o, dialect, has_commands));
	return (o->dashboard.is_on ? run_dashboard : run_plainly)(
		a, o, dialect, console, &inputs, interrupted);
}

static void
run_mode(struct arena *a, struct options *o, const struct dialect *dialect,
	const options_messages *messages, struct exit_state *end)
{
	struct console *console = console_open(a, &o->console, dialect, NULL);

	if (o->show_only == SHOW_NOTHING)
		guardian_begin();
	log_messages(console, messages, last_log(&o->console));
	if (o->build.is_asked)
		end->code = build_and_test(a, o, dialect, console, &end->interrupted);
	else
		end->code = run_in_tree(a, o, dialect, console, &end->interrupted);
	end->has_loss = !console_close(console);
}

static void
run_scripts(struct arena *a, const struct options *o, const struct dialect *dialect,
	char *const *argv, struct exit_state *end)
{
	struct test_inputs inputs = test_inputs_of(a, o);
	struct scripts scripts = {.arena = a,
		.options = o,
		.dialect = dialect,
		.console = console_open(a, &o->console, dialect, NULL),
		.inputs = &inputs,
		.argv = argv};

	put_variables(a, settings_script_variables(a, o));
	end->code = script_mode(&scripts);
	end->has_loss = !console_close(scripts.console);
	end->interrupted = scripts.interrupted;
}

/* Chooses the release of ctest; with a preset, that of the CMake which configured its
 * build tree. */
static bool
choose_dialect(struct arena *a, int argc, char **argv, struct dialect *dialect,
	const struct presets **presets, struct diag *d)
{
	const char *environment = getenv("CCTR_COMPAT_VERSION");
	struct str version = STR_NONE, directory = STR_NONE;

	command_line_peek(a, argc, argv, &version, &directory);
	if (!dialect_choose(dialect, a, version, environment, directory, d))
		return false;
	if (version.n || (environment && *environment) || directory.n)
		return true;
	*presets = presets_read(a, dialect, argc, argv, NULL);
	directory = presets_build_directory(a, *presets);
	return !directory.n ||
	       dialect_choose(dialect, a, version, environment, directory, d);
}

/* Whether no test runs. */
static bool
is_listing(const struct options *o)
{
	return o->help != HELP_NONE || o->show_settings || o->show_only != SHOW_NOTHING ||
	       o->print_labels || o->resources.show || o->schedule.simulate ||
	       o->print_commands.n || o->names || o->show_history || o->show_log;
}

/* --output-log makes its file as soon as it is read. */
static struct exit_state
end_unparsed(struct arena *a, const struct options *o, const struct dialect *dialect,
	const options_messages *messages)
{
	struct console *console = console_open(a, &o->console, dialect, NULL);
	struct exit_state end = {
		.code = o->has_wrong_defaults ? EXIT_TESTS_FAILED : EXIT_USAGE,
		.is_listing = is_listing(o)};

	log_messages(console, messages, last_log(&o->console));
	end.has_loss = !console_close(console);
	return end;
}

static struct exit_state
run_parsed(struct arena *a, int argc, char **argv, const struct dialect *dialect,
	const struct presets *presets)
{
	struct options o = {0};
	options_messages messages = {0};
	bool parsed =
		command_line_parse(a, dialect, presets, argc, argv, &o, &messages) &&
		(o.help != HELP_NONE || o.build.is_asked ||
			config_read(a, dialect, is_called_ctest(argv[0]), &o, &messages));
	struct exit_state end = {.is_listing = is_listing(&o)};
	bool has_logs;

	if (o.print_commands.n)
		o.caller_environment = environment_copy(a, environment_own());
	o.console.has_colour = console_wants_colour(dialect);
	put_variables(a, o.environment);
	if (reports_to_output(&o))
		streams_yield_output();
	say_messages(&messages);
	has_logs = write_earlier_logs(a, &o.console, dialect, &messages);
	if (!parsed)
		return end_unparsed(a, &o, dialect, &messages);
	if (o.help != HELP_NONE)
		return end;
	if (o.show_settings) {
		streams_put(STREAM_OUTPUT, config_text(a, &o));
		return end;
	}
	/* ctest then does nothing else. */
	if (o.build.is_asked)
		o.script.requests.n = 0;
	o.console.is_script = o.script.requests.n > 0;
	if (o.script.requests.n)
		run_scripts(a, &o, dialect, argv, &end);
	else
		run_mode(a, &o, dialect, &messages, &end);
	end.has_loss = end.has_loss || !has_logs;
	return end;
}

/* The words after the name of a command. */
static struct str_list
words_of_command(struct arena *a, int argc, char **argv)
{
	struct str_list l = {NEW_ARRAY(a, struct str, (size_t)(argc - 2)), 0};

	for (int i = 2; i < argc; i++)
		l.v[l.n++] = str_of(argv[i]);
	return l;
}

static struct exit_state
run_cctr(struct arena *a, int argc, char **argv)
{
	struct diag d = diag_in(a);
	struct dialect dialect;
	const struct presets *presets = NULL;
	struct exit_state end = {.code = EXIT_USAGE};

	if (argc == 2 && strcmp(argv[1], AGENT_WORD) == 0)
		end.code = agent_run(a, program_build(a, CCTR_VERSION));
	else if (argc > 1 && strcmp(argv[1], PILOT_WORD) == 0)
		end.code = pilot_run(a, argc, argv);
	else if (argc == 3 && strcmp(argv[1], PMIX_HOST_WORD) == 0)
		end.code = pmix_host_run(a, argv[2]);
	else if (argc > 1 && strcmp(argv[1], "ctl") == 0)
		end.code = control_client(a, words_of_command(a, argc, argv));
	else if (argc > 1 && strcmp(argv[1], "alloc") == 0)
		end.code = alloc_client(
			a, words_of_command(a, argc, argv), RESOURCE_GROUP_VARIABLES);
	else if (argc > 1 && strcmp(argv[1], "merge") == 0 && !is_called_ctest(argv[0]))
		end.code = merge_client(a, words_of_command(a, argc, argv));
	else if (argc > 1 && strcmp(argv[1], "compare") == 0 && !is_called_ctest(argv[0]))
		end.code = compare_client(
			a, words_of_command(a, argc, argv), &end.interrupted);
	else if (launcher_command(a, argc, argv, &end.code, &end.interrupted) ||
		 instrument_command(a, argc, argv, &end.code))
		;
	else if (choose_dialect(a, argc, argv, &dialect, &presets, &d))
		end = run_parsed(a, argc, argv, &dialect, presets);
	else
		streams_put(STREAM_ERROR,
			str_fmt(a, "cctr: %.*s\n", STR_ARG(d.entries.v[0].text)));
	return end;
}

/* ---- the end --------------------------------------------------------------------- */

static void
end_by_signal(int number)
{
	signal(number, SIG_DFL);
	raise(number);
}

/* true: it was printed. */
static bool
say_lost_text(struct arena *a, const char *stream, int error)
{
	if (error)
		streams_put(STREAM_ERROR, str_fmt(a, "cctr: cannot write %s: %s\n",
						  stream, strerror(error)));
	return error != 0;
}

/* All files are written and the exit code is known: now cctr waits for its readers. A run
 * that was interrupted waits for no reader, and ends by the signal. */
static int
leave_program(struct arena *a, const struct exit_state *end, bool had_output)
{
	int error, code = end->has_loss && !end->code ? EXIT_USAGE : end->code;

	guardian_end();
	streams_close_area();
	if (end->interrupted) {
		streams_push();
		end_by_signal(end->interrupted);
	}
	streams_drain();
	if (streams_have_lost_reader())
		end_by_signal(SIGPIPE);
	error = streams_error(STREAM_OUTPUT);
	if (end->is_listing && !had_output)
		error = EBADF;
	if (say_lost_text(a, "standard output", error) && code == EXIT_OK)
		code = EXIT_USAGE;
	error = streams_error(STREAM_ERROR);
	if (say_lost_text(a, "standard error", error) && code == EXIT_OK)
		code = EXIT_USAGE;
	streams_drain();
	streams_close();
	return code;
}

int
main(int argc, char **argv)
{
	cJSON_Hooks memory = {.malloc_fn = memory_or_end, .free_fn = free};
	bool had_output = inheritance_mend();
	struct arena *a = arena_open();
	struct exit_state end;
	int code;

	cJSON_InitHooks(&memory);
	local_time_begin();
	end = run_cctr(a, argc, argv);
	code = leave_program(a, &end, had_output);
	arena_close(a);
	return code;
}

/*
 * cctr: parse the command line, choose where tests come from, hand over to the test mode.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runner/files.h"

#include "compat/build/build_and_test.h"
#include "compat/console.h"
#include "compat/dashboard/dashboard.h"
#include "compat/build/launcher.h"
#include "compat/options.h"
#include "compat/presets/presets.h"
#include "compat/script/script.h"
#include "compat/test_mode.h"
#include "manifests/canary_pool.h"
#include "manifests/json_manifest.h"
#include "manifests/testfile.h"
#include "runner/inheritance.h"
#include "runner/install_paths.h"

static void
say(const options_messages *messages)
{
	for (size_t i = 0; i < messages->n; i++) {
		const struct options_message *m = &messages->v[i];

		if (!m->is_silent)
			fwrite(m->text.p, 1, m->text.n, m->to_stderr ? stderr : stdout);
	}
	fflush(stdout);
}

/* --test-dir: everything happens there. Where the dialect says that the directory
 * changes, it says so only if it does, and it knows the directory by its physical path,
 * or what the caller calls that.
 */
static bool
enter(struct arena *a, struct options *o, const struct dialect *dialect,
	struct console *console)
{
	bool is_said = dialect->has[DIALECT_SAYS_CHANGING_DIRECTORY];
	struct str here = path_here(a), target = path_join(a, here, o->test_dir);

	if (is_said) {
		o->names = caller_names(a);
		target = caller_name_of(
			a, &o->names, path_join(a, caller_real_here(a), o->test_dir));
	}
	if (!o->test_dir.n || str_eq(here, target))
		return true;
	if (is_said)
		console_fmt(console, CHANNEL_PROGRAM,
			"Internal ctest changing into directory: %.*s\n",
			STR_ARG(target));
	if (o->source_dir.n && !directory_make(a, target.p)) {
		fprintf(stderr, "Failed to create directory: %.*s\n", STR_ARG(target));
		return false;
	}
	if (chdir(target.p) != 0) {
		console_fmt(console, CHANNEL_ERROR,
			"Failed to change working directory to \"%.*s\"%s: %s\n",
			STR_ARG(target), is_said ? " " : "", strerror(errno));
		return false;
	}
	o->entered = target;
	caller_is_left(a, is_said ? caller_here(a, &o->names) : target);
	return true;
}

/* What was said of the options, for those that come behind --output-log. */
static void
log_messages(struct console *console, const options_messages *messages)
{
	for (size_t i = 0; i < messages->n; i++) {
		const struct options_message *m = &messages->v[i];

		if (m->is_logged)
			console_log(console,
				m->is_warning ? CHANNEL_WARNING : CHANNEL_ERROR, m->text);
	}
}

/* A run that was interrupted ends as the signal would have ended it. */
static int
leave(int code, int interrupted)
{
	if (interrupted) {
		signal(interrupted, SIG_DFL);
		raise(interrupted);
	}
	return code;
}

static struct test_inputs
test_inputs_of(struct arena *a, const struct options *o)
{
	return (struct test_inputs){
		.source = o->manifest.n ? &json_source : &testfile_source,
		.path = o->manifest,
		.share = share_directory(a),
		.custom = o->manifest.n ? NULL : testfile_custom,
		.pool_file = canary_pool_load,
	};
}

static int
run_mode(struct arena *a, struct options *o, const struct dialect *dialect,
	const options_messages *messages)
{
	struct test_inputs inputs = test_inputs_of(a, o);
	struct console *console = console_open(a, o, dialect);
	int interrupted = 0;
	int code = EXIT_USAGE;

	log_messages(console, messages);
	if (o->build.is_asked)
		code = build_and_test(a, o, dialect, console, &interrupted);
	else if (enter(a, o, dialect, console))
		code = o->dashboard.is_on ? dashboard_mode(a, o, dialect, console,
						    &inputs, &interrupted)
					  : (int)test_mode(a, o, dialect, console,
						    &inputs, &interrupted);
	console_close(console);
	return leave((int)code, interrupted);
}

static int
run_scripts(struct arena *a, const struct options *o, const struct dialect *dialect,
	char *const *argv)
{
	struct test_inputs inputs = test_inputs_of(a, o);
	struct scripts scripts = {.arena = a,
		.options = o,
		.dialect = dialect,
		.console = console_open(a, o, dialect),
		.share = share_directory(a),
		.inputs = &inputs,
		.argv = argv};
	int code = script_mode(&scripts);

	console_close(scripts.console);
	return leave(code, scripts.interrupted);
}

/* Which ctest; with a preset, what configured the build tree that it names. */
static bool
choose_dialect(
	struct arena *a, int argc, char **argv, struct dialect *dialect, struct diag *d)
{
	const char *environment = getenv("CCTR_COMPAT_VERSION");
	struct str version = STR_NONE, directory = STR_NONE;
	struct preset_request presets;

	options_peek(a, argc, argv, &version, &directory);
	if (!dialect_choose(dialect, a, version, environment, directory, d))
		return false;
	if (version.n || (environment && *environment) || directory.n)
		return true;
	presets = preset_request_of(dialect, argc, argv);
	directory = presets_build_directory(a, dialect, &presets);
	return !directory.n ||
	       dialect_choose(dialect, a, version, environment, directory, d);
}

static int
cctr(struct arena *a, int argc, char **argv)
{
	struct diag d = diag_in(a);
	struct dialect dialect;
	struct options o = {0};
	options_messages messages = {0};
	int interrupted;
	bool parsed;

	if (argc > 1 && strcmp(argv[1], "--launch") == 0) {
		int code = launcher(a, argc, argv, &interrupted);

		return leave(code, interrupted);
	}
	if (!choose_dialect(a, argc, argv, &dialect, &d)) {
		fprintf(stderr, "cctr: %.*s\n", STR_ARG(d.entries.v[0].text));
		return EXIT_USAGE;
	}
	parsed = options_parse(a, &dialect, argc, argv, &o, &messages);
	say(&messages);
	if (!parsed) {
		/* --output-log makes its file as soon as it is read. */
		struct console *console = console_open(a, &o, &dialect);

		log_messages(console, &messages);
		console_close(console);
		return EXIT_USAGE;
	}
	if (o.help != HELP_NONE)
		return EXIT_OK;
	/* It is all that ctest does then. */
	if (o.build.is_asked)
		o.scripts.n = 0;
	if (o.scripts.n)
		return run_scripts(a, &o, &dialect, argv);
	return run_mode(a, &o, &dialect, &messages);
}

int
main(int argc, char **argv)
{
	struct arena *a = arena_open();
	int code;

	inheritance_mend();
	code = cctr(a, argc, argv);
	arena_close(a);
	return code;
}

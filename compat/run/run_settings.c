/* Files are read and messages printed in ctest's order. See run_settings.h. */
#include "compat/run/run_settings.h"

#include <string.h>

#include "compat/console/ui.h"
#include "compat/settings/default_files.h"
#include "runner/base/files.h"
#include "runner/process/command.h"

static struct str
manifest_path(const struct run_context *c, struct str path)
{
	return str_is(path, "-") ? path : str_of(run_path(c, path));
}

struct source_request
run_settings_request(const struct run_context *c, const struct run_settings *s)
{
	return (struct source_request){
		.path = s->inputs->path.n ? manifest_path(c, s->inputs->path)
					  : s->directory,
		.directory = c->directory,
		.configuration = s->options.configuration,
		.share = s->inputs->share,
		.dialect = c->dialect,
		.patterns = c->patterns,
	};
}

/* CTestCustom is where the other files go. That is not where the tests are if --test-dir
 * wins over the directory that the configuration names. */
static struct str
custom_directory(const struct run_context *c, const struct run_settings *s)
{
	bool is_apart = s->options.tree.test_dir.n &&
			c->dialect->has[DIALECT_TEST_DIR_CHOOSES_TESTS];
	bool is_named = !str_eq(s->files.binary, s->files.start);

	return is_apart && is_named ? s->files.binary : s->directory;
}

/* Until 4.0 CTestCustom.ctest (but not CTestCustom.cmake) is also reported as a problem
 * if there was an earlier error. */
static void
report_custom(struct run_context *c, const struct run_settings *s, struct str directory)
{
	struct str path =
		str_fmt(c->arena, "%.*s/CTestCustom.ctest", STR_ARG(s->files.binary));
	struct str stronger = path_join(c->arena, directory, STR("CTestCustom.cmake"));

	if (c->dialect->has[DIALECT_CUSTOM_FILE_ALSO_REPORTED] && s->options.has_error &&
		!c->diag.errors && !path_exists(stronger.p) && path_exists(path.p))
		diag_error(&c->diag, NO_PLACE,
			"Problem reading custom configuration: %.*s", STR_ARG(path));
}

/* Errors in the file are reported, and the run continues. */
static void
read_custom(struct run_context *c, struct run_settings *s)
{
	struct source_request r = run_settings_request(c, s);
	struct settings_file found;
	struct str directory = custom_directory(c, s);

	if (!s->inputs->path.n)
		r.path = directory;
	s->inputs->custom(c->arena, &r, &found, &c->diag);
	report_custom(c, s, directory);
	s->is_stopped = found.is_stopped;
	console_diag(c->console, &c->diag);
	settings_take_custom(&s->files, &found);
	s->is_obeyed &= settings_obey_custom(&s->files, &s->options) && !s->is_stopped;
	if (c->dialect->has[DIALECT_CONFIGURATION_LINE_TWICE])
		s->directory = settings_go_on(&s->files, &s->options, s->directory);
}

static void
read_files(struct run_context *c, struct run_settings *s)
{
	s->directory = settings_read_configuration(&s->files, path_here(c->arena));
	settings_say_configuration(&s->files, &s->options);
	if (s->inputs->custom)
		read_custom(c, s);
}

/* The caller of a step has read the files. */
static void
take_step(struct run_settings *s, const struct test_step *step)
{
	s->step = step;
	s->tag = step->tag;
	s->wrapper = step->wrapper;
	s->directory = step->directory;
	s->files.configuration = *step->configuration;
	s->files.custom = *step->custom;
	s->files.binary = step->binary;
	s->files.is_script = step->is_script;
	s->is_obeyed &= settings_obey_custom(&s->files, &s->options);
}

/* said: by the command line. e: what is used, with the other places. */
static bool
check_engine(
	const struct engine_options *said, const struct engine_options *e, struct diag *d)
{
	if (said->nodes.n && (e->system || !e->launcher.n))
		return diag_error(
			d, NO_PLACE, "'--nodes' does nothing without '--launcher'");
	/* --engine=local switches off what the other options say. */
	if (said->has_engine || e->system)
		return true;
	if (said->system_options.n)
		return diag_error(
			d, NO_PLACE, "'--backend-opt' does nothing without '--engine'");
	return !said->node_timeout_s || e->launcher.n ||
	       diag_error(d, NO_PLACE,
		       "'--node-timeout' does nothing without '--launcher' or "
		       "'--engine'");
}

/* The command line and the environment win over cctr.yaml. */
static bool
read_defaults(struct run_context *c, struct run_settings *s)
{
	const struct engine_options said = s->options.engine;
	struct engine_options weaker;
	bool is_read = defaults_read(c->arena, s->directory, s->options.profile,
		s->options.own_keys, &weaker, &c->diag);

	if (is_read) {
		engine_options_fill(c->arena, &s->options.engine, &weaker);
		is_read = check_engine(&said, &s->options.engine, &c->diag);
	}
	console_diag(c->console, &c->diag);
	return is_read;
}

static bool
find_wrapper(struct run_context *c, struct run_settings *s)
{
	struct str name, *path;
	int error;

	s->before = str_list_dup(c->arena, s->options.run.wrapper);
	if (!s->before.n)
		return true;
	path = &s->before.v[0];
	name = *path;
	error = command_locate(c->arena, name, str_z(c->arena, c->start), path);
	if (!error)
		return true;
	if (path->n)
		diag_error(&c->diag, NO_PLACE, "--wrapper: %.*s: %s", STR_ARG(*path),
			strerror(error));
	else
		diag_error(&c->diag, NO_PLACE,
			"--wrapper: there is no program \"%.*s\" in PATH", STR_ARG(name));
	console_diag(c->console, &c->diag);
	return false;
}

const struct run_settings *
run_settings_read(struct run_context *c, const struct options *o,
	const struct test_inputs *inputs, const struct test_step *step)
{
	struct run_settings *s = NEW(c->arena, struct run_settings);
	struct ui_place ui = ui_place_here();

	INVARIANT(inputs->source);
	*s = (struct run_settings){.options = *o,
		.inputs = inputs,
		.words = run_words(o->dashboard.is_memcheck),
		.is_obeyed = !o->has_error,
		.is_live = !step && ui_is_live(&o->console, &ui),
		.lists_alone = o->show_only != SHOW_NOTHING &&
			       c->dialect->has[DIALECT_LISTS_WITHOUT_PRE_TEST]};
	s->files = (struct settings){.arena = c->arena,
		.options = &s->options,
		.dialect = c->dialect,
		.console = c->console};
	if (step)
		take_step(s, step);
	else
		read_files(c, s);
	if (c->dialect->has[DIALECT_CMAKE_INSTRUMENTATION] &&
		instrumentation_may_exist(c->arena, s->directory))
		s->instrumentation =
			instrumentation_read(c->arena, c->dialect, s->directory);
	s->custom = custom_run(&s->files.custom, o->dashboard.is_memcheck);
	s->temporary =
		str_fmt(c->arena, "%.*s/Testing/Temporary", STR_ARG(s->files.binary));
	s->is_unreadable =
		!read_defaults(c, s) || s->files.is_unreadable || c->diag.unreadable;
	if (!find_wrapper(c, s))
		s->is_unreadable = true;
	return s;
}

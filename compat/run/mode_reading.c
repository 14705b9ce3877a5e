/* The configuration, CTestCustom and the tests. See session.h. */
#include "compat/run/session.h"

#include <stdlib.h>

#include "compat/resources/properties.h"
#include "compat/run/pass_through.h"
#include "runner/base/files.h"
#include "runner/model/suite.h"

static struct source_request
request_for(const struct session *s)
{
	return (struct source_request){
		.path = s->inputs->path.n ? s->inputs->path : s->directory,
		.configuration = s->options->configuration,
		.share = s->inputs->share,
		.dialect = s->dialect,
		.patterns = s->patterns,
	};
}

void
session_read_configuration(struct session *s)
{
	s->settings = (struct settings){.arena = s->arena,
		.options = &s->effective,
		.dialect = s->dialect,
		.console = s->console};
	if (s->step) {
		s->settings.configuration = *s->step->configuration;
		s->settings.custom = *s->step->custom;
		s->settings.binary = s->step->binary;
		s->settings.is_script = s->step->is_script;
	} else {
		s->directory = settings_read_configuration(&s->settings, s->directory);
	}
	s->temporary =
		str_fmt(s->arena, "%.*s/Testing/Temporary", STR_ARG(s->settings.binary));
}

/* CTestCustom is where the other files go. That is not where the tests are if --test-dir
 * wins over the directory that the configuration names. */
static struct str
custom_directory(const struct session *s)
{
	bool is_apart = s->options->test_dir.n && s->dialect->has[DIALECT_TEST_DIR_WINS];
	bool is_named = !str_eq(s->settings.binary, s->settings.start);

	return is_apart && is_named ? s->settings.binary : s->directory;
}

/* Until 4.0 CTestCustom.ctest (but not CTestCustom.cmake) is also reported as a problem
 * if there was an earlier error. */
static void
report_custom(struct session *s, struct str directory)
{
	struct str path = path_join(s->arena, directory, STR("CTestCustom.ctest"));
	struct str stronger = path_join(s->arena, directory, STR("CTestCustom.cmake"));

	if (s->dialect->has[DIALECT_CUSTOM_DOUBTED] && s->options->has_error &&
		!s->diag.errors && !path_exists(stronger.p) && path_exists(path.p))
		diag_error(&s->diag, NO_PLACE,
			"Problem reading custom configuration: %.*s", STR_ARG(path));
}

bool
session_read_custom(struct session *s)
{
	struct source_request r = request_for(s);
	struct variable *variables = NULL;
	size_t n = 0;
	bool is_obeyed;

	if (s->step)
		return settings_obey_custom(&s->settings);
	settings_say_configuration(&s->settings);
	if (!s->inputs->custom)
		return true;
	if (!s->inputs->path.n)
		r.path = custom_directory(s);
	/* Errors in the file are reported, and the run continues. */
	s->inputs->custom(s->arena, &r, &variables, &n, &s->diag);
	report_custom(s, custom_directory(s));
	for (size_t i = 0; i < s->diag.entries.n; i++)
		s->is_stopped |= s->diag.entries.v[i].kind == DIAG_CMAKE_FATAL &&
				 s->diag.entries.v[i].at.command.n > 0;
	console_diag(s->console, &s->diag);
	settings_take_custom(&s->settings, variables, n);
	is_obeyed = settings_obey_custom(&s->settings);
	if (s->dialect->has[DIALECT_CONFIGURATION_TWICE])
		s->directory = settings_go_on(&s->settings, s->directory);
	return is_obeyed && !s->is_stopped;
}

/* set(ENV{X}) in a test file changes the environment of every test. */
static void
apply_environment(const struct session *s)
{
	for (size_t i = 0; i < s->suite->environment_n; i++) {
		const struct environment_change *c = &s->suite->environment[i];

		if (c->unset)
			unsetenv(str_z(s->arena, c->name));
		else
			setenv(str_z(s->arena, c->name), str_z(s->arena, c->value), 1);
	}
}

/* After a stop ctest still reads the first file, but executes nothing in it. */
static void
keep_syntax(declaration_vec *list)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->n; i++)
		if (list->v[i].is_syntax)
			list->v[kept++] = list->v[i];
	list->n = kept;
}

bool
session_read_suite(struct session *s)
{
	struct source_request r = request_for(s);
	struct declarations found = {0};
	struct property_reader reader = properties_reader(s->patterns, s->dialect);
	size_t entries;
	bool loaded, is_good;

	filters_read_patterns(&s->filters);
	reader.dropped = filters_dropped(&s->filters);
	reader.dropped_names =
		custom_run(&s->settings.custom, s->options->dashboard.is_memcheck)
			->ignore;
	reader.dropped_text = run_words(s->options)->ignored;
	console_say(s->console, CHANNEL_ASIDE, STR("Constructing a list of tests\n"));
	entries = s->diag.entries.n;
	loaded = s->inputs->source->load(s->arena, &r, &found, &s->diag);
	if (s->is_stopped && found.has_file) {
		s->diag.entries.n = entries;
		keep_syntax(&found.list);
	}
	pass_through_add(s->arena, &found.list, &s->options->pass_through);
	s->suite = suite_build(s->arena, &found, &reader, &s->diag);
	s->suite->patterns = s->patterns;
	is_good = s->diag.errors == 0 && !console_lacks_log(s->settings.console);
	console_diag(s->console, &s->diag);
	s->has_file = s->filters.has_tests = found.has_file;
	apply_environment(s);
	/* Earlier errors count only if there is a test file. */
	return loaded && (!s->has_file || (is_good && s->is_obeyed));
}

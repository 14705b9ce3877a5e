/*
 * Reads the settings of the build tree, makes or finds the tag, and runs the requested
 * steps in ctest's order, whatever the order of the options. Before 4.0 the steps run
 * directly; since then each is a command of a script, which script_client replaces.
 */
#include "compat/dashboard/client/dashboard.h"

#include <time.h>

#include "compat/dashboard/client/script_client.h"
#include "compat/dashboard/step/step_start.h"
#include "compat/dashboard/step_table.h"
#include "compat/format/regex.h"
#include "compat/format/unix_path.h"
#include "compat/report/report_junit.h"
#include "compat/settings/settings.h"
#include "runner/base/files.h"

struct client {
	struct dashboard *d;
	struct script_client *commands; /* NULL before 4.0 */
	struct options effective;
	struct settings settings;
	struct str directory; /* of the build tree, which main enters */
	int64_t started_s;
	size_t steps; /* of the order that are over */
	int code, value; /* of all steps, of the last one */
	struct diag diag;
};

static struct str
get_key(const struct client *c, const char *key)
{
	return configuration_get(&c->settings.configuration, key);
}

static struct step_input
input_of(const struct client *c, enum part part)
{
	struct step_input in = dashboard_input(c->d, &c->effective);

	in.custom = &c->settings.custom;
	in.directory = c->directory;
	in.source = get_key(c, "SourceDirectory");
	in.is_script = c->commands != NULL;
	in.call.part = part;
	return in;
}

/* ---- reading --------------------------------------------------------------------- */

static void
say_missing(struct client *c)
{
	if (!c->settings.configuration.was_read)
		console_fmt(c->d->console, CHANNEL_WARNING, "Cannot find file: %.*s\n",
			STR_ARG(c->settings.configuration.path));
}

/* Until ctest 4.0 only scripts had a limit. */
static void
take_limit(struct client *c)
{
	struct str limit = STR_NONE;

	if (c->commands)
		limit = script_client_limit(c->commands, &c->settings.configuration);
	c->effective.run.limit_end_s =
		limit.p ? c->started_s + whole_seconds(str_double(limit)) : 0;
}

static void
take_configuration(struct client *c)
{
	c->d->configuration = c->settings.configuration;
	if (c->commands)
		c->d->configuration.overwrites = &c->effective.tree.overwrites;
	take_limit(c);
}

/* ctest sets a default limit. */
static bool
has_default_limit(const struct client *c, bool is_first)
{
	const struct dialect *dialect = c->d->dialect;

	return dialect->has[DIALECT_CLIENT_KNOWS_LIMIT] &&
	       (is_first || dialect->has[DIALECT_DEFAULT_LIMIT_STAYS]) &&
	       !get_key(c, "TimeOut").n;
}

static void
define_keys(struct client *c, bool is_first)
{
	struct configuration *configuration = &c->settings.configuration;

	if (!c->commands)
		return;
	if (has_default_limit(c, is_first))
		configuration_set(configuration, STR("TimeOut=10000000"));
	script_client_define_keys(c->commands, configuration);
	settings_overwrite(&c->settings);
}

static void
take_what_was_read(struct client *c, bool is_first)
{
	say_missing(c);
	define_keys(c, is_first);
	take_configuration(c);
}

/* Commands work in the directory that the configuration names, even with --test-dir. */
static void
name_build_directory(struct client *c, struct str here)
{
	if (!get_key(c, "BuildDirectory").n)
		configuration_set(&c->settings.configuration,
			str_fmt(c->d->arena, "BuildDirectory=%.*s", STR_ARG(here)));
	c->settings.binary = get_key(c, "BuildDirectory");
}

/* Where there is no configuration file, ctest takes no limit from --overwrite. */
static void
forget_limit(struct client *c)
{
	const str_vec all = c->effective.tree.overwrites;
	str_vec kept = {0};

	for (size_t i = 0; i < all.n; i++)
		if (!str_begins(all.v[i], STR("TimeOut=")))
			VEC_PUSH(c->d->arena, &kept, all.v[i]);
	c->effective.tree.overwrites = kept;
	configuration_set(&c->settings.configuration, STR("TimeOut="));
}

static void
read_configuration(struct client *c)
{
	struct dashboard *d = c->d;
	struct str here = path_here(d->arena);

	c->settings = (struct settings){.arena = d->arena,
		.options = &c->effective,
		.dialect = d->dialect,
		.console = d->console};
	if (c->commands)
		console_fmt(d->console, CHANNEL_VERBOSE,
			"SetCTestConfiguration:BuildDirectory:%.*s\n", STR_ARG(here));
	c->directory = settings_read_configuration(&c->settings, here);
	if (!c->settings.configuration.was_read &&
		!d->dialect->has[DIALECT_CLIENT_KNOWS_LIMIT])
		forget_limit(c);
	if (c->commands)
		name_build_directory(c, here);
	d->binary = c->settings.binary;
	settings_say_configuration(&c->settings, &c->effective);
	take_what_was_read(c, true);
}

/* An earlier step may have written the configuration. */
static void
read_again(struct client *c, enum part part)
{
	c->settings.configuration = c->d->configuration;
	settings_read_again(&c->settings, &c->effective);
	take_what_was_read(c, false);
	if (c->commands && part != PART_NOTES)
		script_client_take(c->commands, &c->d->configuration);
}

static void
say_site(const struct client *c)
{
	const struct dashboard *d = c->d;

	console_fmt(d->console, CHANNEL_PROGRAM, "   Site: %.*s\n   Build name: %.*s\n",
		STR_ARG(get_key(c, "Site")),
		STR_ARG(report_build_name(
			d->arena, d->dialect, get_key(c, "BuildName"))));
}

/* false: the file exists and cannot be read. */
static bool
read_custom(struct client *c)
{
	struct dashboard *d = c->d;
	struct match_set *patterns = match_set_open(d->arena, regex_parse);
	struct settings_file found;
	struct source_request r = {
		.path = d->inputs->path.n ? d->inputs->path : c->directory,
		.configuration = c->effective.configuration,
		.share = d->inputs->share,
		.dialect = d->dialect,
		.patterns = patterns,
	};

	if (d->inputs->custom) {
		d->inputs->custom(d->arena, &r, &found, &c->diag);
		console_diag(d->console, &c->diag);
		settings_take_custom(&c->settings, &found);
	}
	match_set_close(patterns);
	return c->diag.unreadable == 0;
}

/* ---- steps ----------------------------------------------------------------------- */

/* The steps in the order in which they run, each with its bit of the exit code. */
static const struct order {
	enum part part;
	int bit;
	bool rereads;
} order[] = {
	{PART_UPDATE, 1, false},
	{PART_CONFIGURE, 2, false},
	{PART_BUILD, 4, true},
	{PART_TEST, 8, true},
	{PART_COVERAGE, 32, true},
	{PART_MEMCHECK, 16, true},
	{PART_NOTES, 0, true},
	{PART_SUBMIT, 64, true},
};

static bool
is_asked(const struct client *c, enum part part)
{
	return c->effective.dashboard.parts >> part & 1;
}

static bool
run_part(struct client *c, enum part part, int *value)
{
	struct step_input in = input_of(c, part);
	struct step_result r;

	if (c->commands && part != PART_NOTES) {
		bool is_good = script_client_run(c->commands, part, value);

		take_limit(c);
		return is_good;
	}
	r = step_run(&in);
	dashboard_fold(c->d, &r);
	*value = r.value;
	return !r.has_failed;
}

/* After an error, ctest versions whose steps are not commands run no tests. */
static void
forbid_tests(struct client *c, size_t errors)
{
	if (!c->commands && console_errors(c->d->console) > errors)
		c->effective.has_error = true;
}

/* A tag that is continued does not change the model that commands use. */
static enum model
model_of(const struct client *c)
{
	return c->commands ? c->effective.dashboard.model : c->d->stamp.model;
}

static void
run_step(struct client *c, const struct order *o)
{
	size_t errors;

	if (o->rereads)
		read_again(c, o->part);
	errors = console_errors(c->d->console);
	if (c->settings.is_unreadable || !run_part(c, o->part, &c->value))
		c->code |= o->bit;
	forbid_tests(c, errors);
}

static bool
say_not_begun(struct client *c)
{
	console_say(c->d->console, CHANNEL_ERROR,
		STR("Problem initializing the dashboard.\n"));
	return false;
}

/* Prints the messages before the dashboard's first step. */
static bool
say_introduction(struct client *c)
{
	if (c->settings.is_unreadable)
		return say_not_begun(c);
	if (!c->commands) {
		struct step_input in = input_of(c, PART_START);
		size_t errors = console_errors(c->d->console);
		bool is_good;

		say_site(c);
		is_good = !start_has_moment(&in, &in.stamp) || read_custom(c);
		forbid_tests(c, errors);
		return is_good || say_not_begun(c);
	}
	if (!script_client_begin(c->commands))
		return say_not_begun(c);
	take_limit(c);
	script_client_take(c->commands, &c->d->configuration);
	return true;
}

/* What ctest_start() makes of the name by which the configuration is read again. */
static struct str
binary_of_start(const struct client *c)
{
	struct dashboard *d = c->d;

	if (!d->dialect->has[DIALECT_START_COMPLETES_DIRECTORY])
		return unix_slashes(d->arena, d->dialect, c->settings.binary);
	return path_join(d->arena, path_here(d->arena), c->settings.binary);
}

/* If it fails, a command has printed the reason. */
static bool
begin_dashboard(struct client *c)
{
	struct step_input in = input_of(c, PART_START);

	if (!is_asked(c, PART_START))
		return start_resume(&in, &c->d->stamp) || say_not_begun(c);
	if (!c->commands)
		return start_new(&in, &c->d->stamp) || say_not_begun(c);
	if (!script_client_start(c->commands))
		return false;
	c->settings.binary = binary_of_start(c);
	/* The command does not use files from before. */
	c->effective.dashboard.extra_files.n = 0;
	return true;
}

/* Either its own, or the commands' dashboard. */
static void
make_dashboard(struct client *c, const struct dashboard *d)
{
	if (d->dialect->has[DIALECT_STEPS_RUN_AS_SCRIPT]) {
		c->commands = script_client_new(
			d->arena, &c->effective, d->dialect, d->console, d->inputs);
		c->d = script_client_dashboard(c->commands);
	} else {
		c->d = NEW(d->arena, struct dashboard);
		*c->d = *d;
	}
	c->d->stamp.model = c->effective.dashboard.model;
	c->d->stamp.group = c->effective.dashboard.group;
}

struct client *
dashboard_open(struct arena *a, const struct options *o, const struct dialect *dialect,
	struct console *console, const struct test_inputs *inputs)
{
	struct client *c = NEW(a, struct client);

	*c = (struct client){
		.effective = *o, .started_s = time(NULL), .diag = diag_in(a)};
	make_dashboard(c, &(struct dashboard){.arena = a,
				  .dialect = dialect,
				  .console = console,
				  .inputs = inputs});
	read_configuration(c);
	return c;
}

const struct settings_place *
dashboard_place(const struct client *c)
{
	return &c->settings.place;
}

/* With --source-dir alone, a configure preset names the build tree. */
bool
dashboard_introduce(struct client *c, struct str *build)
{
	INVARIANT(build);
	*build = STR("");
	if (!say_introduction(c))
		return false;
	if (!c->commands || !c->effective.tree.source_dir.n ||
		c->effective.tree.test_dir.n)
		return true;
	return script_client_preset_build(c->commands, build);
}

void
dashboard_read_again(struct client *c)
{
	INVARIANT(c->commands);
	read_configuration(c);
	script_client_take(c->commands, &c->d->configuration);
}

bool
dashboard_begin(struct client *c)
{
	c->settings.place = (struct settings_place){STR(""), STR("")};
	return begin_dashboard(c);
}

bool
dashboard_step(struct client *c, const char **unset)
{
	INVARIANT(unset);
	c->d->unset = *unset = NULL;
	while (c->steps < sizeof order / sizeof *order && !c->d->interrupted) {
		const struct order *o = &order[c->steps++];

		/* Continuous: without an update there is nothing to do. */
		if (o == &order[1] && model_of(c) == MODEL_CONTINUOUS && c->value == 0) {
			c->code = 0;
			return false;
		}
		if (!is_asked(c, o->part) || !step_has_time(&c->effective))
			continue;
		run_step(c, o);
		*unset = c->d->unset;
		return true;
	}
	return false;
}

int
dashboard_end(const struct client *c, int *interrupted)
{
	INVARIANT(interrupted);
	*interrupted = c->d->interrupted;
	if (c->code && !c->d->interrupted && !c->commands)
		settings_say_failure(&c->settings);
	return c->code;
}

/*
 * Reads what the build tree says, makes or finds the tag, and runs the steps that are
 * asked for in ctest's order, whatever the order of the options.
 */
#include "compat/dashboard/dashboard.h"

#include <ctype.h>
#include <time.h>

#include "compat/regex.h"
#include "compat/report_junit.h"
#include "compat/settings.h"
#include "runner/files.h"

enum { EXIT_NO_DASHBOARD = 12, LEAST_TIME_S = 120 };

struct client {
	struct dashboard d;
	struct options effective;
	struct settings settings;
	struct diag diag;
};

static struct str
get(const struct client *c, const char *key)
{
	return configuration_get(&c->settings.configuration, key);
}

/* ---- reading ---------------------------------------------------------------------- */

static void
say_missing(struct client *c)
{
	if (!c->settings.configuration.was_read)
		console_fmt(c->d.console, CHANNEL_WARNING, "Cannot find file: %.*s\n",
			STR_ARG(c->settings.configuration.path));
}

/* Until ctest 4.0 only scripts had a limit. */
static void
take_limit(struct client *c)
{
	struct str limit = get(c, "TimeLimit");

	if (c->d.dialect->has[DIALECT_START_SAYS_SITE] && limit.n)
		c->effective.limit_end_s =
			c->d.started_s + whole_seconds(str_double(limit));
}

static void
take_configuration(struct client *c)
{
	c->d.configuration = c->settings.configuration;
	c->d.source = get(c, "SourceDirectory");
	take_limit(c);
}

static void
read_configuration(struct client *c)
{
	struct dashboard *d = &c->d;

	c->settings = (struct settings){.arena = d->arena,
		.options = &c->effective,
		.dialect = d->dialect,
		.console = d->console};
	d->directory = settings_read_configuration(&c->settings, path_here(d->arena));
	d->binary = c->settings.binary;
	settings_say_configuration(&c->settings);
	say_missing(c);
	take_configuration(c);
}

/* A step before may have written it. */
static void
read_again(struct client *c)
{
	settings_read_again(&c->settings);
	say_missing(c);
	take_configuration(c);
}

static void
say_site(const struct client *c)
{
	const struct dashboard *d = &c->d;

	if (!d->dialect->has[DIALECT_START_SAYS_SITE])
		console_fmt(d->console, CHANNEL_PROGRAM,
			"   Site: %.*s\n   Build name: %.*s\n", STR_ARG(get(c, "Site")),
			STR_ARG(report_build_name(
				d->arena, d->dialect, get(c, "BuildName"))));
}

static void
read_custom(struct client *c)
{
	struct dashboard *d = &c->d;
	struct match_set *patterns = match_set_open(d->arena, regex_translate);
	struct variable *variables = NULL;
	size_t n = 0;
	struct source_request r = {
		.path = d->inputs->path.n ? d->inputs->path : d->directory,
		.configuration = d->options->configuration,
		.share = d->inputs->share,
		.cmake_version = d->dialect->version,
		.patterns = patterns,
	};

	if (d->inputs->custom) {
		d->inputs->custom(d->arena, &r, &variables, &n, &c->diag);
		settings_take_custom(&c->settings, variables, n);
		console_diag(d->console, &c->diag);
	}
	d->custom = c->settings.custom;
	match_set_close(patterns);
}

/* ---- steps ------------------------------------------------------------------------- */

/* In their order, with the bit of the exit code. */
static const struct {
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
is_asked(const struct dashboard *d, enum part part)
{
	return d->options->dashboard.parts >> part & 1;
}

static bool
has_time(const struct dashboard *d)
{
	return !d->options->limit_end_s ||
	       d->options->limit_end_s - time(NULL) > LEAST_TIME_S;
}

/* An error of the command that the step is: of no file. */
static void
say_error(struct client *c, enum part part, struct str text)
{
	struct arena *a = c->d.arena;
	struct buf command = {.arena = a};
	struct diag_entry e = {.kind = DIAG_CMAKE_ERROR, .at = NO_PLACE};
	struct str said;

	for (const char *p = part_name(part); *p; p++)
		buf_char(&command, (char)tolower((unsigned char)*p));
	e.text = str_fmt(a, "ctest_%s %.*s", command.p, STR_ARG(text));
	said = console_cmake_message(a, &e);
	console_fmt(c->d.console, CHANNEL_ERROR, "CMake Error in %.*s",
		STR_ARG(str_from(said, strlen("CMake Error"))));
}

static bool
run_part(struct client *c, enum part part, struct step_result *r)
{
	struct step_call call = {.part = part};
	bool ok = step_run(&c->d, &call, r);

	for (size_t i = 0; i < r->errors.n; i++)
		say_error(c, part, r->errors.v[i]);
	return ok;
}

/* Once ctest has said an error, the versions whose steps are not commands run no test. */
static void
forbid_tests(struct client *c, size_t errors)
{
	if (!c->d.dialect->has[DIALECT_START_SAYS_SITE] &&
		console_errors(c->d.console) > errors)
		c->effective.has_error = true;
}

static int
run_steps(struct client *c)
{
	struct dashboard *d = &c->d;
	struct step_result r = {0};
	size_t errors;
	int code = 0;

	for (size_t i = 0; i < sizeof order / sizeof *order && !d->interrupted; i++) {
		/* Continuous: nothing new, nothing to do. */
		if (i == 1 && d->model == MODEL_CONTINUOUS && r.value == 0)
			return 0;
		if (!is_asked(d, order[i].part) || !has_time(d))
			continue;
		if (order[i].rereads)
			read_again(c);
		errors = console_errors(d->console);
		if (!run_part(c, order[i].part, &r))
			code |= order[i].bit;
		forbid_tests(c, errors);
	}
	return code;
}

static bool
begin(struct client *c)
{
	struct step_result r;

	return is_asked(&c->d, PART_START) ? run_part(c, PART_START, &r)
					   : step_resume(&c->d);
}

int
dashboard_mode(struct arena *a, const struct options *o, const struct dialect *dialect,
	struct console *console, const struct test_inputs *inputs, int *interrupted)
{
	struct client c = {.effective = *o, .diag = diag_in(a)};
	struct dashboard *d = &c.d;
	int code;

	*d = (struct dashboard){.arena = a,
		.dialect = dialect,
		.console = console,
		.options = &c.effective,
		.inputs = inputs,
		.model = o->dashboard.model,
		.group = o->dashboard.group,
		.started_s = time(NULL)};
	settings_enter_environment(a, o, dialect);
	read_configuration(&c);
	say_site(&c);
	read_custom(&c);
	if (!begin(&c)) {
		console_say(console, CHANNEL_ERROR,
			STR("Problem initializing the dashboard.\n"));
		return EXIT_NO_DASHBOARD;
	}
	code = run_steps(&c);
	*interrupted = d->interrupted;
	if (code && !d->interrupted && !d->dialect->has[DIALECT_START_SAYS_SITE])
		settings_say_failure(&c.settings);
	return code;
}

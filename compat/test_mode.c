/*
 * The story of one plain run: every step is a function that reads what the earlier ones
 * left in the session.
 */
#include "compat/test_session.h"

#include <stdlib.h>
#include <unistd.h>

#include "compat/custom_commands.h"
#include "compat/permit.h"
#include "compat/executable.h"
#include "compat/last_failed.h"
#include "compat/pass_through.h"
#include "compat/prepare.h"
#include "compat/properties.h"
#include "compat/regex.h"
#include "compat/report_console.h"
#include "compat/report_junit.h"
#include "compat/report_log.h"
#include "compat/show_only.h"
#include "runner/files.h"
#include "runner/run.h"
#include "runner/suite.h"

/* ---- reading ---------------------------------------------------------------------- */

static struct source_request
request_for(const struct session *s)
{
	return (struct source_request){
		.path = s->inputs->path.n ? s->inputs->path : s->directory,
		.configuration = s->options->configuration,
		.share = s->inputs->share,
		.cmake_version = s->dialect->version,
		.patterns = s->patterns,
	};
}

static void
read_configuration(struct session *s)
{
	s->settings = (struct settings){.arena = s->arena,
		.options = &s->effective,
		.dialect = s->dialect,
		.console = s->console};
	if (s->step) {
		s->settings.configuration = *s->step->configuration;
		s->settings.custom = *s->step->custom;
		s->settings.binary = s->step->binary;
	} else {
		s->directory = settings_read_configuration(&s->settings, s->directory);
	}
	s->temporary = path_join(s->arena, s->settings.binary, STR("Testing/Temporary"));
}

/* CTestCustom.ctest, though not CTestCustom.cmake, is also said to be a problem when
 * something else was wrong before. */
static void
doubt_custom(struct session *s)
{
	struct str path = path_join(s->arena, s->directory, STR("CTestCustom.ctest"));

	if (s->options->has_error && !s->diag.errors &&
		!path_exists("CTestCustom.cmake") && path_exists(path.p))
		diag_error(&s->diag, NO_PLACE,
			"Problem reading custom configuration: %.*s", STR_ARG(path));
}

static bool
read_custom(struct session *s)
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
	/* A file with errors is complained about, and the run goes on. */
	s->inputs->custom(s->arena, &r, &variables, &n, &s->diag);
	doubt_custom(s);
	for (size_t i = 0; i < s->diag.entries.n; i++)
		s->is_stopped |= s->diag.entries.v[i].kind == DIAG_CMAKE_FATAL &&
				 s->diag.entries.v[i].at.command.n > 0;
	console_diag(s->console, &s->diag);
	settings_take_custom(&s->settings, variables, n);
	is_obeyed = settings_obey_custom(&s->settings);
	if (s->dialect->has[DIALECT_CONFIGURATION_TWICE])
		settings_read_again(&s->settings);
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

static bool
read_suite(struct session *s)
{
	struct source_request r = request_for(s);
	struct declarations found = {0};
	struct property_reader reader = properties_reader(s->patterns, s->dialect);
	bool loaded, is_good;

	filters_read_patterns(&s->filters);
	reader.dropped = filters_dropped(&s->filters);
	reader.dropped_names = s->settings.custom.tests_ignore;
	console_say(s->console, CHANNEL_VERBOSE, STR("Constructing a list of tests\n"));
	loaded = s->inputs->source->load(s->arena, &r, &found, &s->diag);
	if (s->is_stopped && found.has_file) {
		s->diag = diag_in(s->arena); /* none of it has happened in ctest */
		found.list.n = 0;
	}
	pass_through_add(s->arena, &found.list, &s->options->pass_through);
	s->suite = suite_build(s->arena, &found, &reader, &s->diag);
	s->suite->patterns = s->patterns;
	is_good = s->diag.errors == 0;
	console_diag(s->console, &s->diag);
	s->has_file = found.has_file;
	apply_environment(s);
	/* Errors said before count only where there is a file to read. */
	return loaded && (!s->has_file || (is_good && s->is_obeyed));
}

/* ---- selecting --------------------------------------------------------------------- */

/* The pool that a run would have; without any, that of the machine. */
static enum exit_code
show_resources(struct session *s)
{
	struct buf out = {.arena = s->arena};

	if (!read_suite(s) || !session_read_resources(s))
		return EXIT_TESTS_FAILED;
	resource_pool_show(&out, &s->pool.pool, s->options->resources.show);
	console_raw(s->console, buf_as_str(&out));
	return EXIT_OK;
}

static void
say_notes(struct session *s)
{
	for (size_t i = 0; i < s->selection.notes.n; i++)
		console_fmt(s->console, CHANNEL_VERBOSE, "%.*s\n",
			STR_ARG(s->selection.notes.v[i]));
}

static bool
choose(struct session *s)
{
	struct filter f;
	bool is_read = filters_read(&s->filters, &f, s->temporary, &s->diag);

	f.ignore_names = s->settings.custom.tests_ignore;
	if (!is_read) {
		console_diag(s->console, &s->diag);
		return false;
	}
	s->selection = select_tests(s->arena, s->suite, &f);
	if (s->has_file)
		console_say(s->console, CHANNEL_VERBOSE,
			STR("Done constructing a list of tests\n"));
	console_diag(s->console, &s->diag);
	console_say(
		s->console, CHANNEL_VERBOSE, STR("Updating test list for fixtures\n"));
	console_raw(s->console, s->filters.about_fixtures);
	say_notes(s);
	console_fmt(s->console, CHANNEL_VERBOSE,
		"Added %zu tests to meet fixture requirements\n", s->selection.added);
	return session_read_resources_in_time(s);
}

/* ---- listing ----------------------------------------------------------------------- */

/* ctest looks for cycles here too, though they make no difference to labels. */
static bool
list_labels(struct session *s)
{
	struct plan_options po = {.parallel = 1,
		.recorded = NEW_ARRAY(s->arena, struct recorded, s->selection.n)};

	if (!session_check_graph(s, &po) && s->dialect->has[DIALECT_CYCLE_FAILS])
		return false;
	report_console_labels(s->arena, s->console, &s->selection);
	return true;
}

static bool
list(struct session *s)
{
	bool beats = s->dialect->has[DIALECT_TIMEOUT_BEATS_OPTION];
	struct buf out = {.arena = s->arena};

	if (s->options->print_labels)
		return list_labels(s);
	if (s->options->show_only == SHOW_HUMAN) {
		report_console_list(
			s->arena, s->console, s->options, &s->selection, s->finder);
		return true;
	}
	if (console_has_log(s->console))
		report_console_searches(s->arena, s->console, &s->selection, s->finder);
	show_only_json(&out, &(struct json_listing){.selection = &s->selection,
				     .finder = s->finder,
				     .dialect = s->dialect,
				     .configuration = s->options->configuration,
				     .timeout_s = beats ? 0 : s->options->timeout_s});
	console_raw(s->console, buf_as_str(&out));
	return true;
}

/* ---- running ----------------------------------------------------------------------- */

static const struct preparer *
preparer_of(struct session *s)
{
	struct str configured = configuration_get(&s->settings.configuration, "TimeOut");
	struct prepare_options p = {
		.dialect = s->dialect,
		.finder = s->finder,
		.configuration = s->options->configuration,
		.timeout_s = s->options->timeout_s,
		.stop_s = s->options->stop_s,
		.limit_end_s = s->options->limit_end_s,
		.default_timeout_s = str_double(configured),
		.pool = s->pool.is_there ? &s->pool.pool : NULL,
		.telling = s->pool.telling,
		.skip_insufficient = s->options->resources.skip_insufficient,
		.most_threads = s->options->affinity ? s->options->parallel : 0,
		.private_tmp = s->private_tmp,
		.tells_changes = s->step != NULL,
		.resource_spec_file = s->pool.told_as,
	};

	return prepare_open(s->arena, &p);
}

static struct str
tag_of(const struct session *s)
{
	return s->step ? s->step->tag : STR_NONE;
}

static bool
close_reports(struct session *s, struct report *const *reports, size_t n)
{
	bool all = true;

	for (size_t i = 0; i < n; i++)
		all = reports[i]->type->close(reports[i], &s->diag) && all;
	console_diag(s->console, &s->diag);
	return all;
}

/* Listings write their files too: the log has its frame, JUnit no test case. */
static bool
close_files(struct session *s)
{
	return close_reports(s, s->files, s->files_n);
}

static struct str
checkpoint_path(const struct session *s)
{
	return path_join(s->arena, s->temporary, STR("CTestCheckpoint.txt"));
}

/* -F takes what an interrupted run had finished as done; else it is not this run's. */
static void
read_checkpoint(struct session *s)
{
	struct str path = checkpoint_path(s);

	if (!s->options->resumes) {
		unlink(path.p);
		return;
	}
	s->checkpoint = checkpoint_read(s->arena, path, &s->selection);
	if (!s->checkpoint.was_there)
		return;
	report_log_resumes(s->files[0]);
	cost_data_leave_out(s->cost, s->checkpoint.finished);
}

static struct permit *
permit_of(struct session *s, const struct plan *plan)
{
	return permit_open(s->arena, &(struct permit_options){.console = s->console,
					     .dialect = s->dialect,
					     .plan = plan,
					     .test_load = s->options->test_load,
					     .stop_s = s->options->stop_s});
}

static bool
execute(struct session *s, const struct plan *plan)
{
	const struct options *o = s->options;
	struct scheduler_options so = session_scheduler_options(s);
	struct str checkpoint = checkpoint_path(s);
	struct explain_request explain = session_explain_request(s, plan);
	struct report *explaining = NULL,
		      *reports[7] = {
			      report_console_open(
				      s->arena, s->console, o, s->dialect, &s->selection),
			      cost_data_listen(s->cost, &s->selection),
			      checkpoint_open(s->arena, checkpoint),
		      };
	struct run run = {
		.arena = s->arena,
		.selection = &s->selection,
		.plan = plan,
		.scheduler = scheduler_new(s->arena, plan, &so),
		.job_server = s->job_server,
		.private_tmp = s->private_tmp,
		.affinity = pinning_open(s->arena, o, &s->processors, so.pool),
		.scratch_directory = s->temporary,
		.preparer = preparer_of(s),
		.reports = reports,
		.reports_n = 3,
		.permit = permit_of(s, plan),
		.finished_n = s->checkpoint.finished_n,
		.repeat = o->repeat,
		.stop_on_failure = o->stop_on_failure,
		.stop_on_refusal = s->dialect->has[DIALECT_REFUSED_START_AGAIN],
	};
	bool ran;

	for (size_t i = 0; i < s->files_n; i++)
		reports[run.reports_n++] = s->files[i];
	if (s->explained.v.n)
		reports[run.reports_n++] = explaining =
			explain_open(s->arena, &explain, run.scheduler);
	ran = run_all(&run, &s->tally, &s->interrupted, &s->diag);
	if (s->private_tmp) {
		private_tmp_close(s->private_tmp, &s->diag);
		console_diag(s->console, &s->diag);
	}
	if (explaining && ran)
		explain_run(&s->explanation, explaining, s->interrupted != 0);
	if (s->interrupted)
		return ran;
	ran = cost_data_save(s->arena, s->cost, &s->selection, &s->tally, &s->diag) &&
	      ran;
	ran = last_failed_write(s->arena, s->temporary, tag_of(s), &s->tally, &s->diag) &&
	      ran;
	unlink(checkpoint.p);
	return close_reports(s, reports, run.reports_n) && ran;
}

/* "No tests were found!!!" and what follows from it. */
static enum exit_code
nothing_ran(struct session *s)
{
	if (s->options->no_tests == NO_TESTS_IGNORE)
		return EXIT_OK;
	console_say(s->console, CHANNEL_ERROR, STR("No tests were found!!!\n"));
	return s->options->no_tests == NO_TESTS_ERROR ? EXIT_TESTS_FAILED : EXIT_OK;
}

static enum exit_code
run_tests(struct session *s)
{
	struct plan *plan;

	s->job_server = settings_connect_job_server(&s->settings);
	plan = session_plan(s);
	if (!plan) {
		close_files(s);
		return s->dialect->has[DIALECT_CYCLE_FAILS] ? EXIT_TESTS_FAILED
							    : nothing_ran(s);
	}
	if (s->options->private_tmp)
		s->private_tmp = private_tmp_open(s->arena, private_tmp_parent(s->arena),
			s->options->keep_failed_tmp);
	read_checkpoint(s);
	if (s->job_server)
		console_say(
			s->console, CHANNEL_OUTPUT, STR("Connected to MAKE jobserver\n"));
	if (!execute(s, plan) || s->interrupted)
		return EXIT_TESTS_FAILED;
	if (s->tally.passed + s->tally.failed == 0)
		return nothing_ran(s);
	return s->tally.failed ? EXIT_TESTS_FAILED : EXIT_OK;
}

/* ---- the story --------------------------------------------------------------------- */

static bool
open_log(struct session *s)
{
	struct str path = path_join(s->arena, s->temporary,
		str_fmt(s->arena, "LastTest%.*s",
			STR_ARG(last_file_end(s->arena, tag_of(s)))));
	struct report *log = NULL;

	if (settings_make_directory(&s->settings, s->temporary))
		log = report_log_open(
			s->arena, path, s->options, s->dialect, &s->selection, &s->diag);
	console_diag(s->console, &s->diag);
	if (log)
		s->files[s->files_n++] = log;
	else
		console_say(s->console, CHANNEL_ERROR,
			STR("Cannot create log file: LastTest.log\n"));
	return log != NULL;
}

static void
open_junit(struct session *s)
{
	struct junit_options o = {
		.path = s->options->output_junit,
		.build_name = configuration_get(&s->settings.configuration, "BuildName"),
		.site = configuration_get(&s->settings.configuration, "Site"),
		.options = s->options,
		.dialect = s->dialect,
		.selection = &s->selection,
	};

	if (o.path.n)
		s->files[s->files_n++] = report_junit_open(s->arena, &o);
	if (s->step && s->step->open_report)
		s->files[s->files_n++] = s->step->open_report(s->step->context);
}

static bool
run_custom(struct session *s, const struct str_list *commands, const char *when)
{
	bool lists = s->options->show_only != SHOW_NOTHING;

	if (s->options->simulate || s->interrupted ||
		(lists && s->dialect->has[DIALECT_LISTS_ALONE]))
		return true;
	return custom_commands_run(s->arena, s->console, commands, when);
}

static bool
explain_listing(struct session *s)
{
	const struct plan *plan = session_plan(s);

	if (plan)
		session_explain(s, plan);
	return plan != NULL;
}

static enum exit_code
run_or_list(struct session *s)
{
	enum exit_code code = EXIT_OK;

	if (s->options->show_only == SHOW_NOTHING && !s->options->print_labels)
		return run_tests(s);
	if (!list(s)) {
		close_files(s);
		return EXIT_TESTS_FAILED;
	}
	if (s->explained.v.n && !explain_listing(s))
		code = EXIT_USAGE;
	return close_files(s) ? code : EXIT_TESTS_FAILED;
}

static enum exit_code
story(struct session *s)
{
	const struct options *o = s->options;
	bool has_log, may_run;
	enum exit_code code;

	s->filters = (struct filters){.arena = s->arena,
		.options = o,
		.patterns = s->patterns,
		.console = s->console};
	s->is_obeyed = read_custom(s) && !o->has_error;
	filters_read_labels(&s->filters);
	if (!o->dashboard.is_quiet)
		console_fmt(s->console, CHANNEL_OUTPUT, "Test project %.*s\n",
			STR_ARG(s->directory));
	if (!run_custom(s, &s->settings.custom.pre_test, "pre-test"))
		return EXIT_TESTS_FAILED;
	has_log = !o->simulate && open_log(s);
	/* Without words ctest does not count it as an error that there is no log. */
	may_run =
		read_suite(s) && (has_log || o->simulate || console_is_quiet(s->console));
	if (!may_run || !choose(s)) {
		if (has_log)
			report_log_close_empty(s->files[0], &s->diag);
		return EXIT_TESTS_FAILED;
	}
	if (!explain_find(
		    s->arena, &o->explain, &s->selection, &s->explained, &s->diag)) {
		console_diag(s->console, &s->diag);
		if (has_log)
			report_log_close_empty(s->files[0], &s->diag);
		return EXIT_USAGE;
	}
	s->processors = pinning_layout(s->arena, o, &s->selection, s->pool.is_there);
	if (o->simulate)
		return session_simulate(s);
	open_junit(s);
	s->finder = executable_finder_new(s->arena, o->configuration);
	code = run_or_list(s);
	return run_custom(s, &s->settings.custom.post_test, "post-test")
		       ? code
		       : EXIT_TESTS_FAILED;
}

/* Beneath all else; out of a listing's way that other programs read. */
static void
say_explanation(struct session *s)
{
	struct str text = buf_as_str(&s->explanation);

	if (s->options->show_only == SHOW_JSON_V1)
		console_raw_error(s->console, text);
	else if (text.n)
		console_say(s->console, CHANNEL_OUTPUT, text);
}

static void
trailer(struct session *s, enum exit_code code)
{
	if (code != EXIT_TESTS_FAILED)
		return;
	console_say(s->console, CHANNEL_ERROR, STR("Errors while running CTest\n"));
	if (s->options->output_on_failure)
		return;
	console_fmt(s->console, CHANNEL_ERROR,
		"Output from these tests are in: %.*s/LastTest.log\n",
		STR_ARG(s->temporary));
	console_say(s->console, CHANNEL_ERROR,
		STR("Use \"--rerun-failed --output-on-failure\" to re-run the failed "
		    "cases verbosely.\n"));
}

static enum exit_code
run_session(struct session *s, int *interrupted)
{
	enum exit_code code;

	s->diag = diag_in(s->arena);
	s->patterns = match_set_open(s->arena, regex_translate);
	s->explanation.arena = s->arena;
	s->options = &s->effective;
	read_configuration(s);
	code = s->options->resources.show ? show_resources(s) : story(s);
	*interrupted = s->interrupted;
	if (!s->interrupted && !s->step)
		trailer(s, code);
	say_explanation(s);
	match_set_close(s->patterns);
	return code;
}

enum exit_code
test_mode(struct arena *a, const struct options *o, const struct dialect *dialect,
	struct console *console, const struct test_inputs *inputs, int *interrupted)
{
	struct session s = {.arena = a,
		.effective = *o,
		.dialect = dialect,
		.console = console,
		.inputs = inputs,
		.directory = path_here(a)};

	settings_enter_environment(a, o, dialect);
	return run_session(&s, interrupted);
}

enum exit_code
test_mode_step(struct arena *a, const struct options *o, const struct dialect *dialect,
	struct console *console, const struct test_inputs *inputs,
	const struct test_step *step, int *interrupted)
{
	struct session s = {.arena = a,
		.effective = *o,
		.dialect = dialect,
		.console = console,
		.inputs = inputs,
		.step = step,
		.directory = step->directory};

	return run_session(&s, interrupted);
}

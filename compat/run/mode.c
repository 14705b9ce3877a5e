/*
 * The sequence of one plain run: every step is a function that reads what earlier steps
 * stored in the session.
 */
#include "compat/run/session.h"

#include <errno.h>

#include "compat/format/regex.h"
#include "compat/launch/executable.h"
#include "compat/launch/wrapper.h"
#include "compat/records/last_failed.h"
#include "compat/report/report_console.h"
#include "compat/report/report_junit.h"
#include "compat/report/report_log.h"
#include "compat/report/show_only.h"
#include "compat/settings/custom_commands.h"
#include "runner/base/files.h"

/* ---- selecting ------------------------------------------------------------------- */

/* Shows the pool that a run would use; without one, the machine's. */
static enum exit_code
show_resources(struct session *s)
{
	struct buf out = {.arena = s->arena};

	s->is_obeyed = session_read_custom(s) && !s->options->has_error;
	if (!session_read_suite(s) || !session_read_resources(s))
		return EXIT_TESTS_FAILED;
	resource_pool_show(&out, &s->pool.pool, s->options->resources.show);
	console_raw(s->console, buf_as_str(&out));
	return EXIT_OK;
}

static void
say_additions(struct session *s)
{
	for (size_t i = 0; i < s->selection.additions.n; i++) {
		const struct addition *added = &s->selection.additions.v[i];

		console_fmt(s->console, CHANNEL_ASIDE,
			"Added %s test %.*s required by fixture %.*s\n",
			added->is_cleanup ? "cleanup" : "setup", STR_ARG(added->test),
			STR_ARG(added->fixture));
	}
}

static const struct custom_run *
custom_of_run(const struct session *s)
{
	return custom_run(&s->settings.custom, s->options->dashboard.is_memcheck);
}

static bool
choose(struct session *s)
{
	struct filter f;
	bool is_read = filters_read(&s->filters, &f, s->temporary, &s->diag);

	f.ignore_names = custom_of_run(s)->ignore;
	if (!is_read) {
		console_diag(s->console, &s->diag);
		return false;
	}
	s->selection = select_tests(s->arena, s->suite, &f);
	if (s->has_file)
		console_say(s->console, CHANNEL_ASIDE,
			STR("Done constructing a list of tests\n"));
	console_diag(s->console, &s->diag);
	console_say(s->console, CHANNEL_ASIDE, STR("Updating test list for fixtures\n"));
	console_raw(s->console, s->filters.about_fixtures);
	say_additions(s);
	console_fmt(s->console, CHANNEL_ASIDE,
		"Added %zu tests to meet fixture requirements\n",
		s->selection.additions.n);
	return session_read_resources_in_time(s);
}

/* ---- listing --------------------------------------------------------------------- */

/* As in ctest, a cycle is an error here too, though it does not matter for labels. */
static bool
list_labels(struct session *s)
{
	struct plan_options po = {.parallel = 1,
		.recorded = NEW_ARRAY(s->arena, struct recorded, s->selection.n)};

	s->has_no_plan =
		!session_check_graph(s, &po) && s->dialect->has[DIALECT_CYCLE_FAILS];
	if (s->has_no_plan)
		return false;
	report_console_labels(s->arena, s->console, &s->selection);
	return true;
}

static bool
list(struct session *s)
{
	bool beats = s->dialect->has[DIALECT_TIMEOUT_BEATS_OPTION];
	struct console_listing listing = {.console = s->console,
		.options = s->options,
		.selection = &s->selection,
		.finder = s->finder,
		.wrapper = session_wrapper(s)};
	struct buf out = {.arena = s->arena};

	if (s->options->print_labels)
		return list_labels(s);
	if (s->options->show_only == SHOW_HUMAN) {
		report_console_list(s->arena, &listing);
		return true;
	}
	if (console_has_log(s->console))
		report_console_look_up(s->arena, &listing);
	show_only_json(&out, &(struct json_listing){.selection = &s->selection,
				     .finder = s->finder,
				     .wrapper = session_wrapper(s),
				     .dialect = s->dialect,
				     .configuration = s->options->configuration,
				     .timeout_s = beats ? 0 : s->options->timeout_s});
	console_raw(s->console, buf_as_str(&out));
	return true;
}

/* ---- the sequence ---------------------------------------------------------------- */

static bool
open_log(struct session *s)
{
	const struct run_words *words = run_words(s->options);
	struct str path = path_join(s->arena, s->temporary,
		str_fmt(s->arena, "%s%.*s", words->log,
			STR_ARG(last_file_end(s->arena, session_tag(s)))));
	struct report *log = NULL;
	int error;

	if (settings_make_directory(s->arena, s->console, s->temporary.p))
		log = report_log_open(
			s->arena, path, s->options, s->dialect, &s->selection, &s->diag);
	error = errno;
	console_diag(s->console, &s->diag);
	if (log) {
		s->files[s->files_n++] = log;
		return true;
	}
	if (console_is_quiet(s->console))
		console_lost_file(s->console, path, error);
	console_fmt(s->console, CHANNEL_ERROR, "Cannot create log file: %s.log\n",
		words->log);
	return false;
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

	struct report *junit = o.path.n ? report_junit_open(s->arena, &o) : NULL;

	if (junit && !session_wrapper(s)) {
		s->files[s->files_n++] = junit;
		junit = NULL;
	}
	if (s->step && s->step->open_report)
		s->files[s->files_n++] = s->step->open_report(s->step->context, junit);
}

/* true: nothing else happens before or after the listing. */
static bool
lists_alone(const struct session *s)
{
	return s->options->show_only != SHOW_NOTHING &&
	       s->dialect->has[DIALECT_LISTS_ALONE];
}

static bool
run_custom(struct session *s, const struct str_list *commands, const char *when)
{
	if (s->options->simulate || s->interrupted || lists_alone(s))
		return true;
	return custom_commands_run(s->arena,
		&(struct custom_runner){.dialect = s->dialect,
			.console = s->console,
			.when = when,
			.interrupted = &s->interrupted},
		commands);
}

static bool
choose_wrapper(struct session *s)
{
	struct wrapper *w = s->step ? s->step->wrapper : NULL;

	if (w && lists_alone(s)) {
		w->type->choose_none(w);
		return true;
	}
	return !w || w->type->choose(w, s->arena, &s->settings.configuration, s->console);
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
		return session_run_tests(s);
	if (!list(s)) {
		session_leave_files(s);
		return EXIT_TESTS_FAILED;
	}
	if (s->explained.v.n && !explain_listing(s))
		code = EXIT_USAGE;
	return session_close_files(s) ? code : EXIT_TESTS_FAILED;
}

static enum exit_code
story(struct session *s)
{
	const struct options *o = s->options;
	const struct run_words *words = run_words(o);
	bool has_log, may_run;
	enum exit_code code;

	s->is_obeyed = session_read_custom(s) && !o->has_error;
	if (s->settings.is_unreadable || s->diag.unreadable)
		return EXIT_TESTS_FAILED;
	filters_read_labels(&s->filters);
	if (!o->dashboard.is_quiet)
		console_fmt(s->console, CHANNEL_OUTPUT, "%s project %.*s\n",
			words->project, STR_ARG(s->directory));
	if (!choose_wrapper(s) ||
		!run_custom(s, &custom_of_run(s)->before, words->before))
		return EXIT_TESTS_FAILED;
	has_log = !o->simulate && open_log(s);
	/* Under -Q ctest does not count a missing log as an error. */
	may_run = session_read_suite(s) &&
		  (has_log || o->simulate || console_is_quiet(s->console));
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
	s->finder = executable_finder_new(s->arena, s->dialect, o->configuration);
	code = run_or_list(s);
	executable_finder_say_unread(s->finder, s->console);
	if (s->step && s->step->finish && !s->interrupted)
		s->step->finish(s->step->context);
	if (s->has_no_plan || run_custom(s, &custom_of_run(s)->after, words->after))
		return code;
	return EXIT_TESTS_FAILED;
}

/* Printed after everything else, but not into a listing that other programs read. */
static void
say_explanation(struct session *s)
{
	struct str text = buf_as_str(&s->explanation);

	if (s->options->show_only == SHOW_JSON_V1)
		console_raw_error(s->console, text);
	else if (text.n)
		console_say(s->console, CHANNEL_OUTPUT, text);
}

static enum exit_code
run_session(struct session *s, int *interrupted)
{
	enum exit_code code;

	s->diag = diag_in(s->arena);
	s->patterns = match_set_open(s->arena, regex_parse);
	s->explanation.arena = s->arena;
	s->options = &s->effective;
	s->filters = (struct filters){.arena = s->arena,
		.options = s->options,
		.patterns = s->patterns,
		.console = s->console};
	session_read_configuration(s);
	code = s->options->resources.show ? show_resources(s) : story(s);
	*interrupted = s->interrupted;
	if (code == EXIT_TESTS_FAILED && !s->interrupted && !s->step)
		settings_say_failure(&s->settings);
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
	enum exit_code code;

	console_be_brief(console, o->dashboard.is_quiet);
	code = run_session(&s, interrupted);
	console_be_brief(console, false);
	return code;
}

/*
 * The sequence of one plain run: settings -> suite -> selection -> plan -> results. Each
 * step takes what it needs and returns what it makes.
 */
#include "compat/run/mode.h"

#include <errno.h>

#include "compat/format/regex.h"
#include "compat/instrument/index.h"
#include "compat/instrument/snippet.h"
#include "compat/launch/wrapper.h"
#include "compat/report/report_log.h"
#include "compat/run/build_first.h"
#include "compat/run/debug_test.h"
#include "compat/run/execution.h"
#include "compat/run/filters.h"
#include "compat/run/listing.h"
#include "compat/run/print_command.h"
#include "compat/run/run_plan.h"
#include "compat/run/shard_file.h"
#include "compat/run/show_advice.h"
#include "compat/run/show_history.h"
#include "compat/run/show_log.h"
#include "compat/settings/custom_commands.h"
#include "runner/base/atomic_file.h"

/* Shows the pool that a run would use; without one, the machine's. */
static enum exit_code
show_resources(struct run_context *c, const struct run_settings *s)
{
	struct buf out = {.arena = c->arena};
	struct filter f = {0};
	struct run_suite suite;
	struct run_tests tests = {0};
	struct resource_pool pool = {0};
	struct run_nodes nodes;

	if (s->is_unreadable)
		return EXIT_TESTS_FAILED;
	filters_read_labels(c, &s->options.selection, &f);
	filters_read_names(c, &s->options.selection, &f);
	if (!run_suite_read(c, s, &f, &suite) || !run_nodes_find(c, s, &nodes))
		return EXIT_TESTS_FAILED;
	tests.selection.suite = suite.suite;
	/* The tests say what pilots would have. */
	if (nodes.asks) {
		enum exit_code code = run_tests_select(c, s, &suite, &f, &tests);

		if (code != EXIT_OK)
			return code;
		if (!run_nodes_imagine(c, s, &tests.selection, &nodes))
			return EXIT_TESTS_FAILED;
	}
	if (!run_resources_read(c, s, &tests.selection, &nodes, &pool))
		return EXIT_TESTS_FAILED;
	pool.pool.engines = run_nodes_engines(c->arena, &nodes, &pool.pool);
	resource_pool_show(&out, &pool.pool, s->options.resources.show,
		run_nodes_from(c->arena, &s->options.engine, &nodes));
	console_raw(c->console, buf_as_str(&out));
	return EXIT_OK;
}

/* Of every test that the files declare, whatever the run would select. */
static enum exit_code
print_named(struct run_context *c, const struct run_settings *s)
{
	struct filter all = {0};
	struct run_suite suite;

	if (s->is_unreadable || !run_suite_read(c, s, &all, &suite))
		return EXIT_TESTS_FAILED;
	if (s->options.names)
		return listing_names(c, s->options.names, suite.suite);
	return print_commands(c, s, suite.suite);
}

/* Returns only if the test cannot run. */
static enum exit_code
debug_named(struct run_context *c, const struct run_settings *s)
{
	struct filter all = {0};
	struct run_suite suite;

	if (s->is_unreadable || !run_suite_read(c, s, &all, &suite))
		return EXIT_TESTS_FAILED;
	return debug_test(c, s, suite.suite);
}

/* Of the tests that the options select. */
static enum exit_code
tell_past(struct run_context *c, const struct run_settings *s)
{
	struct filter f = {0};
	struct run_suite suite;
	struct run_tests tests = {0};
	enum exit_code code;

	if (s->is_unreadable)
		return EXIT_TESTS_FAILED;
	filters_read_labels(c, &s->options.selection, &f);
	filters_read_names(c, &s->options.selection, &f);
	if (!run_suite_read(c, s, &f, &suite))
		return EXIT_TESTS_FAILED;
	code = run_tests_select(c, s, &suite, &f, &tests);
	if (code != EXIT_OK)
		return code;
	if (s->options.show_log)
		return show_log(c, s, &tests.selection);
	return (s->options.advises ? show_advice : show_history)(c, s, &tests.selection);
}

/* What is done instead of a run. */
static enum exit_code
do_without_run(struct run_context *c, const struct run_settings *s)
{
	if (s->options.show_history || s->options.show_log)
		return tell_past(c, s);
	if (s->options.debug_test.p)
		return debug_named(c, s);
	return s->options.resources.show ? show_resources(c, s) : print_named(c, s);
}

/* Chooses the program that runs the tests. */
static bool
choose_wrapper(const struct run_context *c, const struct run_settings *s)
{
	struct wrapper *w = s->step ? s->step->wrapper : NULL;

	if (w && s->lists_alone) {
		w->type->choose_none(w);
		return true;
	}
	return !w || w->type->choose(w, c->arena, &s->files.configuration, c->console);
}

static bool
run_custom(struct run_context *c, const struct run_settings *s,
	const struct str_list *commands, const char *when)
{
	if (s->options.schedule.simulate || c->interrupted || s->lists_alone)
		return true;
	return custom_commands_run(c->arena,
		&(struct custom_runner){.dialect = c->dialect,
			.console = c->console,
			.directory = str_z(c->arena, c->directory),
			.when = when,
			.interrupted = &c->interrupted},
		commands);
}

/* What precedes the tests. false after messages: no test may run. */
static bool
begin_run(struct run_context *c, const struct run_settings *s)
{
	if (!s->options.dashboard.is_quiet)
		console_fmt(c->console, CHANNEL_OUTPUT, "%s project %.*s\n",
			s->words->project, STR_ARG(s->directory));
	return choose_wrapper(c, s) &&
	       run_custom(c, s, &s->custom->before, s->words->before);
}

/* No test starts in a listing or a simulation. */
static bool
find_nodes(struct run_context *c, const struct run_settings *s, struct run_nodes *nodes)
{
	return listing_is_asked(&s->options) || s->options.schedule.simulate ||
	       run_nodes_find(c, s, nodes);
}

/* f: its labels are read. may_run: there is a log, or none is needed. */
static enum exit_code
choose_tests(struct run_context *c, const struct run_settings *s, struct filter *f,
	bool may_run, struct run_tests *t)
{
	const struct schedule_options *o = &s->options.schedule;
	struct run_suite suite;

	t->imagines_nodes =
		o->simulate || (listing_is_asked(&s->options) && o->explain.n);
	filters_read_names(c, &s->options.selection, f);
	if (s->instrumentation && s->instrumentation->is_refused && !s->step)
		return EXIT_TESTS_FAILED;
	if (!run_suite_read(c, s, f, &suite) || !may_run || !find_nodes(c, s, &t->nodes))
		return EXIT_TESTS_FAILED;
	return run_tests_choose(c, s, &suite, f, t);
}

static struct run_result
list_tests(struct run_context *c, const struct run_settings *s, struct run_tests *t,
	const struct run_files *files, struct explanation *explanation)
{
	struct run_result r = {EXIT_OK, false};
	struct run_plan p;

	if (!listing_print(c, s, t)) {
		(void)run_files_leave(c, files);
		return (struct run_result){EXIT_TESTS_FAILED, true};
	}
	if (t->explained.v.n) {
		if (run_plan_make(c, s, t,
			    run_nodes_parallel(&t->nodes, &s->options.schedule), &p))
			run_plan_explain(&p, t, explanation);
		else
			r.code = EXIT_USAGE;
	}
	if (!run_files_close(c, files))
		r.code = EXIT_TESTS_FAILED;
	return r;
}

/* Tests are chosen: runs or lists them. */
static enum exit_code
run_or_list(struct run_context *c, const struct run_settings *s, struct run_tests *t,
	struct run_files *files, struct explanation *explanation)
{
	struct run_result r;

	run_files_open_others(c, s, &t->selection, files);
	files->shard = shard_file_open(c, s, t);
	t->finder = executable_finder_new(
		c->arena, c->dialect, s->options.configuration, c->directory);
	r = (listing_is_asked(&s->options) ? list_tests : execution_run)(
		c, s, t, files, explanation);
	executable_finder_close(t->finder, c->console);
	if (s->step && s->step->finish && !c->interrupted)
		s->step->finish(s->step->context);
	if (r.is_over || c->is_unwritten ||
		run_custom(c, s, &s->custom->after, s->words->after))
		return r.code;
	return EXIT_TESTS_FAILED;
}

static enum exit_code
run_tests(struct run_context *c, const struct run_settings *s,
	struct explanation *explanation)
{
	bool simulates = s->options.schedule.simulate, may_run;
	struct filter f = {0};
	struct run_files files = {0};
	struct run_tests tests = {0};
	enum exit_code code;

	if (!execution_clear(c, s) || s->is_unreadable || !shard_file_clear(c, s))
		return EXIT_TESTS_FAILED;
	if (s->options.run.builds && !s->step && !simulates &&
		!listing_is_asked(&s->options) && !build_first(c, s))
		return EXIT_TESTS_FAILED;
	filters_read_labels(c, &s->options.selection, &f);
	if (!begin_run(c, s))
		return EXIT_TESTS_FAILED;
	if (!simulates)
		files.log = run_files_open_log(c, s, &tests.selection);
	/* Under -Q ctest does not count a missing log as an error. */
	may_run = files.log || simulates || console_is_quiet(c->console);
	code = choose_tests(c, s, &f, may_run, &tests);
	if (code != EXIT_OK && files.log)
		report_log_close_empty(files.log, &c->diag);
	else if (code == EXIT_OK && simulates)
		code = run_plan_simulate(c, s, &tests, explanation);
	else if (code == EXIT_OK) {
		code = run_or_list(c, s, &tests, &files, explanation);
		code = shard_file_end(c, files.shard, code);
	}
	run_nodes_close(c, &tests.nodes);
	return code;
}

/* If the build tree has a query, the run is recorded, and the hook of a plain run
 * follows. A simulation writes no file. */
static enum exit_code
run_recorded(struct run_context *c, const struct run_settings *s,
	struct explanation *explanation)
{
	const struct instrumentation *i = s->instrumentation;
	bool lists = s->options.show_only != SHOW_NOTHING;
	struct snippet snippet = {.directory = c->directory,
		.role = "ctest",
		.command = snippet_command(c->arena, c->dialect, s->options.words),
		.has_content = true,
		.show_only =
			c->dialect->has[DIALECT_INSTRUMENTATION_OPTIONS] ? &lists : NULL};
	struct snippet_start start;
	enum exit_code code;

	if (!i || s->step || s->options.schedule.simulate)
		return run_tests(c, s, explanation);
	console_raw_error(c->console, i->messages);
	start = snippet_begin(i);
	code = run_tests(c, s, explanation);
	if (c->interrupted)
		return code;
	snippet.result = (int)code;
	if (code == EXIT_TESTS_FAILED && !snippet.show_only)
		snippet.result = -1;
	if (i->is_asked && !snippet_write(c->arena, i, &snippet, &start).p) {
		console_lost_file(c->console, i->data, errno);
		code = EXIT_TESTS_FAILED;
	}
	return instrument_collect(c->arena, i, HOOK_POST_CTEST, NULL) ? code
								      : EXIT_TESTS_FAILED;
}

/* Printed after everything else, but not into a listing that other programs read. */
static void
say_explanation(struct console *console, const struct options *o, struct str text)
{
	if (o->show_only == SHOW_JSON_V1)
		console_raw_error(console, text);
	else if (text.n)
		console_say(console, CHANNEL_OUTPUT, text);
}

static bool
write_plan_json(
	struct run_context *c, const struct options *o, struct explanation *explanation)
{
	struct str path = o->schedule.plan_json;
	bool ok = file_write(
		c->arena, run_path(c, path), ".tmp", explain_json_end(explanation));

	if (!ok)
		console_lost_file(c->console, path, errno);
	return ok;
}

struct run_context
run_context_of(struct arena *a, const struct dialect *dialect, struct console *console)
{
	return (struct run_context){.arena = a,
		.dialect = dialect,
		.console = console,
		.patterns = match_set_open(a, regex_parse),
		.diag = diag_in(a)};
}

struct run_end
test_mode(struct run_context *c, const struct run_settings *s)
{
	const struct options *o = &s->options;
	struct explanation explanation = explanation_in(c->arena);
	bool runs = !o->resources.show && !o->print_commands.n && !o->names &&
		    !o->show_history && !o->show_log && !o->debug_test.p;
	enum exit_code code =
		runs ? run_recorded(c, s, &explanation) : do_without_run(c, s);

	if (code == EXIT_TESTS_FAILED && !c->interrupted && !s->step)
		settings_say_failure(&s->files);
	say_explanation(c->console, o, buf_as_str(&explanation.text));
	if (runs && o->schedule.plan_json.n && !write_plan_json(c, o, &explanation))
		code = code == EXIT_OK ? EXIT_TESTS_FAILED : code;
	match_set_close(c->patterns);
	return (struct run_end){code, c->interrupted, c->is_unwritten, c->is_fatal};
}

struct run_end
test_mode_of_step(struct arena *a, const struct options *o, const struct dialect *dialect,
	struct console *console, const struct test_inputs *inputs,
	const struct test_step *step)
{
	struct run_context c = run_context_of(a, dialect, console);
	struct run_end end;

	c.directory = c.start = step->directory;
	console_be_brief(console, o->dashboard.is_quiet);
	end = test_mode(&c, run_settings_read(&c, o, inputs, step));
	console_be_brief(console, false);
	return end;
}

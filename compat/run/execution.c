/* See execution.h. */
#include "compat/run/execution.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compat/console/ui.h"
#include "compat/launch/llvm_profile.h"
#include "compat/launch/prepare.h"
#include "compat/launch/whole_nodes.h"
#include "compat/records/checkpoint.h"
#include "compat/records/last_failed.h"
#include "compat/report/report_console.h"
#include "compat/report/report_log.h"
#include "compat/run/again.h"
#include "compat/run/listing.h"
#include "compat/run/run_plan.h"
#include "compat/run/start_throttle.h"
#include "compat/run/suite_times.h"
#include "compat/run/watch_rounds.h"
#include "runner/base/files.h"
#include "runner/base/host_name.h"
#include "runner/batch/engine_batch.h"
#include "runner/control/control_server.h"
#include "runner/history/commit.h"
#include "runner/history/report_history.h"
#include "runner/html/report_html.h"
#include "runner/pmix/pmix_host.h"
#include "runner/pmix/pmix_link.h"
#include "runner/remote/agent_talks.h"
#include "runner/remote/engine_remote.h"
#include "runner/report/report_annotations.h"
#include "runner/report/report_interrupted.h"
#include "runner/report/report_live.h"
#include "runner/report/report_recap.h"
#include "runner/report/report_trace.h"
#include "runner/resources/pool_request.h"
#include "runner/run/run.h"
#include "runner/run/run_output.h"

/* Beside the files: the console, three records, an explanation, two pictures, two of the
 * terminal, annotations, the history, and what is said when a signal comes. */
enum { REPORTS_MOST = RUN_FILES_MOST + 12 };
struct report_list {
	struct report *v[REPORTS_MOST];
	size_t n;
};

struct execution {
	struct run_context *c;
	const struct run_settings *s;
	const struct run_tests *tests;
	const struct run_files *files;
	struct run_plan plan;
	struct scheduler_options scheduler;
	struct str checkpoint_path;
	struct checkpoint checkpoint; /* -F */
	struct batch_options batch; /* --batch */
	struct job_server *job_server; /* NULL: tests need no token */
	struct private_tmp *private_tmp; /* NULL: tests share their TMPDIR */
	struct whole_nodes *whole_nodes; /* NULL: the run has no nodes to give */
	struct host_share *host; /* NULL: other runs do not matter */
	struct control_server *control; /* NULL: no one can look into the run */
	struct pmix_link *pmix; /* NULL: no test can use PMIx */
};

/* ---- the parts of a run ---------------------------------------------------------- */

/* NULL: coverage is not collected. */
static const struct llvm_profile *
open_profile(const struct execution *e)
{
	const struct configuration *c = &e->s->files.configuration;

	if (!e->c->dialect->has[DIALECT_TEST_COVERAGE_TOOL] ||
		!(str_is(e->s->options.run.coverage_tool, "LLVM-COV") ||
			str_is(configuration_get(c, "CTestTestCoverageTool"),
				"LLVM-COV")))
		return NULL;
	return llvm_profile_open(e->c->arena,
		&(struct llvm_profile_options){
			.dialect = e->c->dialect,
			.suite = e->tests->selection.suite,
			.merger =
				configuration_get(c, "CTestTestCoverageMergeExecutable"),
		});
}

/* NULL: tests have none. */
static const char *
socket_for_tests(const struct execution *e)
{
	if (!e->control)
		return NULL;
	return e->tests->nodes.are_remote ? TALK_MARK : control_server_path(e->control);
}

/* What agents replace by the name of a directory. */
#define TEMPORARY_MARK "{private-tmp}"

static const struct preparer *
open_preparer(const struct execution *e)
{
	const struct run_settings *s = e->s;
	const struct options *o = &s->options;
	const struct resource_pool *pool = &e->tests->resources.pool;
	const struct dynamic_spec *generated = e->plan.generated;
	int configured = str_int(configuration_get(&s->files.configuration, "TimeOut"));
	struct prepare_options p = {
		.dialect = e->c->dialect,
		.directory = e->c->start,
		.finder = e->tests->finder,
		.configuration = o->configuration,
		.timeout_s = o->run.timeout_s,
		.stop_s = o->run.stop_s,
		.limit_end_s = o->run.limit_end_s,
		.default_timeout_s = o->run.has_default_timeout ? o->run.default_timeout_s
								: configured,
		.limits = o->run.limits,
		.pool = e->scheduler.pool,
		.telling = pool->telling,
		.skip_insufficient = o->resources.skip_insufficient,
		.most_threads = o->schedule.affinity ? e->scheduler.parallel : 0,
		.private_tmp = e->private_tmp,
		.temporary_mark =
			o->run.private_tmp && !e->private_tmp ? TEMPORARY_MARK : NULL,
		.keeps_failed_temporary = o->run.keep_failed_tmp,
		.socket = socket_for_tests(e),
		.whole_nodes = e->whole_nodes,
		.token = e->control ? control_server_token(e->control) : NULL,
		.pmix = e->pmix,
		.pmix_lacks = pmix_host_lacks(),
		.pmix_is_remote = e->tests->nodes.are_remote,
		.pmix_for_all = o->run.pmix,
		.wrapper = s->wrapper,
		.before = s->before,
		.profile = open_profile(e),
		.shows_changes = s->step != NULL || s->options.selection.shards,
		.resource_spec_file = generated ? generated->path : pool->shown_as,
	};

	return prepare_open(e->c->arena, &p);
}

static struct engine_opener
choose_engine(const struct execution *e)
{
	const struct run_nodes *nodes = &e->tests->nodes;

	if (nodes->are_remote)
		return (struct engine_opener){engine_remote_open, &nodes->remote};
	if (e->s->options.run.batches)
		return (struct engine_opener){engine_batch_open, &e->batch};
	return (struct engine_opener){engine_local_open, NULL};
}

/* Tests with grants of a job's nodes run there. */
static size_t
awaited_nodes(const struct execution *e)
{
	const struct pool *p = e->scheduler.pool;

	return e->tests->nodes.job.nodes_n && p && p->nodes ? p->nodes_n : 0;
}

static struct start_throttle *
open_throttle(const struct execution *e)
{
	return start_throttle_open(
		e->c->arena, &(struct start_throttle_options){.console = e->c->console,
				     .dialect = e->c->dialect,
				     .plan = e->plan.plan,
				     .test_load = e->s->options.schedule.test_load,
				     .stop_s = e->s->options.run.stop_s,
				     .may_close = e->s->options.run.limit_end_s != 0});
}

/* NULL: there is nothing to add. */
static void
add_report(struct report_list *l, struct report *r)
{
	INVARIANT(l->n < REPORTS_MOST);
	if (r)
		l->v[l->n++] = r;
}

static void
add_file_reports(struct report_list *l, const struct run_files *files)
{
	INVARIANT(l->n + RUN_FILES_MOST <= REPORTS_MOST);
	l->n += run_files_list(files, l->v + l->n);
}

/* Without a list --rerun-failed runs all tests. If the run began one and were killed,
 * those after that would be missing when it is repeated. */
static bool
begins_list(const struct execution *e)
{
	return !e->s->options.selection.rerun_failed ||
	       last_failed_is_there(e->c->arena, e->s->temporary);
}

/* A log has ctest's bytes. */
static bool
colours_results(const struct execution *e)
{
	struct ui_place ui = ui_place_here();

	return e->s->is_live && ui_has_colour(&ui) && !console_has_log(e->c->console);
}

/* The checkpoint comes last: a test is in it only after everything else about the test is
 * written. */
static void
open_reports(const struct execution *e, struct report_list *reports)
{
	struct arena *a = e->c->arena;
	const struct run_settings *s = e->s;
	const struct selection *selection = &e->tests->selection;
	struct console_report console = {
		.console = e->c->console,
		.options = &s->options.report,
		.dialect = e->c->dialect,
		.words = s->words,
		.repeat = s->options.run.repeat.mode,
		.shows_lines = s->options.console.verbose,
		.names_passed = s->options.selection.has_include_name ||
				s->options.selection.has_exclude_name,
		.is_quiet = s->options.dashboard.is_quiet,
		.colours_results = colours_results(e),
	};

	add_report(reports, report_console_open(a, &console, selection));
	add_report(reports, cost_data_listen(e->plan.cost, selection));
	add_file_reports(reports, e->files);
	if (begins_list(e))
		add_report(reports, last_failed_open(a, s->temporary, s->tag));
	add_report(reports, checkpoint_open(a, e->checkpoint_path));
}

/* The job server alone says how many tests run at a time. */
static bool
is_unbounded(const struct execution *e)
{
	return e->job_server && e->s->options.schedule.parallel_is_chosen;
}

/* For how many slots there is room; 0: for any number. */
static size_t
slots_at_most(const struct execution *e)
{
	uint64_t processors = pool_processors(e->scheduler.pool);
	size_t slots = is_unbounded(e) ? 0 : e->scheduler.parallel;

	return processors && (!slots || processors < slots) ? (size_t)processors : slots;
}

/* Reports that ask the scheduler what tests hold. */
static void
open_pictures(
	const struct execution *e, const struct scheduler *s, struct report_list *reports)
{
	const struct report_options *o = &e->s->options.report;
	struct spans_options spans = {
		.plan = e->plan.plan, .scheduler = s, .run = e->scheduler};
	struct html_options html = {
		.path = run_path(e->c, o->html),
		.tree = e->c->directory,
		.program = CCTR_VERSION,
		.slots = slots_at_most(e),
		.spans = spans,
		.history = e->s->options.run.keeps_history
				   ? history_path(e->c->arena, e->s->temporary)
				   : STR(""),
		.configuration = e->s->options.configuration,
	};

	if (o->trace.n)
		add_report(reports,
			report_trace_open(e->c->arena, run_path(e->c, o->trace), &spans));
	if (o->html.n)
		add_report(reports, report_html_open(e->c->arena, &html));
}

static void
open_live(
	const struct execution *e, const struct scheduler *s, struct report_list *reports)
{
	struct arena *a = e->c->arena;
	const struct options *o = &e->s->options;
	struct ui_place ui = ui_place_here();
	struct live_options live = {
		.plan = e->plan.plan,
		.expected = expected_times(a, &e->tests->selection, e->plan.recorded),
		.scheduler = s,
		.run = e->scheduler,
		.slots = slots_at_most(e),
		.has_colour = ui_has_colour(&ui),
	};
	struct recap_options recap = {
		.again = again_command(a, o->words),
		.add_test = again_add_test,
		.has_output = o->console.verbose || o->report.output_on_failure,
		.has_colour = live.has_colour,
	};

	add_report(reports, report_live_open(a, &live));
	add_report(reports, report_recap_open(a, &recap));
}

/* ---- annotations ----------------------------------------------------------------- */

static bool
is_true(const char *variable)
{
	const char *value = getenv(variable);

	return value && strcmp(value, "true") == 0;
}

/* Which server the variables name, if the option asks for that. */
static enum annotations
choose_annotations(enum annotations asked)
{
	if (asked != ANNOTATE_AUTO)
		return asked;
	if (is_true("GITHUB_ACTIONS"))
		return ANNOTATE_GITHUB;
	return is_true("GITLAB_CI") ? ANNOTATE_GITLAB : ANNOTATE_NOT;
}

static struct str
gitlab_file(const struct run_context *c)
{
	return path_join(c->arena, c->directory, STR("gl-code-quality-report.json"));
}

bool
execution_clear(struct run_context *c, const struct run_settings *s)
{
	const char *path = str_z(c->arena, gitlab_file(c));

	if (choose_annotations(s->options.report.annotations) != ANNOTATE_GITLAB ||
		listing_is_asked(&s->options) || s->options.schedule.simulate ||
		unlink(path) == 0 || errno == ENOENT)
		return true;
	diag_system(&c->diag, str_of(path), "cannot be removed", errno);
	console_diag(c->console, &c->diag);
	return false;
}

/* NULL: there are none. */
static struct report *
open_annotations(const struct execution *e)
{
	struct arena *a = e->c->arena;
	enum annotations kind = choose_annotations(e->s->options.report.annotations);
	bool is_gitlab = kind == ANNOTATE_GITLAB;
	struct str root =
		str_of(getenv(is_gitlab ? "CI_PROJECT_DIR" : "GITHUB_WORKSPACE"));
	struct annotations_options o = {.option = "--annotations",
		.tree = e->c->directory,
		.any_file = STR("CMakeLists.txt")};

	if (kind == ANNOTATE_NOT)
		return NULL;
	if (is_gitlab)
		o.file = gitlab_file(e->c);
	if (!root.n)
		root = configuration_get(&e->s->files.configuration, "SourceDirectory");
	o.root = root.n ? path_join(a, o.tree, root) : STR("");
	return report_annotations_open(a, &o);
}

/* ---- the history ----------------------------------------------------------------- */

/* NULL: no attempt is written down. */
static struct report *
open_history(const struct execution *e)
{
	struct arena *a = e->c->arena;
	const struct run_options *o = &e->s->options.run;
	struct str source =
		configuration_get(&e->s->files.configuration, "SourceDirectory");

	if (!o->keeps_history)
		return NULL;
	return report_history_open(a,
		&(struct history_report){
			.options = {.path = history_path(a, e->s->temporary),
				.keep = o->history_keep ? o->history_keep : HISTORY_KEEP,
				.configuration = e->s->options.configuration,
				.began_us = loop_wall_us(),
				.host = host_name(a, STR_NONE),
				.commit = commit_of(
					a, path_join(a, e->c->directory, source)),
				.slots = e->scheduler.parallel},
			.suite = e->tests->selection.suite,
		});
}

/* ---- the checkpoint -------------------------------------------------------------- */

/* The checkpoint of another run must not count for this one. */
static bool
remove_checkpoint(struct str path, struct diag *d)
{
	if (unlink(path.p) == 0 || error_is_absence(errno) || path_is_directory(path.p))
		return true;
	return diag_system(d, path, "cannot be removed", errno);
}

/* -F: tests that an interrupted run finished count as done. */
static bool
read_checkpoint(struct execution *e)
{
	struct run_context *c = e->c;

	if (!e->s->options.run.resumes)
		return remove_checkpoint(e->checkpoint_path, &c->diag);
	if (!checkpoint_read(c->arena, e->checkpoint_path, &e->tests->selection,
		    &e->checkpoint, &c->diag))
		return false;
	if (!e->checkpoint.was_there)
		return true;
	if (e->files->log)
		report_log_resumes(e->files->log);
	cost_data_leave_out(e->plan.cost, e->checkpoint.finished, e->checkpoint.seconds);
	return true;
}

/* true: a run that is continued has already made the pool. */
static bool
is_pool_made(const struct execution *e)
{
	struct pool_maker *m = &e->plan.generated->maker;
	bool is_made = true;

	if (e->checkpoint.finished && e->checkpoint.finished[m->node]) {
		is_made = m->look(m);
		m->say(m);
	}
	return is_made;
}

/* ---- the run --------------------------------------------------------------------- */

/* After an interrupt the results of finished tests are kept; where the run did not begin,
 * those of an earlier run. */
static bool
stop_reports(struct run_context *c, const struct report_list *reports)
{
	bool all = true;

	for (size_t i = 0; i < reports->n; i++)
		if (reports->v[i]->type->stop)
			all = reports->v[i]->type->stop(reports->v[i], &c->diag) && all;
	console_diag(c->console, &c->diag);
	return all;
}

/* The shards of a run read the same file of --timings, perhaps one after the other. */
static bool
save_times(const struct execution *e, const struct tally *t)
{
	struct timings_file file = suite_timings_file(e->c, e->s);

	if (file.is_named && e->s->options.selection.shards)
		return true;
	return timings_save(e->c->arena, &file, e->s->options.configuration,
		e->tests->selection.suite, t, &e->c->diag);
}

static void
say_nothing_ran(const struct execution *e)
{
	if (e->s->options.run.no_tests != NO_TESTS_IGNORE)
		console_say(
			e->c->console, CHANNEL_ERROR, STR("No tests were found!!!\n"));
}

/* Writes the records of a run that nothing interrupted. */
static bool
write_records(const struct execution *e, const struct tally *t,
	const struct report_list *reports)
{
	struct run_context *c = e->c;
	struct str directory = e->s->temporary;
	/* A test may have removed the directory. */
	bool all = settings_make_directory(c->arena, c->console, directory.p);

	all = cost_data_save(c->arena, e->plan.cost, &e->tests->selection, t, &c->diag) &&
	      all;
	all = save_times(e, t) && all;
	all = last_failed_write(c->arena, directory, e->s->tag, t, &c->diag) && all;
	if (t->passed + t->failed == 0)
		say_nothing_ran(e);
	/* Last: after a kill before this point, -F can continue this run. */
	c->is_unwritten = !run_files_close_reports(c, reports->v, reports->n);
	if (c->is_unwritten)
		console_note_loss(c->console);
	all = !c->is_unwritten && all;
	all = remove_checkpoint(e->checkpoint_path, &c->diag) && all;
	console_diag(c->console, &c->diag);
	watch_rounds_tell(c->arena, e->s, t);
	return all;
}

/* ctest(1), "Additional Labels" and "Test Details". */
static const struct output_tags output_tags = {.head = "<CTest",
	.details = {"<CTestDetails>", "</CTestDetails>"},
	.label = {"<CTestLabel>", "</CTestLabel>"}};

/* The engine of agents chooses among the processors of their nodes. */
static struct affinity *
open_affinity(const struct execution *e)
{
	if (e->tests->nodes.are_remote)
		return NULL;
	return affinity_new(
		e->c->arena, &(struct affinity_options){.layout = &e->tests->processors,
				     .pool = e->scheduler.pool,
				     .is_compact = e->s->options.schedule.affinity,
				     .is_shared = e->host != NULL});
}

static struct control *
choose_control(const struct execution *e)
{
	struct control *c = e->control ? control_server_control(e->control) : NULL;

	return e->pmix ? pmix_link_control(e->pmix, c) : c;
}

/* Returns that of --explain; NULL: there is none. */
static struct report *
open_all_reports(
	const struct execution *e, const struct scheduler *s, struct report_list *reports)
{
	const struct options *o = &e->s->options;
	struct explain_request explain = run_plan_explain_request(&e->plan, e->tests);
	struct report *explaining = NULL;

	explain.scheduler = e->scheduler;
	explain.stop_on_failure = o->run.stop_on_failure;
	open_reports(e, reports);
	if (e->tests->explained.v.n)
		explaining = explain_open(e->c->arena, &explain, s);
	add_report(reports, explaining);
	if (!o->console.is_called_ctest && !e->s->step)
		add_report(
			reports, report_interrupted_open(e->c->arena, e->plan.plan->n));
	open_pictures(e, s, reports);
	if (e->s->is_live)
		open_live(e, s, reports);
	add_report(reports, open_annotations(e));
	add_report(reports, open_history(e));
	return explaining;
}

static bool
run_the_plan(struct execution *e, struct tally *tally, struct explanation *explanation)
{
	struct run_context *c = e->c;
	const struct options *o = &e->s->options;
	struct report_list reports = {.n = 0};
	struct report *explaining;
	struct run run = {
		.arena = c->arena,
		.selection = &e->tests->selection,
		.plan = e->plan.plan,
		.scheduler = scheduler_new(c->arena, e->plan.plan, &e->scheduler),
		.engine = choose_engine(e),
		.awaited_nodes = awaited_nodes(e),
		.job_server = e->job_server,
		.private_tmp = e->private_tmp,
		.affinity = open_affinity(e),
		.scratch_directory = e->s->temporary,
		.preparer = open_preparer(e),
		.tags = &output_tags,
		.slow_after_ns = o->run.slow_after_ns,
		.throttle = open_throttle(e),
		.maker = e->plan.generated ? &e->plan.generated->maker : NULL,
		.partitions = e->tests->partitions,
		.no_resources = "the run has no resources: see --resource-spec-file and "
				"--resource",
		.control = choose_control(e),
		.host = e->host,
		.finished_n = e->checkpoint.finished_n,
		.repeat = o->run.repeat,
		.hang_report = o->run.hang_report,
		.leak_report = o->run.leak_report || e->s->is_live,
		.flaky_fails = o->run.flaky_fails,
		.stop_on_failure = o->run.stop_on_failure,
		.stop_on_refusal = c->dialect->has[DIALECT_REFUSED_TEST_STOPS_RUN],
	};
	bool ran;

	explaining = open_all_reports(e, run.scheduler, &reports);
	run.reports = reports.v;
	run.reports_n = reports.n;
	ran = run_all(&run, tally, &c->interrupted, &c->diag);
	if (e->private_tmp) {
		private_tmp_close(e->private_tmp, &c->diag);
		console_diag(c->console, &c->diag);
	}
	if (explaining && ran)
		explain_run(explanation, explaining, c->interrupted != 0);
	if (!ran || c->interrupted)
		return stop_reports(c, &reports) && ran;
	return write_records(e, tally, &reports);
}

static enum exit_code
code_of_nothing(const struct execution *e)
{
	return e->s->options.run.no_tests == NO_TESTS_ERROR ? EXIT_TESTS_FAILED : EXIT_OK;
}

/* Names the tests for which the run fails though they passed. */
static void
say_flaky(const struct execution *e, const struct tally *t)
{
	struct buf text = {.arena = e->c->arena};
	const char *separator = ": ";

	buf_fmt(&text,
		"--flaky=fail: the run fails for %zu test%s that passed only after "
		"a failure",
		t->flaky, t->flaky > 1 ? "s" : "");
	for (size_t i = 0; i < t->results.n; i++) {
		if (t->results.v[i].flaky == FLAKY_NOT)
			continue;
		buf_fmt(&text, "%s%.*s", separator, STR_ARG(t->results.v[i].test->name));
		separator = ", ";
	}
	buf_char(&text, '\n');
	console_say(e->c->console, CHANNEL_ERROR, buf_as_str(&text));
}

/* What was done in each partition that has been ACTIVE. */
static void
say_partitions(const struct execution *e)
{
	const struct partitions *p = e->tests->partitions;

	for (size_t i = 0; p && !e->s->options.dashboard.is_quiet && i < p->v.n; i++) {
		const struct partition *one = &p->v.v[i];

		if (one->since_s[PARTITION_ACTIVE] < 0)
			continue;
		console_fmt(e->c->console, CHANNEL_OUTPUT,
			"Partition %.*s: %zu test%s, %zu slot%s %.0f %% busy\n",
			STR_ARG(one->request.name), one->ended,
			one->ended == 1 ? "" : "s", one->request.parallel,
			one->request.parallel == 1 ? "" : "s",
			100 * partition_utilisation(one, 0));
	}
}

static enum exit_code
code_of(const struct execution *e, const struct tally *t)
{
	bool is_flaky = t->flaky && e->s->options.run.flaky_fails;

	if (t->passed + t->failed == 0)
		return code_of_nothing(e);
	if (is_flaky)
		say_flaky(e, t);
	return t->failed || is_flaky ? EXIT_TESTS_FAILED : EXIT_OK;
}

/* false after messages: the run cannot begin. */
static bool
prepare_run(struct execution *e)
{
	struct run_context *c = e->c;

	if (e->s->options.run.keeps_history && !history_is_available())
		return diag_error(&c->diag, (struct place){.file = STR("--history=on")},
			"%s", history_lacks());
	if (e->s->options.run.pmix && pmix_host_lacks())
		return diag_error(&c->diag, (struct place){.file = STR("--pmix")}, "%s",
			pmix_host_lacks());
	if (e->s->options.run.batches && e->tests->nodes.are_remote)
		console_say(c->console, CHANNEL_ERROR,
			STR("Warning: --batch: tests on nodes run one by one\n"));
	if (e->s->options.run.private_tmp && !e->tests->nodes.are_remote)
		e->private_tmp = private_tmp_open(c->arena,
			private_tmp_parent(c->arena, c->directory),
			e->s->options.run.keep_failed_tmp);
	if (!read_checkpoint(e))
		return false;
	if (e->job_server)
		console_say(
			c->console, CHANNEL_OUTPUT, STR("Connected to MAKE jobserver\n"));
	if (e->plan.generated && !is_pool_made(e))
		return false;
	e->scheduler = e->plan.scheduler;
	e->scheduler.finished = e->checkpoint.finished;
	if (e->plan.generated)
		e->scheduler.pool = &e->plan.generated->pool;
	e->batch = (struct batch_options){.selection = &e->tests->selection,
		.order = e->plan.plan->order,
		.finished = e->checkpoint.finished,
		.parallel = e->scheduler.parallel,
		.apart = e->scheduler.parts ? e->scheduler.parts->of : NULL};
	return true;
}

/* Which engine runs the tests; nothing for that of this machine. */
static void
say_engine(const struct execution *e)
{
	const struct batch_system *system = e->s->options.engine.system;
	const struct run_nodes *nodes = &e->tests->nodes;
	bool has_local = nodes->remote.has_local;
	size_t n = nodes->remote.nodes.n - has_local, slots = e->scheduler.parallel;
	struct buf text = {.arena = e->c->arena};

	if (!nodes->are_remote || e->s->options.dashboard.is_quiet)
		return;
	buf_fmt(&text, "Engine: %s%s, %zu %s%s", has_local ? "local," : "",
		system ? system->name : "launcher", n,
		nodes->are_pilots ? "pilot" : "node", n > 1 ? "s" : "");
	if (!is_unbounded(e))
		buf_fmt(&text, ", %zu slot%s", slots, slots > 1 ? "s" : "");
	buf_char(&text, '\n');
	console_say(e->c->console, CHANNEL_OUTPUT, buf_as_str(&text));
}

static struct run_result
leave_without_plan(const struct execution *e)
{
	struct run_context *c = e->c;
	bool keeps_checkpoint = !e->plan.recorded || e->s->options.run.resumes ||
				e->tests->resources.is_refused ||
				c->dialect->has[DIALECT_CYCLE_FAILS];
	bool all = keeps_checkpoint || remove_checkpoint(e->checkpoint_path, &c->diag);

	all = run_files_leave(c, e->files) && all;
	if (!e->plan.recorded)
		return (struct run_result){EXIT_TESTS_FAILED, false};
	if (c->dialect->has[DIALECT_CYCLE_FAILS])
		return (struct run_result){EXIT_TESTS_FAILED, true};
	say_nothing_ran(e);
	return (struct run_result){all ? code_of_nothing(e) : EXIT_TESTS_FAILED, false};
}

/* How many processors running tests may use together. */
static size_t
choose_parallel(const struct execution *e)
{
	return is_unbounded(e)
		       ? UNBOUNDED_JOBS
		       : run_nodes_parallel(&e->tests->nodes, &e->s->options.schedule);
}

/* A run that cannot be asked goes on all the same. */
static struct control_server *
open_control(const struct execution *e)
{
	struct control_about about = {.tree = e->c->directory,
		.program = CCTR_VERSION,
		.no_partitions = "the run has no partitions: see --partition"};

	if (e->s->options.run.no_control || !e->tests->selection.n)
		return NULL;
	return control_server_open(e->c->arena, e->s->temporary, &about);
}

/* false after a diag_error. */
static bool
open_host(struct execution *e)
{
	struct run_context *c = e->c;
	const struct resource_options *o = &e->s->options.resources;
	const struct partitions *p = e->tests->partitions;
	const struct host_place place = {
		str_of(run_path(c, o->host_folder)), "--share-host"};

	if (!o->shares_host || !e->tests->selection.n)
		return true;
	if (e->tests->nodes.are_remote || !e->scheduler.pool)
		return diag_error(&c->diag, NO_PLACE,
			"cctr: --share-host: the tests do not run on this machine");
	e->host = host_share_open(
		c->arena, &place, e->scheduler.pool, p ? p->whole : NULL, &c->diag);
	return e->host != NULL;
}

struct run_result
execution_run(struct run_context *c, const struct run_settings *s, struct run_tests *t,
	const struct run_files *files, struct explanation *explanation)
{
	struct execution e = {.c = c,
		.s = s,
		.tests = t,
		.files = files,
		.checkpoint_path =
			path_join(c->arena, s->temporary, STR("CTestCheckpoint.txt")),
		.job_server = settings_connect_job_server(c->arena, c->dialect)};
	struct run_result failed = {EXIT_TESTS_FAILED, false};
	struct tally tally = {0};
	bool ran;

	if (!run_plan_make(c, s, t, choose_parallel(&e), &e.plan))
		return leave_without_plan(&e);
	run_nodes_set_nice(c->arena, e.plan.plan, choose_parallel(&e), &t->nodes);
	if (!prepare_run(&e) || !open_host(&e)) {
		run_files_close(c, files);
		console_diag(c->console, &c->diag);
		return failed;
	}
	say_engine(&e);
	e.control = open_control(&e);
	e.pmix = pmix_host_lacks() ? NULL : pmix_link_new(c->arena);
	if (awaited_nodes(&e))
		e.whole_nodes = whole_nodes_open(c->arena,
			path_join(c->arena, s->directory, s->temporary), &t->nodes.job);
	ran = run_the_plan(&e, &tally, explanation);
	if (e.whole_nodes)
		whole_nodes_close(e.whole_nodes);
	if (e.control)
		control_server_close(e.control, &c->diag);
	if (ran)
		say_partitions(&e);
	console_diag(c->console, &c->diag);
	if (!ran || c->interrupted)
		return failed;
	return (struct run_result){code_of(&e, &tally), false};
}

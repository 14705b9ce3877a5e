/* Runs the tests and writes the records. See session.h. */
#include "compat/run/session.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "compat/launch/llvm_profile.h"
#include "compat/launch/prepare.h"
#include "compat/records/last_failed.h"
#include "compat/report/report_console.h"
#include "compat/report/report_log.h"
#include "compat/run/start_throttle.h"
#include "runner/base/files.h"
#include "runner/run/run.h"
#include "runner/run/run_output.h"

/* NULL: coverage is not collected. */
static const struct llvm_profile *
profile_of(struct session *s)
{
	const struct configuration *c = &s->settings.configuration;

	if (!s->dialect->has[DIALECT_COVERAGE_TOOL] ||
		!(str_is(s->options->coverage_tool, "LLVM-COV") ||
			str_is(configuration_get(c, "CTestTestCoverageTool"),
				"LLVM-COV")))
		return NULL;
	return llvm_profile_open(s->arena,
		&(struct llvm_profile_options){
			.dialect = s->dialect,
			.suite = s->suite,
			.merger =
				configuration_get(c, "CTestTestCoverageMergeExecutable"),
		});
}

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
		.pool = s->generated       ? &s->generated->pool
			: s->pool.is_there ? &s->pool.pool
					   : NULL,
		.telling = s->pool.telling,
		.skip_insufficient = s->options->resources.skip_insufficient,
		.most_threads = s->options->affinity ? s->options->parallel : 0,
		.private_tmp = s->private_tmp,
		.wrapper = session_wrapper(s),
		.profile = profile_of(s),
		.shows_changes = s->step != NULL,
		.resource_spec_file =
			s->generated ? s->generated->path : s->pool.shown_as,
	};

	return prepare_open(s->arena, &p);
}

const struct wrapper *
session_wrapper(const struct session *s)
{
	return s->step ? s->step->wrapper : NULL;
}

struct str
session_tag(const struct session *s)
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

bool
session_close_files(struct session *s)
{
	return close_reports(s, s->files, s->files_n);
}

void
session_leave_files(struct session *s)
{
	bool has_log = s->files_n && strcmp(s->files[0]->type->name, "log") == 0;

	if (!has_log || !s->dialect->has[DIALECT_CYCLE_FAILS]) {
		session_close_files(s);
		return;
	}
	for (size_t i = 0; i < s->files_n; i++)
		if (s->files[i]->type->drop)
			(void)s->files[i]->type->drop(s->files[i], &s->diag);
	console_diag(s->console, &s->diag);
}

static struct str
checkpoint_path(const struct session *s)
{
	return path_join(s->arena, s->temporary, STR("CTestCheckpoint.txt"));
}

/* The checkpoint of another run must not count for this one. */
static bool
remove_checkpoint(struct session *s)
{
	struct str path = checkpoint_path(s);

	if (unlink(path.p) == 0 || error_is_absence(errno) || path_is_directory(path.p))
		return true;
	return diag_error(&s->diag, (struct place){.file = path}, "cannot be removed: %s",
		strerror(errno));
}

/* -F: tests that an interrupted run finished count as done. */
static bool
read_checkpoint(struct session *s)
{
	if (!s->options->resumes)
		return remove_checkpoint(s);
	if (!checkpoint_read(s->arena, checkpoint_path(s), &s->selection, &s->checkpoint,
		    &s->diag))
		return false;
	if (!s->checkpoint.was_there)
		return true;
	report_log_resumes(s->files[0]);
	cost_data_leave_out(s->cost, s->checkpoint.finished, s->checkpoint.seconds);
	return true;
}

static struct start_throttle *
start_throttle_of(struct session *s, const struct plan *plan)
{
	return start_throttle_open(
		s->arena, &(struct start_throttle_options){.console = s->console,
				  .dialect = s->dialect,
				  .plan = plan,
				  .test_load = s->options->test_load,
				  .stop_s = s->options->stop_s});
}

/* true: a run that is continued has already made the pool. */
static bool
is_pool_made(const struct session *s)
{
	struct pool_maker *m = &s->generated->maker;
	bool is_made = true;

	if (s->checkpoint.finished && s->checkpoint.finished[m->node]) {
		is_made = m->look(m);
		m->say(m);
	}
	return is_made;
}

/* The checkpoint comes last: a test is in it only after everything else about the test is
 * written. */
static size_t
open_reports(struct session *s, struct report **reports)
{
	size_t n = 0;

	reports[n++] = report_console_open(
		s->arena, s->console, s->options, s->dialect, &s->selection);
	reports[n++] = cost_data_listen(s->cost, &s->selection);
	for (size_t i = 0; i < s->files_n; i++)
		reports[n++] = s->files[i];
	reports[n++] = last_failed_open(s->arena, s->temporary, session_tag(s));
	reports[n++] = checkpoint_open(s->arena, checkpoint_path(s));
	return n;
}

/* After an interrupt the results of finished tests are kept. */
static bool
stop_reports(struct session *s, struct report *const *reports, size_t n)
{
	bool all = true;

	for (size_t i = 0; i < n; i++)
		if (reports[i]->type->stop)
			all = reports[i]->type->stop(reports[i], &s->diag) && all;
	console_diag(s->console, &s->diag);
	return all;
}

/* ctest(1), "Additional Labels" and "Test Details". */
static const struct output_tags output_tags = {.head = "<CTest",
	.details = {"<CTestDetails>", "</CTestDetails>"},
	.label = {"<CTestLabel>", "</CTestLabel>"}};

static bool
execute(struct session *s, const struct plan *plan)
{
	const struct options *o = s->options;
	struct scheduler_options so = session_run_options(s);
	struct explain_request explain = session_explain_request(s, plan);
	struct report *explaining = NULL, *reports[8];
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
		.tags = &output_tags,
		.reports = reports,
		.reports_n = open_reports(s, reports),
		.throttle = start_throttle_of(s, plan),
		.maker = s->generated ? &s->generated->maker : NULL,
		.finished_n = s->checkpoint.finished_n,
		.repeat = o->repeat,
		.stop_on_failure = o->stop_on_failure,
		.stop_on_refusal = s->dialect->has[DIALECT_REFUSED_START_AGAIN],
	};
	bool ran;

	explain.scheduler = so;
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
		return stop_reports(s, reports, run.reports_n) && ran;
	/* A test may have removed the directory. */
	ran = settings_make_directory(s->arena, s->console, s->temporary.p) && ran;
	ran = cost_data_save(s->arena, s->cost, &s->selection, &s->tally, &s->diag) &&
	      ran;
	ran = last_failed_write(
		      s->arena, s->temporary, session_tag(s), &s->tally, &s->diag) &&
	      ran;
	/* Last: after a kill before this point, -F can continue this run. */
	ran = close_reports(s, reports, run.reports_n) && ran;
	ran = remove_checkpoint(s) && ran;
	console_diag(s->console, &s->diag);
	return ran;
}

/* Prints "No tests were found!!!" and returns the exit code for it. */
static enum exit_code
nothing_ran(struct session *s)
{
	if (s->options->no_tests == NO_TESTS_IGNORE)
		return EXIT_OK;
	console_say(s->console, CHANNEL_ERROR, STR("No tests were found!!!\n"));
	return s->options->no_tests == NO_TESTS_ERROR ? EXIT_TESTS_FAILED : EXIT_OK;
}

enum exit_code
session_run_tests(struct session *s)
{
	struct plan *plan;

	s->job_server = settings_connect_job_server(&s->settings);
	plan = session_plan(s);
	if (!plan) {
		session_leave_files(s);
		s->has_no_plan = s->dialect->has[DIALECT_CYCLE_FAILS];
		return s->has_no_plan ? EXIT_TESTS_FAILED : nothing_ran(s);
	}
	if (s->options->private_tmp)
		s->private_tmp = private_tmp_open(s->arena, private_tmp_parent(s->arena),
			s->options->keep_failed_tmp);
	if (!read_checkpoint(s)) {
		session_close_files(s);
		return EXIT_TESTS_FAILED;
	}
	if (s->job_server)
		console_say(
			s->console, CHANNEL_OUTPUT, STR("Connected to MAKE jobserver\n"));
	if (s->generated && !is_pool_made(s)) {
		session_close_files(s);
		return EXIT_TESTS_FAILED;
	}
	if (!execute(s, plan) || s->interrupted)
		return EXIT_TESTS_FAILED;
	if (s->tally.passed + s->tally.failed == 0)
		return nothing_ran(s);
	return s->tally.failed ? EXIT_TESTS_FAILED : EXIT_OK;
}

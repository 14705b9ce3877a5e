/* See run_files.h. */
#include "compat/run/run_files.h"

#include <errno.h>

#include "compat/instrument/report_snippets.h"
#include "compat/records/last_failed.h"
#include "compat/report/report_junit.h"
#include "compat/report/report_log.h"
#include "runner/base/files.h"
#include "runner/base/streams.h"
#include "runner/report/report_events.h"
#include "runner/report/report_tap.h"

struct report *
run_files_open_log(struct run_context *c, const struct run_settings *s,
	const struct selection *selection)
{
	const char *name = s->words->log;
	struct str path = path_join(c->arena, s->temporary,
		str_fmt(c->arena, "%s%.*s", name,
			STR_ARG(last_file_end(c->arena, s->tag))));
	struct report *log = NULL;
	int error;

	if (settings_make_directory(c->arena, c->console, s->temporary.p))
		log = report_log_open(c->arena,
			&(struct log_options){path, &s->options.report,
				&s->options.schedule, c->dialect},
			selection, &c->diag);
	error = errno;
	console_diag(c->console, &c->diag);
	if (log)
		return log;
	if (console_is_quiet(c->console))
		console_lost_file(c->console, path, error);
	console_fmt(c->console, CHANNEL_ERROR, "Cannot create log file: %s.log\n", name);
	return NULL;
}

static const char *
stream_path(const struct run_context *c, struct str name)
{
	return streams_is_output(name) ? name.p : run_path(c, name);
}

/* A step with a wrapper closes JUnit's report itself, which has whole outputs then. */
void
run_files_open_others(struct run_context *c, const struct run_settings *s,
	const struct selection *selection, struct run_files *f)
{
	static const struct output_limits none;
	struct junit_options o = {
		.directory = c->start,
		.path = s->options.report.junit,
		.build_name = configuration_get(&s->files.configuration, "BuildName"),
		.site = configuration_get(&s->files.configuration, "Site"),
		.output = s->wrapper ? &none : &s->options.report.output,
		.tells_attempts = s->options.run.tells_flaky,
		.dialect = c->dialect,
		.selection = selection,
	};
	struct report *junit = o.path.n ? report_junit_open(c->arena, &o) : NULL;

	if (junit && !s->wrapper) {
		f->others[f->others_n++] = junit;
		junit = NULL;
	}
	if (s->options.report.events.n)
		f->others[f->others_n++] = report_events_open(
			c->arena, stream_path(c, s->options.report.events), selection->n);
	if (s->options.report.tap.n)
		f->others[f->others_n++] =
			report_tap_open(c->arena, stream_path(c, s->options.report.tap));
	if (s->instrumentation && s->instrumentation->is_asked)
		f->others[f->others_n++] = report_snippets_open(c->arena,
			s->instrumentation, s->options.configuration,
			&s->options.report.output, c->directory);
	if (s->step && s->step->open_report)
		f->others[f->others_n++] = s->step->open_report(s->step->context, junit);
}

size_t
run_files_list(const struct run_files *f, struct report **reports)
{
	size_t n = 0;

	if (f->log)
		reports[n++] = f->log;
	for (size_t i = 0; i < f->others_n; i++)
		reports[n++] = f->others[i];
	if (f->shard)
		reports[n++] = f->shard;
	return n;
}

bool
run_files_close_reports(struct run_context *c, struct report *const *reports, size_t n)
{
	bool all = true;

	for (size_t i = 0; i < n; i++)
		all = reports[i]->type->close(reports[i], &c->diag) && all;
	console_diag(c->console, &c->diag);
	return all;
}

bool
run_files_close(struct run_context *c, const struct run_files *f)
{
	struct report *reports[RUN_FILES_MOST];

	return run_files_close_reports(c, reports, run_files_list(f, reports));
}

bool
run_files_leave(struct run_context *c, const struct run_files *f)
{
	struct report *reports[RUN_FILES_MOST];
	size_t n = run_files_list(f, reports);
	bool all = true;

	if (!f->log || !c->dialect->has[DIALECT_CYCLE_FAILS])
		return run_files_close_reports(c, reports, n);
	for (size_t i = 0; i < n; i++)
		if (reports[i]->type->drop)
			all = reports[i]->type->drop(reports[i], &c->diag) && all;
	console_diag(c->console, &c->diag);
	return all;
}

/* See merge_reports.h. All is written by the reports of ordinary runs. */
#include "compat/dashboard/merge/merge_reports.h"

#include <errno.h>

#include "compat/dashboard/step/report_testxml.h"
#include "compat/dashboard/step/step_start.h"
#include "compat/report/report_console.h"
#include "compat/report/report_junit.h"
#include "runner/base/atomic_file.h"
#include "runner/base/files.h"
#include "runner/base/scratch_folder.h"
#include "runner/history/report_history.h"
#include "runner/run/timings.h"

struct merging {
	struct arena *arena;
	const struct merged_run *m;
	const struct merge_request *q;
	struct diag *d;
	struct options options;
	struct configuration configuration; /* of the folder, completed by the shards' */
	struct step_input in;
	struct step_result result;
};

/* ---- what the shards have in common ---------------------------------------------- */

static void
set_key(struct merging *g, const char *key, struct str value)
{
	configuration_set(
		&g->configuration, str_fmt(g->arena, "%s=%.*s", key, STR_ARG(value)));
}

static void
default_key(struct merging *g, const char *key, struct str value)
{
	if (!configuration_get(&g->configuration, key).n)
		set_key(g, key, value);
}

/* false after a diag_error. */
static bool
read_configuration(struct merging *g)
{
	const struct shard_head *h = &g->m->files[0].record.head;
	struct str into = g->q->into;

	g->configuration =
		(struct configuration){.arena = g->arena, .keys = map_in(g->arena)};
	if (into.n)
		g->configuration = configuration_load(g->arena, into);
	if (g->configuration.error)
		return diag_unreadable(
			g->d, g->configuration.path, g->configuration.error);
	default_key(g, "BuildName", h->build_name);
	default_key(g, "Site", h->site);
	return true;
}

static struct options
options_of(const struct shard_head *h)
{
	return (struct options){
		.report.max_width = 30,
		.report.output = {(long)h->output_passed, (long)h->output_failed,
			(enum truncation)h->output_truncation},
	};
}

/* ---- JUnit ----------------------------------------------------------------------- */

static bool
write_junit(struct merging *g)
{
	struct junit_options o = {
		.path = g->q->junit,
		.build_name = configuration_get(&g->configuration, "BuildName"),
		.site = configuration_get(&g->configuration, "Site"),
		.output = &g->options.report.output,
		.tells_attempts = g->m->files[0].record.head.tells_attempts,
		.dialect = g->q->dialect,
		.selection = &g->m->selection,
		.started_s = g->m->tally.started_s,
	};
	struct report *junit = report_junit_open(g->arena, &o);

	merged_run_tell(g->m, &(struct merged_listener){.report = junit});
	return junit->type->close(junit, g->d);
}

/* ---- Test.xml -------------------------------------------------------------------- */

/* The paths of tests are shown without those of their project. */
static void
enter_shard(void *context, const struct shard_file *shard)
{
	struct merging *g = context;
	const struct shard_head *h = &shard->record.head;

	set_key(g, "BuildDirectory", h->binary);
	g->in.directory = h->directory;
	g->in.source = h->source;
}

/* The attached files of the shards, which are perhaps on other machines. */
static bool
put_attached(struct merging *g, struct str folder, const struct shard_attached *f,
	struct str *path)
{
	struct str name = path_name(f->path);

	*path = path_join(g->arena, folder, name);
	return (directory_make(g->arena, folder.p) && name.n && !str_is(name, ".") &&
		       !str_is(name, "..") &&
		       file_write(g->arena, path->p, ".tmp", f->contents)) ||
	       diag_system(g->d, *path, "cannot be written", errno);
}

static void
rename_attached(struct str_list l, struct str from, struct str to)
{
	for (size_t i = 0; i < l.n; i++)
		if (str_eq(l.v[i], from))
			l.v[i] = to;
}

static bool
put_shard_files(struct merging *g, struct str folder, struct shard_record *r)
{
	for (size_t i = 0; i < r->files.n; i++) {
		struct str path;

		if (!put_attached(g, str_fmt(g->arena, "%.*s/%zu", STR_ARG(folder), i),
			    &r->files.v[i], &path))
			return false;
		for (size_t k = 0; k < r->attempts.n; k++) {
			struct properties *p = &r->attempts.v[k].properties;

			rename_attached(p->attached_files, r->files.v[i].path, path);
			rename_attached(
				p->attached_files_on_fail, r->files.v[i].path, path);
		}
	}
	return true;
}

static bool
put_files(struct merging *g, struct str folder)
{
	bool all = true;

	for (size_t i = 0; all && i < g->m->n; i++)
		all = put_shard_files(g,
			str_fmt(g->arena, "%.*s/%zu", STR_ARG(folder), i),
			&g->m->files[i].record);
	return all;
}

static bool
write_testxml(struct merging *g)
{
	struct dialect *dialect = NEW(g->arena, struct dialect);
	const struct tally *t = &g->m->tally;
	struct report *report;

	/* What CMake has recorded is in the build trees. */
	*dialect = *g->q->dialect;
	dialect->has[DIALECT_CMAKE_INSTRUMENTATION] = false;
	g->in = (struct step_input){.arena = g->arena,
		.dialect = dialect,
		.console = g->q->console,
		.options = &g->options,
		.configuration = &g->configuration,
		.directory = g->q->into,
		.binary = g->q->into,
		.call.part = PART_TEST};
	if (!start_resume(&g->in, &g->in.stamp))
		return false;
	report = report_testxml_open(&g->in, &g->result,
		&(struct testxml_options){.file = "Test",
			.started_s = t->started_s,
			.ended_s = t->ended_s});
	merged_run_tell(
		g->m, &(struct merged_listener){
			      .report = report, .enter = enter_shard, .context = g});
	g->in.directory = STR("");
	return report->type->close(report, g->d);
}

/* The files are there while Test.xml is written. */
static bool
write_with_files(struct merging *g)
{
	struct scratch_folder scratch;
	bool is_written;
	size_t files = 0;

	for (size_t i = 0; i < g->m->n; i++)
		files += g->m->files[i].record.files.n;
	if (!files)
		return write_testxml(g);
	scratch_folder_sweep(g->arena);
	if (!scratch_folder_open(g->arena, &scratch))
		return diag_system(
			g->d, STR("TMPDIR"), "no folder can be made there", errno);
	is_written = put_files(g, scratch.path) && write_testxml(g);
	scratch_folder_close(g->arena, &scratch);
	return is_written;
}

/* ---- the history ----------------------------------------------------------------- */

static size_t
all_slots(const struct merged_run *m)
{
	uint64_t n = 0;

	for (size_t i = 0; i < m->n; i++)
		n += m->files[i].record.head.slots;
	return (size_t)n;
}

static bool
write_history(struct merging *g)
{
	const struct shard_head *h = &g->m->files[0].record.head;
	struct suite *declared = NEW(g->arena, struct suite);
	struct report *report;

	if (!history_is_available()) {
		diag_warning(g->d, (struct place){.file = STR("the history")},
			"is not written: %s", history_lacks());
		return true;
	}
	/* Only its size counts. */
	*declared = (struct suite){.n = (size_t)h->suite_n};
	report = report_history_open(
		g->arena, &(struct history_report){
				  .options = {.path = history_path(g->arena,
						      path_join(g->arena, g->q->into,
							      STR("Testing/Temporary"))),
					  .keep = HISTORY_KEEP,
					  .configuration = h->configuration,
					  .began_us = h->started_us,
					  .host = h->host,
					  .commit = h->commit,
					  .slots = all_slots(g->m)},
				  .suite = declared,
			  });
	merged_run_tell(
		g->m, &(struct merged_listener){.report = report, .hears_all = true});
	return report->type->close(report, g->d);
}

/* The tests of the suite are not known, so that no line is dropped. */
static bool
write_timings(struct merging *g)
{
	const struct timings_file file = {.path = g->q->timings, .is_named = true};

	return timings_save(g->arena, &file, g->m->files[0].record.head.configuration,
		NULL, &g->m->tally, g->d);
}

static bool
make_folder(struct merging *g)
{
	struct str path = path_join(g->arena, g->q->into, STR("Testing"));

	return directory_make(g->arena, path.p) ||
	       diag_system(g->d, path, "cannot be made", errno);
}

/* ---------------------------------------------------------------------------------- */

static void
say_summary(struct merging *g)
{
	const struct console_report what = {.console = g->q->console,
		.options = &g->options.report,
		.dialect = g->q->dialect,
		.words = run_words(false)};

	console_fmt(g->q->console, CHANNEL_OUTPUT, "Merged %zu shard%s\n", g->m->n,
		g->m->n > 1 ? "s" : "");
	if (g->m->tally.passed + g->m->tally.failed)
		report_console_summary(g->arena, &what, &g->m->selection, &g->m->tally);
}

bool
merge_reports_write(
	const struct merged_run *m, const struct merge_request *q, struct diag *d)
{
	struct merging g = {.arena = m->arena,
		.m = m,
		.q = q,
		.d = d,
		.options = options_of(&m->files[0].record.head)};
	bool all;

	if (!read_configuration(&g) || (q->into.n && !make_folder(&g)))
		return false;
	all = !q->junit.n || write_junit(&g);
	all = (!q->timings.n || write_timings(&g)) && all;
	if (q->into.n) {
		all = write_with_files(&g) && all;
		all = write_history(&g) && all;
	}
	say_summary(&g);
	return all;
}

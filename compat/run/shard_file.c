/* See shard_file.h. */
#include "compat/run/shard_file.h"

#include "compat/run/listing.h"
#include "runner/base/files.h"
#include "runner/base/host_name.h"
#include "runner/history/commit.h"
#include "runner/shards/report_shard.h"

static struct str
path_of(const struct run_context *c, const struct run_settings *s)
{
	const struct selection_options *o = &s->options.selection;

	return path_join(c->arena, path_parent(s->temporary),
		shard_record_name(c->arena, o->shard, o->shards));
}

static bool
has_record(const struct run_settings *s)
{
	return s->options.selection.shards && !listing_is_asked(&s->options) &&
	       !s->options.schedule.simulate;
}

bool
shard_file_clear(struct run_context *c, const struct run_settings *s)
{
	bool is_gone = !has_record(s) || shard_record_remove(path_of(c, s), &c->diag);

	console_diag(c->console, &c->diag);
	return is_gone;
}

static struct shard_head
head_of(const struct run_context *c, const struct run_settings *s,
	const struct run_tests *t)
{
	struct arena *a = c->arena;
	const struct selection_options *o = &s->options.selection;
	const struct output_limits *output = &s->options.report.output;
	const struct configuration *configured = &s->files.configuration;
	struct str here = c->directory;
	struct str source = configuration_get(configured, "SourceDirectory");
	struct str binary = configuration_get(configured, "BuildDirectory");

	return (struct shard_head){
		.shard = o->shard,
		.shards = o->shards,
		.key = t->part.key,
		.tests = t->part.tests,
		.own = t->part.own,
		.suite_n = t->selection.suite->n,
		.commit = commit_of(a, path_join(a, here, source)),
		.program = STR(CCTR_VERSION),
		.dialect = dialect_text(a, c->dialect),
		.host = host_name(a, STR_NONE),
		.configuration = s->options.configuration,
		.build_name = configuration_get(configured, "BuildName"),
		.site = configuration_get(configured, "Site"),
		.directory = here,
		.source = source,
		.binary = binary.n ? binary : here,
		.slots = s->options.schedule.parallel,
		.output_passed = output->passed,
		.output_failed = output->failed,
		.output_truncation = (int)output->truncation,
		.tells_attempts = s->options.run.tells_flaky,
	};
}

struct report *
shard_file_open(
	struct run_context *c, const struct run_settings *s, const struct run_tests *t)
{
	struct shard_writer_options o = {.is_own = t->part.is_own};

	if (!has_record(s) || s->wrapper)
		return NULL;
	o.path = path_of(c, s);
	o.start = c->start;
	o.head = head_of(c, s, t);
	return report_shard_open(c->arena, &o);
}

enum exit_code
shard_file_end(struct run_context *c, struct report *record, enum exit_code code)
{
	bool is_whole =
		!record || report_shard_end(record, (int)code, c->interrupted, &c->diag);

	console_diag(c->console, &c->diag);
	return is_whole || code != EXIT_OK ? code : EXIT_TESTS_FAILED;
}

/*
 * See report_snippets.h. A test that is not started has no snippet; CMake's ctest writes
 * one with the time 0, which the next overwrites.
 */
#include "compat/instrument/report_snippets.h"

#include <errno.h>

#include "compat/console/report_text.h"
#include "compat/instrument/snippet.h"
#include "runner/base/streams.h"

struct report_snippets {
	struct report report;
	const struct instrumentation *instrumentation;
	struct str configuration;
	const struct output_limits *limits;
	struct str directory;
	struct arena *arena, *scratch;
	VEC(struct snippet_start) starts; /* by node */
	int error; /* an errno: a snippet was not written; 0: all were */
};

static void
note_start(struct report_snippets *r, node_id node)
{
	while (r->starts.n <= node)
		VEC_PUSH(r->arena, &r->starts, (struct snippet_start){0});
	r->starts.v[node] = snippet_begin(r->instrumentation);
}

/* As result files have it. */
static struct str
kept_output(const struct report_snippets *r, const struct event *e, struct spool rooms[2])
{
	struct long_text text = outcome_text(e->outcome);
	bool passed = e->verdict->kind == VERDICT_PASSED;

	text = truncate_measurements(&rooms[0], &text);
	text = truncate_output(&rooms[1], &text,
		passed ? r->limits->passed : r->limits->failed, r->limits->truncation);
	return text.s;
}

static void
write_test(struct report_snippets *r, const struct event *e)
{
	struct arena *a = r->scratch;
	const char *data = r->instrumentation->data.p;
	struct spool rooms[2] = {spool_in(a, data), spool_in(a, data)};
	struct str executable = report_executable(e);
	struct str arguments =
		snippet_command(a, r->instrumentation->dialect, report_arguments(a, e));
	struct snippet s = {.directory = r->directory,
		.role = "test",
		.command =
			str_fmt(a, "%.*s %.*s", STR_ARG(executable), STR_ARG(arguments)),
		.has_config = true,
		.config = r->configuration,
		.test_name = e->attempt->test->name,
		.result = e->outcome->exit_code};

	if (r->instrumentation->options[OPTION_CAPTURE_OUTPUT]) {
		s.has_output = true;
		s.out = kept_output(r, e, rooms);
		s.err = STR("");
	}
	if (!snippet_write(a, r->instrumentation, &s, &r->starts.v[e->attempt->node]).p)
		r->error = errno;
	spool_close(&rooms[0]);
	spool_close(&rooms[1]);
}

static void
take_event(struct report *report, const struct event *e)
{
	struct report_snippets *r = (struct report_snippets *)report;
	struct arena_mark mark = arena_mark(r->scratch);

	if (e->kind == EVENT_LAUNCH && e->refusal->kind == REFUSED_NOT) {
		/* CMake's ctest reads the queries again for the first test. */
		if (!r->starts.n)
			streams_put(STREAM_ERROR, r->instrumentation->complaints);
		note_start(r, e->attempt->node);
	}
	if (e->kind == EVENT_END && e->outcome->ending != END_NOT_STARTED)
		write_test(r, e);
	arena_rewind(r->scratch, mark);
}

static bool
close_snippets(struct report *report, struct diag *d)
{
	struct report_snippets *r = (struct report_snippets *)report;

	arena_close(r->scratch);
	return !r->error || diag_system(d, r->instrumentation->data,
				    "tests cannot be recorded", r->error);
}

struct report *
report_snippets_open(struct arena *a, const struct instrumentation *i,
	struct str configuration, const struct output_limits *limits,
	struct str directory)
{
	static const struct report_type type = {
		.name = "snippets", .event = take_event, .close = close_snippets};
	struct report_snippets *r = NEW(a, struct report_snippets);

	*r = (struct report_snippets){.report = {.type = &type},
		.instrumentation = i,
		.configuration = configuration.n ? configuration : STR(""),
		.limits = limits,
		.directory = directory,
		.arena = a,
		.scratch = arena_open()};
	return &r->report;
}

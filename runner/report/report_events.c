/* A line of JSON for each event. See report_events.h. */
#include "runner/report/report_events.h"

#include "runner/base/json_line.h"
#include "runner/base/loop.h"
#include "runner/report/report_stream.h"
#include "runner/schedule/partitions.h"

struct report_events {
	struct report report;
	struct arena *scratch; /* for one line */
	size_t tests;
	struct report_stream stream;
};

/* ---- members ---------------------------------------------------------------------- */

static double
seconds_of(uint64_t ns)
{
	return (double)ns / 1e9;
}

static void
add_kind(struct buf *b, const char *kind)
{
	json_line_open(b, NULL, '{');
	json_line_text(b, "event", str_of(kind));
	json_line_seconds(b, "time", (double)loop_wall_us() / 1e6);
}

static void
add_attempt(struct buf *b, const struct attempt *a)
{
	json_line_text(b, "test", a->test->name);
	json_line_count(b, "number", a->number);
	json_line_count(b, "attempt", a->run);
	if (a->partition.p)
		json_line_text(b, "partition", a->partition);
}

static void
add_labels(struct buf *b, const struct attempt *a, const struct outcome *o)
{
	struct str_list declared = a->test->properties->labels;

	if (declared.n + o->labels.n == 0)
		return;
	json_line_open(b, "labels", '[');
	for (size_t i = 0; i < declared.n; i++)
		json_line_text(b, NULL, declared.v[i]);
	for (size_t i = 0; i < o->labels.n; i++)
		json_line_text(b, NULL, o->labels.v[i]);
	json_line_close(b, ']');
}

static void
add_usage(struct buf *b, const struct outcome *o)
{
	json_line_seconds(b, "seconds", seconds_of(o->duration_ns));
	json_line_seconds(b, "user", seconds_of(o->user_ns));
	json_line_seconds(b, "system", seconds_of(o->system_ns));
	json_line_count(b, "peak_bytes", o->peak_rss_bytes);
	json_line_count(b, "output_bytes", o->output.n);
}

static void
add_outcome(struct buf *b, const struct event *e)
{
	const struct outcome *o = e->outcome;

	json_line_text(b, "result", str_of(verdict_word(e->verdict->kind)));
	json_line_bool(b, "last", e->is_last);
	if (e->flaky != FLAKY_NOT)
		json_line_bool(b, "flaky", true);
	if (o->ending == END_NOT_STARTED) {
		if (e->refusal && e->refusal->log.n)
			json_line_text(b, "reason", e->refusal->log);
		return;
	}
	if (e->verdict->pattern.n)
		json_line_text(b, "pattern", e->verdict->pattern);
	if (o->ending == END_EXITED)
		json_line_count(b, "exit", (uint64_t)o->exit_code);
	if (o->ending == END_SIGNALLED)
		json_line_count(b, "signal", (uint64_t)o->signal);
	if (o->is_canceled)
		json_line_bool(b, "canceled", true);
	if (o->node)
		json_line_text(b, "node", str_of(o->node));
	if (o->hang.n)
		json_line_text(b, "hang_report", o->hang);
	add_usage(b, o);
}

static void
add_finish(struct buf *b, const struct tally *t, const struct partitions *p)
{
	json_line_count(b, "passed", t->passed);
	json_line_count(b, "failed", t->failed);
	json_line_count(b, "flaky", t->flaky);
	json_line_seconds(b, "seconds", seconds_of(t->duration_ns));
	if (p)
		partitions_add_json(b, p, seconds_of(t->duration_ns));
}

/* ---- events ----------------------------------------------------------------------- */

static void
add_begin(struct buf *b, const struct report_events *r)
{
	add_kind(b, "begin");
	json_line_count(b, "version", EVENTS_VERSION);
	json_line_count(b, "tests", r->tests);
}

static void
add_event(struct buf *b, const struct report_events *r, const struct event *e)
{
	switch (e->kind) {
	case EVENT_BEGIN:
		add_begin(b, r);
		return;
	case EVENT_START:
		add_kind(b, "start");
		add_attempt(b, e->attempt);
		return;
	case EVENT_AGAIN:
		add_kind(b, "again");
		add_attempt(b, e->attempt);
		json_line_text(b, "node", e->node);
		json_line_text(b, "reason", e->text);
		return;
	case EVENT_LEAK:
		add_kind(b, "leak");
		add_attempt(b, e->attempt);
		json_line_number(b, "pid", e->pid);
		json_line_text(b, "name", e->text);
		return;
	case EVENT_SLOW:
		add_kind(b, "slow");
		add_attempt(b, e->attempt);
		json_line_seconds(b, "seconds", e->seconds);
		return;
	case EVENT_WARNING:
		add_kind(b, "warning");
		json_line_text(b, "text", e->text);
		return;
	case EVENT_END:
		add_kind(b, "end");
		add_attempt(b, e->attempt);
		add_outcome(b, e);
		add_labels(b, e->attempt, e->outcome);
		return;
	case EVENT_WITHDRAW:
		add_kind(b, "retry");
		add_attempt(b, e->attempt);
		return;
	case EVENT_FINISH:
		add_kind(b, "finish");
		add_finish(b, e->tally, e->partitions);
		return;
	case EVENT_LAUNCH:
	case EVENT_OUTPUT:
	case EVENT_DETAILS:
	case EVENT_LABEL:
	case EVENT_NOTICE:
	case EVENT_PARTITIONS:
	case EVENT_PUT_BACK:
	case EVENT_TIMEOUT:
	case EVENT_IDLE:
	case EVENT_INTERRUPT:
	case EVENTS:
		return;
	}
}

static void
put_line(struct report_events *r, struct buf *b)
{
	if (b->n) {
		json_line_close(b, '}');
		buf_char(b, '\n');
	}
	report_stream_put(&r->stream, buf_as_str(b));
}

static void
handle_event(struct report *report, const struct event *e)
{
	struct report_events *r = (struct report_events *)report;
	struct arena_mark mark = arena_mark(r->scratch);
	struct buf b = {.arena = r->scratch};

	if (e->kind == EVENT_BEGIN)
		report_stream_open(&r->stream);
	add_event(&b, r, e);
	put_line(r, &b);
	arena_rewind(r->scratch, mark);
}

static bool
close_report(struct report *report, struct diag *d)
{
	struct report_events *r = (struct report_events *)report;

	arena_close(r->scratch);
	return report_stream_close(&r->stream, d);
}

static bool
stop_report(struct report *report, struct diag *d)
{
	struct report_events *r = (struct report_events *)report;
	struct buf b = {.arena = r->scratch};

	add_kind(&b, "interrupted");
	put_line(r, &b);
	return close_report(report, d);
}

struct report *
report_events_open(struct arena *a, const char *path, size_t tests)
{
	static const struct report_type type = {
		.name = "events",
		.event = handle_event,
		.close = close_report,
		.stop = stop_report,
	};
	struct report_events *r = NEW(a, struct report_events);

	r->report.type = &type;
	r->scratch = arena_open();
	r->stream = (struct report_stream){.path = path, .fd = -1};
	r->tests = tests;
	return &r->report;
}

/* The Test Anything Protocol. See report_tap.h. */
#include "runner/report/report_tap.h"

#include "runner/base/json_line.h"
#include "runner/report/report_stream.h"

struct report_tap {
	struct report report;
	struct arena *scratch; /* for one test */
	size_t points;
	struct report_stream stream;
};

/* A description is one line, in which "#" begins a directive. */
static void
add_description(struct buf *b, struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '#' || s.p[i] == '\\')
			buf_char(b, '\\');
		buf_char(b, s.p[i] == '\n' || s.p[i] == '\r' ? ' ' : s.p[i]);
	}
}

static struct str
first_line(struct str s)
{
	struct str line = STR("");

	return str_take_line(&s, &line) ? line : STR("");
}

static void
add_skip(struct buf *b, const struct event *e)
{
	struct str reason = e->refusal ? first_line(e->refusal->log) : STR("");

	buf_z(b, " # SKIP ");
	if (reason.n)
		add_description(b, reason);
	else
		buf_z(b, verdict_word(e->verdict->kind));
}

/* YAML takes the texts of JSON as they are. */
static void
add_text(struct buf *b, const char *key, struct str value)
{
	struct buf line = {.arena = b->arena};

	json_line_open(&line, NULL, '[');
	json_line_text(&line, NULL, value);
	buf_fmt(b, "  %s: ", key);
	buf_add(b, line.p + 1, line.n - 1);
	buf_char(b, '\n');
}

static void
add_diagnostics(struct buf *b, const struct event *e)
{
	const struct outcome *o = e->outcome;

	buf_z(b, "  ---\n");
	buf_fmt(b, "  result: %s\n", verdict_word(e->verdict->kind));
	if (e->refusal && e->refusal->log.n)
		add_text(b, "reason", e->refusal->log);
	if (e->verdict->pattern.n)
		add_text(b, "pattern", e->verdict->pattern);
	if (o->ending == END_EXITED)
		buf_fmt(b, "  exit: %d\n", o->exit_code);
	if (o->ending == END_SIGNALLED)
		buf_fmt(b, "  signal: %d\n", o->signal);
	if (o->node)
		add_text(b, "node", str_of(o->node));
	if (e->attempt->partition.p)
		add_text(b, "partition", e->attempt->partition);
	buf_fmt(b, "  seconds: %.3f\n  ...\n", (double)o->duration_ns / 1e9);
}

static void
add_flakiness(struct buf *b, const struct attempt *a)
{
	buf_fmt(b, "  ---\n  flaky: true\n  attempts: %u\n  failures: %u\n  ...\n",
		a->run, a->failures);
}

static void
add_point(struct report_tap *r, struct buf *b, const struct event *e)
{
	bool is_passed = verdict_is_pass(e->verdict->kind);
	bool is_disabled = verdict_is_uncounted(e->verdict->kind);

	buf_fmt(b, "%s %zu - ", is_passed || is_disabled ? "ok" : "not ok", ++r->points);
	add_description(b, e->attempt->test->name);
	if (is_disabled || (is_passed && e->verdict->kind != VERDICT_PASSED))
		add_skip(b, e);
	buf_char(b, '\n');
	if (!is_passed && !is_disabled)
		add_diagnostics(b, e);
	else if (e->flaky != FLAKY_NOT)
		add_flakiness(b, e->attempt);
}

static void
handle_event(struct report *report, const struct event *e)
{
	struct report_tap *r = (struct report_tap *)report;
	struct arena_mark mark = arena_mark(r->scratch);
	struct buf b = {.arena = r->scratch};

	if (e->kind == EVENT_BEGIN) {
		report_stream_open(&r->stream);
		buf_z(&b, "TAP version 14\n");
	} else if (e->kind == EVENT_END && e->is_last)
		add_point(r, &b, e);
	else if (e->kind == EVENT_FINISH)
		buf_fmt(&b, "1..%zu\n", r->points);
	report_stream_put(&r->stream, buf_as_str(&b));
	arena_rewind(r->scratch, mark);
}

static bool
close_report(struct report *report, struct diag *d)
{
	struct report_tap *r = (struct report_tap *)report;

	arena_close(r->scratch);
	return report_stream_close(&r->stream, d);
}

static bool
stop_report(struct report *report, struct diag *d)
{
	struct report_tap *r = (struct report_tap *)report;

	report_stream_put(&r->stream, STR("Bail out! interrupted\n"));
	return close_report(report, d);
}

struct report *
report_tap_open(struct arena *a, const char *path)
{
	static const struct report_type type = {
		.name = "TAP",
		.event = handle_event,
		.close = close_report,
		.stop = stop_report,
	};
	struct report_tap *r = NEW(a, struct report_tap);

	r->report.type = &type;
	r->report.is_final = true;
	r->scratch = arena_open();
	r->stream = (struct report_stream){.path = path, .fd = -1};
	return &r->report;
}

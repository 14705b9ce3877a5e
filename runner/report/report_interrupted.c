/* See report_interrupted.h. */
#include "runner/report/report_interrupted.h"

#include <signal.h>

#include "runner/base/loop.h"
#include "runner/base/streams.h"

enum { TESTS_SHOWN = 50 };

struct report_interrupted {
	struct report report;
	struct arena *scratch;
	struct running running;
};

/* NULL: it is not sent by people. */
static const char *
name_of(int signal)
{
	return signal == SIGINT    ? "SIGINT"
	       : signal == SIGTERM ? "SIGTERM"
	       : signal == SIGQUIT ? "SIGQUIT"
				   : NULL;
}

static void
add_running(struct buf *out, int signal, const struct running *running, uint64_t now_ns)
{
	size_t shown = 0;

	if (!name_of(signal))
		return;
	buf_fmt(out, "cctr: %s ends the run; %zu %s\n", name_of(signal), running->n,
		running->n == 1 ? "test was running" : "tests were running");
	for (node_id i = running->first; i != MAP_NONE && shown < TESTS_SHOWN;
		i = running->v[i].after, shown++)
		buf_fmt(out, "cctr: %9.2f sec  Test #%u: %.*s\n",
			running_seconds(&running->v[i], now_ns),
			running->v[i].attempt->number,
			STR_ARG(running->v[i].attempt->test->name));
	if (shown < running->n)
		buf_fmt(out, "cctr: and %zu more\n", running->n - shown);
}

static void
handle_event(struct report *report, const struct event *e)
{
	struct report_interrupted *r = (struct report_interrupted *)report;
	struct arena_mark mark;
	struct buf out = {.arena = r->scratch};

	if (e->kind == EVENT_START || e->kind == EVENT_END)
		running_note(&r->running, e, loop_now_ns());
	if (e->kind != EVENT_INTERRUPT)
		return;
	mark = arena_mark(r->scratch);
	add_running(&out, e->signal, &r->running, loop_now_ns());
	if (out.n)
		streams_put(STREAM_ERROR, buf_as_str(&out));
	arena_rewind(r->scratch, mark);
}

static bool
close_report(struct report *report, struct diag *d)
{
	(void)d;
	arena_close(((struct report_interrupted *)report)->scratch);
	return true;
}

struct report *
report_interrupted_open(struct arena *a, size_t tests)
{
	static const struct report_type type = {
		.name = "interrupted",
		.event = handle_event,
		.close = close_report,
		.stop = close_report,
	};
	struct report_interrupted *r = NEW(a, struct report_interrupted);

	r->report.type = &type;
	r->scratch = arena_open();
	r->running = running_of(a, tests);
	return &r->report;
}

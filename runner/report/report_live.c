/* See report_live.h. */
#include "runner/report/report_live.h"

#include "runner/base/columns.h"
#include "runner/base/loop.h"
#include "runner/base/streams.h"
#include "runner/report/status_lines.h"
#include "runner/resources/pool_request.h"

enum { ROWS_MOST = 8 };

#define FRAME_NS 100000000u
#define SECOND_NS 1000000000u

struct report_live {
	struct report report;
	struct arena *arena, *scratch; /* scratch: for one frame */
	struct live_options o;
	struct columns *columns;
	struct loop_timer *timer; /* NULL: the run has not begun */
	struct running running;
	struct time_left left;
	size_t ended, passed, flaky, failed;
	uint64_t began_ns, drawn_ns;
	bool has_news, is_ending, is_open;
	struct buf shown; /* the lines that are drawn */
};

/* ---- a frame --------------------------------------------------------------------- */

static void
count_gpus(const struct pool *p, struct status *s)
{
	uint32_t type = p ? pool_type(p, STR(POOL_GPUS)) : MAP_NONE;

	for (; p && type < p->n; type += (uint32_t)pool_types_n(p)) {
		s->gpus += p->types[type].n;
		for (size_t i = 0; i < p->types[type].n; i++)
			s->gpus_used += p->types[type].v[i].held > 0;
	}
}

static void
list_tests(struct report_live *r, uint64_t now_ns, struct status *s)
{
	struct status_test *v = NEW_ARRAY(r->scratch, struct status_test, ROWS_MOST);

	s->v = v;
	for (node_id i = r->running.first; i != MAP_NONE && s->n < ROWS_MOST;
		i = r->running.v[i].after)
		v[s->n++] =
			(struct status_test){.name = r->running.v[i].attempt->test->name,
				.number = r->running.v[i].attempt->number,
				.seconds = running_seconds(&r->running.v[i], now_ns)};
}

static struct status
status_of(struct report_live *r, uint64_t now_ns)
{
	struct status s = {
		.tests = r->o.plan->n,
		.ended = r->ended,
		.passed = r->passed,
		.flaky = r->flaky,
		.failed = r->failed,
		.running = r->running.n,
		.slots = r->o.slots,
		.slots_used = scheduler_slots_used(r->o.scheduler),
		.seconds = (double)(now_ns - r->began_ns) / 1e9,
		.left_s = time_left_seconds(&r->left, &r->running, now_ns),
		.is_ending = r->is_ending,
	};

	count_gpus(r->o.run.pool, &s);
	list_tests(r, now_ns, &s);
	return s;
}

/* The last column stays free: some terminals break a line that fills it. The last row is
 * for the text. */
static struct status_place
place_in(const struct report_live *r, struct streams_size size)
{
	size_t rows = size.rows - 1;

	return (struct status_place){.columns = r->columns,
		.width = size.columns - 1,
		.rows = rows < ROWS_MOST ? rows : ROWS_MOST,
		.has_colour = r->o.has_colour};
}

static void
draw_frame(struct report_live *r)
{
	uint64_t now_ns = loop_now_ns();
	struct arena_mark mark = arena_mark(r->scratch);
	struct status s = status_of(r, now_ns);
	struct status_place p = place_in(r, streams_size());
	struct buf lines = {.arena = r->scratch};

	status_lines(&lines, &s, &p);
	if (streams_hold_text() || !str_eq(buf_as_str(&lines), buf_as_str(&r->shown))) {
		r->shown.n = 0;
		if (streams_draw_area(buf_as_str(&lines)))
			buf_str(&r->shown, buf_as_str(&lines));
	}
	r->drawn_ns = now_ns;
	r->has_news = false;
	arena_rewind(r->scratch, mark);
}

static void
on_timer(void *context)
{
	draw_frame(context);
}

/* Times change every second. */
static void
draw_when_due(struct report_live *r)
{
	bool has_news = r->has_news || streams_hold_text();
	uint64_t due_ns = r->drawn_ns + (has_news ? FRAME_NS : SECOND_NS);

	if (due_ns <= loop_now_ns())
		draw_frame(r);
	else
		loop_timer_start(r->timer, due_ns);
}

/* ---- events ---------------------------------------------------------------------- */

/* The terminal may have broken the lines otherwise than they were drawn. */
static void
on_resize(void *context)
{
	struct report_live *r = context;

	r->shown.n = 0;
	r->has_news = true;
}

static void
begin_display(struct report_live *r, struct loop *loop)
{
	r->is_open = streams_open_area();
	r->began_ns = r->drawn_ns = loop_now_ns();
	r->timer = loop_timer_new(loop, on_timer, r);
	loop_on_resize(loop, on_resize, r);
}

/* One more, or one less. */
static void
count_result(struct report_live *r, const struct event *e, int by)
{
	enum verdict_kind kind = e->verdict->kind;

	r->ended = e->done;
	if (e->flaky != FLAKY_NOT)
		r->flaky += (size_t)by;
	if (verdict_is_pass(kind))
		r->passed += (size_t)by;
	else if (!verdict_is_uncounted(kind))
		r->failed += (size_t)by;
}

static void
close_area(struct report_live *r)
{
	if (r->is_open)
		streams_close_area();
	r->is_open = false;
}

static void
handle_event(struct report *report, const struct event *e)
{
	struct report_live *r = (struct report_live *)report;

	running_note(&r->running, e, loop_now_ns());
	r->has_news = r->has_news || e->kind != EVENT_IDLE;
	if (e->kind == EVENT_BEGIN)
		begin_display(r, e->loop);
	else if (e->kind == EVENT_START)
		time_left_begin(&r->left, e->attempt->node);
	else if (e->kind == EVENT_END && e->is_last)
		count_result(r, e, 1);
	else if (e->kind == EVENT_WITHDRAW)
		count_result(r, e, -1);
	else if (e->kind == EVENT_INTERRUPT)
		r->is_ending = true;
	else if (e->kind == EVENT_IDLE && r->is_open)
		draw_when_due(r);
	else if (e->kind == EVENT_FINISH)
		close_area(r);
}

static bool
close_report(struct report *report, struct diag *d)
{
	struct report_live *r = (struct report_live *)report;

	(void)d;
	close_area(r);
	columns_close(r->columns);
	arena_close(r->arena);
	arena_close(r->scratch);
	return true;
}

struct report *
report_live_open(struct arena *a, const struct live_options *o)
{
	static const struct report_type type = {
		.name = "live",
		.event = handle_event,
		.close = close_report,
		.stop = close_report,
	};
	struct report_live *r = NEW(a, struct report_live);

	INVARIANT(o->scheduler && o->plan && o->expected);
	r->report.type = &type;
	r->arena = arena_open();
	r->scratch = arena_open();
	r->o = *o;
	r->columns = columns_open(a);
	r->running = running_of(a, o->plan->n);
	r->left = time_left_of(a, o->plan, o->expected, o->slots);
	for (node_id i = 0; o->run.finished && i < o->plan->n; i++)
		if (o->run.finished[i])
			time_left_begin(&r->left, i);
	r->shown.arena = r->arena;
	return &r->report;
}

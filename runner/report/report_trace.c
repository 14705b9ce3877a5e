/*
 * See report_trace.h. What a test holds is taken before its START and comes back after
 * its END. So what the scheduler says at END is right, and no track has two tests at a
 * time.
 */
#include "runner/report/report_trace.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "runner/base/atomic_file.h"
#include "runner/base/files.h"
#include "runner/base/json_line.h"
#include "runner/base/loop.h"
#include "runner/report/timeline.h"
#include "runner/schedule/critical.h"
#include "runner/schedule/request_class.h"

/* A test with more slots has no more tracks, so that -j0 makes no endless file. */
enum { SLOTS_SHOWN = 256 };
#define SLOT "slot"
#define NOT_RUNNING UINT64_MAX

/* An attempt, or what one node ran of it. */
struct span {
	node_id node;
	unsigned run;
	uint64_t began_ns, ended_ns; /* since the begin of the run */
	const char *result;
	enum ending ending;
	int code; /* of exit, or a signal */
	uint64_t duration_ns; /* as measured */
	struct str machine; /* "": this one */
	bool is_last, is_flaky;
};
struct report_trace {
	struct report report;
	struct arena *arena;
	struct trace_options o;
	bool has_begun, is_cut_off;
	int64_t began_us; /* wall clock */
	uint64_t began_ns;
	uint64_t *since_ns; /* by node: the begin of the span that goes on */
	unsigned *runs; /* by node: the attempt of that span */
	VEC(struct span) spans; /* in the order of their ends */
	stay_vec stays; /* owner: index of a span */
};

static uint64_t
now_ns(const struct report_trace *r)
{
	return loop_now_ns() - r->began_ns;
}

/* ---- what happens ---------------------------------------------------------------- */

static struct stay
stay_of_last(const struct report_trace *r)
{
	const struct span *s = &r->spans.v[r->spans.n - 1];

	return (struct stay){.began_ns = s->began_ns,
		.ended_ns = s->ended_ns,
		.machine = s->machine,
		.owner = r->spans.n - 1};
}

static void
add_slots(struct report_trace *r, size_t slots)
{
	struct stay stay = stay_of_last(r);

	stay.name = STR(SLOT);
	stay.amount = slots;
	for (size_t i = 0; i == 0 || (i < slots && i < SLOTS_SHOWN); i++) {
		stay.is_first = i == 0;
		VEC_PUSH(r->arena, &r->stays, stay);
	}
}

/* NULL: the last span has none with these names. */
static struct stay *
find_stay(const struct report_trace *r, struct str machine, struct str name)
{
	for (size_t i = r->stays.n; i > 0; i--) {
		struct stay *s = &r->stays.v[i - 1];

		if (s->owner != r->spans.n - 1)
			break;
		if (str_eq(s->name, name) && str_eq(s->machine, machine))
			return s;
	}
	return NULL;
}

static void
add_unit(struct report_trace *r, const struct pool *pool, const struct grant_unit *u)
{
	const struct resource_type *t = &pool->types[u->type];
	const struct resource_instance *i = &t->v[u->instance];
	struct stay stay = stay_of_last(r), *same;

	if (pool->nodes)
		stay.machine = pool->nodes[i->node];
	stay.name = str_fmt(r->arena, "%.*s %.*s", STR_ARG(t->name), STR_ARG(i->id));
	stay.amount = u->slots;
	same = find_stay(r, stay.machine, stay.name);
	if (same)
		same->amount += u->slots;
	else if (u->slots)
		VEC_PUSH(r->arena, &r->stays, stay);
}

/* What the node has held since its begin was held until now. s: without times. */
static void
end_span(struct report_trace *r, struct span s)
{
	const struct pool *pool = r->o.run.pool;
	const struct grant *g = scheduler_grant(r->o.scheduler, s.node);

	s.run = r->runs[s.node];
	s.began_ns = r->since_ns[s.node];
	s.ended_ns = now_ns(r);
	r->since_ns[s.node] = NOT_RUNNING;
	VEC_PUSH(r->arena, &r->spans, s);
	add_slots(r, request_slots(&r->o.run, r->o.plan->nodes[s.node].test));
	for (size_t i = 0; pool && g && i < g->n; i++)
		for (size_t k = 0; k < g->v[i].n; k++)
			add_unit(r, pool, &g->v[i].v[k]);
}

static void
note_end(struct report_trace *r, const struct event *e)
{
	const struct outcome *o = e->outcome;
	struct span s = {.node = e->attempt->node,
		.result = verdict_word(e->verdict->kind),
		.ending = o->ending,
		.code = o->ending == END_SIGNALLED ? o->signal : o->exit_code,
		.duration_ns = o->duration_ns,
		.machine = o->node ? str_of(o->node) : STR(""),
		.is_last = e->is_last,
		.is_flaky = e->flaky != FLAKY_NOT};

	end_span(r, s);
}

/* The attempt goes on elsewhere. No event says when: until it ends it counts from now. */
static void
note_loss(struct report_trace *r, const struct event *e)
{
	struct span s = {.node = e->attempt->node,
		.result = "node lost",
		.machine = str_dup(r->arena, e->node)};

	end_span(r, s);
	r->since_ns[s.node] = now_ns(r);
}

static void
note_begin(struct report_trace *r)
{
	size_t n = r->o.plan->n;

	r->has_begun = true;
	r->began_us = loop_wall_us();
	r->began_ns = loop_now_ns();
	r->since_ns = NEW_ARRAY(r->arena, uint64_t, n);
	r->runs = NEW_ARRAY(r->arena, unsigned, n);
	for (size_t i = 0; i < n; i++)
		r->since_ns[i] = NOT_RUNNING;
}

static void
handle_event(struct report *report, const struct event *e)
{
	struct report_trace *r = (struct report_trace *)report;

	switch (e->kind) {
	case EVENT_BEGIN:
		note_begin(r);
		return;
	case EVENT_START:
		r->since_ns[e->attempt->node] = now_ns(r);
		r->runs[e->attempt->node] = e->attempt->run;
		return;
	case EVENT_AGAIN:
		note_loss(r, e);
		return;
	case EVENT_END:
		note_end(r, e);
		return;
	case EVENT_LAUNCH:
	case EVENT_OUTPUT:
	case EVENT_DETAILS:
	case EVENT_LABEL:
	case EVENT_WARNING:
	case EVENT_NOTICE:
	case EVENT_TIMEOUT:
	case EVENT_SLOW:
	case EVENT_IDLE:
	case EVENT_INTERRUPT:
	case EVENT_FINISH:
	case EVENTS:
		return;
	}
}

/* ---- the file -------------------------------------------------------------------- */

/* What is written; the events are made one after the other in text. */
struct writer {
	const struct report_trace *r;
	struct arena *a;
	struct buf text;
	FILE *to;
	track_vec tracks;
	struct map machines; /* their numbers are processes */
	const struct stay **of_span; /* the first stay */
	bool has_event;
};

static void
open_event(struct writer *w, struct str name, const char *phase)
{
	buf_z(&w->text, w->has_event ? ",\n" : "\n");
	w->has_event = true;
	json_line_open(&w->text, NULL, '{');
	json_line_text(&w->text, "name", name);
	json_line_text(&w->text, "ph", str_of(phase));
}

static void
add_track(struct writer *w, uint32_t track)
{
	uint32_t process = map_number(&w->machines, w->tracks.v[track].machine);

	json_line_count(&w->text, "pid", process + 1);
	json_line_count(&w->text, "tid", track + 1);
}

/* In microseconds, as the format wants it. */
static void
add_time(struct writer *w, const char *key, uint64_t ns)
{
	json_line_seconds(&w->text, key, (double)ns / 1e3);
}

static void
close_event(struct writer *w)
{
	json_line_close(&w->text, '}');
	fwrite(w->text.p, 1, w->text.n, w->to);
	w->text.n = 0;
}

static void
add_name(struct writer *w, const char *event, uint32_t track, struct str name)
{
	open_event(w, str_of(event), "M");
	add_track(w, track);
	json_line_open(&w->text, "args", '{');
	json_line_text(&w->text, "name", name);
	json_line_close(&w->text, '}');
	close_event(w);
}

static struct str
track_name(struct arena *a, const struct track *t)
{
	if (str_is(t->name, SLOT))
		return str_fmt(a, SLOT " %u", t->lane + 1);
	return t->lane ? str_fmt(a, "%.*s (%u)", STR_ARG(t->name), t->lane + 1) : t->name;
}

/* Slots come before resources. */
static void
add_place(struct writer *w, uint32_t track)
{
	const struct track *t = &w->tracks.v[track];

	open_event(w, STR("thread_sort_index"), "M");
	add_track(w, track);
	json_line_open(&w->text, "args", '{');
	json_line_count(&w->text, "sort_index",
		str_is(t->name, SLOT) ? t->lane : w->tracks.n + track);
	json_line_close(&w->text, '}');
	close_event(w);
}

static void
add_tracks(struct writer *w)
{
	for (uint32_t i = 0; i < w->tracks.n; i++) {
		const struct track *t = &w->tracks.v[i];

		if (map_add(&w->machines, t->machine))
			add_name(w, "process_name", i,
				t->machine.n ? t->machine : STR("this machine"));
		add_name(w, "thread_name", i, track_name(w->a, t));
		add_place(w, i);
	}
}

/* How the attempt ended. */
static void
add_result(struct buf *b, const struct span *s)
{
	json_line_text(b, "result", str_of(s->result));
	json_line_bool(b, "last", s->is_last);
	if (s->is_flaky)
		json_line_bool(b, "flaky", true);
	if (s->ending == END_EXITED)
		json_line_count(b, "exit", (uint64_t)s->code);
	if (s->ending == END_SIGNALLED)
		json_line_count(b, "signal", (uint64_t)s->code);
	if (s->ending != END_NOT_STARTED)
		json_line_seconds(b, "seconds", (double)s->duration_ns / 1e9);
	if (s->machine.n)
		json_line_text(b, "node", s->machine);
}

static void
add_stay(struct writer *w, const struct stay *stay)
{
	const struct span *s = &w->r->spans.v[stay->owner];
	const struct node *node = &w->r->o.plan->nodes[s->node];
	bool is_slot = str_is(stay->name, SLOT);

	open_event(w, node->test->name, "X");
	json_line_text(&w->text, "cat",
		stay->is_first ? STR("test")
		: is_slot      ? STR(SLOT)
			       : STR("resource"));
	add_time(w, "ts", stay->began_ns);
	add_time(w, "dur", stay->ended_ns - stay->began_ns);
	add_track(w, stay->track);
	json_line_open(&w->text, "args", '{');
	json_line_count(&w->text, "number", node->number);
	json_line_count(&w->text, "attempt", s->run);
	if (stay->is_first)
		add_result(&w->text, s);
	json_line_count(&w->text, "slots", stay->amount);
	json_line_close(&w->text, '}');
	close_event(w);
}

/* ---- the critical path ----------------------------------------------------------- */

/* The first and the last span of each test. */
struct ends {
	const struct span **first, **last; /* by node; NULL: it did not run to its end */
};
static struct ends
find_ends(struct writer *w)
{
	const struct report_trace *r = w->r;
	struct ends e = {NEW_ARRAY(w->a, const struct span *, r->o.plan->n),
		NEW_ARRAY(w->a, const struct span *, r->o.plan->n)};

	for (size_t i = 0; i < r->spans.n; i++) {
		const struct span *s = &r->spans.v[i];

		if (!e.first[s->node])
			e.first[s->node] = s;
		if (s->is_last)
			e.last[s->node] = s;
	}
	return e;
}

static struct steps
find_path(struct writer *w, const struct ends *e)
{
	const struct plan *p = w->r->o.plan;
	double *started_s = NEW_ARRAY(w->a, double, p->n);
	double *ended_s = NEW_ARRAY(w->a, double, p->n);
	struct course c;

	for (node_id i = 0; i < p->n; i++) {
		started_s[i] = e->last[i] ? (double)e->first[i]->began_ns / 1e9 : -1;
		ended_s[i] = e->last[i] ? (double)e->last[i]->ended_ns / 1e9 : -1;
	}
	c = course_of(w->a, p, &w->r->o.run, (struct times){started_s, ended_s});
	if (!c.n)
		return (struct steps){.seconds = 0};
	return critical_path(w->a, p, &c, c.ends[c.n - 1].node);
}

static const char *
step_word(enum step_kind kind)
{
	static const char *const words[] = {
		[STEP_FIRST] = "first",
		[STEP_DEPENDENCY] = "dependency",
		[STEP_LOCK] = "lock",
		[STEP_ALONE] = "runs alone",
		[STEP_RESOURCE] = "resource",
		[STEP_SLOTS] = "slots",
	};

	return words[kind];
}

static uint64_t
last_moment(const struct span *s)
{
	return s->ended_ns > s->began_ns ? s->ended_ns - 1 : s->ended_ns;
}

/* An arrow begins or ends in the slice of its time: the last moment of the first test,
 * the first one of the next. */
static void
add_arrow_end(struct writer *w, bool is_begin, size_t id, const struct span *s,
	const struct step *step)
{
	const struct stay *stay = w->of_span[s - w->r->spans.v];

	open_event(w, STR("critical path"), is_begin ? "s" : "f");
	json_line_text(&w->text, "cat", STR("critical path"));
	json_line_count(&w->text, "id", id);
	if (!is_begin)
		json_line_text(&w->text, "bp", STR("e"));
	add_time(w, "ts", is_begin ? last_moment(s) : s->began_ns);
	add_track(w, stay->track);
	json_line_open(&w->text, "args", '{');
	json_line_text(&w->text, "why", str_of(step_word(step->kind)));
	if (step->name.n)
		json_line_text(&w->text, "of", step->name);
	json_line_close(&w->text, '}');
	close_event(w);
}

static void
add_path(struct writer *w)
{
	struct ends e = find_ends(w);
	struct steps path = find_path(w, &e);

	for (size_t i = 1; i < path.v.n; i++) {
		const struct step *to = &path.v.v[i];

		add_arrow_end(w, true, i, e.last[path.v.v[i - 1].node], to);
		add_arrow_end(w, false, i, e.first[to->node], to);
	}
}

/* ---- the whole ------------------------------------------------------------------- */

static void
write_head(struct writer *w)
{
	buf_z(&w->text, "{\"displayTimeUnit\":\"ms\",\"otherData\":{");
	json_line_seconds(&w->text, "began", (double)w->r->began_us / 1e6);
	json_line_bool(&w->text, "interrupted", w->r->is_cut_off);
	buf_z(&w->text, "},\n\"traceEvents\":[");
}

static void
write_trace(struct report_trace *r, struct arena *a, FILE *to)
{
	struct writer w = {.r = r,
		.a = a,
		.text = {.arena = a},
		.to = to,
		.tracks = timeline_place(a, &r->stays),
		.machines = map_in(a),
		.of_span = NEW_ARRAY(a, const struct stay *, r->spans.n)};

	write_head(&w);
	add_tracks(&w);
	for (size_t i = 0; i < r->stays.n; i++) {
		const struct stay *s = &r->stays.v[i];

		if (s->is_first)
			w.of_span[s->owner] = s;
		add_stay(&w, s);
	}
	if (!r->is_cut_off)
		add_path(&w);
	fputs("\n]}\n", to);
}

static bool
publish_file(struct report_trace *r, struct arena *a)
{
	struct atomic_file f;
	FILE *to = atomic_file_open_stream(a, &f, r->o.path, ".tmp");
	int error = 0;

	if (!to)
		return false;
	write_trace(r, a, to);
	if (!file_is_whole(to))
		error = errno;
	if (fclose(to) != 0 && !error)
		error = errno;
	if (!atomic_file_close(&f, !error) && !error)
		error = errno;
	errno = error;
	return !error;
}

static bool
close_report(struct report *report, struct diag *d)
{
	struct report_trace *r = (struct report_trace *)report;
	struct arena *a = arena_open();
	bool is_written = !r->has_begun || publish_file(r, a);
	int error = errno;

	arena_close(a);
	arena_close(r->arena);
	return is_written || diag_error(d, (struct place){.file = str_of(r->o.path)},
				     "cannot be written: %s", strerror(error));
}

/* Tests that still ran have no END. */
static bool
stop_report(struct report *report, struct diag *d)
{
	struct report_trace *r = (struct report_trace *)report;

	r->is_cut_off = true;
	for (node_id i = 0; r->has_begun && i < r->o.plan->n; i++)
		if (r->since_ns[i] != NOT_RUNNING)
			end_span(r, (struct span){.node = i, .result = "interrupted"});
	return close_report(report, d);
}

struct report *
report_trace_open(struct arena *a, const struct trace_options *o)
{
	static const struct report_type type = {
		.name = "trace",
		.event = handle_event,
		.close = close_report,
		.stop = stop_report,
	};
	struct report_trace *r = NEW(a, struct report_trace);

	INVARIANT(o->scheduler && o->plan);
	r->report.type = &type;
	r->arena = arena_open();
	r->o = *o;
	return &r->report;
}

/* The run as a picture. See report_trace.h. */
#include "runner/report/report_trace.h"

#include <errno.h>
#include <stdio.h>

#include "runner/base/atomic_file.h"
#include "runner/base/json_line.h"
#include "runner/schedule/partitions.h"

struct report_trace {
	struct report report;
	struct arena *arena;
	const char *path;
	struct spans *spans;
	const struct partitions *partitions; /* at the end; NULL: there are none */
};

static void
handle_event(struct report *report, const struct event *e)
{
	struct report_trace *r = (struct report_trace *)report;

	spans_note(r->spans, e);
	if (e->kind == EVENT_FINISH)
		r->partitions = e->partitions;
}

/* ---- the file -------------------------------------------------------------------- */

/* What is written; the events are made one after the other in text. */
struct writer {
	const struct spans *spans;
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

/* Slots come before resources. */
static void
add_place(struct writer *w, uint32_t track)
{
	const struct track *t = &w->tracks.v[track];

	open_event(w, STR("thread_sort_index"), "M");
	add_track(w, track);
	json_line_open(&w->text, "args", '{');
	json_line_count(&w->text, "sort_index",
		spans_is_slot(t->name) ? t->lane : w->tracks.n + track);
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
		add_name(w, "thread_name", i, spans_track_name(w->a, t));
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
	if (s->partition.p)
		json_line_text(b, "partition", s->partition);
}

static void
add_stay(struct writer *w, const struct stay *stay)
{
	const struct span *s = &w->spans->v.v[stay->owner];
	const struct node *node = &w->spans->o.plan->nodes[s->node];
	bool is_slot = spans_is_slot(stay->name);

	open_event(w, node->test->name, "X");
	json_line_text(&w->text, "cat",
		stay->is_first ? STR("test")
		: is_slot      ? STR("slot")
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
	const struct stay *stay = w->of_span[s - w->spans->v.v];

	open_event(w, STR("critical path"), is_begin ? "s" : "f");
	json_line_text(&w->text, "cat", STR("critical path"));
	json_line_count(&w->text, "id", id);
	if (!is_begin)
		json_line_text(&w->text, "bp", STR("e"));
	add_time(w, "ts", is_begin ? last_moment(s) : s->began_ns);
	add_track(w, stay->track);
	json_line_open(&w->text, "args", '{');
	json_line_text(&w->text, "why", str_of(spans_why(step->kind)));
	if (step->name.n)
		json_line_text(&w->text, "of", step->name);
	json_line_close(&w->text, '}');
	close_event(w);
}

static void
add_path(struct writer *w)
{
	struct span_path p = spans_path(w->a, w->spans);

	for (size_t i = 1; i < p.steps.v.n; i++) {
		const struct step *to = &p.steps.v.v[i];

		add_arrow_end(w, true, i, p.last[p.steps.v.v[i - 1].node], to);
		add_arrow_end(w, false, i, p.first[to->node], to);
	}
}

/* ---- the whole ------------------------------------------------------------------- */

static void
write_head(struct writer *w, const struct partitions *p)
{
	buf_z(&w->text, "{\"displayTimeUnit\":\"ms\",\"otherData\":{");
	json_line_seconds(&w->text, "began", (double)w->spans->began_us / 1e6);
	json_line_bool(&w->text, "interrupted", w->spans->is_cut_off);
	if (p)
		partitions_add_json(&w->text, p, 0);
	buf_z(&w->text, "},\n\"traceEvents\":[");
}

static void
write_trace(struct report_trace *r, struct arena *a, FILE *to)
{
	struct spans *spans = r->spans;
	struct writer w = {.spans = spans,
		.a = a,
		.text = {.arena = a},
		.to = to,
		.tracks = timeline_place(a, &spans->stays),
		.machines = map_in(a),
		.of_span = NEW_ARRAY(a, const struct stay *, spans->v.n)};

	write_head(&w, r->partitions);
	add_tracks(&w);
	for (size_t i = 0; i < spans->stays.n; i++) {
		const struct stay *s = &spans->stays.v[i];

		if (s->is_first)
			w.of_span[s->owner] = s;
		add_stay(&w, s);
	}
	if (!spans->is_cut_off)
		add_path(&w);
	fputs("\n]}\n", to);
}

static bool
publish_file(struct report_trace *r, struct arena *a)
{
	struct atomic_file f;
	FILE *to = atomic_file_open_stream(a, &f, r->path, ".tmp");

	if (!to)
		return false;
	write_trace(r, a, to);
	return atomic_file_close_stream(&f, to);
}

static bool
close_report(struct report *report, struct diag *d)
{
	struct report_trace *r = (struct report_trace *)report;
	struct arena *a = arena_open();
	bool is_written = !r->spans->has_begun || publish_file(r, a);
	int error = errno;

	arena_close(a);
	arena_close(r->arena);
	return is_written || diag_system(d, str_of(r->path), "cannot be written", error);
}

/* Tests that still ran have no END. */
static bool
stop_report(struct report *report, struct diag *d)
{
	spans_cut_off(((struct report_trace *)report)->spans);
	return close_report(report, d);
}

struct report *
report_trace_open(struct arena *a, const char *path, const struct spans_options *o)
{
	static const struct report_type type = {
		.name = "trace",
		.event = handle_event,
		.close = close_report,
		.stop = stop_report,
	};
	struct report_trace *r = NEW(a, struct report_trace);

	r->report.type = &type;
	r->arena = arena_open();
	r->path = path;
	r->spans = spans_new(r->arena, o);
	return &r->report;
}

/* See page_data.h. Times are milliseconds since the begin of the run. */
#include "runner/html/page_data.h"

#include "runner/base/json_line.h"

/* A number of the format, for the script. */
enum { DATA_VERSION = 1 };

struct writer {
	struct html_run *r;
	FILE *to;
	struct arena *a;
	struct buf text; /* of one member or element */
	const enum standing *standings;
	struct map labels;
	struct long_text outputs;
	size_t let_go; /* of outputs */
	const char *separator;
};

/* In JSON, "<" is in texts only. */
static void
flush_json(struct writer *w)
{
	struct str rest = buf_as_str(&w->text);

	while (rest.n) {
		size_t n = str_find(rest, '<');

		fwrite(rest.p, 1, n, w->to);
		if (n < rest.n)
			fputs("\\u003c", w->to);
		rest = str_from(rest, n < rest.n ? n + 1 : n);
	}
	w->text.n = 0;
}

static void
begin_list(struct writer *w, const char *name)
{
	fprintf(w->to, ",\n\"%s\":[", name);
	w->separator = "\n";
}

static void
end_list(struct writer *w)
{
	fputs("]", w->to);
}

/* Before it is a newline, after which json_line adds no comma. */
static void
open_element(struct writer *w, char bracket)
{
	buf_z(&w->text, w->separator);
	w->separator = ",\n";
	json_line_open(&w->text, NULL, bracket);
}

static void
close_element(struct writer *w, char bracket)
{
	json_line_close(&w->text, bracket);
	flush_json(w);
}

/* The texts that other members name by their numbers. */
static void
write_keys(struct writer *w, const char *name, const struct map *m)
{
	begin_list(w, name);
	for (size_t i = 0; i < m->n; i++) {
		buf_z(&w->text, w->separator);
		w->separator = ",\n";
		json_line_text(&w->text, NULL, m->entries[i].key);
		flush_json(w);
	}
	end_list(w);
}

static void
add_ms(struct writer *w, const char *key, uint64_t ns)
{
	json_line_seconds(&w->text, key, (double)ns / 1e6);
}

/* ---- tests ----------------------------------------------------------------------- */

static void
number_labels(struct writer *w, struct str_list labels)
{
	for (size_t i = 0; i < labels.n; i++)
		(void)map_number(&w->labels, labels.v[i]);
}

static void
write_labels(struct writer *w)
{
	const struct plan *p = w->r->spans->o.plan;

	for (node_id i = 0; i < p->n; i++) {
		number_labels(w, p->nodes[i].test->properties->labels);
		number_labels(w, w->r->labels[i]);
	}
	write_keys(w, "labels", &w->labels);
}

static void
add_labels(struct writer *w, struct str_list labels)
{
	for (size_t i = 0; i < labels.n; i++)
		json_line_count(&w->text, NULL, map_number(&w->labels, labels.v[i]));
}

static void
write_test(struct writer *w, node_id i)
{
	const struct node *node = &w->r->spans->o.plan->nodes[i];
	struct str_list declared = node->test->properties->labels;

	open_element(w, '{');
	json_line_text(&w->text, "name", node->test->name);
	json_line_count(&w->text, "number", node->number);
	json_line_text(&w->text, "class", str_of(standing_name(w->standings[i]).class));
	if (declared.n + w->r->labels[i].n) {
		json_line_open(&w->text, "labels", '[');
		add_labels(w, declared);
		add_labels(w, w->r->labels[i]);
		json_line_close(&w->text, ']');
	}
	close_element(w, '}');
}

static void
write_tests(struct writer *w)
{
	begin_list(w, "tests");
	for (node_id i = 0; i < w->r->spans->o.plan->n; i++)
		write_test(w, i);
	end_list(w);
}

/* ---- attempts -------------------------------------------------------------------- */

static void
add_output(struct writer *w, const struct excerpt *e)
{
	size_t at = (size_t)e->at;

	json_line_open(&w->text, "output", '{');
	json_line_count(&w->text, "bytes", e->bytes);
	json_line_text(&w->text, "head", str_cut(w->outputs.s.p + at, e->head));
	if (e->cut) {
		json_line_count(&w->text, "cut", e->cut);
		json_line_text(&w->text, "tail",
			str_cut(w->outputs.s.p + at + e->head, e->tail));
	}
	json_line_close(&w->text, '}');
	w->let_go = long_text_pass(&w->outputs, w->let_go, at + e->head + e->tail);
}

static void
add_detail(struct writer *w, const struct span_detail *d)
{
	if (d->cpu_ns)
		add_ms(w, "cpu", d->cpu_ns);
	if (d->peak_bytes)
		json_line_count(&w->text, "memory", d->peak_bytes);
	if (d->reason.n)
		json_line_text(&w->text, "reason", d->reason);
	if (d->command.n)
		json_line_text(&w->text, "command", d->command);
	if (d->has_output)
		add_output(w, &d->output);
}

static void
write_attempt(struct writer *w, const struct span *s, const struct span_detail *d)
{
	open_element(w, '{');
	json_line_count(&w->text, "test", s->node);
	json_line_count(&w->text, "attempt", s->run);
	json_line_text(&w->text, "result", str_of(s->result));
	add_ms(w, "began", s->began_ns);
	add_ms(w, "ended", s->ended_ns);
	if (s->ending == END_EXITED)
		json_line_count(&w->text, "exit", (uint64_t)s->code);
	if (s->ending == END_SIGNALLED)
		json_line_count(&w->text, "signal", (uint64_t)s->code);
	if (s->ending != END_NOT_STARTED)
		add_ms(w, "took", s->duration_ns);
	if (s->machine.n)
		json_line_text(&w->text, "node", s->machine);
	if (s->partition.p)
		json_line_text(&w->text, "partition", s->partition);
	add_detail(w, d);
	close_element(w, '}');
}

static void
write_attempts(struct writer *w)
{
	const struct spans *s = w->r->spans;

	begin_list(w, "attempts");
	for (size_t i = 0; i < s->v.n; i++)
		write_attempt(w, &s->v.v[i], &w->r->details.v[i]);
	end_list(w);
}

/* ---- the timeline ---------------------------------------------------------------- */

static void
write_tracks(struct writer *w)
{
	track_vec tracks = timeline_place(w->a, &w->r->spans->stays);

	begin_list(w, "tracks");
	for (size_t i = 0; i < tracks.n; i++) {
		const struct track *t = &tracks.v[i];

		open_element(w, '[');
		json_line_text(&w->text, NULL, t->machine);
		json_line_text(&w->text, NULL, spans_track_name(w->a, t));
		close_element(w, ']');
	}
	end_list(w);
}

/* After the tracks, which put them in order. */
static void
write_stays(struct writer *w)
{
	begin_list(w, "stays");
	for (size_t i = 0; i < w->r->spans->stays.n; i++) {
		const struct stay *s = &w->r->spans->stays.v[i];

		open_element(w, '[');
		json_line_count(&w->text, NULL, s->owner);
		json_line_count(&w->text, NULL, s->track);
		json_line_count(&w->text, NULL, s->amount);
		close_element(w, ']');
	}
	end_list(w);
}

static void
write_path(struct writer *w)
{
	const struct spans *s = w->r->spans;
	struct span_path p = spans_path(w->a, s);

	begin_list(w, "path");
	for (size_t i = 0; i < p.steps.v.n; i++) {
		const struct step *step = &p.steps.v.v[i];

		open_element(w, '[');
		json_line_count(&w->text, NULL, (uint64_t)(p.first[step->node] - s->v.v));
		json_line_count(&w->text, NULL, (uint64_t)(p.last[step->node] - s->v.v));
		json_line_text(&w->text, NULL, str_of(spans_why(step->kind)));
		json_line_text(&w->text, NULL, step->name);
		close_element(w, ']');
	}
	end_list(w);
}

/* ---- earlier runs ---------------------------------------------------------------- */

static bool
is_of_this_run(const struct writer *w, const struct history_attempt *h)
{
	return h->began_us >= w->r->spans->began_us;
}

static bool
has_earlier(const struct writer *w, const struct history_of_test *t)
{
	return t->n && !is_of_this_run(w, &t->v[t->n - 1].attempt);
}

/* The test, then for each attempt, the earliest first: seconds since 1970, the word of
 * its verdict as a number, milliseconds. */
static void
write_earlier(struct writer *w, const struct history_of_test *t, node_id i,
	struct map *verdicts)
{
	open_element(w, '[');
	json_line_count(&w->text, NULL, i);
	for (size_t k = t->n; k-- > 0;) {
		const struct history_attempt *h = &t->v[k].attempt;

		if (is_of_this_run(w, h))
			break;
		json_line_count(&w->text, NULL, (uint64_t)(h->began_us / 1000000));
		json_line_count(&w->text, NULL, map_number(verdicts, h->verdict));
		json_line_number(&w->text, NULL, (double)h->wall_us / 1e3);
	}
	close_element(w, ']');
}

static void
write_history(struct writer *w, const struct history_of_test *tests)
{
	struct map verdicts = map_in(w->a);

	begin_list(w, "earlier");
	for (node_id i = 0; i < w->r->spans->o.plan->n; i++)
		if (has_earlier(w, &tests[i]))
			write_earlier(w, &tests[i], i, &verdicts);
	end_list(w);
	write_keys(w, "verdicts", &verdicts);
}

/* ---- the whole ------------------------------------------------------------------- */

static void
write_head(struct writer *w)
{
	const struct html_run *r = w->r;

	json_line_open(&w->text, NULL, '{');
	json_line_count(&w->text, "version", DATA_VERSION);
	json_line_text(&w->text, "tree", r->o.tree);
	if (r->o.configuration.n)
		json_line_text(&w->text, "configuration", r->o.configuration);
	json_line_seconds(&w->text, "began", (double)r->spans->began_us / 1e6);
	add_ms(w, "duration", r->duration_ns);
	json_line_bool(&w->text, "interrupted", r->spans->is_cut_off);
	flush_json(w);
}

static void
write_all(struct writer *w)
{
	write_head(w);
	write_labels(w);
	write_tests(w);
	write_attempts(w);
	write_tracks(w);
	write_stays(w);
	if (!w->r->spans->is_cut_off)
		write_path(w);
	if (w->r->earlier)
		write_history(w, w->r->earlier);
	fputs("}", w->to);
}

int
page_data(FILE *to, struct html_run *r, const enum standing *standings)
{
	struct arena *a = arena_open();
	struct writer w = {.r = r,
		.to = to,
		.a = a,
		.text = {.arena = a},
		.standings = standings,
		.labels = map_in(a),
		.outputs = spool_text(&r->outputs)};
	int error = r->outputs.lost;

	if (!error)
		write_all(&w);
	arena_close(a);
	return error;
}

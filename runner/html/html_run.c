/* See html_run.h. */
#include "runner/html/html_run.h"

#include "runner/base/shell_word.h"
#include "runner/base/utf8.h"
#include "runner/report/why.h"

/* ---- bounded texts --------------------------------------------------------------- */

/* The last n bytes, or a few less, so that no character is cut in two. */
static struct str
last_bytes(struct str s, size_t n)
{
	struct str tail = str_from(s, s.n > n ? s.n - n : 0);

	for (int i = 0; i < 3 && tail.n < s.n && tail.n; i++)
		if (((unsigned char)tail.p[0] & 0xC0) == 0x80)
			tail = str_from(tail, 1);
	return tail;
}

static struct str
first_bytes(struct arena *a, struct str s, size_t n)
{
	if (s.n <= n)
		return str_dup(a, s);
	return str_fmt(a, "%.*s ...", (int)utf8_piece(s, n), s.p);
}

static bool
has_room(const struct html_run *r)
{
	return r->kept < OUTPUTS_MOST;
}

static struct str
keep_text(struct html_run *r, struct str s)
{
	struct str kept =
		has_room(r) ? first_bytes(r->arena, str_trim(s), REASON_MOST) : STR("");

	r->kept += kept.n;
	return kept;
}

static struct excerpt
keep_output(struct html_run *r, struct str s)
{
	bool is_whole = has_room(r) && s.n <= HEAD_MOST + TAIL_MOST;
	size_t head = is_whole ? s.n : has_room(r) ? utf8_piece(s, HEAD_MOST) : 0;
	struct str tail = is_whole ? STR("")
				   : last_bytes(str_from(s, head),
					     has_room(r) ? TAIL_MOST : REST_MOST);
	struct excerpt e = {.at = spool_size(&r->outputs),
		.head = head,
		.tail = tail.n,
		.bytes = s.n,
		.cut = s.n - head - tail.n};

	spool_add(&r->outputs, str_cut(s.p, head));
	spool_add(&r->outputs, tail);
	r->kept += head + tail.n;
	return e;
}

/* ---- an attempt ------------------------------------------------------------------ */

static struct str
command_of(struct html_run *r, const struct launch *l)
{
	struct buf b = {.arena = r->arena};

	for (size_t i = 0; l->argv[i] && b.n <= REASON_MOST; i++) {
		if (i)
			buf_char(&b, ' ');
		shell_word(&b, str_of(l->argv[i]));
	}
	return keep_text(r, buf_as_str(&b));
}

static struct str
reason_of(struct html_run *r, const struct event *e)
{
	struct buf b = {.arena = r->arena};

	why_add(&b, e);
	return b.n ? keep_text(r, buf_as_str(&b)) : STR("");
}

static void
note_labels(struct html_run *r, const struct event *e)
{
	struct str_list *l = &r->labels[e->attempt->node];

	if (e->outcome->labels.n)
		*l = str_list_dup(r->arena, e->outcome->labels);
}

static struct span_detail
detail_of(struct html_run *r, const struct event *e)
{
	const struct outcome *o = e->outcome;
	struct span_detail d = {.is_judged = true,
		.kind = e->verdict->kind,
		.cpu_ns = o->user_ns + o->system_ns,
		.peak_bytes = o->peak_rss_bytes};

	d.reason = reason_of(r, e);
	if (verdict_is_pass(d.kind) || verdict_is_uncounted(d.kind))
		return d;
	if (e->launch && e->launch->argv)
		d.command = command_of(r, e->launch);
	d.has_output = o->ending != END_NOT_STARTED;
	if (d.has_output)
		d.output = keep_output(r, o->output);
	return d;
}

void
html_run_note(struct html_run *r, const struct event *e)
{
	struct span_detail d = {0};

	if (e->kind == EVENT_BEGIN)
		r->labels = NEW_ARRAY(r->arena, struct str_list, r->spans->o.plan->n);
	if (!spans_note(r->spans, e))
		return;
	if (e->kind == EVENT_END) {
		r->flaky_fail = r->flaky_fail || e->flaky == FLAKY_FAILS;
		note_labels(r, e);
		d = detail_of(r, e);
	} else if (e->kind == EVENT_AGAIN) {
		d.reason = keep_text(r, e->text);
	}
	VEC_PUSH(r->arena, &r->details, d);
}

/* ---- what became of tests -------------------------------------------------------- */

static enum standing
standing_of(const struct span *s, const struct span_detail *d)
{
	if (!s->is_last || !d->is_judged)
		return STANDING_UNFINISHED;
	if (verdict_is_uncounted(d->kind))
		return STANDING_DISABLED;
	if (!verdict_is_pass(d->kind))
		return STANDING_FAILED;
	if (d->kind == VERDICT_SKIPPED)
		return STANDING_SKIPPED;
	return s->is_flaky ? STANDING_FLAKY : STANDING_PASSED;
}

enum standing *
html_run_standings(struct arena *a, const struct html_run *r)
{
	const struct spans *s = r->spans;
	enum standing *v = NEW_ARRAY(a, enum standing, s->o.plan->n);
	const bool *finished = s->o.run.finished;

	for (node_id i = 0; i < s->o.plan->n; i++)
		v[i] = finished && finished[i] ? STANDING_EARLIER : STANDING_UNFINISHED;
	for (size_t i = 0; i < s->v.n; i++)
		v[s->v.v[i].node] = standing_of(&s->v.v[i], &r->details.v[i]);
	return v;
}

struct standing_name
standing_name(enum standing s)
{
	static const struct standing_name names[STANDINGS] = {
		[STANDING_FAILED] = {"failed", "Failed"},
		[STANDING_UNFINISHED] = {"unfinished", "Not finished"},
		[STANDING_FLAKY] = {"flaky", "Flaky"},
		[STANDING_PASSED] = {"passed", "Passed"},
		[STANDING_SKIPPED] = {"skipped", "Skipped"},
		[STANDING_DISABLED] = {"disabled", "Disabled"},
		[STANDING_EARLIER] = {"earlier", "Ran before"},
	};

	return names[s];
}

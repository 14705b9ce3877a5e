/*
 * See report_history.h. While tests run, no batch waits for another program, and batches
 * take at most a hundredth of the time. What could not be written is tried again with the
 * next batch, and at the end with patience.
 */
#include "runner/history/report_history.h"

#include "runner/base/loop.h"
#include "runner/report/why.h"

enum { SHARE = 100, PATIENCE_MS = 5000, PATIENCE_STOPPED_MS = 500, WHY_MOST = 200 };

struct report_history {
	struct report report;
	struct arena *arena; /* of the run */
	struct history_report o;
	struct history *history;
	struct diag diag; /* what happened while tests ran */
	struct arena *memory; /* of the attempts that are not written yet */
	VEC(struct history_attempt) waiting;
	uint64_t next_ns; /* when the next batch may be written; monotonic */
};

/* ---- attempts -------------------------------------------------------------------- */

static struct str
shorten_reason(struct str s)
{
	while (s.n > WHY_MOST || (s.n && s.p[s.n - 1] == '\n'))
		s.n = s.n > WHY_MOST ? WHY_MOST : s.n - 1;
	return s;
}

static void
take_attempt(struct report_history *r, const struct event *e)
{
	const struct outcome *o = e->outcome;
	const struct test *t = e->attempt->test;
	bool ran = o->ending != END_NOT_STARTED;

	if (e->verdict->kind == VERDICT_DISABLED)
		return;
	VEC_PUSH(r->memory, &r->waiting,
		(struct history_attempt){
			.test = t->name,
			.verdict = str_of(verdict_word(e->verdict->kind)),
			.why = str_dup(
				r->memory, shorten_reason(why_in_short(r->memory, e))),
			.host = str_dup(r->memory, str_of(o->host    ? o->host
							   : o->node ? o->node
								     : "")),
			.partition = e->attempt->partition,
			.began_us = o->started_us,
			.wall_us = ran ? o->duration_ns / 1000 : 0,
			.processor_us = ran ? (o->user_ns + o->system_ns) / 1000 : 0,
			.peak_bytes = ran ? o->peak_rss_bytes : 0,
			.number = e->attempt->run,
			.slots = (unsigned)t->properties->processors,
			.is_last = e->is_last,
		});
}

/* ---- writing --------------------------------------------------------------------- */

static enum history_end
write_batch(struct report_history *r, unsigned patience_ms, struct diag *d)
{
	enum history_end end =
		history_add(r->history, r->waiting.v, r->waiting.n, patience_ms, d);

	if (end == HISTORY_WRITTEN) {
		arena_close(r->memory);
		r->memory = arena_open();
		r->waiting.n = r->waiting.cap = 0;
		r->waiting.v = NULL;
	}
	return end;
}

static void
write_early(struct report_history *r)
{
	uint64_t began = loop_now_ns();

	if (began < r->next_ns || !r->waiting.n)
		return;
	(void)write_batch(r, 0, &r->diag); /* tried again */
	r->next_ns = loop_now_ns();
	r->next_ns += (r->next_ns - began) * SHARE;
}

static void
withdraw_attempt(struct report_history *r, const struct attempt *a)
{
	VEC_PUSH(r->memory, &r->waiting,
		(struct history_attempt){
			.test = a->test->name, .number = a->run, .is_withdrawn = true});
}

static void
handle_event(struct report *report, const struct event *e)
{
	struct report_history *r = (struct report_history *)report;

	if (e->kind == EVENT_END)
		take_attempt(r, e);
	else if (e->kind == EVENT_WITHDRAW)
		withdraw_attempt(r, e->attempt);
	if (e->kind == EVENT_END || e->kind == EVENT_IDLE)
		write_early(r);
}

static bool
say_loss(const struct report_history *r, struct diag *d)
{
	struct str why = history_why(r->history);

	return diag_error(d, (struct place){.file = r->o.options.path},
		"the history cannot be written: %.*s", STR_ARG(why));
}

static bool
finish_report(struct report_history *r, unsigned patience_ms, struct diag *d)
{
	enum history_end end = write_batch(r, patience_ms, d);
	bool is_right;

	VEC_PUSH_ALL(d->arena, &d->entries, r->diag.entries);
	if (end == HISTORY_WRITTEN)
		end = history_drop_tests(r->history, 2 * r->o.suite->n);
	is_right = end == HISTORY_WRITTEN || say_loss(r, d);
	history_close(r->history);
	arena_close(r->memory);
	return is_right;
}

static bool
close_report(struct report *report, struct diag *d)
{
	return finish_report((struct report_history *)report, PATIENCE_MS, d);
}

static bool
stop_report(struct report *report, struct diag *d)
{
	return finish_report((struct report_history *)report, PATIENCE_STOPPED_MS, d);
}

struct report *
report_history_open(struct arena *a, const struct history_report *o)
{
	static const struct report_type type = {
		.name = "history",
		.event = handle_event,
		.close = close_report,
		.stop = stop_report,
	};
	struct report_history *r = NEW(a, struct report_history);

	INVARIANT(o && o->suite);
	r->report.type = &type;
	r->arena = a;
	r->o = *o;
	r->history = history_open(a, &o->options);
	r->diag = diag_in(a);
	r->memory = arena_open();
	return &r->report;
}

/* One line per test, written as the test ends: a killed run loses none. See
 * checkpoint.h. */
#include "compat/records/checkpoint.h"

#include <errno.h>
#include <math.h>

#include "compat/console/report_text.h"
#include "runner/base/files.h"
#include "runner/base/journal.h"

/* In the place of seconds: the test has not finished after all, but is tried again. */
#define WITHDRAWN "?"

/* ---- reading --------------------------------------------------------------------- */

/* Nodes by the number of their test; MAP_NONE: not selected. */
static uint32_t *
nodes_by_number(struct arena *a, const struct selection *s)
{
	uint32_t *nodes = NEW_ARRAY(a, uint32_t, s->largest_number + 1);

	for (size_t i = 0; i <= s->largest_number; i++)
		nodes[i] = MAP_NONE;
	for (size_t i = 0; i < s->n; i++)
		nodes[s->v[i].number] = (uint32_t)i;
	return nodes;
}

static void
take_line(struct checkpoint *c, struct str line, const struct selection *s,
	const uint32_t *nodes)
{
	struct str number_text = str_take(&line, ' '), seconds = str_take(&line, ' ');
	uint64_t number;
	uint32_t node;
	double took;
	bool has_finished = !str_is(seconds, WITHDRAWN);

	if (!str_unsigned(number_text, s->largest_number, &number))
		return;
	node = nodes[number];
	if (node == MAP_NONE || c->finished[node] == has_finished ||
		!str_eq(line, selected_test(s, node)->name))
		return;
	c->finished[node] = has_finished;
	if (!has_finished) {
		c->finished_n--;
		return;
	}
	took = str_is(seconds, "-") ? -1 : str_double(seconds);
	c->seconds[node] = isfinite(took) && took >= 0 ? took : -1;
	c->finished_n++;
}

/* ---- fixtures -------------------------------------------------------------------- */

static void
add_names(struct map *fixtures, struct str_list names)
{
	for (size_t i = 0; i < names.n; i++)
		map_add(fixtures, names.v[i]);
}

static bool
has_any(const struct map *fixtures, struct str_list names)
{
	for (size_t i = 0; i < names.n; i++)
		if (map_has(fixtures, names.v[i]))
			return true;
	return false;
}

static void
add_fixtures(struct map *fixtures, const struct properties *p)
{
	add_names(fixtures, p->fixtures_required);
	add_names(fixtures, p->fixtures_setup);
	add_names(fixtures, p->fixtures_cleanup);
}

/* true: one more test must run, which may use other fixtures. */
static bool
repeat_fixtures(struct checkpoint *c, const struct selection *s, struct map *fixtures)
{
	size_t before = c->finished_n;

	for (uint32_t i = 0; i < s->n; i++) {
		const struct properties *p = selected_test(s, i)->properties;

		if (!c->finished[i] || (!has_any(fixtures, p->fixtures_setup) &&
					       !has_any(fixtures, p->fixtures_cleanup)))
			continue;
		c->finished[i] = false;
		c->finished_n--;
		add_fixtures(fixtures, p);
	}
	return c->finished_n < before;
}

/* Tests of fixtures run again: their effects ended with the run, or were being cleaned up
 * when the run was killed. */
static void
take_back_fixtures(struct arena *a, struct checkpoint *c, const struct selection *s)
{
	struct map fixtures = map_in(a);

	for (uint32_t i = 0; i < s->n; i++)
		if (!c->finished[i])
			add_fixtures(&fixtures, selected_test(s, i)->properties);
	while (repeat_fixtures(c, s, &fixtures))
		continue;
}

bool
checkpoint_read(struct arena *a, struct str path, const struct selection *s,
	struct checkpoint *c, struct diag *d)
{
	uint32_t *nodes;
	struct str text, line;

	INVARIANT(s && c && d);
	*c = (struct checkpoint){0};
	if (!file_read(a, str_z(a, path), &text))
		return error_is_no_file(errno) || diag_unreadable(d, path, errno);
	c->was_there = true;
	c->finished = NEW_ARRAY(a, bool, s->n);
	c->seconds = NEW_ARRAY(a, double, s->n);
	nodes = nodes_by_number(a, s);
	text.n = str_rfind(text, '\n') < text.n ? str_rfind(text, '\n') + 1 : 0;
	while (str_take_line(&text, &line))
		take_line(c, line, s, nodes);
	take_back_fixtures(a, c, s);
	return true;
}

/* ---- writing --------------------------------------------------------------------- */

struct checkpoint_report {
	struct report report;
	struct arena *arena;
	struct journal journal;
};

/* "0.250000000", without printf, which would be a seventh of what cctr executes for a
 * test. */
static void
add_seconds(struct buf *out, uint64_t ns)
{
	enum { SECOND = 1000000000 };
	size_t point;

	buf_number(out, ns / SECOND, 0);
	point = out->n;
	buf_number(out, SECOND + ns % SECOND, 0);
	out->p[point] = '.';
}

/* A name with a newline cannot be written, so that the test runs again. */
static void
handle_event(struct report *report, const struct event *e)
{
	struct checkpoint_report *r = (struct checkpoint_report *)report;
	struct buf line = {.arena = r->arena};
	struct arena_mark mark;
	bool is_last = e->kind == EVENT_END && e->is_last;

	if ((!is_last && e->kind != EVENT_WITHDRAW) ||
		report_fails_run(e->verdict->kind, e->flaky) ||
		str_has(e->attempt->test->name, STR("\n")))
		return;
	mark = arena_mark(r->arena);
	buf_number(&line, e->attempt->number, 0);
	buf_char(&line, ' ');
	if (!is_last)
		buf_z(&line, WITHDRAWN);
	else if (e->verdict->kind == VERDICT_PASSED)
		add_seconds(&line, e->outcome->duration_ns);
	else
		buf_char(&line, '-');
	buf_char(&line, ' ');
	buf_str(&line, e->attempt->test->name);
	buf_char(&line, '\n');
	journal_add(&r->journal, buf_as_str(&line));
	arena_rewind(r->arena, mark);
}

static bool
close_report(struct report *report, struct diag *d)
{
	(void)d;
	journal_close(&((struct checkpoint_report *)report)->journal);
	return true;
}

static bool
stop_report(struct report *report, struct diag *d)
{
	struct checkpoint_report *r = (struct checkpoint_report *)report;

	close_report(report, d);
	return !r->journal.error || diag_system(d, str_of(r->journal.path),
					    "cannot be written", r->journal.error);
}

struct report *
checkpoint_open(struct arena *a, struct str path)
{
	static const struct report_type type = {.name = "checkpoint",
		.event = handle_event,
		.close = close_report,
		.stop = stop_report,
		.only_results = true};
	struct checkpoint_report *r = NEW(a, struct checkpoint_report);

	r->report.type = &type;
	r->arena = a;
	journal_open(&r->journal, str_z(a, path));
	return &r->report;
}

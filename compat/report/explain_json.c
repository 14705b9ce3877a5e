/* See explain_json.h; cctr-files(5) describes the members. */
#include "compat/report/explain_json.h"

#include "runner/base/json_line.h"

struct explanation
explanation_in(struct arena *a)
{
	struct explanation e = {.text.arena = a, .json.arena = a};

	json_line_open(&e.json, NULL, '{');
	json_line_text(&e.json, "format", STR("cctr-plan-1"));
	return e;
}

static void
end_tests(struct explanation *e)
{
	if (e->has_tests)
		json_line_close(&e->json, ']');
	e->has_tests = false;
}

struct str
explain_json_end(struct explanation *e)
{
	end_tests(e);
	json_line_close(&e->json, '}');
	buf_char(&e->json, '\n');
	return buf_as_str(&e->json);
}

/* ---- a simulation ---------------------------------------------------------------- */

static void
add_bound(struct buf *b, const char *key, const struct simulation_bound *bound)
{
	json_line_open(b, key, '{');
	json_line_text(b, "name", bound->name);
	json_line_seconds(b, "seconds", bound->seconds);
	json_line_close(b, '}');
}

void
explain_json_simulation(struct explanation *e, const struct simulation *s,
	size_t parallel, bool by_pressure, size_t guesses)
{
	struct buf *b = &e->json;

	json_line_open(b, "simulation", '{');
	json_line_count(b, "tests", s->tests);
	json_line_count(b, "parallel", parallel);
	json_line_text(b, "schedule", by_pressure ? STR("pressure") : STR("ctest"));
	json_line_seconds(b, "makespan_s", s->makespan_s);
	add_bound(b, "lower_bound", &s->bounds[s->lower_bound]);
	json_line_open(b, "bounds", '[');
	for (size_t i = 0; i < s->bounds_n; i++)
		add_bound(b, NULL, &s->bounds[i]);
	json_line_close(b, ']');
	json_line_number(b, "utilisation", s->utilisation);
	json_line_count(b, "guesses", guesses);
	json_line_count(b, "too_large", s->refused);
	json_line_close(b, '}');
}

/* ---- a test ---------------------------------------------------------------------- */

static const char *const wait_words[] = {
	[BLOCKED_NOT] = "nothing",
	[BLOCKED_BY_DEPENDENCY] = "dependency",
	[BLOCKED_BY_PARTITION] = "partition",
	[BLOCKED_BY_SLOTS] = "processors",
	[BLOCKED_BY_PROCESSORS] = "own processors",
	[BLOCKED_BY_OTHERS] = "to run alone",
	[BLOCKED_BY_SERIAL] = "a test that runs alone",
	[BLOCKED_BY_LOCK] = "lock",
	[BLOCKED_BY_RESOURCE] = "resource",
	[BLOCKED_BY_LEASE] = "lease",
	[BLOCKED_BY_RESERVATION] = "reservation",
	[BLOCKED_BY_RANK] = "turn",
	[BLOCKED_BY_LOAD] = "load",
	[BLOCKED_BY_STOP] = "stop",
};
static const char *const step_words[] = {
	[STEP_FIRST] = "nothing",
	[STEP_DEPENDENCY] = "dependency",
	[STEP_LOCK] = "lock",
	[STEP_ALONE] = "alone",
	[STEP_RESOURCE] = "resource",
	[STEP_SLOTS] = "processors",
};

static struct str
name_of(const struct account *a, node_id node)
{
	return a->plan->nodes[node].test->name;
}

static void
add_wait(struct buf *b, const struct account *a, node_id node, const struct wait *w)
{
	struct buf text = {.arena = b->arena};
	size_t holders = w->holders_n < HOLDERS_SHOWN ? w->holders_n : HOLDERS_SHOWN;

	explain_reason(&text, a, node, w);
	json_line_open(b, NULL, '{');
	json_line_seconds(b, "from_s", w->from_s);
	json_line_seconds(b, "to_s", w->to_s);
	json_line_text(b, "for", str_of(wait_words[w->why.kind]));
	if (w->why.name.n)
		json_line_text(b, "name", w->why.name);
	if (w->why.kind == BLOCKED_BY_DEPENDENCY)
		json_line_text(b, "test", name_of(a, w->why.node));
	json_line_open(b, "held_by", '[');
	for (size_t i = 0; i < holders; i++)
		json_line_text(b, NULL, name_of(a, w->holders[i].node));
	json_line_close(b, ']');
	json_line_text(b, "text", buf_as_str(&text));
	json_line_close(b, '}');
}

static void
add_steps(struct buf *b, const struct account *a, const struct steps *s)
{
	json_line_open(b, "critical_path", '{');
	json_line_seconds(b, "seconds", s->seconds);
	json_line_open(b, "steps", '[');
	for (size_t i = 0; i < s->v.n; i++) {
		const struct step *step = &s->v.v[i];

		json_line_open(b, NULL, '{');
		json_line_text(b, "test", name_of(a, step->node));
		json_line_seconds(b, "start_s", a->times.started_s[step->node]);
		json_line_seconds(b, "end_s", a->times.ended_s[step->node]);
		json_line_text(b, "after", str_of(step_words[step->kind]));
		if (step->name.n)
			json_line_text(b, "name", step->name);
		json_line_close(b, '}');
	}
	json_line_close(b, ']');
	json_line_close(b, '}');
}

/* "node" is the one where the test was started. */
static void
add_nodes(struct buf *b, struct str_list nodes)
{
	if (nodes.n)
		json_line_text(b, "node", nodes.v[0]);
	if (nodes.n < 2)
		return;
	json_line_open(b, "nodes", '[');
	for (size_t i = 0; i < nodes.n; i++)
		json_line_text(b, NULL, nodes.v[i]);
	json_line_close(b, ']');
}

static void
add_times(struct buf *b, const struct account *a, node_id node)
{
	double start = a->times.started_s[node], end = a->times.ended_s[node];
	struct str reason = a->reasons ? a->reasons[node] : STR_NONE;
	bool ran = start >= 0 && !reason.n;

	if (ran)
		json_line_seconds(b, "start_s", start);
	if (ran && end >= 0)
		json_line_seconds(b, "end_s", end);
	if (reason.n)
		json_line_text(b, "reason", reason);
	if (ran && a->nodes)
		add_nodes(b, a->nodes[node]);
	json_line_seconds(b, "wait_s", start >= 0 ? start : a->end_s);
}

void
explain_json_test(struct explanation *e, const struct account *a, const struct watched *t,
	const struct steps *steps)
{
	struct buf *b = &e->json;

	if (!e->has_tests)
		json_line_open(b, "explained", '[');
	e->has_tests = true;
	json_line_open(b, NULL, '{');
	json_line_text(b, "test", name_of(a, t->node));
	if (a->finished && a->finished[t->node])
		json_line_bool(b, "earlier_run", true);
	else {
		add_times(b, a, t->node);
		json_line_open(b, "waits", '[');
		for (size_t i = 0; i < t->waits.n; i++)
			add_wait(b, a, t->node, &t->waits.v[i]);
		json_line_close(b, ']');
	}
	if (steps)
		add_steps(b, a, steps);
	json_line_close(b, '}');
}

/* ---- all tests ------------------------------------------------------------------- */

void
explain_json_path(struct explanation *e, const struct account *a, const struct steps *s)
{
	end_tests(e);
	add_steps(&e->json, a, s);
}

void
explain_json_gains(struct explanation *e, double makespan_s,
	const struct simulation_bound *bottleneck, const struct gain *v, size_t n)
{
	struct buf *b = &e->json;

	INVARIANT(bottleneck && (v || !n));
	end_tests(e);
	json_line_seconds(b, "makespan_s", makespan_s);
	add_bound(b, "bottleneck", bottleneck);
	json_line_open(b, "one_more", '[');
	for (size_t i = 0; i < n; i++) {
		json_line_open(b, NULL, '{');
		json_line_text(b, "name", v[i].name);
		json_line_seconds(b, "makespan_s", v[i].seconds);
		json_line_close(b, '}');
	}
	json_line_close(b, ']');
}

/*
 * See spans.h. What a test holds is taken before its START and comes back after its END.
 * So what the scheduler says at END is right, and no track has two tests at a time.
 */
#include "runner/report/spans.h"

#include "runner/base/loop.h"
#include "runner/schedule/request_class.h"

/* A test with more slots has no more tracks, so that -j0 makes no endless file. */
enum { SLOTS_SHOWN = 256 };
#define SLOT "slot"
#define NOT_RUNNING UINT64_MAX

static uint64_t
now_ns(const struct spans *s)
{
	return loop_now_ns() - s->began_ns;
}

/* ---- what a span held ------------------------------------------------------------ */

static struct stay
stay_of_last(const struct spans *s)
{
	const struct span *last = &s->v.v[s->v.n - 1];

	return (struct stay){.began_ns = last->began_ns,
		.ended_ns = last->ended_ns,
		.machine = last->machine,
		.owner = s->v.n - 1};
}

static void
add_slots(struct spans *s, size_t slots)
{
	struct stay stay = stay_of_last(s);

	stay.name = STR(SLOT);
	stay.amount = slots;
	for (size_t i = 0; i == 0 || (i < slots && i < SLOTS_SHOWN); i++) {
		stay.is_first = i == 0;
		VEC_PUSH(s->arena, &s->stays, stay);
	}
}

/* NULL: the last span has none with these names. */
static struct stay *
find_stay(const struct spans *s, struct str machine, struct str name)
{
	for (size_t i = s->stays.n; i > 0; i--) {
		struct stay *stay = &s->stays.v[i - 1];

		if (stay->owner != s->v.n - 1)
			break;
		if (str_eq(stay->name, name) && str_eq(stay->machine, machine))
			return stay;
	}
	return NULL;
}

static void
add_unit(struct spans *s, const struct pool *pool, const struct grant_unit *u)
{
	const struct resource_type *t = &pool->types[u->type];
	const struct resource_instance *i = &t->v[u->instance];
	struct stay stay = stay_of_last(s), *same;

	if (pool->nodes)
		stay.machine = pool->nodes[i->node];
	stay.name = str_fmt(s->arena, "%.*s %.*s", STR_ARG(t->name), STR_ARG(i->id));
	stay.amount = u->slots;
	same = find_stay(s, stay.machine, stay.name);
	if (same)
		same->amount += u->slots;
	else if (u->slots)
		VEC_PUSH(s->arena, &s->stays, stay);
}

/* What the node has held since its begin was held until now. last: without times. */
static void
end_span(struct spans *s, struct span last)
{
	const struct pool *pool = s->o.run.pool;
	const struct grant *g = scheduler_grant(s->o.scheduler, last.node);

	last.run = s->runs[last.node];
	if (s->o.run.parts)
		last.partition =
			s->o.run.parts->v[request_part(&s->o.run, last.node)].name;
	last.began_ns = s->since_ns[last.node];
	last.ended_ns = now_ns(s);
	s->since_ns[last.node] = NOT_RUNNING;
	VEC_PUSH(s->arena, &s->v, last);
	add_slots(s, request_slots(&s->o.run, s->o.plan, last.node));
	for (size_t i = 0; pool && g && i < g->n; i++)
		for (size_t k = 0; k < g->v[i].n; k++)
			add_unit(s, pool, &g->v[i].v[k]);
}

/* ---- what happens ---------------------------------------------------------------- */

static void
note_end(struct spans *s, const struct event *e)
{
	const struct outcome *o = e->outcome;
	struct span last = {.node = e->attempt->node,
		.result = verdict_word(e->verdict->kind),
		.ending = o->ending,
		.code = o->ending == END_SIGNALLED ? o->signal : o->exit_code,
		.duration_ns = o->duration_ns,
		.machine = o->node ? str_of(o->node) : STR(""),
		.is_last = e->is_last,
		.is_flaky = e->flaky != FLAKY_NOT};

	end_span(s, last);
}

/* The attempt goes on elsewhere. No event says when: until it ends it counts from now. */
static void
note_loss(struct spans *s, const struct event *e)
{
	struct span last = {.node = e->attempt->node,
		.result = "node lost",
		.machine = str_dup(s->arena, e->node)};

	end_span(s, last);
	s->since_ns[last.node] = now_ns(s);
}

static void
note_withdrawal(struct spans *s, node_id node)
{
	for (size_t i = 0; i < s->v.n; i++)
		if (s->v.v[i].node == node)
			s->v.v[i].is_last = false;
}

static void
note_begin(struct spans *s)
{
	size_t n = s->o.plan->n;

	s->has_begun = true;
	s->began_us = loop_wall_us();
	s->began_ns = loop_now_ns();
	s->since_ns = NEW_ARRAY(s->arena, uint64_t, n);
	s->runs = NEW_ARRAY(s->arena, unsigned, n);
	for (size_t i = 0; i < n; i++)
		s->since_ns[i] = NOT_RUNNING;
}

bool
spans_note(struct spans *s, const struct event *e)
{
	if (e->kind == EVENT_BEGIN) {
		note_begin(s);
	} else if (e->kind == EVENT_START) {
		s->since_ns[e->attempt->node] = now_ns(s);
		s->runs[e->attempt->node] = e->attempt->run;
	} else if (e->kind == EVENT_AGAIN) {
		note_loss(s, e);
	} else if (e->kind == EVENT_END) {
		note_end(s, e);
	} else if (e->kind == EVENT_WITHDRAW) {
		note_withdrawal(s, e->attempt->node);
	}
	return e->kind == EVENT_AGAIN || e->kind == EVENT_END;
}

void
spans_cut_off(struct spans *s)
{
	s->is_cut_off = true;
	for (node_id i = 0; s->has_begun && i < s->o.plan->n; i++)
		if (s->since_ns[i] != NOT_RUNNING)
			end_span(s, (struct span){.node = i, .result = "interrupted"});
}

struct spans *
spans_new(struct arena *a, const struct spans_options *o)
{
	struct spans *s = NEW(a, struct spans);

	INVARIANT(o->scheduler && o->plan);
	s->arena = a;
	s->o = *o;
	return s;
}

/* ---- tracks ---------------------------------------------------------------------- */

bool
spans_is_slot(struct str name)
{
	return str_is(name, SLOT);
}

struct str
spans_track_name(struct arena *a, const struct track *t)
{
	if (spans_is_slot(t->name))
		return str_fmt(a, SLOT " %u", t->lane + 1);
	return t->lane ? str_fmt(a, "%.*s (%u)", STR_ARG(t->name), t->lane + 1) : t->name;
}

/* ---- the critical path ----------------------------------------------------------- */

/* The first and the last span of each test. */
static void
find_ends(struct arena *a, const struct spans *s, struct span_path *p)
{
	p->first = NEW_ARRAY(a, const struct span *, s->o.plan->n);
	p->last = NEW_ARRAY(a, const struct span *, s->o.plan->n);
	for (size_t i = 0; i < s->v.n; i++) {
		const struct span *span = &s->v.v[i];

		if (!p->first[span->node])
			p->first[span->node] = span;
		if (span->is_last)
			p->last[span->node] = span;
	}
}

struct span_path
spans_path(struct arena *a, const struct spans *s)
{
	const struct plan *p = s->o.plan;
	double *started_s = NEW_ARRAY(a, double, p->n);
	double *ended_s = NEW_ARRAY(a, double, p->n);
	struct span_path path = {.steps = {.seconds = 0}};
	struct course c;

	find_ends(a, s, &path);
	for (node_id i = 0; i < p->n; i++) {
		bool has_ended = path.last[i] != NULL;

		started_s[i] = has_ended ? (double)path.first[i]->began_ns / 1e9 : -1;
		ended_s[i] = has_ended ? (double)path.last[i]->ended_ns / 1e9 : -1;
	}
	c = course_of(a, p, &s->o.run, (struct times){started_s, ended_s});
	if (c.n)
		path.steps = critical_path(a, p, &c, c.ends[c.n - 1].node);
	return path;
}

const char *
spans_why(enum step_kind kind)
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

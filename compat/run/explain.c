/*
 * The gain of one more resource is found by trying: the plan is made again with it, and
 * run in simulated time. Each test takes as long as it took, or as long as it is expected
 * to take.
 */
#include "compat/run/explain.h"

#include <string.h>

#include "compat/console/report_text.h"
#include "compat/run/simulate.h"
#include "runner/base/loop.h"
#include "runner/resources/pool_request.h"
#include "runner/schedule/choice.h"

/* The most types of resource that are tried. */
enum { TYPES_TRIED = 8 };

bool
explain_find(struct arena *a, const str_vec *names, const struct selection *s,
	struct explained *found, struct diag *d)
{
	bool all = true;

	INVARIANT(found && d);
	for (size_t i = 0; i < names->n; i++) {
		size_t before = found->v.n;

		for (node_id k = 0; k < s->n; k++)
			if (str_eq(selected_test(s, k)->name, names->v[i]))
				VEC_PUSH(a, &found->v, k);
		if (found->v.n == before)
			all = diag_error(d, NO_PLACE,
				"--explain: no test \"%.*s\" is selected",
				STR_ARG(names->v[i]));
	}
	return all;
}

/* ---- one more -------------------------------------------------------------------- */

struct trial {
	struct arena *a;
	const struct explain_request *r;
	const double *duration_s; /* by node */
	struct simulation base;
	struct gain *gains;
	uint32_t *bounds; /* by gain, its bound in base */
	size_t gains_n;
};

/* Makes a new plan, as a run with these options would. */
static double
makespan_with(const struct trial *t, struct plan_options po, struct scheduler_options so)
{
	const struct test *culprit;
	struct plan *p = plan_build(t->a, t->r->plan->selection, &po, &culprit);
	struct simulation_options o = {
		.scheduler = so, .duration_s = t->duration_s, .without_bounds = true};

	choose_order(t->a, p, &so, CHOICE_STARTS);
	return simulation_run(t->a, p, &o).makespan_s;
}

static void
add_gain(struct trial *t, uint32_t bound, struct str name, double seconds)
{
	t->bounds[t->gains_n] = bound;
	t->gains[t->gains_n++] = (struct gain){name, seconds};
}

static void
try_slot(struct trial *t, uint32_t bound)
{
	struct plan_options po = t->r->options;
	struct scheduler_options so = t->r->scheduler;

	po.parallel = ++so.parallel;
	add_gain(t, bound, str_fmt(t->a, "-j%zu", so.parallel), makespan_with(t, po, so));
}

/* A copy of the pool with one more instance of the type, as large as the largest. */
static struct pool *
larger_pool(struct arena *a, const struct pool *from, uint32_t type)
{
	struct pool *p = NEW(a, struct pool);
	struct resource_type *t;

	*p = *from;
	p->types = NEW_ARRAY(a, struct resource_type, p->n);
	memcpy(p->types, from->types, p->n * sizeof *p->types);
	for (size_t i = 0; i < p->n; i++) {
		t = &p->types[i];
		t->v = NEW_ARRAY(a, struct resource_instance, t->n + 1);
		if (t->n)
			memcpy(t->v, from->types[i].v, t->n * sizeof *t->v);
	}
	t = &p->types[type];
	t->v[t->n] = t->v[t->n - 1];
	for (size_t i = 0; i < t->n; i++)
		if (t->v[i].slots > t->v[t->n].slots)
			t->v[t->n].slots = t->v[i].slots;
	t->n++;
	return p;
}

static void
try_instance(struct trial *t, uint32_t bound)
{
	struct plan_options po = t->r->options;
	struct scheduler_options so = t->r->scheduler;
	uint32_t type = t->base.bounds[bound].type;

	so.pool = larger_pool(t->a, so.pool, type);
	if (!so.pool->partitions_n)
		po.pool = so.pool;
	add_gain(t, bound, so.pool->types[type].name, makespan_with(t, po, so));
}

/* The untried type with the largest bound. */
static uint32_t
next_type(const struct trial *t, const bool *is_tried)
{
	uint32_t best = MAP_NONE;

	for (uint32_t i = 0; i < t->base.bounds_n; i++)
		if (t->base.bounds[i].type != MAP_NONE && !is_tried[i] &&
			(best == MAP_NONE ||
				t->base.bounds[i].seconds > t->base.bounds[best].seconds))
			best = i;
	return best;
}

static void
try_all(struct trial *t)
{
	bool *is_tried = NEW_ARRAY(t->a, bool, t->base.bounds_n);
	uint32_t i;

	t->gains = NEW_ARRAY(t->a, struct gain, TYPES_TRIED + 1);
	t->bounds = NEW_ARRAY(t->a, uint32_t, TYPES_TRIED + 1);
	try_slot(t, 0);
	while (t->gains_n <= TYPES_TRIED && (i = next_type(t, is_tried)) != MAP_NONE) {
		is_tried[i] = true;
		try_instance(t, i);
	}
}

/* The bound whose resource gains most; if nothing gains, the largest bound. */
static uint32_t
find_bottleneck(const struct trial *t)
{
	uint32_t best = t->base.lower_bound;
	double least = t->base.makespan_s * (1 - 1e-9);

	for (size_t i = 0; i < t->gains_n; i++)
		if (t->gains[i].seconds < least) {
			least = t->gains[i].seconds;
			best = t->bounds[i];
		}
	return best;
}

/* ---- the account ----------------------------------------------------------------- */

static struct times
times_of(const struct watch *w)
{
	return (struct times){w->started_s, w->ended_s};
}

static bool
has_run(const struct account *a, node_id node)
{
	return a->times.ended_s[node] >= 0 && !(a->finished && a->finished[node]) &&
	       !a->reasons[node].n;
}

static void
tell_tests(struct explanation *out, const struct account *a, const struct watch *w,
	const struct course *c)
{
	for (size_t i = 0; i < w->n; i++) {
		node_id node = w->v[i].node;
		struct steps s;

		buf_char(&out->text, '\n');
		explain_waits(&out->text, a, &w->v[i]);
		if (has_run(a, node)) {
			s = critical_path(out->text.arena, w->plan, c, node);
			explain_steps(&out->text, a, &s);
		}
		explain_json_test(out, a, &w->v[i], has_run(a, node) ? &s : NULL);
	}
}

/* Prints the path that ends last. */
static void
tell_all(struct explanation *out, const struct account *a, const struct course *c)
{
	struct steps s;

	if (!c->n)
		return;
	s = critical_path(out->text.arena, a->plan, c, c->ends[c->n - 1].node);
	explain_steps(&out->text, a, &s);
	explain_json_path(out, a, &s);
}

static void
tell_trials(struct explanation *out, const struct explain_request *r,
	const double *duration_s)
{
	struct trial t = {.a = out->text.arena, .r = r, .duration_s = duration_s};
	struct simulation_options o = {
		.scheduler = r->scheduler, .duration_s = duration_s};
	const struct simulation_bound *b;

	t.base = simulation_run(t.a, r->plan, &o);
	try_all(&t);
	b = &t.base.bounds[find_bottleneck(&t)];
	buf_fmt(&out->text, "Makespan      %12.2f sec\n", t.base.makespan_s);
	buf_fmt(&out->text, "Bottleneck    %12.2f sec (%.*s)\n", b->seconds,
		STR_ARG(b->name));
	explain_gains(&out->text, t.base.makespan_s, t.gains, t.gains_n);
	explain_json_gains(out, t.base.makespan_s, b, t.gains, t.gains_n);
}

static void
explain_course(struct explanation *out, const struct explain_request *r, struct watch *w,
	const struct str *reasons, const struct str_list *nodes, const double *duration_s)
{
	struct account a = {.plan = r->plan,
		.pool = r->scheduler.pool,
		.times = times_of(w),
		.finished = r->scheduler.finished,
		.reasons = reasons,
		.nodes = nodes,
		.end_s = w->now_s};
	struct course c = course_of(out->text.arena, r->plan, &r->scheduler, a.times);

	watch_finish(w, w->now_s);
	tell_tests(out, &a, w, &c);
	if (c.n || duration_s)
		buf_z(&out->text, "\nAll tests\n\n");
	tell_all(out, &a, &c);
	if (duration_s)
		tell_trials(out, r, duration_s);
}

/* Why tests of a plan would not run, as far as the plan tells: by node. */
static struct str *
reasons_of_plan(struct arena *a, const struct explain_request *r)
{
	struct str *reasons = NEW_ARRAY(a, struct str, r->plan->n);
	const struct pool *pool = r->scheduler.pool;

	for (size_t i = 0; i < r->tests.v.n; i++) {
		node_id node = r->tests.v.v[i];
		const struct properties *p = r->plan->nodes[node].test->properties;
		struct resource_groups g =
			pool_request_in(a, pool, request_part(&r->scheduler, node), p);

		if (p->disabled)
			reasons[node] = STR("Disabled");
		else if (pool ? !pool_could_fit(pool, a, &g) : g.nodes > 0)
			reasons[node] = STR("Insufficient resources");
	}
	return reasons;
}

static struct str_list
names_of_nodes(struct arena *a, const struct pool *pool, const uint32_t *v, size_t n)
{
	struct str_list names = {NEW_ARRAY(a, struct str, n), n};

	for (size_t i = 0; i < n; i++)
		names.v[i] = pool->nodes[v[i]];
	return names;
}

/* By node: the nodes of the pool where the test would run; none: it does not start. */
static const struct str_list *
names_of_places(struct arena *a, const struct pool *pool, const struct pool_nodes *places,
	size_t n)
{
	struct str_list *names = NEW_ARRAY(a, struct str_list, n);

	for (size_t i = 0; i < n; i++)
		names[i] = names_of_nodes(a, pool, places[i].v, places[i].n);
	return names;
}

void
explain_plan(struct explanation *out, const struct explain_request *r)
{
	struct arena *a = out->text.arena;
	size_t n = r->plan->n, guesses;
	struct watch *w = watch_new(a, r->plan, r->tests.v.v, r->tests.v.n);
	struct simulation_options o = {.scheduler = r->scheduler,
		.duration_s = durations_of(a, r->plan, r->recorded, &guesses),
		.without_bounds = true,
		.places = NEW_ARRAY(a, struct pool_nodes, n),
		.watch = w};

	simulation_run(a, r->plan, &o);
	explain_course(out, r, w, reasons_of_plan(a, r),
		r->names_nodes ? names_of_places(a, r->scheduler.pool, o.places, n)
			       : NULL,
		o.duration_s);
}

/* ---- a run ----------------------------------------------------------------------- */

struct explain_report {
	struct report report;
	struct explain_request request;
	const struct scheduler *scheduler;
	struct watch *watch;
	struct str *reasons; /* by node: why the test was refused */
	struct str_list *nodes; /* by node: where the test ran */
	struct str failed; /* the first test that failed */
	double began_s;
};

static double
clock_s(void)
{
	return (double)loop_now_ns() / 1e9;
}

/* A text of one line for the log is more exact than the kind of the refusal. */
static struct str
refusal_reason(struct arena *a, const struct event *e)
{
	struct str log = str_trim(e->refusal->log);

	if (log.n && str_find(log, '\n') == log.n)
		return str_dup(a, log);
	return report_completion(a, e->attempt->test, e->verdict, e->outcome);
}

/* The launch has named several whole nodes. */
static void
note_node(struct explain_report *r, node_id node, const char *name)
{
	struct str_list *nodes = &r->nodes[node];

	if (nodes->n > 1 || !name)
		return;
	*nodes = (struct str_list){NEW(r->watch->a, struct str), 1};
	nodes->v[0] = str_of(name);
}

static void
note_end(struct explain_report *r, const struct event *e)
{
	if (e->outcome->ending == END_NOT_STARTED)
		r->reasons[e->attempt->node] = refusal_reason(r->watch->a, e);
	note_node(r, e->attempt->node, e->outcome->node);
	if (!r->failed.n && !verdict_is_pass(e->verdict->kind) &&
		e->verdict->kind != VERDICT_DISABLED)
		r->failed = e->attempt->test->name;
	watch_ended(r->watch, e->attempt->node, clock_s() - r->began_s);
}

static void
handle_event(struct report *report, const struct event *e)
{
	struct explain_report *r = (struct explain_report *)report;
	struct arena *a = r->watch->a;

	if (e->kind == EVENT_BEGIN) {
		r->began_s = clock_s();
		watch_begin(r->watch, r->scheduler, r->request.scheduler.finished,
			r->began_s);
	} else if (e->kind == EVENT_START && e->attempt->run == 1) {
		watch_started(r->watch, e->attempt->node, clock_s() - r->began_s);
	} else if (e->kind == EVENT_LAUNCH) {
		r->nodes[e->attempt->node] = names_of_nodes(a, r->request.scheduler.pool,
			e->launch->whole_nodes, e->launch->whole_nodes_n);
	} else if (e->kind == EVENT_END && e->is_last) {
		note_end(r, e);
	} else if (e->kind == EVENT_IDLE && e->is_settled) {
		watch_settled(r->watch, clock_s() - r->began_s);
	}
}

static bool
close_report(struct report *report, struct diag *d)
{
	(void)report, (void)d;
	return true;
}

struct report *
explain_open(struct arena *a, const struct explain_request *r, const struct scheduler *s)
{
	static const struct report_type type = {
		.name = "explain", .event = handle_event, .close = close_report};
	struct explain_report *e = NEW(a, struct explain_report);

	INVARIANT(s);
	*e = (struct explain_report){.report.type = &type, .request = *r, .scheduler = s};
	e->watch = watch_new(a, r->plan, r->tests.v.v, r->tests.v.n);
	e->reasons = NEW_ARRAY(a, struct str, r->plan->n);
	e->nodes = NEW_ARRAY(a, struct str_list, r->plan->n);
	return &e->report;
}

/* If the run was stopped, tests that did not run count with their expected durations. */
static double *
durations_of_run(struct arena *a, const struct explain_report *r)
{
	const struct watch *w = r->watch;
	size_t guesses;
	double *seconds = durations_of(a, w->plan, r->request.recorded, &guesses);

	for (node_id i = 0; i < w->plan->n; i++)
		if (w->ended_s[i] >= 0)
			seconds[i] = w->ended_s[i] - w->started_s[i];
	return seconds;
}

/* Why the run ended before all tests had started. */
static struct str
end_reason(struct arena *a, const struct explain_report *r, bool is_cut_off)
{
	if (is_cut_off)
		return STR("The run was interrupted");
	if (r->request.stop_on_failure && r->failed.n)
		return str_fmt(a, "--stop-on-failure, after %.*s", STR_ARG(r->failed));
	return STR("The stop time was over");
}

static void
note_never_started(struct arena *a, struct explain_report *r, bool is_cut_off)
{
	const struct watch *w = r->watch;

	for (size_t i = 0; i < w->n; i++)
		if (w->started_s[w->v[i].node] < 0)
			r->reasons[w->v[i].node] = end_reason(a, r, is_cut_off);
}

void
explain_run(struct explanation *out, struct report *report, bool is_cut_off)
{
	struct explain_report *r = (struct explain_report *)report;

	note_never_started(out->text.arena, r, is_cut_off);
	explain_course(out, &r->request, r->watch, r->reasons, r->nodes,
		is_cut_off ? NULL : durations_of_run(out->text.arena, r));
}

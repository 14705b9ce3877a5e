/*
 * See advice.h. Advice is given where what is declared is far from what was measured, so
 * that times of another machine, or of a busy one, do not change it:
 *
 * - A limit is five times what 95 of 100 passed attempts took, rounded up to a usual
 *   value, of 10 s or more. It is said where the limit that holds is at least ten times
 *   as large, or less than twice the time.
 * - Processors are processor time over wall time, of which a quarter of the attempts used
 *   more. Attempts below a tenth of a second are too short for the clock.
 * - Memory matters only if the largest tests cannot run side by side.
 * - A cost matters only if long tests start too late: the run is tried in simulated time.
 */
#include "runner/history/advice.h"

#include <math.h>

#include "runner/base/numbers.h"
#include "runner/base/sort.h"
#include "runner/history/robust.h"
#include "runner/schedule/simulation.h"

#define LIMIT_SHARE 0.95
#define LIMIT_FACTOR 5
#define LIMIT_NEAR 2
#define LIMIT_FAR 10
#define USE_SHARE 0.75
#define USE_LEAST_US 100000
#define MEMORY_SHARE 0.9
#define MEMORY_FACTOR 1.1
#define COST_GAIN 0.95
#define COST_REST 0.25
enum { MEMORY_STEP_MIB = 64 };

struct measured {
	size_t n, timed_n; /* passed attempts; those that are long enough for use */
	double seconds[ADVICE_ATTEMPTS_MOST], use[ADVICE_ATTEMPTS_MOST];
	double peak_mib, expected_s;
};
struct adviser {
	struct arena *a;
	const struct selection *s;
	const struct advice_options *o;
	struct measured *of; /* by index of the selection */
	struct advice_list list;
};

static bool
is_known(const struct adviser *v, size_t i)
{
	return v->of[i].n >= ADVICE_ATTEMPTS_LEAST &&
	       !selected_test(v->s, i)->properties->disabled;
}

static void
advise(struct adviser *v, struct advice advice)
{
	advice.attempts = v->of[advice.test].n;
	VEC_PUSH(v->a, &v->list.v, advice);
}

/* ---- measurements ---------------------------------------------------------------- */

/* The least value that `share` of the values do not exceed. The values are sorted. */
static double
quantile(const double *sorted, size_t n, double share)
{
	size_t rank = (size_t)ceil(share * (double)n);

	return sorted[rank ? rank - 1 : 0];
}

static void
measure(struct measured *m, const struct history_of_test *t)
{
	for (size_t i = 0; i < t->n && m->n < ADVICE_ATTEMPTS_MOST; i++) {
		const struct history_attempt *a = &t->v[i].attempt;
		double mib = (double)a->peak_bytes / (1 << 20);

		if (!str_is(a->verdict, "passed"))
			continue;
		if (a->wall_us >= USE_LEAST_US)
			m->use[m->timed_n++] =
				(double)a->processor_us / (double)a->wall_us;
		m->seconds[m->n++] = a->wall_us ? (double)a->wall_us / 1e6 : 1e-6;
		m->peak_mib = mib > m->peak_mib ? mib : m->peak_mib;
	}
	m->expected_s = robust_next(m->seconds, m->n);
	numbers_sort(m->seconds, m->n);
	numbers_sort(m->use, m->timed_n);
}

/* ---- limits ---------------------------------------------------------------------- */

/* 0: there is no such long limit. */
static double
usual_limit(double least)
{
	static const double values[] = {10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600,
		7200, 14400, 28800, 86400};

	for (size_t i = 0; i < sizeof values / sizeof *values; i++)
		if (values[i] >= least)
			return values[i];
	return 0;
}

static void
advise_limit(struct adviser *v, size_t i)
{
	const struct properties *p = selected_test(v->s, i)->properties;
	double seconds = quantile(v->of[i].seconds, v->of[i].n, LIMIT_SHARE);
	double limit = usual_limit(LIMIT_FACTOR * seconds);
	double now = p->has_timeout ? p->timeout_s : v->o->default_limit_s;
	bool is_wanted = p->has_timeout && p->timeout_s == 0;
	bool is_far = now == 0 || now >= LIMIT_FAR * limit || now < LIMIT_NEAR * seconds;

	if (limit > 0 && !is_wanted && is_far)
		advise(v, (struct advice){ADVICE_LIMIT, i, .value = limit,
				  .measured = seconds, .declared = now});
}

/* ---- processors ------------------------------------------------------------------ */

static void
advise_processors(struct adviser *v, size_t i)
{
	const struct properties *p = selected_test(v->s, i)->properties;
	const struct measured *m = &v->of[i];
	double used, declared = p->processors, value;

	if (m->timed_n < ADVICE_ATTEMPTS_LEAST)
		return;
	used = quantile(m->use, m->timed_n, USE_SHARE);
	value = floor(used + 0.5);
	if (used < declared / 2)
		value = ceil(used) > 1 ? ceil(used) : 1;
	else if (value <= declared || p->run_serial)
		return;
	if (value != declared)
		advise(v, (struct advice){ADVICE_PROCESSORS, i, .value = value,
				  .measured = used, .declared = declared});
}

/* ---- memory ---------------------------------------------------------------------- */

/* Whether the tests that use most have no room side by side. */
static bool
can_exceed(const struct adviser *v)
{
	double *peaks = NEW_ARRAY(v->a, double, v->s->n), sum = 0;
	size_t n = 0;

	for (size_t i = 0; i < v->s->n; i++)
		if (is_known(v, i))
			peaks[n++] = v->of[i].peak_mib;
	numbers_sort(peaks, n);
	for (size_t i = 0; i < n && i < v->o->slots; i++)
		sum += peaks[n - 1 - i];
	return sum > MEMORY_SHARE * (double)(v->o->memory_bytes >> 20);
}

static void
advise_memory(struct adviser *v)
{
	double fair = (double)(v->o->memory_bytes >> 20) / (double)v->o->slots;

	if (!v->o->memory_bytes || v->o->slots < 2 || !can_exceed(v))
		return;
	for (size_t i = 0; i < v->s->n; i++) {
		double peak = v->of[i].peak_mib;

		if (is_known(v, i) && peak > fair &&
			!selected_test(v->s, i)->properties->resource_groups.n)
			advise(v, (struct advice){ADVICE_MEMORY, i,
					  .value = MEMORY_STEP_MIB *
						   ceil(peak * MEMORY_FACTOR /
							   MEMORY_STEP_MIB),
					  .measured = peak});
	}
}

/* ---- costs ----------------------------------------------------------------------- */

struct longest {
	size_t test;
	double seconds;
};

SORT_BY(sort_longest, struct longest, DESCENDING(seconds) ASCENDING(test))

/* Tests whose order can be changed, the longest first. */
static struct longest *
find_longest(const struct adviser *v, size_t *n)
{
	struct longest *all = NEW_ARRAY(v->a, struct longest, v->s->n);

	*n = 0;
	for (size_t i = 0; i < v->s->n; i++)
		if (is_known(v, i) && selected_test(v->s, i)->properties->cost == 0)
			all[(*n)++] = (struct longest){i, v->of[i].expected_s};
	sort_longest(all, *n);
	return all;
}

/* The makespan if the n tests had a COST of their time. */
static double
try_costs(const struct adviser *v, const struct longest *costs, size_t n)
{
	struct arena *a = arena_open();
	struct recorded *recorded = NEW_ARRAY(a, struct recorded, v->s->n);
	double *seconds = NEW_ARRAY(a, double, v->s->n), makespan = 0;
	struct plan_options o = {.parallel = v->o->slots, .recorded = recorded};
	struct simulation_options simulated = {.scheduler = {.parallel = v->o->slots},
		.duration_s = seconds,
		.without_bounds = true};
	const struct test *culprit;
	struct plan *plan;

	for (size_t i = 0; i < n; i++)
		recorded[costs[i].test].cost = costs[i].seconds;
	for (size_t i = 0; i < v->s->n; i++)
		seconds[i] = v->of[i].expected_s;
	plan = plan_build(a, v->s, &o, &culprit);
	if (plan)
		makespan = simulation_run(a, plan, &simulated).makespan_s;
	arena_close(a);
	return makespan;
}

/* As few of the longest tests as give most of what all of them would. */
static void
advise_costs(struct adviser *v)
{
	size_t n, most = 1;
	struct longest *longest = find_longest(v, &n);
	double now, best, found;

	if (v->o->slots < 2 || n < 2)
		return;
	now = try_costs(v, longest, 0);
	best = try_costs(v, longest, n);
	if (best > COST_GAIN * now)
		return;
	while ((found = try_costs(v, longest, most)) > best + COST_REST * (now - best) &&
		most < n)
		most = 2 * most < n ? 2 * most : n;
	v->list.makespan_s = now;
	v->list.makespan_with_cost_s = found;
	for (size_t i = 0; i < most; i++)
		advise(v, (struct advice){ADVICE_COST, longest[i].test,
				  .value = longest[i].seconds,
				  .measured = longest[i].seconds});
}

struct advice_list
advice_of(struct arena *a, const struct selection *s,
	const struct history_content *content, const struct advice_options *o)
{
	struct adviser v = {
		.a = a, .s = s, .o = o, .of = NEW_ARRAY(a, struct measured, s->n)};

	INVARIANT(content && o && o->slots > 0);
	for (size_t i = 0; i < s->n; i++) {
		measure(&v.of[i], &content->tests[i]);
		v.list.unknown +=
			!is_known(&v, i) && !selected_test(s, i)->properties->disabled;
	}
	for (size_t i = 0; i < s->n; i++)
		if (is_known(&v, i))
			advise_limit(&v, i);
	for (size_t i = 0; i < s->n; i++)
		if (is_known(&v, i))
			advise_processors(&v, i);
	advise_memory(&v);
	advise_costs(&v);
	return v.list;
}

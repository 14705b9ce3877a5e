/*
 * No priority rule is best for all plans: what packs well leaves long paths for the end,
 * and the other way round. So pressure with several weights, and ctest's order, are tried
 * with and without reservations. The best of these orders is improved by:
 *
 * - Double justification (Valls, Ballestín and Quintanilla 2005): the plan is run
 *   backwards, tests that ended last first, so that every test starts as late as it can;
 *   then forwards in the order of these starts, which closes gaps. The scheduler itself
 *   makes both schedules. Repeated while it helps.
 * - Iterated local search (Lourenço, Martin and Stützle 2003) where it does not help:
 *   tests of the best order move some places up or down, and a better order becomes the
 *   best one. Double justification is the local search; it is only applied to an order
 *   that has become the best.
 *
 * Expected durations are wrong. Each order is tried with the expected durations and with
 * the same few samples of random deviations for all orders; the sum of the makespans
 * counts, so that an order that is better only for the exact durations is not taken.
 *
 * V. Valls, F. Ballestín, S. Quintanilla: "Justification and RCPSP: a technique that
 * pays", 2005.
 * H. R. Lourenço, O. C. Martin, T. Stützle: "Iterated local search", 2003.
 */
#include "runner/schedule/choice.h"

#include <math.h>
#include <string.h>

#include "runner/schedule/request_class.h"
#include "runner/schedule/simulation.h"

enum { SAMPLES = 4, PASSES = 24 };
#define SPREAD 0.3
#define PERTURBATION 0.1
#define STARTS_PER_S 10000

struct chooser {
	struct arena *a;
	struct plan *plan, backwards;
	struct scheduler_options o;
	double *duration_s[SAMPLES]; /* by node; the first as expected */
	double *started_s; /* of the last order that was tried, with the first sample */
	size_t starts_left;

	double best, limit;
	double exact; /* makespan of the last order that was tried, first sample */
	node_id *order;
	double *promised_s;
	size_t reserve;
};

/* ---- trying ---------------------------------------------------------------------- */

/* A number between 0 and 1 that depends on node and sample alone. */
static double
sample_noise(uint64_t node, uint64_t sample)
{
	uint64_t x = (node + 1) * 0x9e3779b97f4a7c15u + sample * 0xbf58476d1ce4e5b9u;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return (double)((x ^ (x >> 31)) >> 11) / 9007199254740992.0;
}

static void
sample_durations(struct chooser *c)
{
	for (uint64_t w = 0; w < SAMPLES; w++) {
		c->duration_s[w] = NEW_ARRAY(c->a, double, c->plan->n);
		for (node_id i = 0; i < c->plan->n; i++) {
			double off = sample_noise(i, 4 * w) + sample_noise(i, 4 * w + 1) +
				     sample_noise(i, 4 * w + 2) - 1.5;

			c->duration_s[w][i] = c->plan->expected[i].seconds *
					      (w ? exp(SPREAD * 2 * off) : 1);
		}
	}
}

static double
makespan_of(struct chooser *c, struct plan *p, size_t sample, double *started_s)
{
	struct arena *scratch = arena_open();
	struct simulation_options o = {
		.scheduler = c->o,
		.duration_s = c->duration_s[sample],
		.started_s = started_s,
		.without_bounds = true,
	};
	double makespan_s;

	makespan_s = simulation_run(scratch, p, &o).makespan_s;
	arena_close(scratch);
	c->starts_left -= c->starts_left < p->n ? c->starts_left : p->n;
	return makespan_s;
}

/* The plan's ranks as they are. */
static void
try_order(struct chooser *c, size_t reserve)
{
	double sum;

	c->plan->reserve = reserve;
	c->plan->promised_s = NULL;
	if (c->starts_left < SAMPLES * c->plan->n)
		return;
	c->exact = sum = makespan_of(c, c->plan, 0, c->started_s);
	if (sum > c->limit)
		return;
	for (size_t w = 1; w < SAMPLES; w++)
		sum += makespan_of(c, c->plan, w, NULL);
	if (sum >= c->best)
		return;
	c->best = sum;
	c->reserve = reserve;
	memcpy(c->order, c->plan->order, c->plan->n * sizeof *c->order);
	memcpy(c->promised_s, c->started_s, c->plan->n * sizeof *c->promised_s);
}

/* ---- orders ---------------------------------------------------------------------- */

static void
try_rules(struct chooser *c)
{
	static const double weights[] = {2, 0, 1, 4};
	size_t reserve = c->plan->reserve;

	plan_rank(c->plan, c->plan->ctest_order);
	try_order(c, 0);
	c->limit = c->exact;
	try_order(c, reserve);
	for (size_t i = 0; i < sizeof weights / sizeof *weights; i++) {
		plan_rank_by_pressure(c->a, c->plan, weights[i]);
		try_order(c, reserve);
		try_order(c, 0);
	}
}

/* The same plan with all dependencies reversed. */
static void
reverse_plan(struct chooser *c)
{
	const struct plan *p = c->plan;

	c->backwards = *p;
	c->backwards.reserve = 0;
	c->backwards.nodes = NEW_ARRAY(c->a, struct node, p->n);
	c->backwards.order = NEW_ARRAY(c->a, node_id, p->n);
	for (node_id i = 0; i < p->n; i++) {
		const struct selected *t = &p->selection->v[i];

		c->backwards.nodes[i] = p->nodes[i];
		c->backwards.nodes[i].waits = p->nodes[i].users_n;
		c->backwards.nodes[i].users = t->depends;
		c->backwards.nodes[i].users_n = (uint32_t)t->depends_n;
		c->backwards.nodes[i].failed_last = false;
	}
}

/* Double justification: the test that ends last is first backwards, and the test that
 * ends last backwards is first forwards. */
static void
justify_order(struct chooser *c, const double *started_s)
{
	double *value = NEW_ARRAY(c->a, double, c->plan->n);

	for (node_id i = 0; i < c->plan->n; i++)
		value[i] = started_s[i] + c->duration_s[0][i];
	plan_rank_by(c->a, &c->backwards, value);
	makespan_of(c, &c->backwards, 0, value);
	for (node_id i = 0; i < c->plan->n; i++)
		value[i] += c->duration_s[0][i];
	plan_rank_by(c->a, c->plan, value);
}

/* The best order with each test some places further up or down. */
static void
perturb_order(struct chooser *c, uint64_t pass)
{
	double *value = NEW_ARRAY(c->a, double, c->plan->n);
	double range = PERTURBATION * (double)c->plan->n + 2;

	for (node_id k = 0; k < c->plan->n; k++)
		value[c->order[k]] = range * sample_noise(k, 1000 + pass) - k;
	plan_rank_by(c->a, c->plan, value);
}

/* How many starts in simulated time are worth their cost: a hundredth of the least time
 * that the tests take, at one or two microseconds each. */
static size_t
starts_allowed(const struct plan *p, size_t parallel, size_t starts)
{
	double work_s = 0;
	bool is_guess = true;

	for (node_id i = 0; i < p->n; i++) {
		work_s += p->expected[i].seconds;
		is_guess = is_guess && p->expected[i].is_guess;
	}
	work_s *= STARTS_PER_S / (double)parallel;
	if (is_guess)
		return 0;
	return work_s < (double)starts ? (size_t)work_s : starts;
}

static void
improve_order(struct chooser *c)
{
	size_t n = c->plan->n;
	double improved = HUGE_VAL;

	c->promised_s = NEW_ARRAY(c->a, double, n);
	c->started_s = NEW_ARRAY(c->a, double, n);
	c->order = NEW_ARRAY(c->a, node_id, n);
	sample_durations(c);
	try_rules(c);
	reverse_plan(c);
	for (int pass = 0; pass < PASSES && c->starts_left >= (SAMPLES + 1) * n; pass++) {
		size_t reserve = c->reserve;

		if (c->best < improved)
			justify_order(c, c->promised_s);
		else
			perturb_order(c, (uint64_t)pass);
		improved = c->best;
		try_order(c, reserve);
	}
	plan_rank(c->plan, c->order);
	c->plan->reserve = c->reserve;
}

void
choose_order(
	struct arena *a, struct plan *p, const struct scheduler_options *o, size_t starts)
{
	struct chooser c = {.plan = p, .o = *o, .best = HUGE_VAL, .limit = HUGE_VAL};
	double *promised_s;

	INVARIANT(o->parallel > 0);
	if (!p->expected || o->parallel < 2)
		return;
	c.starts_left = starts_allowed(p, o->parallel, starts);
	if (c.starts_left < 3 * SAMPLES * p->n || p->n == 0)
		return;
	c.a = arena_open();
	if (!o->classes)
		c.o.classes = request_classes_build(c.a, p, o);
	improve_order(&c);
	promised_s = NEW_ARRAY(a, double, p->n);
	memcpy(promised_s, c.promised_s, p->n * sizeof *promised_s);
	p->promised_s = promised_s;
	arena_close(c.a);
}

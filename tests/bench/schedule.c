/*
 * The scheduler in simulated time.
 *
 *   schedule scale N RULE S       N tests in S signatures: seconds, tests
 *   schedule nodes N NODES SLOTS  N tests on nodes with so many processors and 4 GPUs:
 * the same schedule case KIND SEED N SIGMA N random plans: makespans by ctest's order and
 * by pressure, and the lower bound, one line each; what is expected is off by exp(SIGMA *
 * normal)
 *
 * RULE is ctest or pressure, KIND is wide or bound (by resources).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "runner/resources/machine.h"
#include "runner/resources/pool_request.h"
#include "runner/resources/pool_sources.h"
#include "runner/schedule/choice.h"
#include "runner/schedule/simulation.h"

struct input {
	struct arena *a;
	uint64_t seed;
	struct suite suite;
	struct selection selection;
	struct test *tests;
	struct recorded *recorded;
	double *duration_s;
	struct pool pool;
	size_t parallel;
	bool choose;
};

static unsigned
below(struct input *in, unsigned n)
{
	in->seed = in->seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)((in->seed >> 33) % n);
}

static double
unit(struct input *in)
{
	return (below(in, 1000000) + 0.5) / 1e6;
}

static void
input_of(struct input *in, size_t n)
{
	struct arena *a = in->a;

	in->tests = NEW_ARRAY(a, struct test, n);
	in->recorded = NEW_ARRAY(a, struct recorded, n);
	in->duration_s = NEW_ARRAY(a, double, n);
	in->suite = (struct suite){.tests = in->tests, .n = n};
	in->selection = (struct selection){.suite = &in->suite,
		.v = NEW_ARRAY(a, struct selected, n),
		.n = n,
		.loaded = n};
	for (size_t i = 0; i < n; i++) {
		in->tests[i] = (struct test){
			.name = STR("t"), .properties = &properties_default};
		in->selection.v[i] =
			(struct selected){.test = (test_id)i, .number = (unsigned)i + 1};
	}
}

static void
pool_in(struct input *in, size_t instances, uint64_t slots)
{
	struct resource_type *t = NEW(in->a, struct resource_type);

	*t = (struct resource_type){.name = STR("gpus"), .n = instances};
	t->v = NEW_ARRAY(in->a, struct resource_instance, instances);
	for (size_t i = 0; i < instances; i++)
		t->v[i] = (struct resource_instance){
			.id = str_fmt(in->a, "%03zu", i), .slots = slots};
	in->pool = (struct pool){.types = t, .n = 1};
}

static struct resource_groups
groups_of(struct input *in, size_t n, uint64_t slots)
{
	struct resource_groups g = {.v = NEW_ARRAY(in->a, struct resource_group, n), .n = n};

	for (size_t i = 0; i < n; i++) {
		g.v[i].v = NEW(in->a, struct requirement);
		g.v[i].v[0] = (struct requirement){
			.type = STR("gpus"), .slots = slots};
		g.v[i].n = 1;
	}
	return g;
}

static void
lock_in(struct input *in, struct properties *p, unsigned which)
{
	p->resource_locks = (struct str_list){NEW(in->a, struct str), 1};
	p->resource_locks.v[0] = str_fmt(in->a, "lock%u", which);
}

static struct simulation
simulate(struct input *in, enum schedule schedule, bool without_bounds, double *seconds)
{
	const struct test *culprit;
	struct plan_options po = {.parallel = in->parallel,
		.schedule = schedule,
		.pool = in->pool.n ? &in->pool : NULL,
		.recorded = in->recorded};
	struct plan *p = plan_build(in->a, &in->selection, &po, &culprit);
	struct simulation_options so = {.scheduler = {.parallel = in->parallel,
						.pool = in->pool.n ? &in->pool : NULL},
		.duration_s = in->duration_s,
		.without_bounds = without_bounds};
	struct simulation result;
	struct timespec from, to;

	if (schedule == SCHEDULE_PRESSURE && in->choose)
		choose_order(in->a, p, &so.scheduler, CHOICE_STARTS);

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
	result = simulation_run(in->a, p, &so);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
	*seconds = (double)(to.tv_sec - from.tv_sec) +
		   (double)(to.tv_nsec - from.tv_nsec) / 1e9;
	return result;
}

/* ---- scale ----------------------------------------------------------------------- */

/* Each with locks or resources of its own, where there are many. */
static struct properties *
requests_of(struct input *in, size_t n)
{
	struct properties *requests = NEW_ARRAY(in->a, struct properties, n);

	for (unsigned k = 0; k < n; k++) {
		requests[k] = properties_default;
		requests[k].processors = 1 + (int)(k % 4);
		if (k % 5 == 0)
			lock_in(in, &requests[k], k);
		if (k % 3 == 0)
			requests[k].resource_groups =
				groups_of(in, 1 + k % 2, 1 + k / 2 % 8);
		if (k >= 50)
			lock_in(in, &requests[k], k % 2 ? k : k / 50);
	}
	return requests;
}

static void
scale(size_t n, enum schedule schedule, size_t signatures)
{
	struct input in = {.a = arena_open(), .seed = 1, .parallel = 16};
	struct properties *requests;
	double seconds;

	input_of(&in, n);
	pool_in(&in, 4, 8);
	requests = requests_of(&in, signatures);
	for (size_t i = 0; i < n; i++) {
		in.tests[i].properties = &requests[below(&in, (unsigned)signatures)];
		in.duration_s[i] = 0.6 + 0.3 * unit(&in);
		in.recorded[i].cost = in.duration_s[i];
	}
	simulate(&in, schedule, true, &seconds);
	printf("%.6f %zu\n", seconds, n);
	arena_close(in.a);
}

/* ---- nodes ----------------------------------------------------------------------- */

static void
nodes_in(struct input *in, size_t nodes, size_t slots)
{
	struct str *names = NEW_ARRAY(in->a, struct str, nodes);
	struct pool *parts = NEW_ARRAY(in->a, struct pool, nodes);

	for (size_t i = 0; i < nodes; i++) {
		names[i] = str_fmt(in->a, "n%zu", i);
		parts[i] = (struct pool){.n = 0};
		pool_number_instances(in->a,
			pool_add_type(in->a, &parts[i], STR(POOL_PROCESSORS)), slots, 1);
		pool_number_instances(
			in->a, pool_add_type(in->a, &parts[i], STR("gpus")), 4, 8);
	}
	in->pool = pool_join(in->a, names, parts, nodes);
	in->pool.counts_processors = true;
	in->parallel = nodes * slots;
}

/* Three of four tests take one processor; the others up to 4, and a third of a GPU. */
static void
on_nodes(size_t n, size_t nodes, size_t slots)
{
	struct input in = {.a = arena_open(), .seed = 1};
	struct properties requests[8];
	double seconds;

	input_of(&in, n);
	nodes_in(&in, nodes, slots);
	for (unsigned k = 0; k < 8; k++) {
		requests[k] = properties_default;
		if (k % 4)
			continue;
		requests[k].processors = k ? 4 : 2;
		requests[k].resource_groups = groups_of(&in, 1, 3);
	}
	for (size_t i = 0; i < n; i++) {
		in.tests[i].properties = &requests[below(&in, 8)];
		in.duration_s[i] = 0.6 + 0.3 * unit(&in);
	}
	simulate(&in, SCHEDULE_CTEST, true, &seconds);
	printf("%.6f %zu\n", seconds, n);
	arena_close(in.a);
}

/* ---- random plans ---------------------------------------------------------------- */

static void
random_needs(struct input *in, struct properties *p, bool is_bound)
{
	*p = properties_default;
	p->processors = 1;
	if (below(in, is_bound ? 4 : 12) == 0)
		p->processors = 1 + (int)below(in, (unsigned)in->parallel);
	if (below(in, is_bound ? 10 : 30) == 0)
		lock_in(in, p, below(in, 8));
	if (in->pool.n && below(in, 2) == 0)
		p->resource_groups = groups_of(in, 1 + below(in, 2), 1 + below(in, 8));
	if (is_bound && below(in, 60) == 0)
		p->run_serial = true;
}

/* Earlier tests, most of them near. */
static void
random_edges(struct input *in, size_t i)
{
	struct selected *t = &in->selection.v[i];
	size_t n = i && below(in, 3) == 0 ? 1 + below(in, 2) : 0;

	t->depends = NEW_ARRAY(in->a, uint32_t, n);
	for (size_t k = 0; k < n; k++) {
		uint32_t back = 1 + below(in, i < 20 ? (unsigned)i : 20);
		uint32_t on = (uint32_t)(i - back);

		if (t->depends_n && t->depends[0] == on)
			continue;
		t->depends[t->depends_n++] = on;
		if (t->depends_n == 2 && t->depends[1] < t->depends[0]) {
			t->depends[1] = t->depends[0];
			t->depends[0] = on;
		}
	}
}

/* Normal, nearly: the sum of twelve. */
static double
normal(struct input *in)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += unit(in);
	return sum;
}

static void
random_case(uint64_t seed, bool is_bound, double sigma)
{
	struct input in = {.a = arena_open(), .seed = seed * 7919 + 12345};
	size_t n;
	double seconds;
	struct simulation theirs, ours;

	below(&in, 2);
	n = 100 + below(&in, 400);
	in.parallel = 2 + below(&in, 15);
	input_of(&in, n);
	if (is_bound)
		pool_in(&in, 1 + below(&in, 4), 8);
	for (size_t i = 0; i < n; i++) {
		struct properties *p = NEW(in.a, struct properties);

		random_needs(&in, p, is_bound);
		in.tests[i].properties = p;
		random_edges(&in, i);
		/* times differ by factors, as those of tests do */
		in.duration_s[i] = 0.1 * exp(3.5 * unit(&in));
		in.recorded[i].cost = in.duration_s[i];
	}
	for (size_t i = 0; i < n && sigma > 0; i++)
		in.recorded[i].cost *= exp(sigma * normal(&in));
	in.choose = true;
	theirs = simulate(&in, SCHEDULE_CTEST, true, &seconds);
	ours = simulate(&in, SCHEDULE_PRESSURE, false, &seconds);
	printf("%.4f %.4f %.4f %.*s\n", theirs.makespan_s, ours.makespan_s,
		ours.lower_bound_s, STR_ARG(ours.bounds[ours.lower_bound].name));
	arena_close(in.a);
}

int
main(int argc, char **argv)
{
	if (argc == 5 && strcmp(argv[1], "scale") == 0) {
		scale((size_t)atol(argv[2]),
			strcmp(argv[3], "pressure") == 0 ? SCHEDULE_PRESSURE
							 : SCHEDULE_CTEST,
			(size_t)atol(argv[4]));
		return 0;
	}
	if (argc == 5 && strcmp(argv[1], "nodes") == 0) {
		on_nodes((size_t)atol(argv[2]), (size_t)atol(argv[3]),
			(size_t)atol(argv[4]));
		return 0;
	}
	if (argc == 6 && strcmp(argv[1], "case") == 0) {
		for (long i = 0; i < atol(argv[4]); i++)
			random_case((uint64_t)(atol(argv[3]) + i),
				strcmp(argv[2], "bound") == 0, atof(argv[5]));
		return 0;
	}
	fputs("usage: schedule scale N RULE S | nodes N NODES SLOTS | case KIND SEED N "
	      "SIGMA\n",
		stderr);
	return 2;
}

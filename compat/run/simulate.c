/*
 * Times from the file replace the times of earlier runs, also for the plan. A test
 * without any time takes as long as a plan by pressure expects.
 */
#include "compat/run/simulate.h"

#include "runner/run/timings.h"

const struct recorded *
simulate_recorded(struct arena *a, const struct simulated_times *o,
	const struct selection *s, const struct recorded *from, struct diag *d)
{
	const struct timings_file file = {
		.path = o->file, .is_named = true, .must_exist = true};
	struct recorded *v = NEW_ARRAY(a, struct recorded, s->n);
	struct recorded *given = NEW_ARRAY(a, struct recorded, s->n);
	struct timings t;

	if (!timings_load(a, &file, &t, d))
		return NULL;
	timings_fill(&t, o->configuration, s, given);
	for (size_t i = 0; i < s->n; i++) {
		v[i] = from[i];
		if (given[i].seconds > 0)
			v[i].cost = v[i].seconds = given[i].seconds;
	}
	return v;
}

/* Whether there are times of cctr's own. ctest keeps none of tests that failed. */
static bool
has_times(const struct recorded *recorded, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (recorded[i].seconds > 0)
			return true;
	return false;
}

/* A test that failed last, and has no time, could not start: its program or its fixture
 * was missing. */
double *
durations_of(struct arena *a, const struct plan *p, const struct recorded *recorded,
	size_t *guesses)
{
	double *seconds = NEW_ARRAY(a, double, p->n);
	const struct expected *expected = expected_times(a, p->selection, recorded);
	bool is_recorded = has_times(recorded, p->n);

	for (node_id i = 0; i < p->n; i++)
		if (recorded[i].seconds > 0)
			seconds[i] = recorded[i].seconds;
		else if (!is_recorded || !recorded[i].failed_last)
			seconds[i] = expected[i].seconds;
	*guesses = 0;
	for (node_id i = 0; i < p->n; i++) {
		if (p->nodes[i].test->properties->disabled)
			seconds[i] = 0;
		*guesses += seconds[i] > 0 && expected[i].is_guess;
	}
	return seconds;
}

static void
print_simulation(struct buf *out, const struct simulation *s,
	const struct simulate_request *r, size_t guesses)
{
	buf_fmt(out, "Simulated %zu tests with -j%zu, %s\n\n", s->tests,
		r->scheduler.parallel,
		r->plan->expected ? "by pressure" : "in ctest's order");
	buf_fmt(out, "Makespan      %12.2f sec\n", s->makespan_s);
	buf_fmt(out, "Lower bound   %12.2f sec (%.*s)\n", s->lower_bound_s,
		STR_ARG(s->bounds[s->lower_bound].name));
	for (size_t i = 0; i < s->bounds_n; i++)
		buf_fmt(out, "  %12.2f sec %.*s\n", s->bounds[i].seconds,
			STR_ARG(s->bounds[i].name));
	buf_fmt(out, "Utilisation   %12.1f %%\n", 100 * s->utilisation);
	if (guesses)
		buf_fmt(out, "Guessed times %12zu tests\n", guesses);
	if (s->refused)
		buf_fmt(out, "Too large     %12zu tests\n", s->refused);
}

void
simulate(struct buf *out, struct explanation *e, const struct simulate_request *r)
{
	size_t guesses;
	struct simulation_options o = {.scheduler = r->scheduler,
		.duration_s = durations_of(out->arena, r->plan, r->recorded, &guesses)};
	struct simulation result = simulation_run(out->arena, r->plan, &o);

	print_simulation(out, &result, r, guesses);
	explain_json_simulation(
		e, &result, r->scheduler.parallel, r->plan->expected != NULL, guesses);
}

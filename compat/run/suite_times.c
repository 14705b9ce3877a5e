/* See suite_times.h. */
#include "compat/run/suite_times.h"

#include "runner/history/history.h"
#include "runner/run/timings.h"

/* The record of times tells of tests that the history does not know. */
void
suite_times_fill(struct run_context *c, const struct run_settings *s,
	const struct selection *selection, struct recorded *recorded)
{
	struct timings times = timings_load(c->arena, s->temporary, &c->diag);
	struct str *names;
	double *seconds;

	timings_fill(&times, selection, recorded);
	if (!s->options.run.keeps_history)
		return;
	names = NEW_ARRAY(c->arena, struct str, selection->n);
	seconds = NEW_ARRAY(c->arena, double, selection->n);
	for (size_t i = 0; i < selection->n; i++)
		names[i] = selection->suite->tests[selection->v[i].test].name;
	history_estimate(c->arena, history_path(c->arena, s->temporary),
		s->options.configuration, names, selection->n, seconds, &c->diag);
	for (size_t i = 0; i < selection->n; i++)
		if (seconds[i] > 0)
			recorded[i].seconds = seconds[i];
}

const struct expected *
suite_times(
	struct run_context *c, const struct run_settings *s, const struct suite *suite)
{
	struct filter everything = {.use_union = false};
	struct selection all = select_tests(c->arena, suite, &everything);
	struct recorded *recorded = NEW_ARRAY(c->arena, struct recorded, all.n);

	INVARIANT(all.n == suite->n);
	suite_times_fill(c, s, &all, recorded);
	return expected_times(c->arena, &all, recorded);
}

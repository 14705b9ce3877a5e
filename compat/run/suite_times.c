/* See suite_times.h. */
#include "compat/run/suite_times.h"

#include "runner/history/history.h"

struct timings_file
suite_timings_file(struct run_context *c, const struct run_settings *s)
{
	struct str named = s->options.schedule.timings;

	return (struct timings_file){
		.path = named.n ? str_of(run_path(c, named))
				: timings_path(c->arena, s->temporary),
		.is_named = named.n > 0};
}

static void
fill_from_history(struct run_context *c, const struct run_settings *s,
	const struct selection *selection, struct recorded *recorded)
{
	double *seconds = NEW_ARRAY(c->arena, double, selection->n);

	history_estimate(c->arena, history_path(c->arena, s->temporary),
		s->options.configuration, selection_names(c->arena, selection),
		selection->n, seconds, &c->diag);
	for (size_t i = 0; i < selection->n; i++)
		if (seconds[i] > 0)
			recorded[i].seconds = seconds[i];
}

/* The file of times tells of tests that the history does not know. */
bool
suite_times_fill(struct run_context *c, const struct run_settings *s,
	const struct selection *selection, struct recorded *recorded)
{
	struct timings_file file = suite_timings_file(c, s);
	struct timings times;

	if (!timings_load(c->arena, &file, &times, &c->diag))
		return false;
	timings_fill(&times, s->options.configuration, selection, recorded);
	if (s->options.run.keeps_history)
		fill_from_history(c, s, selection, recorded);
	return true;
}

const struct expected *
suite_times(
	struct run_context *c, const struct run_settings *s, const struct suite *suite)
{
	struct filter everything = {.use_union = false};
	struct selection all = select_tests(c->arena, suite, &everything);
	struct recorded *recorded = NEW_ARRAY(c->arena, struct recorded, all.n);

	INVARIANT(all.n == suite->n);
	if (!suite_times_fill(c, s, &all, recorded))
		return NULL;
	return expected_times(c->arena, &all, recorded);
}

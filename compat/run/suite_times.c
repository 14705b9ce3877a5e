/* See suite_times.h. */
#include "compat/run/suite_times.h"

#include "runner/run/run_times.h"

const struct expected *
suite_times(
	struct run_context *c, const struct run_settings *s, const struct suite *suite)
{
	struct filter everything = {.use_union = false};
	struct selection all = select_tests(c->arena, suite, &everything);
	struct recorded *recorded = NEW_ARRAY(c->arena, struct recorded, all.n);
	struct run_times times = run_times_load(c->arena, s->temporary, &c->diag);

	INVARIANT(all.n == suite->n);
	run_times_fill(&times, &all, recorded);
	return expected_times(c->arena, &all, recorded);
}

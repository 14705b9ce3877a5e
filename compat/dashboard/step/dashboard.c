/* See dashboard.h. */
#include "compat/dashboard/step/dashboard.h"

struct step_input
dashboard_input(const struct dashboard *d, const struct options *o)
{
	return (struct step_input){.arena = d->arena,
		.dialect = d->dialect,
		.console = d->console,
		.options = o,
		.inputs = d->inputs,
		.configuration = &d->configuration,
		.binary = d->binary,
		.stamp = d->stamp,
		.wants_files = d->wants_files,
		.files = &d->files,
		.headers = d->headers,
		.build = d->build,
		.interrupted = d->interrupted};
}

void
dashboard_fold(struct dashboard *d, const struct step_result *r)
{
	INVARIANT(d && r);
	VEC_PUSH_ALL(d->arena, &d->files, r->files);
	d->interrupted = r->interrupted;
	d->unset = r->unset;
}

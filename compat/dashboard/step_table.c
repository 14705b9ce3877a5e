/* The function of each step, and what is common before each. See step_table.h. */
#include "compat/dashboard/step_table.h"

/* Notes and uploads have no number; nor has an update that is a command. */
static int
index_of(const struct dashboard *d, const struct step_call *c)
{
	if (c->part == PART_UPDATE && d->dialect->has[DIALECT_UPDATE_IS_COMMAND])
		return 0;
	if (c->submit_index || c->part == PART_NOTES || c->part == PART_UPLOAD)
		return c->submit_index;
	return d->options->submit.index;
}

/* For the result files; the step itself reports invalid sizes. */
static void
take_sizes(struct dashboard *d)
{
	const struct custom *c = &d->custom;

	if (c->output_size_passed.p)
		d->options->output_size_passed = str_int(c->output_size_passed);
	if (c->output_size_failed.p)
		d->options->output_size_failed = str_int(c->output_size_failed);
	if (c->output_truncation.p)
		(void)truncation_parse(
			c->output_truncation, &d->options->output_truncation);
}

bool
step_run(struct dashboard *d, const struct step_call *c, struct step_result *r)
{
	static bool (*const steps[PARTS])(
		struct dashboard *, const struct step_call *, struct step_result *) = {
		[PART_START] = step_start,
		[PART_UPDATE] = step_update,
		[PART_CONFIGURE] = step_configure,
		[PART_BUILD] = step_build,
		[PART_TEST] = step_test,
		[PART_MEMCHECK] = step_memcheck,
		[PART_COVERAGE] = step_coverage,
		[PART_SUBMIT] = step_submit,
		[PART_NOTES] = step_notes,
		[PART_UPLOAD] = step_upload,
	};

	INVARIANT(steps[c->part]);
	*r = (struct step_result){0};
	d->part = c->part;
	d->submit_index = index_of(d, c);
	take_sizes(d);
	return steps[c->part](d, c, r);
}

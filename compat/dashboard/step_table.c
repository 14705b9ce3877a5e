/* The function of each step, and what is common before each. See step_table.h. */
#include "compat/dashboard/step_table.h"

/* Notes and uploads have no number; nor has an update that is a command. */
static int
index_of(const struct step_input *in)
{
	const struct step_call *c = &in->call;

	if (c->part == PART_UPDATE && in->dialect->has[DIALECT_UPDATE_NAMES_REPOSITORY])
		return 0;
	if (c->submit_index || c->part == PART_NOTES || c->part == PART_UPLOAD)
		return c->submit_index;
	return in->options->submit.index;
}

/* With CTestCustom's sizes, for the result files; the step itself reports invalid
 * ones. */
static struct options
options_of(const struct step_input *in)
{
	const struct custom *c = in->custom;
	struct options o = *in->options;

	if (c->output_size_passed.p)
		o.report.output.passed = str_int(c->output_size_passed);
	if (c->output_size_failed.p)
		o.report.output.failed = str_int(c->output_size_failed);
	if (c->output_truncation.p)
		(void)truncation_parse(c->output_truncation, &o.report.output.truncation);
	return o;
}

struct step_result
step_run(const struct step_input *in)
{
	static step_function *const steps[PARTS] = {
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
	struct options options = options_of(in);
	struct step_input own = *in;
	struct step_result r = {.interrupted = in->interrupted};

	INVARIANT(steps[in->call.part]);
	own.options = &options;
	own.call.submit_index = index_of(in);
	r.has_failed = !steps[in->call.part](&own, &r);
	return r;
}

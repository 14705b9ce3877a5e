/* The test step: a run of tests whose results also go to Test.xml. See step.h. */
#include "compat/dashboard/step/report_testxml.h"
#include "compat/dashboard/step/step.h"

struct context {
	const struct step_input *in;
	struct step_result *result;
};

static struct report *
open_report(void *context, struct report *junit)
{
	const struct context *c = context;

	(void)junit;
	return report_testxml_open(
		c->in, c->result, &(struct testxml_options){.file = "Test"});
}

bool
step_test(const struct step_input *in, struct step_result *r)
{
	struct context context = {in, r};
	struct test_step step = {.configuration = in->configuration,
		.custom = in->custom,
		.directory = in->directory,
		.binary = in->binary,
		.tag = step_log_tag(in),
		.is_script = in->is_script,
		.open_report = in->stamp.tag.n || in->wants_files || !in->is_script
				       ? open_report
				       : NULL,
		.context = &context};
	struct run_end end = test_mode_of_step(
		in->arena, in->options, in->dialect, in->console, in->inputs, &step);

	r->interrupted = end.interrupted;
	r->ends = end.is_fatal;
	r->value = end.is_unwritten ? 1 : end.code == EXIT_OK ? 0 : -1;
	return end.code == EXIT_OK;
}

/* The test step: a run of tests whose results also go to Test.xml. See step.h. */
#include "compat/dashboard/step/report_testxml.h"
#include "compat/dashboard/step/step.h"

struct context {
	struct dashboard *d;
	bool append;
};

static struct report *
open_report(void *context, struct report *junit)
{
	const struct context *c = context;

	(void)junit;
	return report_testxml_open(
		c->d, &(struct testxml_options){.file = "Test", .append = c->append});
}

bool
step_test(struct dashboard *d, const struct step_call *c, struct step_result *r)
{
	struct context context = {d, c->append};
	struct test_step step = {.configuration = &d->configuration,
		.custom = &d->custom,
		.directory = d->directory,
		.binary = d->binary,
		.tag = dashboard_log_tag(d),
		.is_script = d->is_script,
		.open_report =
			d->tag.n || d->wants_files || !d->is_script ? open_report : NULL,
		.context = &context};
	enum exit_code code = test_mode_step(d->arena, d->options, d->dialect, d->console,
		d->inputs, &step, &d->interrupted);

	r->value = code == EXIT_OK ? 0 : -1;
	return code == EXIT_OK;
}

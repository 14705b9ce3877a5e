/* The memcheck step: a run of tests, each after the words of the checker. See step.h. */
#include "compat/dashboard/memcheck/report_memcheck.h"
#include "compat/dashboard/step/step.h"
#include "runner/base/files.h"

struct context {
	struct dashboard *d;
	struct memcheck memcheck;
	struct report_memcheck *report; /* NULL: none was opened */
	bool append, is_written;
};

static struct report *
open_report(void *context, struct report *junit)
{
	struct context *c = context;

	c->report = report_memcheck_open(c->d, &c->memcheck, c->append, junit);
	return report_memcheck_report(c->report);
}

static void
finish(void *context)
{
	struct context *c = context;

	c->is_written = c->report && report_memcheck_finish(c->report);
}

/* CTestCustom, not the command line, limits how much of the output is kept. */
static struct options
options_of(const struct dashboard *d)
{
	struct options o = *d->options;

	o.dashboard.is_memcheck = true;
	o.output_size_passed = o.output_size_failed = 0;
	if (d->custom.output_size_failed.p)
		o.output_size_failed = str_int(d->custom.output_size_failed);
	o.output_truncation = TRUNCATE_TAIL;
	if (d->custom.output_truncation.p)
		(void)truncation_parse(d->custom.output_truncation, &o.output_truncation);
	if (!d->is_script)
		o.output_junit = STR("");
	return o;
}

static int
value_of(const struct context *c, enum exit_code code)
{
	if (code != EXIT_OK && c->d->dialect->has[DIALECT_CYCLE_FAILS])
		return -1;
	if (c->report && !c->is_written)
		return 1;
	return code == EXIT_OK ? 0 : -1;
}

bool
step_memcheck(struct dashboard *d, const struct step_call *c, struct step_result *r)
{
	struct context context = {.d = d, .append = c->append};
	struct options effective = options_of(d), *asked = d->options;
	struct test_step step = {.configuration = &d->configuration,
		.custom = &d->custom,
		.directory = d->directory,
		.binary = d->binary,
		.tag = dashboard_log_tag(d),
		.is_script = d->is_script,
		.wrapper = &context.memcheck.wrapper,
		.open_report = open_report,
		.finish = finish,
		.context = &context};
	size_t defects;
	enum exit_code code;

	context.memcheck = (struct memcheck){.wrapper.type = &memcheck_wrapper_type,
		.directory = path_join(d->arena, d->binary, STR("Testing/Temporary"))};
	d->options = &effective;
	code = test_mode_step(d->arena, &effective, d->dialect, d->console, d->inputs,
		&step, &d->interrupted);
	d->options = asked;
	defects = context.is_written ? report_memcheck_defects(context.report) : 0;
	VEC_PUSH(d->arena, &r->outputs,
		(struct step_output){
			STR("DEFECT_COUNT"), str_fmt(d->arena, "%zu", defects)});
	r->value = value_of(&context, code);
	return r->value == 0;
}

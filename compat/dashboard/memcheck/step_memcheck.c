/* The memcheck step: a run of tests, each after the words of the checker. See step.h. */
#include "compat/dashboard/memcheck/report_memcheck.h"
#include "compat/dashboard/step/step.h"
#include "runner/base/files.h"

struct context {
	const struct step_input *in;
	struct step_result *result;
	struct memcheck memcheck;
	struct report_memcheck *report; /* NULL: none was opened */
	bool is_written;
};

static struct report *
open_report(void *context, struct report *junit)
{
	struct context *c = context;

	c->report = report_memcheck_open(c->in, c->result, &c->memcheck, junit);
	return report_memcheck_report(c->report);
}

static void
finish_report(void *context)
{
	struct context *c = context;

	c->is_written = c->report && report_memcheck_finish(c->report);
}

/* CTestCustom, not the command line, limits how much of the output is kept. */
static struct options
options_of(const struct step_input *in)
{
	struct options o = *in->options;

	o.dashboard.is_memcheck = true;
	o.report.output.passed = o.report.output.failed = 0;
	if (in->custom->output_size_failed.p)
		o.report.output.failed = str_int(in->custom->output_size_failed);
	o.report.output.truncation = TRUNCATE_TAIL;
	if (in->custom->output_truncation.p)
		(void)truncation_parse(
			in->custom->output_truncation, &o.report.output.truncation);
	if (!in->is_script)
		o.report.junit = STR("");
	return o;
}

static int
value_of(const struct context *c, enum exit_code code)
{
	if (code != EXIT_OK && c->in->dialect->has[DIALECT_CYCLE_FAILS])
		return -1;
	if (c->report && !c->is_written)
		return 1;
	return code == EXIT_OK ? 0 : -1;
}

bool
step_memcheck(const struct step_input *in, struct step_result *r)
{
	struct options effective = options_of(in);
	struct step_input own = *in;
	struct context context = {.in = &own, .result = r};
	struct test_step step = {.configuration = in->configuration,
		.custom = in->custom,
		.directory = in->directory,
		.binary = in->binary,
		.tag = step_log_tag(in),
		.is_script = in->is_script,
		.wrapper = &context.memcheck.wrapper,
		.open_report = open_report,
		.finish = finish_report,
		.context = &context};
	size_t defects;
	struct run_end end;

	context.memcheck = (struct memcheck){.wrapper.type = &memcheck_wrapper_type,
		.start = in->directory,
		.directory = path_join(in->arena, in->binary, STR("Testing/Temporary")),
		.is_quiet = in->is_quiet};
	own.options = &effective;
	end = test_mode_of_step(
		in->arena, &effective, in->dialect, in->console, in->inputs, &step);
	r->interrupted = end.interrupted;
	r->ends = end.is_fatal;
	defects = context.is_written ? report_memcheck_defects(context.report) : 0;
	VEC_PUSH(in->arena, &r->outputs,
		(struct step_output){
			STR("DEFECT_COUNT"), str_fmt(in->arena, "%zu", defects)});
	r->value = value_of(&context, end.code);
	return r->value == 0;
}

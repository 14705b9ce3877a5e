/* ctest_coverage: the command that reports coverage. See script_steps.h. */
#include "compat/dashboard/script/script_steps.h"

static const struct keyword keywords[] = {
	{"LABELS", TAKES_VALUES, 0},
	{NULL, TAKES_NONE, 0},
};

static bool
prepare_step(struct step_request *r)
{
	request_keys(r);
	return true;
}

const struct script_step script_step_coverage = {
	.command = "ctest_coverage",
	.part = PART_COVERAGE,
	.keywords = keywords,
	.before = prepare_step,
};

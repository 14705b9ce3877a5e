/* ctest_coverage: the command that reports coverage. See script_steps.h. */
#include "compat/dashboard/script/script_steps.h"

static const struct keyword keywords[] = {
	{"LABELS", TAKES_VALUES, 0},
	{NULL, TAKES_NONE, 0},
};

static const struct script_key keys[] = {
	{"CoverageCommand", "CTEST_COVERAGE_COMMAND"},
	{"CoverageExtraFlags", "CTEST_COVERAGE_EXTRA_FLAGS"},
	{NULL, NULL},
};

const struct script_step script_step_coverage = {
	.command = "ctest_coverage",
	.part = PART_COVERAGE,
	.keywords = keywords,
	.keys = keys,
};

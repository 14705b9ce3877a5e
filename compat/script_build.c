/* ctest_build: how the project is built. See script_steps.h. */
#include "compat/script_steps.h"

static const struct keyword keywords[] = {
	{"CONFIGURATION", TAKES_VALUE},
	{"FLAGS", TAKES_VALUE},
	{"NUMBER_ERRORS", TAKES_VALUE},
	{"NUMBER_WARNINGS", TAKES_VALUE},
	{"PARALLEL_LEVEL", TAKES_VALUE},
	{"PROJECT_NAME", TAKES_VALUE},
	{"TARGET", TAKES_VALUE},
	{NULL, TAKES_NONE},
};

static void
after(struct step_request *r)
{
	request_set_output(r, "NUMBER_ERRORS");
	request_set_output(r, "NUMBER_WARNINGS");
}

const struct script_step script_step_build = {
	.command = "ctest_build",
	.part = PART_BUILD,
	.keywords = keywords,
	.after = after,
};

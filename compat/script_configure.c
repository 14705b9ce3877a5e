/* ctest_configure: the command that configures the project. See script_steps.h. */
#include "compat/script_steps.h"

static const struct keyword keywords[] = {
	{"OPTIONS", TAKES_VALUES},
	{NULL, TAKES_NONE},
};

const struct script_step script_step_configure = {
	.command = "ctest_configure",
	.part = PART_CONFIGURE,
	.keywords = keywords,
};

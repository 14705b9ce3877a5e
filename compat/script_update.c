/* ctest_update: which version control, and how it is called. See script_steps.h. */
#include "compat/script_steps.h"

const struct script_step script_step_update = {
	.command = "ctest_update",
	.part = PART_UPDATE,
	.is_alone_now = true,
};

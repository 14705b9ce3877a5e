/* ctest_memcheck: ctest_test, and the choice of the memory checker. See
 * script_steps.h. */
#include "compat/dashboard/script/script_steps.h"

static const struct keyword keywords[] = {
	{"DEFECT_COUNT", TAKES_VALUE, 0},
	{NULL, TAKES_NONE, 0},
};

static bool
prepare_step(struct step_request *r)
{
	request_keys(r);
	return script_before_test(r);
}

static void
set_outputs(struct step_request *r)
{
	request_set_output(r, "DEFECT_COUNT");
}

const struct script_step script_step_memcheck = {
	.command = "ctest_memcheck",
	.part = PART_MEMCHECK,
	.keywords = keywords,
	.more = script_test_keywords,
	.before = prepare_step,
	.after = set_outputs,
};

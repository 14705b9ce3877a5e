/* ctest_memcheck: ctest_test, and which tool looks on. See script_steps.h. */
#include "compat/script_steps.h"

static const struct keyword keywords[] = {
	{"START", TAKES_VALUE},
	{"END", TAKES_VALUE},
	{"STRIDE", TAKES_VALUE},
	{"EXCLUDE", TAKES_VALUE},
	{"INCLUDE", TAKES_VALUE},
	{"EXCLUDE_LABEL", TAKES_VALUE},
	{"INCLUDE_LABEL", TAKES_VALUE},
	{"EXCLUDE_FIXTURE", TAKES_VALUE},
	{"EXCLUDE_FIXTURE_SETUP", TAKES_VALUE},
	{"EXCLUDE_FIXTURE_CLEANUP", TAKES_VALUE},
	{"PARALLEL_LEVEL", TAKES_VALUE},
	{"REPEAT", TAKES_VALUE},
	{"SCHEDULE_RANDOM", TAKES_VALUE},
	{"STOP_ON_FAILURE", TAKES_NONE},
	{"STOP_TIME", TAKES_VALUE},
	{"TEST_LOAD", TAKES_VALUE},
	{"RESOURCE_SPEC_FILE", TAKES_VALUE},
	{"OUTPUT_JUNIT", TAKES_VALUE},
	{"DEFECT_COUNT", TAKES_VALUE},
	{NULL, TAKES_NONE},
};

static const struct script_key keys[] = {
	{"MemoryCheckType", "CTEST_MEMORYCHECK_TYPE"},
	{"MemoryCheckSanitizerOptions", "CTEST_MEMORYCHECK_SANITIZER_OPTIONS"},
	{"MemoryCheckCommand", "CTEST_MEMORYCHECK_COMMAND"},
	{"MemoryCheckCommandOptions", "CTEST_MEMORYCHECK_COMMAND_OPTIONS"},
	{"MemoryCheckSuppressionFile", "CTEST_MEMORYCHECK_SUPPRESSIONS_FILE"},
	{NULL, NULL},
};

static void
after(struct step_request *r)
{
	request_set_output(r, "DEFECT_COUNT");
}

const struct script_step script_step_memcheck = {
	.command = "ctest_memcheck",
	.part = PART_MEMCHECK,
	.keywords = keywords,
	.keys = keys,
	.before = script_before_test,
	.after = after,
};

/* ctest_upload: files that the server stores unchanged. See script_steps.h. */
#include "compat/dashboard/script/script_steps.h"

static const struct keyword keywords[] = {
	{"FILES", TAKES_VALUES, 0},
	{NULL, TAKES_NONE, 0},
};

static void
check_call(struct step_request *r)
{
	request_check_files(r, "FILES");
}

const struct script_step script_step_upload = {
	.command = "ctest_upload",
	.part = PART_UPLOAD,
	.keywords = keywords,
	.is_alone = true,
	.is_anew = true,
	.check = check_call,
};

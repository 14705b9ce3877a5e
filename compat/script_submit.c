/* ctest_submit: what is sent to the dashboard, and where. See script_steps.h. */
#include "compat/script_steps.h"

static const struct keyword keywords[] = {
	{"PARTS", TAKES_VALUES},
	{"FILES", TAKES_VALUES},
	{"BUILD_ID", TAKES_VALUE},
	{"HTTPHEADER", TAKES_VALUES},
	{"RETRY_COUNT", TAKES_VALUE},
	{"RETRY_DELAY", TAKES_VALUE},
	{"SUBMIT_URL", TAKES_VALUE},
	{NULL, TAKES_NONE},
};
/* When CDASH_UPLOAD is its first word. */
static const struct keyword of_upload[] = {
	{"CDASH_UPLOAD", TAKES_VALUE},
	{"CDASH_UPLOAD_TYPE", TAKES_VALUE},
	{"BUILD_ID", TAKES_VALUE},
	{"HTTPHEADER", TAKES_VALUES},
	{"RETRY_COUNT", TAKES_VALUE},
	{"RETRY_DELAY", TAKES_VALUE},
	{"SUBMIT_URL", TAKES_VALUE},
	{NULL, TAKES_NONE},
};

static void
after(struct step_request *r)
{
	request_set_output(r, "BUILD_ID");
}

const struct script_step script_step_submit = {
	.command = "ctest_submit",
	.part = PART_SUBMIT,
	.keywords = keywords,
	.others = of_upload,
	.after = after,
};

/*
 * ctest_submit: what is sent to the dashboard, and where. Variables name the notes and
 * further files, which are prepared first. See script_steps.h.
 */
#include "compat/dashboard/script/script_steps.h"
#include "compat/dashboard/step_table.h"
#include "runner/base/files.h"
#include "runner/cmakelang/cmake_text.h"

static const struct keyword keywords[] = {
	{"PARTS", TAKES_VALUES, 0},
	{"FILES", TAKES_VALUES, 0},
	{NULL, TAKES_NONE, 0},
};
/* Used if CDASH_UPLOAD is the first word. */
static const struct keyword of_upload[] = {
	{"CDASH_UPLOAD", TAKES_VALUE, 0},
	{"CDASH_UPLOAD_TYPE", TAKES_VALUE, 0},
	{NULL, TAKES_NONE, 0},
};
/* Used in both cases. */
static const struct keyword of_both[] = {
	{"BUILD_ID", TAKES_VALUE, 0},
	{"HTTPHEADER", TAKES_VALUES, 0},
	{"RETRY_COUNT", TAKES_VALUE, 0},
	{"RETRY_DELAY", TAKES_VALUE, 0},
	{"SUBMIT_URL", TAKES_VALUE, 0},
	{"INTERNAL_TEST_CHECKSUM", TAKES_NONE, 0},
	{NULL, TAKES_NONE, 0},
};

static bool
is_part(struct step_request *r, struct str name)
{
	if (part_parse(name) != PARTS)
		return true;
	request_error(r, str_fmt(request_arena(r), "Part name \"%.*s\" is invalid.",
				 STR_ARG(name)));
	return false;
}

/* CTEST_SUBMIT_PARTS, for a call that names neither parts nor files. */
static void
take_parts(struct step_request *r)
{
	struct str_list parts = cmake_list_split(
		request_arena(r), request_variable(r, "CTEST_SUBMIT_PARTS"), false);

	if (request_input(r)->dialect->has[DIALECT_SUBMIT_PARTS_VARIABLE] && parts.n &&
		!request_has(r, "PARTS") && !request_has(r, "FILES"))
		request_add_values(r, "PARTS", parts);
}

static void
check_call(struct step_request *r)
{
	take_parts(r);
	request_keep_values(r, "PARTS", is_part);
	request_check_files(r, "FILES");
}

/* ---- the address ----------------------------------------------------------------- */

static void
take_address(struct step_request *r)
{
	struct str url = request_value_or(r, "SUBMIT_URL", "CTEST_SUBMIT_URL");

	if (url.p)
		request_key(r, "SubmitURL", url);
	else
		request_keys(r);
}

/* From ctest's variable, else from CMake's, else from the environment's. */
static void
take_tls(struct step_request *r, const char *key, const char *general)
{
	struct str own = request_variable(r, script_key_variable(key));
	const char *value = request_environment(r, general);

	if (own.p) {
		request_key_of(r, key);
	} else if (request_variable(r, general).p) {
		struct str variable = request_variable(r, general);

		step_fmt(request_input(r), CHANNEL_VERBOSE,
			"SetCTestConfiguration from %s:%s:%.*s\n", general, key,
			STR_ARG(variable));
		request_key(r, key, variable);
	} else if (value) {
		step_fmt(request_input(r), CHANNEL_VERBOSE,
			"SetCTestConfiguration from ENV{%s}:%s:%s\n", general, key,
			value);
		request_key(r, key, str_dup(request_arena(r), str_of(value)));
	}
}

static void
take_connection(struct step_request *r)
{
	if (request_input(r)->dialect->has[DIALECT_SUBMIT_OBEYS_TLS]) {
		take_tls(r, "TLSVersion", "CMAKE_TLS_VERSION");
		take_tls(r, "TLSVerify", "CMAKE_TLS_VERIFY");
	}
	request_key_of(r, "CurlOptions");
	request_key_of(r, "SubmitInactivityTimeout");
}

/* ---- notes and files ------------------------------------------------------------- */

static void
write_notes(struct step_request *r)
{
	struct str variable = request_variable(r, "CTEST_NOTES_FILES");
	struct str_list files = cmake_list_split(request_arena(r), variable, false);
	struct step_input in = *request_input(r);
	struct step_result result;

	if (!variable.p)
		return;
	in.call = (struct step_call){.part = PART_NOTES,
		.arguments = &(struct step_argument){STR("FILES"), files.v, files.n},
		.n = 1};
	result = step_run(&in);
	dashboard_fold(request_dashboard(r), &result);
	if (result.ends)
		request_end(r);
}

static bool
take_extra_files(struct step_request *r)
{
	struct str_list files = cmake_list_split(
		request_arena(r), request_variable(r, "CTEST_EXTRA_SUBMIT_FILES"), false);

	for (size_t i = 0; i < files.n; i++) {
		if (!path_exists(str_z(request_arena(r), files.v[i]))) {
			console_fmt(request_input(r)->console, CHANNEL_ERROR,
				"Cannot find extra file: %.*s to submit.\n",
				STR_ARG(files.v[i]));
			return request_refuse(r, STR("problem submitting extra files."));
		}
		VEC_PUSH(request_arena(r), &request_dashboard(r)->files,
			(struct step_file){PART_EXTRA_FILES, files.v[i]});
	}
	return true;
}

static bool
prepare_step(struct step_request *r)
{
	take_address(r);
	take_connection(r);
	write_notes(r);
	return take_extra_files(r);
}

static void
take_outputs(struct step_request *r)
{
	struct dashboard *d = request_dashboard(r);
	struct str_list headers = step_values(&request_input(r)->call, "HTTPHEADER");

	request_set_output(r, "BUILD_ID");
	request_output(r, "BUILD_ID", &d->build);
	if (headers.n)
		d->headers = headers;
}

/* Until 4.0 also after a step that did not run. */
static void
set_build(struct step_request *r)
{
	struct str build = request_dashboard(r)->build;

	if (request_input(r)->dialect->has[DIALECT_OUTPUTS_WITHOUT_STEP])
		request_set(r, "BUILD_ID", build.n ? build : STR(""));
}

const struct script_step script_step_submit = {
	.command = "ctest_submit",
	.part = PART_SUBMIT,
	.keywords = keywords,
	.more = of_both,
	.others = of_upload,
	.check = check_call,
	.before = prepare_step,
	.after = take_outputs,
	.always = set_build,
};

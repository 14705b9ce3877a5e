/*
 * The submit step: turns the call and the configuration into what is sent. Below Testing/
 * it changes only Done.xml and its log, so that it can be repeated.
 */
#include "compat/dashboard/step/step.h"
#include "compat/dashboard/submit/submit.h"
#include "compat/dashboard/submit/submit_parts.h"
#include "compat/dashboard/submit/submit_settings.h"
#include "compat/format/secrets.h"
#include "runner/base/atomic_file.h"
#include "runner/base/files.h"

static struct str
argument_or(const struct step_input *in, const char *name, struct str otherwise)
{
	struct str value = step_value(&in->call, name);

	return value.n ? value : otherwise;
}

static unsigned
count_of(struct str text)
{
	int count = str_int(text);

	return count > 0 ? (unsigned)count : 0;
}

/* The headers of the command line come first. Before 4.0 the headers of a call are used
 * until another call has some. */
static struct str_list
headers_of(const struct step_input *in)
{
	struct str_list more = step_values(&in->call, "HTTPHEADER");
	str_vec headers = {0};

	if (!more.n && !in->dialect->has[DIALECT_KEYWORD_ERRORS_END_COMMAND])
		more = in->headers;
	VEC_PUSH_ALL(in->arena, &headers, in->options->submit.headers);
	VEC_PUSH_ALL(in->arena, &headers, more);
	return str_vec_list(&headers);
}

static struct submit
submit_of(const struct step_input *in)
{
	const struct configuration *keys = in->configuration;
	struct http_settings http = submit_settings(in->arena, keys, in->dialect);

	http.certificates = str_of(step_path(in, http.certificates));
	http.certificate_folder = str_of(step_path(in, http.certificate_folder));
	http.is_http_1_0 = in->options->submit.is_http_1_0;
	return (struct submit){
		.arena = in->arena,
		.dialect = in->dialect,
		.console = in->console,
		.quiet = in->is_quiet,
		.is_debugged = in->options->console.extra_verbose,
		.shows_headers = in->options->console.debug,
		.is_test = step_has(&in->call, "INTERNAL_TEST_CHECKSUM"),
		.url = argument_or(in, "SUBMIT_URL", submit_address(in->arena, keys)),
		.names = {.site = configuration_get(keys, "Site"),
			.build = configuration_get(keys, "BuildName"),
			.subproject = in->subproject,
			.tag = in->stamp.tag,
			.group = in->stamp.group},
		.start = in->directory,
		.folder = str_fmt(in->arena, "%.*s/Testing/%.*s",
			STR_ARG(step_build_directory(in)), STR_ARG(in->stamp.tag)),
		.done = str_fmt(in->arena, "%.*s/Testing/%.*s/Done.xml",
			STR_ARG(in->binary), STR_ARG(in->stamp.tag)),
		.http = http,
		.headers = headers_of(in),
		.log = {.arena = in->arena},
		.build = in->build.n ? in->build : STR(""),
	};
}

static void
write_log(const struct step_input *in, const struct submit *s)
{
	struct str path = step_log(in, "Submit");

	if (directory_make(in->arena, str_z(in->arena, path_parent(path))) &&
		file_write(in->arena, path.p, ".tmp", buf_as_str(&s->log)))
		return;
	console_fmt(in->console, CHANNEL_ERROR, "Cannot create log file: %s\n", path.p);
	console_note_loss(in->console);
}

static bool
end_submit(
	const struct step_input *in, struct submit *s, struct step_result *r, bool sent)
{
	if (s->interrupted)
		r->interrupted = s->interrupted;
	r->value = sent ? 0 : -1;
	VEC_PUSH(in->arena, &r->outputs, (struct step_output){STR("BUILD_ID"), s->build});
	return sent;
}

/* Of an upload. *bad: the text, if it is no number. */
static unsigned
retry_count(const struct step_input *in, const char *name, struct str *bad)
{
	struct str text = argument_or(in, name, STR(""));
	uint64_t count;

	*bad = text.n && !str_unsigned(text, UINT32_MAX, &count) ? text : STR("");
	return count_of(text);
}

/* CDASH_UPLOAD: sends a file of another kind. */
static bool
upload_file(const struct step_input *in, struct step_result *r, struct submit *s)
{
	struct str file = step_value(&in->call, "CDASH_UPLOAD");

	if (!file.n && !in->dialect->has[DIALECT_KEYWORD_ERRORS_END_COMMAND]) {
		console_say(
			in->console, CHANNEL_ERROR, STR("Upload file not specified\n"));
		return end_submit(in, s, r, false);
	}
	s->delay_s = retry_count(in, "RETRY_DELAY", &s->bad_delay);
	s->retries = retry_count(in, "RETRY_COUNT", &s->bad_retries);
	return end_submit(in, s, r,
		submit_upload(s, file, argument_or(in, "CDASH_UPLOAD_TYPE", STR(""))));
}

static void
announce_target(const struct step_input *in, struct submit *s)
{
	if (s->http.proxy.n)
		submit_say(s,
			str_fmt(in->arena, "   Use HTTP Proxy: %.*s\n",
				STR_ARG(secrets_masked_word(in->arena, s->http.proxy))));
	submit_say(s, STR("Submit files\n"));
	if (in->stamp.group.n && !in->stamp.is_group_the_model)
		submit_say(s, str_fmt(in->arena, "   Send to group: %.*s\n",
				      STR_ARG(in->stamp.group)));
	submit_say(s, str_fmt(in->arena, "   SubmitURL: %.*s\n",
			      STR_ARG(secrets_masked_word(in->arena, s->url))));
}

bool
step_submit(const struct step_input *in, struct step_result *r)
{
	const struct configuration *keys = in->configuration;
	struct submit s = submit_of(in);
	struct str_list files;
	bool sent;

	if (!http_is_there()) {
		console_say(in->console, CHANNEL_ERROR,
			STR("cctr: there is no libcurl to submit with\n"));
		return step_fail(r);
	}
	if (step_has(&in->call, "CDASH_UPLOAD"))
		return upload_file(in, r, &s);
	if (!configuration_get(keys, "BuildDirectory").n) {
		console_say(in->console, CHANNEL_ERROR,
			STR("Cannot find BuildDirectory  key in the "
			    "DartConfiguration.tcl\n"));
		return step_fail(r);
	}
	s.retries = count_of(argument_or(
		in, "RETRY_COUNT", configuration_get(keys, "CTestSubmitRetryCount")));
	s.delay_s = count_of(argument_or(
		in, "RETRY_DELAY", configuration_get(keys, "CTestSubmitRetryDelay")));
	files = submit_parts(in, r);
	announce_target(in, &s);
	submit_say_headers(&s);
	sent = submit_files(&s, files);
	write_log(in, &s);
	return end_submit(in, &s, r, sent);
}

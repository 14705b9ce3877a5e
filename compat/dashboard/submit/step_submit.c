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
argument_or(const struct step_call *c, const char *name, struct str otherwise)
{
	struct str value = step_value(c, name);

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
headers_of(struct dashboard *d, const struct step_call *c)
{
	struct str_list more = step_values(c, "HTTPHEADER");
	str_vec headers = {0};

	if (more.n || d->dialect->has[DIALECT_STRICT_ARGUMENTS])
		d->headers = more;
	more = d->headers;
	for (size_t i = 0; i < d->options->submit.headers.n; i++)
		VEC_PUSH(d->arena, &headers, d->options->submit.headers.v[i]);
	for (size_t i = 0; i < more.n; i++)
		VEC_PUSH(d->arena, &headers, more.v[i]);
	return str_vec_list(&headers);
}

static struct submit
submit_of(struct dashboard *d, const struct step_call *c)
{
	const struct configuration *keys = &d->configuration;
	struct http_settings http =
		submit_settings(d->arena, keys, d->dialect, d->console);

	http.is_http_1_0 = d->options->submit.is_http_1_0;
	return (struct submit){
		.arena = d->arena,
		.dialect = d->dialect,
		.console = d->console,
		.quiet = d->is_quiet,
		.is_debugged = d->options->extra_verbose,
		.shows_headers = d->options->debug,
		.is_test = step_has(c, "INTERNAL_TEST_CHECKSUM"),
		.url = argument_or(c, "SUBMIT_URL", submit_address(d->arena, keys)),
		.names = {.site = configuration_get(keys, "Site"),
			.build = configuration_get(keys, "BuildName"),
			.subproject = d->subproject,
			.tag = d->tag,
			.group = d->group},
		.folder = str_fmt(d->arena, "%.*s/Testing/%.*s", STR_ARG(d->binary),
			STR_ARG(d->tag)),
		.http = http,
		.headers = headers_of(d, c),
		.log = {.arena = d->arena},
		.build = d->build.n ? d->build : STR(""),
	};
}

static void
write_log(struct dashboard *d, const struct submit *s)
{
	struct str path = dashboard_log(d, "Submit");

	if (directory_make(d->arena, str_z(d->arena, path_parent(path))) &&
		file_write(d->arena, path.p, ".tmp", buf_as_str(&s->log)))
		return;
	console_fmt(d->console, CHANNEL_ERROR, "Cannot create log file: %s\n", path.p);
	console_note_loss(d->console);
}

static bool
ended(struct dashboard *d, struct submit *s, struct step_result *r, bool sent)
{
	if (s->interrupted)
		d->interrupted = s->interrupted;
	r->value = sent ? 0 : -1;
	d->build = s->build;
	VEC_PUSH(d->arena, &r->outputs, (struct step_output){STR("BUILD_ID"), s->build});
	return sent;
}

/* CDASH_UPLOAD: sends a file of another kind. */
static bool
upload(struct dashboard *d, const struct step_call *c, struct step_result *r,
	struct submit *s, struct str file)
{
	if (!file.n) {
		console_say(
			d->console, CHANNEL_ERROR, STR("Upload file not specified\n"));
		return ended(d, s, r, false);
	}
	s->retries = count_of(argument_or(c, "RETRY_COUNT", STR("")));
	s->delay_s = count_of(argument_or(c, "RETRY_DELAY", STR("")));
	return ended(d, s, r,
		submit_upload(s, file, argument_or(c, "CDASH_UPLOAD_TYPE", STR(""))));
}

static void
announce(struct dashboard *d, struct submit *s)
{
	if (s->http.proxy.n)
		submit_say(s,
			str_fmt(d->arena, "   Use HTTP Proxy: %.*s\n",
				STR_ARG(secrets_masked_word(d->arena, s->http.proxy))));
	submit_say(s, STR("Submit files\n"));
	if (d->group.n && !d->is_group_the_model)
		submit_say(s,
			str_fmt(d->arena, "   Send to group: %.*s\n", STR_ARG(d->group)));
	submit_say(s, str_fmt(d->arena, "   SubmitURL: %.*s\n",
			      STR_ARG(secrets_masked_word(d->arena, s->url))));
}

bool
step_submit(struct dashboard *d, const struct step_call *c, struct step_result *r)
{
	const struct configuration *keys = &d->configuration;
	struct submit s = submit_of(d, c);
	struct str_list files;
	bool sent;

	if (!http_is_there()) {
		console_say(d->console, CHANNEL_ERROR,
			STR("cctr: there is no libcurl to submit with\n"));
		return step_fail(r);
	}
	if (step_has(c, "CDASH_UPLOAD"))
		return upload(d, c, r, &s, step_value(c, "CDASH_UPLOAD"));
	if (!configuration_get(keys, "BuildDirectory").n) {
		console_say(d->console, CHANNEL_ERROR,
			STR("Cannot find BuildDirectory  key in the "
			    "DartConfiguration.tcl\n"));
		return step_fail(r);
	}
	s.retries = count_of(argument_or(
		c, "RETRY_COUNT", configuration_get(keys, "CTestSubmitRetryCount")));
	s.delay_s = count_of(argument_or(
		c, "RETRY_DELAY", configuration_get(keys, "CTestSubmitRetryDelay")));
	files = submit_parts(d, c, r);
	announce(d, &s);
	submit_say_headers(&s);
	sent = submit_files(&s, files);
	write_log(d, &s);
	return ended(d, &s, r, sent);
}

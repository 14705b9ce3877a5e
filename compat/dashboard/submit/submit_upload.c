/*
 * Files that are not XML: a form asks the dashboard for the build, and the file is then
 * PUT to that build. See submit.h.
 *
 * ctest prints libcurl's trace after "No response from server."; cctr prints only the
 * reason. An answer that is not an object is an error; ctest aborts.
 */
#include <time.h>

#include "compat/dashboard/submit/submit.h"
#include "compat/format/json_read.h"
#include "compat/format/secrets.h"
#include "runner/base/files.h"

struct upload {
	struct submit *s;
	struct http *http;
	struct str file, type;
	struct str address; /* the URL without its query */
	struct submit_file open;
};

static bool
say_failure(struct submit *s, struct str text)
{
	console_say(s->console, CHANNEL_ERROR, text);
	return false;
}

/* Prints only under -VV. */
static void
show_response(struct submit *s, const char *before, struct str body)
{
	if (s->is_debugged)
		submit_say_answer(s, CHANNEL_OUTPUT, before, body, "]\n");
}

static void
put_field(struct buf *form, struct arena *a, const char *name, struct str value)
{
	buf_z(form, name);
	buf_str(form, submit_escape(a, value));
}

static struct str
form_of(struct upload *u)
{
	struct submit *s = u->s;
	struct arena *a = s->arena;
	const struct submit_names *n = &s->names;
	struct buf form = {.arena = a};
	struct str query = str_from(s->url, u->address.n);
	long long now = (long long)time(NULL);

	if (query.n > 1) {
		buf_str(&form, str_from(query, 1));
		buf_char(&form, '&');
	}
	if (n->subproject.p) {
		put_field(&form, a, "subproject=", n->subproject);
		buf_char(&form, '&');
	}
	put_field(&form, a, "stamp=", n->tag);
	put_field(&form, a, "-", n->group);
	put_field(&form, a, "&model=", n->group);
	put_field(&form, a, "&build=", n->build);
	put_field(&form, a, "&site=", n->site);
	put_field(&form, a, "&group=", n->group);
	put_field(&form, a, "&track=", n->group);
	buf_fmt(&form, "&starttime=%lld&endtime=%lld", now, now);
	buf_fmt(&form, "&datafilesmd5[0]=%s", u->open.md5);
	put_field(&form, a, "&type=", u->type);
	return buf_as_str(&form);
}

/* Repeats until a non-empty answer arrives. what: "Request", "request". */
static bool
send_until(struct upload *u, const struct http_request *request, const char *what,
	struct http_answer *answer, bool needs_body)
{
	struct submit *s = u->s;
	char small[16] = "";

	for (size_t i = 0; what[i] && i + 1 < sizeof small; i++)
		small[i] =
			(char)(what[i] >= 'A' && what[i] <= 'Z' ? what[i] + 32 : what[i]);
	for (size_t i = 0;; i++) {
		http_send(u->http, request, answer);
		if (answer->arrived && (!needs_body || answer->body.n))
			return true;
		if (needs_body)
			(void)say_failure(s,
				str_fmt(s->arena, "No response from server.\n%.*s%s",
					STR_ARG(secrets_masked(s->arena, answer->error)),
					answer->error.n ? "\n" : ""));
		if (i == s->retries)
			return false;
		submit_say(s, str_fmt(s->arena, "   %s failed, waiting %u seconds...\n",
				      what, s->delay_s));
		if (!submit_wait(s))
			return false;
		submit_say(s, str_fmt(s->arena, "   Retry %s: Attempt %zu of %zu\n",
				      small, i + 1, s->retries));
	}
}

static bool
refuse_json(struct submit *s, struct str body)
{
	submit_say_answer(s, CHANNEL_ERROR, "error parsing json string [", body,
		"]\n* Line 1, Column 1\n"
		"  Syntax error: value, object or array expected.\n\n");
	return false;
}

/* NULL: no JSON. ctest takes a byte order mark for a mistake here. */
static const struct json_value *
parse_body(struct submit *s, struct str body)
{
	if (str_begins(body, STR("\xef\xbb\xbf")))
		return NULL;
	return json_read(s->arena, s->dialect, JSON_LENIENT, body).root;
}

/* As ctest's reader converts values: true is 1, and fractions are cut off. */
static int
number_of(const struct json_value *v)
{
	return json_is(v, JSON_NUMBER) ? json_number_int(v) : json_is(v, JSON_TRUE);
}

enum asked { ASKED_FAILED, ASKED_IS_THERE, ASKED_SEND };

static enum asked
judge_answer(struct upload *u, const struct json_value *json, struct str body,
	struct str *build)
{
	struct submit *s = u->s;
	const struct json_value *status = json_member(json, "status");
	const struct json_value *known = json_member(json, "datafilesmd5");
	const struct json_value *first = json_first(known);
	bool is_text = json_is(status, JSON_STRING);

	if (is_text || number_of(status)) {
		struct str text = is_text ? status->text
					  : str_fmt(s->arena, "%d", number_of(status));

		(void)say_failure(
			s, str_fmt(s->arena, "Bad status returned from CDash: %.*s",
				   STR_ARG(text)));
		return ASKED_FAILED;
	}
	if (!json_is(known, JSON_ARRAY)) {
		submit_say_answer(s, CHANNEL_ERROR, "bad datafilesmd5 value in response ",
			body, "\n");
		return ASKED_FAILED;
	}
	*build = json_value_text(s->arena, json_member(json, "buildid"));
	if (number_of(first) == 1) {
		if (s->is_debugged)
			console_fmt(s->console, CHANNEL_OUTPUT,
				"File already exists on CDash, skip upload %.*s\n",
				STR_ARG(u->file));
		return ASKED_IS_THERE;
	}
	return ASKED_SEND;
}

static enum asked
ask_server(struct upload *u, struct str *build)
{
	struct submit *s = u->s;
	struct http_request request = {
		.url = u->address,
		.is_post = true,
		.form = form_of(u),
		.headers = s->headers.v,
		.n_headers = s->headers.n,
	};
	struct http_answer answer;
	enum asked asked;
	const struct json_value *json;

	submit_say_headers(s);
	if (s->is_test) {
		http_send(u->http, &request, &answer);
		return ASKED_SEND;
	}
	if (!send_until(u, &request, "Request", &answer, false)) {
		submit_say_answer(
			s, CHANNEL_ERROR, "Error in HttpRequest\n", answer.body, "");
		return ASKED_FAILED;
	}
	show_response(s, "Request upload response: [", answer.body);
	json = parse_body(s, answer.body);
	if (!json) {
		(void)refuse_json(s, answer.body);
		return ASKED_FAILED;
	}
	asked = judge_answer(u, json, answer.body, build);
	return asked;
}

static bool
send_file(struct upload *u, struct str build)
{
	struct submit *s = u->s;
	struct arena *a = s->arena;
	struct buf fields = {.arena = a};
	struct http_request request = {.fd = u->open.fd, .size = u->open.size};
	struct http_answer answer;
	str_vec headers = {0};
	const struct json_value *json;

	VEC_PUSH(a, &headers, STR("Content-Type: text/xml"));
	VEC_PUSH_ALL(a, &headers, s->headers);
	request.headers = headers.v;
	request.n_headers = headers.n;
	request.n_open = 1;
	put_field(&fields, a, "type=", u->type);
	buf_fmt(&fields, "&md5=%s", u->open.md5);
	put_field(&fields, a, "&filename=", path_name(u->file));
	buf_fmt(&fields, "&buildid=%.*s", STR_ARG(build));
	request.url = str_fmt(a, "%.*s?%s", STR_ARG(u->address), fields.p);
	if (!send_until(u, &request, "Upload", &answer, true))
		return say_failure(s,
			str_fmt(a, "error uploading to CDash. %.*s %.*s %s",
				STR_ARG(u->file),
				STR_ARG(secrets_masked_word(a, u->address)), fields.p));
	show_response(s, "Curl response: [", answer.body);
	json = parse_body(s, answer.body);
	if (!json)
		return refuse_json(s, answer.body);
	show_response(s, "Upload file response: [", answer.body);
	return true;
}

static bool
upload_file(struct upload *u)
{
	struct str build = STR("");
	enum asked asked = ask_server(u, &build);

	return asked == ASKED_IS_THERE || (asked == ASKED_SEND && send_file(u, build));
}

static bool
is_http(struct str url)
{
	return str_begins(url, STR("http://")) || str_begins(url, STR("https://"));
}

/* ctest names RETRY_DELAY for both. */
static void
say_bad_retries(struct submit *s)
{
	const struct str bad[] = {s->bad_delay, s->bad_retries};

	for (size_t i = 0; i < 2; i++)
		if (bad[i].n)
			console_fmt(s->console, CHANNEL_WARNING,
				"Invalid value for 'RETRY_DELAY' : %.*s\n",
				STR_ARG(bad[i]));
}

bool
submit_upload(struct submit *s, struct str file, struct str type)
{
	struct http_settings settings = s->http;
	struct upload u = {.s = s,
		.file = file,
		.type = type,
		.address = str_cut(s->url.p, str_find(s->url, '?'))};
	bool sent;

	if (!submit_file_open(s, &u.open, file))
		return say_failure(s, str_fmt(s->arena, "Upload file not found: '%.*s'\n",
					      STR_ARG(file)));
	submit_say_timeout(s);
	if (!is_http(s->url)) {
		file_close(&u.open.fd);
		return say_failure(
			s, STR("Only http and https are supported for CDASH_UPLOAD\n"));
	}
	say_bad_retries(s);
	settings.is_http_1_0 = false;
	settings.follows = true;
	settings.hides_errors = true;
	u.http = http_open(s->arena, &settings);
	sent = upload_file(&u);
	http_close(u.http);
	file_close(&u.open.fd);
	return sent;
}

/*
 * One file after the other, each on its own connection. See submit.h.
 *
 * Which answers mean success depends on ctest's release: first all but HTTP errors, later
 * only 200. In all releases a status of ERROR with 200 is tried again, and the file
 * finally counts as sent.
 */
#include "compat/dashboard/submit/submit.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>

#include "compat/dashboard/submit/submit_answer.h"
#include "compat/format/secrets.h"
#include "compat/format/xml.h"
#include "runner/base/atomic_file.h"
#include "runner/base/files.h"
#include "runner/base/loop.h"

struct sending {
	struct submit *s;
	struct http *http;
	struct http_request request;
	struct http_answer answer;
	struct str path;
};

void
submit_say(struct submit *s, struct str text)
{
	if (!s->quiet)
		console_say(s->console, CHANNEL_OUTPUT, text);
}

void
submit_say_answer(struct submit *s, enum channel channel, const char *before,
	struct str answer, const char *after)
{
	struct buf text = {.arena = s->arena};

	buf_z(&text, before);
	buf_str(&text, answer);
	buf_z(&text, after);
	if (!s->dialect->has[DIALECT_NUL_IN_ANSWERS])
		text.n = str_find(buf_as_str(&text), '\0');
	console_say(s->console, channel, buf_as_str(&text));
}

/* Writes to the console's errors and to the log. */
static void
say_error(struct submit *s, struct str text)
{
	console_say(s->console, CHANNEL_ERROR, text);
	buf_str(&s->log, text);
}

void
submit_say_timeout(struct submit *s)
{
	if (s->http.bad_inactivity.n)
		console_fmt(s->console, CHANNEL_ERROR,
			"SubmitInactivityTimeout is invalid: \"%.*s\"."
			" Using a default value of %u.\n",
			STR_ARG(s->http.bad_inactivity), s->http.inactivity_s);
}

/* Prints the settings of every connection, under -V. */
static void
say_settings(struct submit *s)
{
	if (s->quiet)
		return;
	if (s->http.tls_version)
		console_fmt(s->console, CHANNEL_VERBOSE,
			"  Set CURLOPT_SSLVERSION to CURL_SSLVERSION_TLSv%u_%u\n",
			s->http.tls_version / 10, s->http.tls_version % 10);
	if (s->http.trusts_any_certificate ||
		s->dialect->has[DIALECT_SUBMIT_NEEDS_TLS_1_2])
		console_fmt(s->console, CHANNEL_VERBOSE,
			"  Set CURLOPT_SSL_VERIFYPEER to %s\n",
			s->http.trusts_any_certificate ? "off" : "on");
	if (s->http.trusts_any_host)
		console_say(s->console, CHANNEL_VERBOSE,
			STR("  Set CURLOPT_SSL_VERIFYHOST to off\n"));
}

void
submit_say_headers(struct submit *s)
{
	for (size_t i = 0; i < s->headers.n && s->shows_headers; i++)
		console_fmt(s->console, CHANNEL_OUTPUT, "   Add HTTP Header: \"%.*s\"\n",
			STR_ARG(s->headers.v[i]));
}

/* ---- Done.xml -------------------------------------------------------------------- */

static bool
write_done(struct submit *s)
{
	struct buf text = {.arena = s->arena};
	struct str now = str_fmt(s->arena, "%lld", (long long)time(NULL));
	struct xml x;

	xml_begin(&x, &text, 0);
	xml_declaration(&x);
	xml_open(&x, "Done");
	xml_open(&x, "buildId");
	xml_text(&x, s->build);
	xml_close(&x);
	xml_open(&x, "time");
	xml_text(&x, now);
	xml_close(&x);
	xml_close(&x);
	buf_char(&text, '\n');
	return directory_make(s->arena, str_z(s->arena, path_parent(s->done))) &&
	       file_write(s->arena, str_z(s->arena, s->done), ".tmp", buf_as_str(&text));
}

/* ---- one file -------------------------------------------------------------------- */

static void
take_answer(struct sending *f)
{
	struct submit *s = f->s;
	struct submit_answer answer;

	if (!f->answer.body.n)
		return;
	answer = submit_answer_read(s->arena, f->answer.body);
	if (answer.fault.text)
		console_raw_error(s->console,
			str_fmt(s->arena, "Error parsing XML in stream at line %zu: %s\n",
				answer.fault.line, answer.fault.text));
	if (answer.is_refused) {
		s->has_errors = true;
		console_fmt(s->console, CHANNEL_OUTPUT, "   Submission failed: %.*s\n",
			STR_ARG(answer.message));
		return;
	}
	if (answer.has_build)
		s->build = answer.build;
	s->has_warnings = s->has_warnings || answer.warns;
	s->has_errors = s->has_errors || answer.has_error;
	if (s->has_warnings || s->has_errors)
		submit_say_answer(
			s, CHANNEL_OUTPUT, "   Server Response:\n", f->answer.body, "\n");
}

static bool
is_success(const struct sending *f)
{
	if (f->s->dialect->has[DIALECT_SUBMIT_NEEDS_200] && f->answer.arrived)
		return f->answer.status == 200;
	return f->answer.arrived;
}

bool
submit_wait(struct submit *s)
{
	struct diag d = diag_in(s->arena);

	if (s->delay_s &&
		!loop_pause(loop_later(loop_now_ns(), seconds_to_ns((double)s->delay_s)),
			&s->interrupted, &d)) {
		console_diag(s->console, &d);
		return false;
	}
	return s->interrupted == 0;
}

/* false: it was not sent. */
static bool
try_again(struct sending *f, bool sent)
{
	struct submit *s = f->s;
	bool stays = s->dialect->has[DIALECT_SUBMIT_NEEDS_200];

	for (size_t i = 1; i <= s->retries; i++) {
		submit_say(
			s, str_fmt(s->arena, "   Submit failed, waiting %u seconds...\n",
				   s->delay_s));
		if (!submit_wait(s))
			return false;
		submit_say(
			s, str_fmt(s->arena, "   Retry submission: Attempt %zu of %zu\n",
				   i, s->retries));
		s->has_errors = false;
		http_send(f->http, &f->request, &f->answer);
		take_answer(f);
		if (is_success(f) && !s->has_errors)
			return true;
		if (!stays)
			sent = is_success(f);
	}
	return sent;
}

static bool
explain_failure(struct sending *f)
{
	struct submit *s = f->s;
	struct str body = f->answer.body;

	say_error(s, str_fmt(s->arena, "   Error when uploading file: %.*s\n",
			     STR_ARG(f->path)));
	say_error(s, str_fmt(s->arena, "   Error message was: %.*s\n",
			     STR_ARG(secrets_masked(s->arena, f->answer.error))));
	if (body.n) {
		buf_z(&s->log, "   Curl output was: ");
		buf_str(&s->log, body);
		buf_char(&s->log, '\n');
		submit_say_answer(s, CHANNEL_ERROR, "CURL output: [", body, "]\n");
	}
	return false;
}

static bool
send_it(struct sending *f)
{
	struct submit *s = f->s;
	bool sent;

	http_send(f->http, &f->request, &f->answer);
	take_answer(f);
	sent = is_success(f);
	if (!sent || s->has_errors)
		sent = try_again(f, sent);
	if (s->interrupted)
		return false;
	if (!sent)
		return explain_failure(f);
	submit_say(s, str_fmt(s->arena, "   Uploaded: %.*s\n", STR_ARG(f->path)));
	return true;
}

static bool
cannot_find(struct submit *s, struct str path)
{
	console_fmt(
		s->console, CHANNEL_ERROR, "   Cannot find file: %.*s\n", STR_ARG(path));
	return false;
}

static struct str_list
all_headers(struct submit *s)
{
	str_vec headers = {0};

	VEC_PUSH(s->arena, &headers, STR("Content-Type: text/xml"));
	VEC_PUSH_ALL(s->arena, &headers, s->headers);
	return str_vec_list(&headers);
}

/* A FIFO would wait for somebody who writes. */
bool
submit_file_open(const struct submit *s, struct submit_file *f, struct str path)
{
	struct stat st;

	f->fd = file_open(
		path_in(s->arena, s->start, path), O_RDONLY | O_NONBLOCK | O_CLOEXEC, 0);
	if (f->fd >= 0 && fstat(f->fd, &st) == 0 && S_ISREG(st.st_mode) &&
		md5_descriptor(f->md5, f->fd, &f->size))
		return true;
	file_close(&f->fd);
	return false;
}

/* One that the server must refuse. */
static struct str
test_checksum(const struct submit *s)
{
	return s->dialect->has[DIALECT_SUBMIT_TEST_CHECKSUM]
		       ? STR("ffffffffffffffffffffffffffffffff")
		       : STR("bad_md5sum");
}

/* A name that is a file in the working directory is one of the caller's own. */
static bool
send_file(struct submit *s, struct str name)
{
	bool is_own = !path_exists(path_in(s->arena, s->start, name));
	struct str path =
		is_own ? str_fmt(s->arena, "%.*s/%.*s", STR_ARG(s->folder), STR_ARG(name))
		       : name;
	struct str remote =
		submit_remote_name(s->arena, &s->names, s->dialect, path_name(name));
	struct str_list headers = all_headers(s);
	struct sending f = {
		.s = s,
		.path = path,
		.request = {.headers = headers.v, .n_headers = headers.n, .n_open = 1},
	};
	struct submit_file file;
	bool sent;

	buf_fmt(&s->log, "\tUpload file: %.*s to %.*s\n", STR_ARG(path), STR_ARG(remote));
	say_settings(s);
	submit_say_timeout(s);
	if (str_is(name, "Done.xml") && !write_done(s))
		return cannot_find(s, path);
	if (!submit_file_open(s, &file, path))
		return cannot_find(s, path);
	f.request.fd = file.fd;
	f.request.size = file.size;
	f.request.url = submit_url(s->arena, s->url, remote, is_own ? &s->names : NULL,
		s->is_test ? test_checksum(s) : str_of(file.md5));
	if (!s->quiet)
		console_fmt(s->console, CHANNEL_VERBOSE,
			"   Upload file: %.*s to %.*s Size: %llu\n", STR_ARG(path),
			STR_ARG(secrets_masked_word(s->arena, f.request.url)),
			(unsigned long long)f.request.size);
	f.http = http_open(s->arena, &s->http);
	sent = send_it(&f);
	http_close(f.http);
	file_close(&file.fd);
	return sent;
}

static void
say_ending(struct submit *s)
{
	struct str text = s->has_errors ? STR("   Errors occurred during submission.\n")
			  : s->has_warnings
				  ? STR("   Submission successful, with warnings.\n")
				  : STR("   Submission successful\n");

	if (s->has_errors)
		console_say(s->console, CHANNEL_OUTPUT, text);
	else
		submit_say(s, text);
	buf_str(&s->log, text);
}

bool
submit_files(struct submit *s, struct str_list files)
{
	buf_z(&s->log, "Upload files:\n");
	for (size_t i = 0; i < files.n; i++)
		buf_fmt(&s->log, "%zu\t%.*s\n", i, STR_ARG(files.v[i]));
	for (size_t i = 0; i < files.n; i++)
		if (!send_file(s, files.v[i])) {
			if (!s->interrupted)
				say_error(
					s, STR("   Problems when submitting via HTTP\n"));
			return false;
		}
	say_ending(s);
	return true;
}

/*
 * HTTP through libcurl. See http.h.
 *
 * The library is loaded only for a submission: it loads some thirty others, which took
 * two thirds of the time of a cctr that starts and lists a few tests.
 *
 * The body of a PUT is read from its descriptor while it is sent. It can be sent again
 * from its beginning, since a server that asks for a password or redirects needs it
 * twice.
 */
#include "compat/dashboard/submit/http.h"

/* Its checks of types are macros in the place of functions. */
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "runner/base/files.h"
#include "runner/base/library.h"

/* An answer has some hundred bytes; one that is larger than this is not kept. */
enum { REDIRECTIONS_MOST = 30, ANSWER_MOST = 16 << 20 };
enum { RANDOMNESS_LOOKS = 1000, RANDOMNESS_PAUSE_MS = 10 };

#define FUNCTIONS(X)                                                                     \
	X(curl_easy_init)                                                                \
	X(curl_easy_setopt)                                                              \
	X(curl_easy_perform)                                                             \
	X(curl_easy_getinfo)                                                             \
	X(curl_easy_cleanup)                                                             \
	X(curl_slist_append)                                                             \
	X(curl_slist_free_all)

CCTR_LIBRARY(CCTR_CURL_LIBRARY, "recommended", "submissions to dashboards", FUNCTIONS)

struct http {
	struct arena *arena;
	struct http_settings settings;
	struct library curl;
	CURL *easy;
	char error[CURL_ERROR_SIZE];
};

/* Early after the start of a machine the kernel has no random numbers. A TLS library that
 * is loaded then aborts. false: there are none for some seconds. */
static bool
await_randomness(void)
{
	char byte;

	for (int looks = 0; getrandom(&byte, sizeof byte, GRND_NONBLOCK) < 0; looks++) {
		if (errno != EAGAIN && errno != EINTR)
			return true; /* the library finds another source */
		if (looks == RANDOMNESS_LOOKS)
			return false;
		poll(NULL, 0, RANDOMNESS_PAUSE_MS);
	}
	return true;
}

bool
http_is_there(void)
{
	struct library l;

	return await_randomness() && load_library(&l);
}

/* libcurl takes numbers and pointers through one function. */
#define SET(h, option, value)                                                            \
	(void)(h)->curl.curl_easy_setopt((h)->easy, (option), (value))

static void
set_proxy(struct http *h)
{
	static const long types[] = {
		[HTTP_PROXY_HTTP] = CURLPROXY_HTTP,
		[HTTP_PROXY_SOCKS4] = CURLPROXY_SOCKS4,
		[HTTP_PROXY_SOCKS5] = CURLPROXY_SOCKS5,
	};
	const struct http_settings *s = &h->settings;

	if (!s->proxy.n)
		return;
	SET(h, CURLOPT_PROXY, str_z(h->arena, s->proxy));
	SET(h, CURLOPT_PROXYTYPE, types[s->proxy_type]);
	if (s->proxy_login.n) {
		SET(h, CURLOPT_PROXYAUTH, (long)CURLAUTH_BASIC);
		SET(h, CURLOPT_PROXYUSERPWD, str_z(h->arena, s->proxy_login));
	}
}

static void
set_tls(struct http *h)
{
	static const struct {
		unsigned version;
		long value;
	} versions[] = {
		{10, CURL_SSLVERSION_TLSv1_0},
		{11, CURL_SSLVERSION_TLSv1_1},
		{12, CURL_SSLVERSION_TLSv1_2},
		{13, CURL_SSLVERSION_TLSv1_3},
	};
	const struct http_settings *s = &h->settings;

	if (s->trusts_any_certificate)
		SET(h, CURLOPT_SSL_VERIFYPEER, 0L);
	if (s->trusts_any_host)
		SET(h, CURLOPT_SSL_VERIFYHOST, 0L);
	for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
		if (versions[i].version == s->tls_version)
			SET(h, CURLOPT_SSLVERSION, versions[i].value);
	if (s->certificates.n)
		SET(h, CURLOPT_CAINFO, str_z(h->arena, s->certificates));
	if (s->certificate_folder.n)
		SET(h, CURLOPT_CAPATH, str_z(h->arena, s->certificate_folder));
}

/* Sets the protocols for redirections, or for requests. libcurl's default includes
 * FTP. */
static void
set_protocols(struct http *h, bool of_redirections)
{
#if LIBCURL_VERSION_NUM >= 0x075500
	if (of_redirections)
		SET(h, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
	else
		SET(h, CURLOPT_PROTOCOLS_STR, "http,https");
#else
	SET(h, of_redirections ? CURLOPT_REDIR_PROTOCOLS : CURLOPT_PROTOCOLS,
		(long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}

struct http *
http_open(struct arena *a, const struct http_settings *s)
{
	struct http *h = NEW(a, struct http);
	bool is_loaded;

	*h = (struct http){.arena = a, .settings = *s};
	is_loaded = load_library(&h->curl);
	INVARIANT(is_loaded);
	h->easy = h->curl.curl_easy_init();
	if (!h->easy)
		memory_end();
	set_tls(h);
	set_proxy(h);
	SET(h, CURLOPT_ERRORBUFFER, h->error);
	SET(h, CURLOPT_HTTPAUTH, (long)CURLAUTH_ANY);
	if (s->is_http_1_0)
		SET(h, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_0);
	if (s->hides_errors)
		SET(h, CURLOPT_FAILONERROR, 1L);
	set_protocols(h, true);
	SET(h, CURLOPT_MAXREDIRS, (long)REDIRECTIONS_MOST);
	if (s->inactivity_s) {
		SET(h, CURLOPT_LOW_SPEED_LIMIT, 1L);
		SET(h, CURLOPT_LOW_SPEED_TIME, (long)s->inactivity_s);
	}
	return h;
}

static size_t
take_body(char *bytes, size_t size, size_t n, void *context)
{
	struct buf *body = context;

	if (size * n > ANSWER_MOST - body->n) {
		body->n = 0;
		return 0;
	}
	buf_add(body, bytes, size * n);
	return size * n;
}

struct sending {
	const struct http_request *request;
	struct str url;
	size_t n_headers; /* of the request's headers, how many are sent */
	uint64_t at; /* bytes of the body that libcurl has taken */
	bool is_get; /* a redirection changed the POST */
	struct buf body; /* of the answer */
};

/* A body that has become shorter than announced is an error: otherwise the server would
 * wait for the rest. */
static size_t
give_body(char *to, size_t size, size_t n, void *context)
{
	struct sending *s = context;
	uint64_t left = s->request->size - s->at;
	ssize_t got;

	if (left == 0)
		return 0;
	got = file_get_at(
		s->request->fd, to, left < size * n ? left : size * n, (off_t)s->at);
	if (got <= 0)
		return CURL_READFUNC_ABORT;
	s->at += (uint64_t)got;
	return (size_t)got;
}

static int
seek_body(void *context, curl_off_t offset, int origin)
{
	struct sending *s = context;

	if (origin != SEEK_SET || offset < 0 || (uint64_t)offset > s->request->size)
		return CURL_SEEKFUNC_FAIL;
	s->at = (uint64_t)offset;
	return CURL_SEEKFUNC_OK;
}

static void
set_body(struct http *h, struct sending *s)
{
	const struct http_request *r = s->request;

	if (r->is_post) {
		SET(h, CURLOPT_POST, 1L);
		SET(h, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)r->form.n);
		SET(h, CURLOPT_POSTFIELDS, r->form.p);
		return;
	}
	s->at = 0;
	SET(h, CURLOPT_UPLOAD, 1L);
	SET(h, CURLOPT_READFUNCTION, give_body);
	SET(h, CURLOPT_READDATA, s);
	SET(h, CURLOPT_SEEKFUNCTION, seek_body);
	SET(h, CURLOPT_SEEKDATA, s);
	SET(h, CURLOPT_INFILESIZE_LARGE, (curl_off_t)r->size);
}

static CURLcode
perform_request(struct http *h, struct sending *s)
{
	struct curl_slist *headers = NULL;
	CURLcode code;

	for (size_t i = 0; i < s->n_headers; i++)
		headers = h->curl.curl_slist_append(
			headers, str_z(h->arena, s->request->headers[i]));
	s->body.n = 0;
	SET(h, CURLOPT_URL, str_z(h->arena, s->url));
	SET(h, CURLOPT_HTTPHEADER, headers);
	SET(h, CURLOPT_WRITEFUNCTION, take_body);
	SET(h, CURLOPT_WRITEDATA, &s->body);
	if (s->is_get)
		SET(h, CURLOPT_HTTPGET, 1L);
	else
		set_body(h, s);
	code = h->curl.curl_easy_perform(h->easy);
	SET(h, CURLOPT_HTTPHEADER, NULL);
	h->curl.curl_slist_free_all(headers);
	return code;
}

/* ---- redirections ---------------------------------------------------------------- */

struct authority {
	struct str scheme; /* "https://" */
	struct str login; /* "user:password@", or "" */
	struct str host; /* "host:80" */
};

static struct authority
authority_of(struct str url)
{
	size_t begin = str_search(url, STR("://")), end, sign;
	struct str all;

	begin = begin < url.n ? begin + 3 : 0;
	for (end = begin; end < url.n && !strchr("/?#", url.p[end]); end++)
		continue;
	all = str_cut(url.p + begin, end - begin);
	sign = str_rfind(all, '@');
	sign = sign < all.n ? sign + 1 : 0;
	return (struct authority){
		str_cut(url.p, begin), str_cut(all.p, sign), str_from(all, sign)};
}

/* The target of the last answer's redirection; STR_NONE: there is none. */
static struct str
find_redirection(const struct http *h)
{
	char *next = NULL;

	(void)h->curl.curl_easy_getinfo(h->easy, CURLINFO_REDIRECT_URL, &next);
	return next ? str_dup(h->arena, str_of(next)) : STR_NONE;
}

/* libcurl's rule: after 303 the method is GET; after 301 and 302 only if it was POST. */
static bool
asks_for_get(const struct http *h, const struct sending *s)
{
	long status = 0;

	(void)h->curl.curl_easy_getinfo(h->easy, CURLINFO_RESPONSE_CODE, &status);
	return s->is_get || status == 303 ||
	       (s->request->is_post && (status == 301 || status == 302));
}

/* Sends the login again to the same host. false: it is another host, which gets none of
 * the caller's headers. */
static bool
turn_to(struct http *h, struct sending *s, struct str next)
{
	struct authority here = authority_of(s->url), there = authority_of(next);
	bool stays = str_eq_nocase(here.scheme, there.scheme) &&
		     str_eq_nocase(here.host, there.host);

	s->is_get = asks_for_get(h, s);
	s->url = next;
	if (!stays)
		s->n_headers = s->request->n_open;
	else if (!there.login.n && here.login.n)
		s->url = str_fmt(h->arena, "%.*s%.*s%.*s", STR_ARG(there.scheme),
			STR_ARG(here.login), STR_ARG(str_from(next, there.scheme.n)));
	return stays;
}

/*
 * libcurl sends another host neither a password nor the header Authorization, but all
 * other headers. So a request with the caller's own headers is followed here as long as
 * the host is the same; from there on libcurl follows it, without these headers.
 */
static CURLcode
follow_redirections(struct http *h, struct sending *s)
{
	bool stays = true;
	CURLcode code;

	SET(h, CURLOPT_FOLLOWLOCATION, 0L);
	code = perform_request(h, s);
	for (int i = 0; stays && code == CURLE_OK; i++) {
		struct str next = find_redirection(h);

		if (!next.p)
			return code;
		if (i == REDIRECTIONS_MOST) {
			snprintf(h->error, sizeof h->error,
				"Maximum (%d) redirects followed", REDIRECTIONS_MOST);
			return CURLE_TOO_MANY_REDIRECTS;
		}
		stays = turn_to(h, s, next);
		set_protocols(h, false);
		SET(h, CURLOPT_FOLLOWLOCATION, (long)!stays);
		code = perform_request(h, s);
	}
	return code;
}

void
http_send(struct http *h, const struct http_request *r, struct http_answer *answer)
{
	struct sending s = {.request = r,
		.url = r->url,
		.n_headers = r->n_headers,
		.body = {.arena = h->arena}};
	CURLcode code;

	INVARIANT(answer);
	h->error[0] = '\0';
	if (h->settings.follows && r->n_headers > r->n_open) {
		code = follow_redirections(h, &s);
	} else {
		SET(h, CURLOPT_FOLLOWLOCATION, (long)h->settings.follows);
		code = perform_request(h, &s);
	}
	*answer = (struct http_answer){.arrived = code == CURLE_OK,
		.body = buf_as_str(&s.body),
		.error = str_dup(h->arena, str_of(h->error))};
	(void)h->curl.curl_easy_getinfo(h->easy, CURLINFO_RESPONSE_CODE, &answer->status);
}

void
http_close(struct http *h)
{
	h->curl.curl_easy_cleanup(h->easy);
}

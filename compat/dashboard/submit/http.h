/*
 * One whole HTTP request at a time: the only part of cctr that knows libcurl
 * (http_curl.c), with a null twin (http_null.c) for builds without it.
 *
 * A handle keeps its connection for the next request, such as a retry. Errors are in
 * libcurl's words, which ctest prints too.
 */
#ifndef CCTR_COMPAT_DASHBOARD_SUBMIT_HTTP_H
#define CCTR_COMPAT_DASHBOARD_SUBMIT_HTTP_H

#include "runner/base/base.h"

enum http_proxy { HTTP_PROXY_HTTP, HTTP_PROXY_SOCKS4, HTTP_PROXY_SOCKS5 };
/* TLS versions: 0 is libcurl's own choice, else 10 * major + minor. */
struct http_settings {
	struct str proxy, proxy_login; /* "": none; libcurl's own variables apply */
	enum http_proxy proxy_type;
	bool trusts_any_certificate, trusts_any_host;
	unsigned tls_version;
	struct str certificates, certificate_folder; /* "": libcurl's own */
	bool is_http_1_0;
	bool follows; /* redirections by HTTP, with method and body */
	bool hides_errors; /* a status of 400 or more is an error without a body */
	unsigned inactivity_s; /* 0: waits for ever */
	struct str bad_inactivity; /* a value that is no number; "": there is none */
};

struct http_request {
	struct str url;
	bool is_post; /* else PUT */
	int fd; /* the body of PUT, from its beginning, size bytes */
	uint64_t size;
	struct str form; /* the body of POST */
	const struct str *headers;
	size_t n_headers;
	size_t n_open; /* the first n_open go to any host, the rest only to the URL's */
};
struct http_answer {
	bool arrived; /* else error gives the reason */
	long status; /* HTTP status; 0: there was none */
	struct str body, error;
};

struct http;
bool http_is_there(void); /* libcurl can be loaded */
struct http *http_open(struct arena *a, const struct http_settings *s);
void http_send(struct http *h, const struct http_request *r, struct http_answer *answer);
void http_close(struct http *h);

#endif

/* Proxies are read only from the environment. See submit_settings.h. */
#include "compat/dashboard/submit/submit_settings.h"

#include <stdlib.h>

#include "runner/base/files.h"
#include "runner/cmakelang/cmake_text.h"

enum { INACTIVITY_S = 120 };

static struct str
from_environment(struct arena *a, const char *name)
{
	const char *value = getenv(name);

	return value ? str_dup(a, str_of(value)) : STR("");
}

static void
add_proxy(struct arena *a, struct http_settings *s)
{
	struct str port = from_environment(a, "HTTP_PROXY_PORT");
	struct str type = from_environment(a, "HTTP_PROXY_TYPE");
	struct str user = from_environment(a, "HTTP_PROXY_USER");
	struct str password = from_environment(a, "HTTP_PROXY_PASSWD");

	s->proxy = from_environment(a, "HTTP_PROXY");
	if (!s->proxy.n)
		return;
	if (port.n)
		s->proxy = str_fmt(a, "%.*s:%.*s", STR_ARG(s->proxy), STR_ARG(port));
	if (str_is(type, "SOCKS4"))
		s->proxy_type = HTTP_PROXY_SOCKS4;
	else if (str_is(type, "SOCKS5"))
		s->proxy_type = HTTP_PROXY_SOCKS5;
	if (user.n)
		s->proxy_login = user;
	if (password.n)
		s->proxy_login =
			str_fmt(a, "%.*s:%.*s", STR_ARG(user), STR_ARG(password));
}

/* Where distributions store trusted certificates. */
static void
add_certificates(struct arena *a, struct http_settings *s)
{
	static const char bundle[] = "/etc/pki/tls/certs/ca-bundle.crt";
	static const char folder[] = "/etc/ssl/certs";

	s->certificates = from_environment(a, "SSL_CERT_FILE");
	if (!s->certificates.n)
		s->certificate_folder = from_environment(a, "SSL_CERT_DIR");
	if (s->certificates.n || s->certificate_folder.n)
		return;
	if (path_exists(bundle))
		s->certificates = str_of(bundle);
	else if (path_is_directory(folder))
		s->certificate_folder = str_of(folder);
}

static void
add_curl_options(struct http_settings *s, struct str list)
{
	while (list.n) {
		size_t end = str_find(list, ';');
		struct str word = str_cut(list.p, end);

		if (str_is(word, "CURLOPT_SSL_VERIFYPEER_OFF"))
			s->trusts_any_certificate = true;
		if (str_is(word, "CURLOPT_SSL_VERIFYHOST_OFF"))
			s->trusts_any_host = true;
		list = str_from(list, end < list.n ? end + 1 : end);
	}
}

/* TLSVerify takes the place of CurlOptions. */
static void
add_tls(struct http_settings *s, const struct configuration *c,
	const struct dialect *dialect)
{
	bool obeys = dialect->has[DIALECT_SUBMIT_OBEYS_TLS];
	struct str version = configuration_get(c, "TLSVersion");
	struct str verify = configuration_get(c, "TLSVerify");

	if (obeys && verify.n)
		s->trusts_any_certificate = !cmake_is_on(verify);
	else
		add_curl_options(s, configuration_get(c, "CurlOptions"));
	if (!obeys)
		return;
	if (!version.n && dialect->has[DIALECT_SUBMIT_NEEDS_TLS_1_2])
		version = STR("1.2");
	if (version.n == 3 && str_begins(version, STR("1.")) && version.p[2] >= '0' &&
		version.p[2] <= '3')
		s->tls_version = 10 + (unsigned)(version.p[2] - '0');
	else if (version.n && dialect->has[DIALECT_SUBMIT_NEEDS_TLS_1_2])
		s->tls_version = 12;
}

static void
add_timeout(struct http_settings *s, struct str text)
{
	uint64_t seconds;
	bool is_good = str_unsigned(text, UINT64_MAX, &seconds);

	if (!is_good)
		seconds = INACTIVITY_S;
	s->inactivity_s = seconds < INT32_MAX ? (unsigned)seconds : INT32_MAX;
	s->bad_inactivity = is_good ? STR("") : text;
}

struct http_settings
submit_settings(
	struct arena *a, const struct configuration *c, const struct dialect *dialect)
{
	struct http_settings s = {0};

	add_proxy(a, &s);
	add_certificates(a, &s);
	add_tls(&s, c, dialect);
	s.follows = dialect->has[DIALECT_SUBMIT_NEEDS_200];
	s.hides_errors = !dialect->has[DIALECT_SUBMIT_NEEDS_200];
	add_timeout(&s, configuration_get(c, "SubmitInactivityTimeout"));
	return s;
}

struct str
submit_address(struct arena *a, const struct configuration *c)
{
	struct str method = configuration_get(c, "DropMethod");
	struct str user = configuration_get(c, "DropSiteUser");
	struct str password = configuration_get(c, "DropSitePassword");
	struct buf b = {.arena = a};

	if (configuration_get(c, "SubmitURL").n)
		return configuration_get(c, "SubmitURL");
	buf_str(&b, method.n ? method : STR("http"));
	buf_z(&b, "://");
	if (user.n) {
		buf_str(&b, user);
		if (password.n)
			buf_fmt(&b, ":%.*s", STR_ARG(password));
		buf_char(&b, '@');
	}
	buf_str(&b, configuration_get(c, "DropSite"));
	buf_str(&b, configuration_get(c, "DropLocation"));
	return buf_as_str(&b);
}

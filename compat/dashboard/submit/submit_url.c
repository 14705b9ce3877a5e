/* Two ways to escape: the name keeps only the characters that ctest's own table allows.
 * See submit_url.h. */
#include "compat/dashboard/submit/submit_url.h"

static void
put_escaped(struct buf *b, char c)
{
	buf_fmt(b, "%%%02X", (unsigned)(unsigned char)c);
}

struct str
submit_escape(struct arena *a, struct str s)
{
	struct buf b = {.arena = a};

	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
			(c >= '0' && c <= '9') || (c && strchr("-._~", c)))
			buf_char(&b, c);
		else
			put_escaped(&b, c);
	}
	return buf_as_str(&b);
}

static struct str
escaped_name(struct arena *a, struct str s)
{
	struct buf b = {.arena = a};

	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] && strchr("+?\\& =%/", s.p[i]))
			put_escaped(&b, s.p[i]);
		else
			buf_char(&b, s.p[i]);
	return buf_as_str(&b);
}

/* Removes the characters that file systems do not like. */
static struct str
clean_name(struct arena *a, struct str s)
{
	struct buf b = {.arena = a};

	for (size_t i = 0; i < s.n; i++)
		if (!s.p[i] || !strchr("\\:*?\"<>|\n\r\t\f\v", s.p[i]))
			buf_char(&b, s.p[i]);
	return buf_as_str(&b);
}

struct str
submit_remote_name(struct arena *a, const struct submit_names *n,
	const struct dialect *dialect, struct str name)
{
	bool cleans_build = dialect->has[DIALECT_BUILD_NAME_CLEANED];
	struct str build = cleans_build ? clean_name(a, n->build) : n->build;
	struct str all;

	if (!build.n)
		build = STR("(empty)");
	all = str_fmt(a, "%.*s___%.*s___%.*s-%.*s___XML___%.*s", STR_ARG(n->site),
		STR_ARG(build), STR_ARG(n->tag), STR_ARG(n->group), STR_ARG(name));
	return cleans_build ? all : clean_name(a, all);
}

struct str
submit_url(struct arena *a, struct str url, struct str remote,
	const struct submit_names *names, struct str md5)
{
	struct str name = escaped_name(a, remote);
	struct buf b = {.arena = a};

	buf_str(&b, url);
	buf_fmt(&b, "%cFileName=%.*s", str_find(url, '?') < url.n ? '&' : '?',
		STR_ARG(name));
	if (names) {
		buf_z(&b, "&build=");
		buf_str(&b, submit_escape(a, names->build));
		buf_z(&b, "&site=");
		buf_str(&b, submit_escape(a, names->site));
		buf_z(&b, "&stamp=");
		buf_str(&b, submit_escape(a, names->tag));
		buf_char(&b, '-');
		buf_str(&b, submit_escape(a, names->group));
	}
	if (names && names->subproject.p) {
		buf_z(&b, "&subproject=");
		buf_str(&b, submit_escape(a, names->subproject));
	}
	buf_z(&b, "&MD5=");
	buf_str(&b, md5);
	return buf_as_str(&b);
}

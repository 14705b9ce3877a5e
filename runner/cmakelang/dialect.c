/*
 * From a release to its differences, and the choice of the release.
 *
 * The differences are exact for 3.25 and 4.4. For the releases between, each row has its
 * release where that is known.
 */
#include "runner/cmakelang/dialect.h"

#include <errno.h>
#include <string.h>

#include "runner/base/files.h"

enum { NEWEST = 4004 };

/* True in releases from since on, or in those before until; the other of the two is 0. */
static const struct {
	unsigned since, until;
} rows[DIALECT_FEATURES] = {
#define SINCE(feature, major, minor) [DIALECT_##feature] = {(major)*1000 + (minor), 0},
#define BEFORE(feature, major, minor) [DIALECT_##feature] = {0, (major)*1000 + (minor)},
#define DURING(feature, major, minor, last_major, last_minor)                            \
	[DIALECT_##feature] = {                                                          \
		(major)*1000 + (minor), (last_major)*1000 + (last_minor) + 1},
#include "runner/cmakelang/dialect.def"
};

/* The last patch release of a minor release; 0 where it does not matter. */
static unsigned
usual_patch(unsigned version)
{
	return version == 3025 ? 1 : version == 4004 ? 2 : 0;
}

struct dialect
dialect_of(unsigned version)
{
	struct dialect d = {.version = version, .patch = usual_patch(version)};

	for (size_t i = 0; i < DIALECT_FEATURES; i++)
		d.has[i] = version >= rows[i].since &&
			   (!rows[i].until || version < rows[i].until);
	return d;
}

/* Takes the next number of "4.4.2", and the dot after it, from *rest. */
static bool
next_number(struct str *rest, unsigned *value)
{
	size_t dot = str_find(*rest, '.');
	uint64_t v;

	if (!str_unsigned((struct str){rest->p, dot}, 999, &v))
		return false;
	*value = (unsigned)v;
	*rest = str_from(*rest, dot < rest->n ? dot + 1 : dot);
	return true;
}

static bool
parse_version(struct str version, struct dialect *out)
{
	struct str rest = str_trim(version);
	unsigned major, minor, patch;

	if (rest.n == 0 || rest.p[rest.n - 1] == '.' || !next_number(&rest, &major) ||
		!next_number(&rest, &minor))
		return false;
	patch = usual_patch(major * 1000 + minor);
	if (rest.n && (!next_number(&rest, &patch) || rest.n))
		return false;
	*out = dialect_of(major * 1000 + minor);
	out->patch = patch;
	return true;
}

/* CMAKE_CACHE_<part>_VERSION:INTERNAL=3, or STR_NONE. */
static struct str
cached_number(struct str cache, const char *head)
{
	struct str key = str_of(head), line;

	while (str_take_line(&cache, &line))
		if (str_begins(line, key))
			return str_trim(str_from(line, key.n));
	return STR_NONE;
}

/* A malformed entry of the cache is ignored. false: the cache exists and cannot be
 * read. */
static bool
from_cache(struct dialect *out, struct arena *a, struct str directory, struct diag *d)
{
	struct str path =
		path_join(a, directory.n ? directory : STR("."), STR("CMakeCache.txt"));
	struct str text, major, minor, patch;

	*out = dialect_of(NEWEST);
	if (!file_read(a, str_z(a, path), &text))
		return error_is_no_file(errno) ||
		       diag_error(d, NO_PLACE,
			       "%.*s, which names the release of ctest, cannot be read: "
			       "%s",
			       STR_ARG(path), strerror(errno));
	major = cached_number(text, "CMAKE_CACHE_MAJOR_VERSION:INTERNAL=");
	minor = cached_number(text, "CMAKE_CACHE_MINOR_VERSION:INTERNAL=");
	patch = cached_number(text, "CMAKE_CACHE_PATCH_VERSION:INTERNAL=");
	if (!parse_version(str_fmt(a, "%.*s.%.*s.%.*s", STR_ARG(major), STR_ARG(minor),
				   patch.n ? (int)patch.n : 1, patch.n ? patch.p : "0"),
		    out))
		*out = dialect_of(NEWEST);
	return true;
}

bool
dialect_choose(struct dialect *out, struct arena *a, struct str option,
	const char *environment, struct str directory, struct diag *d)
{
	struct str asked = option.n ? option : str_of(environment);

	INVARIANT(out && d);
	if (asked.n) {
		if (parse_version(asked, out))
			return true;
		return diag_error(d, NO_PLACE,
			"%s \"%.*s\" is not a version such as 3.25",
			option.n ? "--compat-version" : "CCTR_COMPAT_VERSION",
			STR_ARG(asked));
	}
	return from_cache(out, a, directory, d);
}

struct str
dialect_text(struct arena *a, const struct dialect *dialect)
{
	return str_fmt(a, "%u.%u.%u", dialect->version / 1000, dialect->version % 1000,
		dialect->patch);
}

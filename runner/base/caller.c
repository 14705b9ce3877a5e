/* The caller's PWD is kept in a variable that no other program gets. See caller.h. */
#include "runner/base/caller.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "runner/base/environment.h"
#include "runner/base/files.h"

#define KEPT "CCTR_CALLER_PWD"

struct str_list
caller_variables(struct arena *a, struct str name)
{
	struct str *v = NEW_ARRAY(a, struct str, 2);
	const char *kept = getenv(KEPT), *said = getenv("PWD");

	/* An empty value: the caller had no PWD. */
	v[0] = str_fmt(a, KEPT "=%s", kept ? kept : said ? said : "");
	v[1] = str_fmt(a, "PWD=%.*s", STR_ARG(name));
	return (struct str_list){v, 2};
}

const char *const *
caller_environment(struct arena *a)
{
	const char *const *ours = environment_own();
	const char *kept = getenv(KEPT);

	if (!kept)
		return ours;
	ours = environment_without(a, ours, KEPT);
	return *kept ? environment_with(a, ours, "PWD", str_of(kept))
		     : environment_without(a, ours, "PWD");
}

/* Empty where the path does not exist. */
static struct str
real_path(struct arena *a, const char *path)
{
	char *real = arena_alloc(a, PATH_MAX);

	return realpath(path, real) ? str_of(real) : STR("");
}

struct str
caller_real_here(struct arena *a)
{
	struct str real = real_path(a, ".");

	return real.n ? real : path_here(a);
}

struct caller_names
caller_names(struct arena *a)
{
	struct str said = str_of(getenv("PWD")), is = caller_real_here(a);
	struct caller_names n = {STR(""), STR("")};

	if (!said.n || said.p[0] != '/')
		return n;
	while (is.n && !str_eq(is, said) && str_eq(real_path(a, str_z(a, said)), is)) {
		n = (struct caller_names){str_fmt(a, "%.*s/", STR_ARG(is)),
			str_fmt(a, "%.*s/", STR_ARG(said))};
		is = path_parent(is);
		said = path_parent(said);
	}
	return n;
}

struct str
caller_name_of(struct arena *a, const struct caller_names *n, struct str path)
{
	struct str whole = str_fmt(a, "%.*s/", STR_ARG(path));

	INVARIANT(n);
	if (!n->is.n || path.n < 2 || !str_begins(whole, n->is))
		return path;
	whole = str_fmt(
		a, "%.*s%.*s", STR_ARG(n->said), STR_ARG(str_from(whole, n->is.n)));
	return str_cut(whole.p, whole.n - 1);
}

struct str
caller_name_at(struct arena *a, const struct caller_names *n, const char *path)
{
	struct str real = real_path(a, path);

	INVARIANT(n && path);
	return caller_name_of(
		a, n, real.n ? real : path_join(a, path_here(a), str_of(path)));
}

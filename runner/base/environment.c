/* See environment.h. */
#include "runner/base/environment.h"

#include <string.h>

size_t
environment_count(const char *const *environment)
{
	size_t n = 0;

	while (environment[n])
		n++;
	return n;
}

static bool
is_variable(const char *variable, struct str name)
{
	return strncmp(variable, name.p, name.n) == 0 && variable[name.n] == '=';
}

/* The index of the name, or n. */
static size_t
find_index(const char *const *v, size_t n, struct str name)
{
	size_t i = 0;

	while (i < n && !is_variable(v[i], name))
		i++;
	return i;
}

const char *
environment_find(const char *const *environment, const char *name)
{
	size_t n = environment_count(environment);
	size_t i = find_index(environment, n, str_of(name));

	INVARIANT(environment && *name);
	return i < n ? environment[i] + strlen(name) + 1 : NULL;
}

const char *const *
environment_with_all(
	struct arena *a, const char *const *environment, struct str_list variables)
{
	size_t n = environment_count(environment);
	const char **v = NEW_ARRAY(a, const char *, n + variables.n + 1);

	INVARIANT(environment);
	memcpy(v, environment, n * sizeof *v);
	for (size_t i = 0; i < variables.n; i++) {
		struct str variable = variables.v[i];
		size_t end = str_find(variable, '='), at;

		if (!end || end == variable.n)
			continue;
		at = find_index(v, n, str_cut(variable.p, end));
		v[at] = str_z(a, variable);
		n += at == n;
	}
	return v;
}

const char *const *
environment_with(struct arena *a, const char *const *environment, const char *name,
	struct str value)
{
	struct str variable = str_fmt(a, "%s=%.*s", name, STR_ARG(value));

	INVARIANT(*name);
	return environment_with_all(a, environment, (struct str_list){&variable, 1});
}

const char *const *
environment_without(struct arena *a, const char *const *environment, const char *name)
{
	size_t n = environment_count(environment), kept = 0;
	const char **v = NEW_ARRAY(a, const char *, n + 1);

	INVARIANT(environment && *name);
	for (size_t i = 0; i < n; i++)
		if (!is_variable(environment[i], str_of(name)))
			v[kept++] = environment[i];
	return v;
}

/* Uses setenv, which keeps its own account of environ. See environment.h. */
#include "compat/format/environment.h"

#include <stdlib.h>
#include <string.h>

#include "runner/base/caller.h"
#include "runner/model/model.h"

extern char **environ;

static size_t
count_variables(const char *const *variables)
{
	size_t n = 0;

	while (variables && variables[n])
		n++;
	return n;
}

const char *const *
environment_copy(struct arena *a)
{
	size_t n = count_variables((const char *const *)environ);
	const char **copy = NEW_ARRAY(a, const char *, n + 1);

	for (size_t i = 0; i < n; i++)
		copy[i] = str_dup(a, str_of(environ[i])).p;
	return copy;
}

static bool
is_variable(const char *variable, const char *name)
{
	size_t n = strlen(name);

	return strncmp(variable, name, n) == 0 && variable[n] == '=';
}

const char *const *
environment_with(struct arena *a, const char *name, const char *value)
{
	const char *const *from = caller_environment(a);
	const char **to = NEW_ARRAY(a, const char *, count_variables(from) + 2);
	size_t n = 0;

	for (; from && *from; from++)
		if (!is_variable(*from, name))
			to[n++] = *from;
	to[n] = str_fmt(a, "%s=%s", name, value).p;
	return to;
}

const char *
environment_find(const char *const *variables, const char *name)
{
	for (; *variables; variables++)
		if (is_variable(*variables, name))
			return *variables + strlen(name) + 1;
	return NULL;
}

void
environment_define(struct arena *a, struct str name, struct str value)
{
	setenv(str_z(a, name), str_z(a, value), 1);
}

void
environment_apply(struct arena *a, const struct environment_change *changes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct environment_change *c = &changes[i];

		if (c->unset)
			unsetenv(str_z(a, c->name));
		else
			environment_define(a, c->name, c->value);
	}
}

static void
put_variable(struct arena *a, struct str variable)
{
	size_t end = str_find(variable, '=');

	if (end && end < variable.n)
		environment_define(
			a, str_cut(variable.p, end), str_from(variable, end + 1));
}

void
environment_put(struct arena *a, struct str_list variables)
{
	for (size_t i = 0; i < variables.n; i++)
		put_variable(a, variables.v[i]);
}

void
environment_set(struct arena *a, const char *const *variables)
{
	clearenv();
	for (; *variables; variables++)
		put_variable(a, str_of(*variables));
}

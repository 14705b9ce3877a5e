/* Uses setenv, which keeps its own account of environ. See own_environment.h. */
#include "compat/format/own_environment.h"

#include <errno.h>
#include <stdlib.h>

#include "runner/model/model.h"

extern char **environ; /* NULL after clearenv() */

const char *const *
environment_copy(struct arena *a)
{
	const char **copy;
	size_t n = 0;

	while (environ && environ[n])
		n++;
	copy = NEW_ARRAY(a, const char *, n + 1);
	for (size_t i = 0; i < n; i++)
		copy[i] = str_dup(a, str_of(environ[i])).p;
	return copy;
}

static void
define_variable(struct arena *a, struct str name, struct str value)
{
	if (setenv(str_z(a, name), str_z(a, value), 1) != 0 && errno == ENOMEM)
		memory_end();
}

void
environment_unset(const char *name)
{
	INVARIANT(*name);
	unsetenv(name);
}

void
environment_apply(struct arena *a, const struct environment_change *changes, size_t n)
{
	INVARIANT(changes || !n);
	for (size_t i = 0; i < n; i++) {
		const struct environment_change *c = &changes[i];

		if (c->unset)
			unsetenv(str_z(a, c->name));
		else
			define_variable(a, c->name, c->value);
	}
}

static void
put_variable(struct arena *a, struct str variable)
{
	size_t end = str_find(variable, '=');

	if (end && end < variable.n)
		define_variable(a, str_cut(variable.p, end), str_from(variable, end + 1));
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
	INVARIANT(variables);
	clearenv();
	for (; *variables; variables++)
		put_variable(a, str_of(*variables));
}

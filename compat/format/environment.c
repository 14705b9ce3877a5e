/* By setenv, which keeps an account of its own of what environ is. See environment.h. */
#include "compat/format/environment.h"

#include <stdlib.h>
#include <string.h>

extern char **environ;

const char *const *
environment_copy(struct arena *a)
{
	size_t n = 0;
	const char **copy;

	while (environ && environ[n])
		n++;
	copy = NEW_ARRAY(a, const char *, n + 1);
	for (size_t i = 0; i < n; i++)
		copy[i] = str_dup(a, str_of(environ[i])).p;
	return copy;
}

const char *
environment_find(const char *const *variables, const char *name)
{
	size_t n = strlen(name);

	for (; *variables; variables++)
		if (strncmp(*variables, name, n) == 0 && (*variables)[n] == '=')
			return *variables + n + 1;
	return NULL;
}

void
environment_put(struct arena *a, struct str variable)
{
	size_t end = str_find(variable, '=');

	if (end && end < variable.n)
		setenv(str_z(a, str_cut(variable.p, end)),
			str_z(a, str_from(variable, end + 1)), 1);
}

void
environment_set(struct arena *a, const char *const *variables)
{
	clearenv();
	for (; *variables; variables++)
		environment_put(a, str_of(*variables));
}

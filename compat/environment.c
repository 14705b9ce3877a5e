/* By setenv, which keeps an account of its own of what environ is. See environment.h. */
#include "compat/environment.h"

#include <stdlib.h>

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

void
environment_set(struct arena *a, const char *const *variables)
{
	clearenv();
	for (; *variables; variables++) {
		struct str text = str_of(*variables);
		size_t end = str_find(text, '=');

		if (end && end < text.n)
			setenv(str_z(a, str_cut(text.p, end)), text.p + end + 1, 1);
	}
}

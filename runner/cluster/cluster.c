/* What batch systems share. See cluster.h. */
#include "runner/cluster/cluster.h"

struct str
cluster_variable(const char *const *environment, const char *name)
{
	size_t n = strlen(name);

	for (; *environment; environment++)
		if (strncmp(*environment, name, n) == 0 && (*environment)[n] == '=')
			return (*environment)[n + 1] ? str_of(*environment + n + 1)
						     : STR_NONE;
	return STR_NONE;
}

struct str_list
cluster_words(struct arena *a, const char *const *words, size_t n)
{
	struct str *v = NEW_ARRAY(a, struct str, n);

	for (size_t i = 0; i < n; i++)
		v[i] = str_of(words[i]);
	return (struct str_list){v, n};
}

/* What batch systems share. See cluster.h. */
#include "runner/cluster/cluster.h"

#include "runner/base/environment.h"

struct str
cluster_variable(const char *const *environment, const char *name)
{
	const char *value = environment_find(environment, name);

	return value && *value ? str_of(value) : STR_NONE;
}

struct str_list
cluster_words(struct arena *a, const char *const *words, size_t n)
{
	struct str *v = NEW_ARRAY(a, struct str, n);

	for (size_t i = 0; i < n; i++)
		v[i] = str_of(words[i]);
	return (struct str_list){v, n};
}

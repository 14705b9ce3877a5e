/* See failed_setups.h. */
#include "runner/failed_setups.h"

#include <stdlib.h>

static int
by_name(const void *a, const void *b)
{
	return str_order(*(const struct str *)a, *(const struct str *)b);
}

struct str_list
failed_setups(struct arena *a, const struct plan *plan, const struct selected *s,
	const struct map *failed)
{
	str_vec found = {0};
	size_t n = 0;

	for (size_t i = 0; i < s->must_pass_n; i++) {
		struct str name = plan->nodes[s->must_pass[i]].test->name;

		if (map_get(failed, name) != MAP_NONE)
			VEC_PUSH(a, &found, name);
	}
	if (found.n)
		qsort(found.v, found.n, sizeof *found.v, by_name);
	for (size_t i = 0; i < found.n; i++)
		if (n == 0 || !str_eq(found.v[n - 1], found.v[i]))
			found.v[n++] = found.v[i];
	found.n = n;
	return str_vec_list(&found);
}

/* See failed_setups.h. */
#include "runner/schedule/failed_setups.h"

struct str_list
failed_setups(struct arena *a, const struct plan *plan, const struct selected *s,
	const struct map *failed)
{
	str_vec found = {0};
	struct str_list names;

	for (size_t i = 0; i < s->must_pass_n; i++) {
		struct str name = plan->nodes[s->must_pass[i]].test->name;

		if (map_get(failed, name) != MAP_NONE)
			VEC_PUSH(a, &found, name);
	}
	names = str_vec_list(&found);
	str_list_make_set(&names);
	return names;
}

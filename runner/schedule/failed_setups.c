/* See failed_setups.h. */
#include "runner/schedule/failed_setups.h"

struct str_list
setups_that_ended(struct arena *a, const struct plan *plan, const struct selected *s,
	const struct map *ends, enum setup_end end)
{
	str_vec found = {0};
	struct str_list names;

	INVARIANT(end == SETUP_FAILED || end == SETUP_SKIPPED);
	for (size_t i = 0; i < s->must_pass_n; i++) {
		struct str name = plan->nodes[s->must_pass[i]].test->name;

		if (map_get(ends, name) == (uint32_t)end)
			VEC_PUSH(a, &found, name);
	}
	names = str_vec_list(&found);
	str_list_make_set(&names);
	return names;
}

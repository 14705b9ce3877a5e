/* Requests that may or may not fit. See feasibility.h. */
#include "compat/resources/feasibility.h"

#include "runner/resources/pool_request.h"

void
feasibility_warn(const struct pool *p, const struct selection *s, struct diag *d)
{
	struct arena *scratch = arena_open();
	struct map known = map_in(scratch);
	struct buf key = {.arena = scratch};
	const struct test *first = NULL;
	size_t n = 0;

	INVARIANT(p && d);
	for (size_t i = 0; i < s->n; i++) {
		const struct test *t = selected_test(s, i);
		struct resource_groups g = pool_request(scratch, p, t->properties);
		struct str text;
		uint32_t fit;

		key.n = 0;
		pool_request_key(&key, &g);
		text = buf_as_str(&key);
		fit = map_get(&known, text);

		if (fit == MAP_NONE) {
			fit = pool_fit(p, scratch, &g);
			map_set(&known, str_dup(scratch, text), fit);
		}
		if (fit != POOL_FIT_UNKNOWN)
			continue;
		if (!n++)
			first = t;
	}
	arena_close(scratch);
	if (n == 1)
		diag_warning(d, NO_PLACE,
			"cctr: it is not known whether the resources are enough for test "
			"%.*s: it is tried when nothing else runs",
			STR_ARG(first->name));
	else if (n)
		diag_warning(d, NO_PLACE,
			"cctr: it is not known whether the resources are enough for test "
			"%.*s and %zu more: they are tried when nothing else runs",
			STR_ARG(first->name), n - 1);
}

/* Requests that may or may not fit. See feasibility.h. */
#include "compat/resources/feasibility.h"

#include "runner/resources/pool_request.h"

/* Two requests with the same key fit alike. */
static struct str
key_of(struct buf *key, const struct resource_groups *groups)
{
	key->n = 0;
	buf_fmt(key, "%llu nodes,", (unsigned long long)groups->nodes);
	for (size_t g = 0; g < groups->n; g++)
		for (size_t i = 0; i < groups->v[g].n; i++)
			buf_fmt(key, "%.*s:%llu,", STR_ARG(groups->v[g].v[i].type),
				(unsigned long long)groups->v[g].v[i].slots);
	return buf_as_str(key);
}

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
		const struct test *t = &s->suite->tests[s->v[i].test];
		struct resource_groups g = pool_request(scratch, p, t->properties);
		struct str text = key_of(&key, &g);
		uint32_t fit = map_get(&known, text);

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

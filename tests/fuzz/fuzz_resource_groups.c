/* RESOURCE_GROUPS from any bytes: well-formed names and numbers, or refused. */
#include "compat/resources/resource_groups.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_open();
	struct resource_groups groups = {.n = 0};
	struct str text = str_cut((const char *)data, size);
	bool right = resource_groups_parse(a, text, &groups) == GROUPS_RIGHT;

	INVARIANT(right || groups.n == 0);
	for (size_t g = 0; g < groups.n; g++)
		for (size_t i = 0; i < groups.v[g].n; i++) {
			const struct requirement *r = &groups.v[g].v[i];

			INVARIANT(r->type.n > 0 && r->slots <= INT32_MAX);
			INVARIANT(r->type.p >= text.p &&
				  r->type.p + r->type.n <= text.p + text.n);
		}
	arena_close(a);
	return 0;
}

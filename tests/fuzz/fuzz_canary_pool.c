/* A resource pool of canary from any bytes: an ordered pool, or refused with a reason. */
#include "manifests/canary/canary_pool.h"
#include "runner/resources/pool_sources.h"
#include "tests/unit/text_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check_type(const struct resource_type *t)
{
	INVARIANT(pool_is_type_name(t->name));
	for (size_t i = 0; i < t->n; i++) {
		INVARIANT(pool_is_id(t->v[i].id) && t->v[i].slots <= POOL_SLOTS_MOST);
		INVARIANT(i == 0 || t->v[i - 1].node < t->v[i].node ||
			  (t->v[i - 1].node == t->v[i].node &&
				  str_order(t->v[i - 1].id, t->v[i].id) < 0));
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_open();
	struct diag d = diag_in(a);
	struct pool pool;
	struct str text = str_cut((const char *)data, size);
	bool right = canary_pool_load(a, text_file(a, "pool", text), &pool, &d);

	INVARIANT(right == (d.errors == 0));
	INVARIANT(right || pool.n == 0);
	for (size_t i = 0; i < pool.n; i++) {
		check_type(&pool.types[i]);
		INVARIANT(i == 0 ||
			  str_order(pool.types[i - 1].name, pool.types[i].name) < 0);
	}
	arena_close(a);
	return 0;
}

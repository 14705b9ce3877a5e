/* A resource specification from any bytes: an ordered pool, or refused. */
#include "compat/resources/resource_spec.h"
#include "tests/unit/text_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check_type(const struct resource_type *t)
{
	INVARIANT(t->name.n > 0);
	for (size_t i = 0; i < t->n; i++) {
		INVARIANT(t->v[i].id.n > 0 && t->v[i].slots <= UINT32_MAX);
		INVARIANT(t->v[i].held == 0);
		INVARIANT(i == 0 || str_order(t->v[i - 1].id, t->v[i].id) < 0);
	}
}

static void
read_one(struct str text, unsigned release)
{
	struct dialect dialect = dialect_of(release);
	struct arena *a = arena_open();
	struct pool pool;
	struct diag d = diag_in(a);
	bool right = resource_spec_load(
		a, &dialect, STR(""), text_file(a, "spec.json", text), &pool, &d);

	INVARIANT(right == (d.errors == 0));
	INVARIANT(right || pool.n == 0);
	for (size_t i = 0; i < pool.n; i++) {
		check_type(&pool.types[i]);
		INVARIANT(i == 0 ||
			  str_order(pool.types[i - 1].name, pool.types[i].name) < 0);
	}
	arena_close(a);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = str_cut((const char *)data, size);

	read_one(text, 3025);
	read_one(text, 3027);
	return 0;
}

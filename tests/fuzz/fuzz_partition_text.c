/*
 * The value of --partition, and of --start of `cctr ctl reconfig`: any bytes are read or
 * refused with a reason. What is read has a name of few characters, each type once, and a
 * number of processors that there may be. With its name it is read alike by both.
 */
#include "compat/options/engine_options.h"
#include "compat/options/partition_text.h"
#include "runner/resources/pool_sources.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check_size(const struct partition_size *s)
{
	INVARIANT(s->kind != PARTITION_PERCENT || s->n <= 100);
	INVARIANT(s->kind != PARTITION_COUNT || s->n <= POOL_SLOTS_MOST);
}

static void
check_sizes(const struct partition_sizes *s)
{
	check_size(&s->rest);
	check_size(&s->nodes);
	INVARIANT(!s->has_rest || s->rest.kind != PARTITION_COUNT);
	for (size_t i = 0; i < s->n; i++) {
		INVARIANT(pool_is_type_name(s->v[i].type));
		check_size(&s->v[i].size);
		for (size_t k = 0; k < i; k++)
			INVARIANT(!str_eq(s->v[i].type, s->v[k].type));
	}
}

static void
check_text(const struct partition_text *t)
{
	for (size_t i = 0; i < t->name.n; i++)
		INVARIANT((unsigned char)t->name.p[i] > ' ');
	INVARIANT(!str_is(t->name, "all") && t->parallel <= 65536);
	INVARIANT(!t->engine.n || str_is(t->engine, ENGINE_LOCAL) ||
		  batch_system_named(t->engine));
	check_sizes(&t->sizes);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_open();
	struct str text = str_dup(a, str_cut((const char *)data, size));
	struct str why = STR_NONE, why_unnamed = STR_NONE;
	struct partition_text named, unnamed;
	bool is_named = partition_text_read(a, text, &named, &why);
	bool is_read = partition_text_read_unnamed(a, text, &unnamed, &why_unnamed);

	INVARIANT(is_named || why.n);
	INVARIANT(is_read || why_unnamed.n);
	if (is_named)
		check_text(&named);
	if (is_read)
		check_text(&unnamed);
	INVARIANT(!is_named || !is_read || !unnamed.name.n ||
		  (str_eq(named.name, unnamed.name) && named.sizes.n == unnamed.sizes.n &&
			  named.parallel == unnamed.parallel));
	arena_close(a);
	return 0;
}

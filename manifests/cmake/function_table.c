/* See function_table.h. */
#include "manifests/cmake/function_table.h"

struct undo {
	struct str key;
	uint32_t old;
};
struct function_table {
	struct arena *a;
	struct map names; /* index into functions */
	VEC(const struct function *) functions;
	VEC(struct undo) undo;
	struct map warned_names;
	str_vec warned; /* these in their order, to be undone */
};

struct function_table *
function_table_new(struct arena *a)
{
	struct function_table *t = NEW(a, struct function_table);

	*t = (struct function_table){
		.a = a, .names = map_in(a), .warned_names = map_in(a)};
	return t;
}

const struct function *
function_get(const struct function_table *t, struct str lower)
{
	uint32_t i = map_get(&t->names, lower);

	return i == MAP_NONE ? NULL : t->functions.v[i];
}

void
function_define(struct function_table *t, struct str lower, const struct function *f)
{
	struct str key = str_dup(t->a, lower);
	uint32_t *at = map_at(&t->names, key);

	INVARIANT(f && lower.n);
	VEC_PUSH(t->a, &t->undo, (struct undo){key, *at});
	*at = (uint32_t)t->functions.n;
	VEC_PUSH(t->a, &t->functions, f);
}

bool
function_note_warning(struct function_table *t, struct str name)
{
	if (map_has(&t->warned_names, name))
		return false;
	map_set(&t->warned_names, name, 0);
	VEC_PUSH(t->a, &t->warned, name);
	return true;
}

struct functions_mark
functions_mark(const struct function_table *t)
{
	return (struct functions_mark){t->undo.n, t->warned.n};
}

void
functions_rewind(struct function_table *t, const struct functions_mark *m)
{
	while (t->undo.n > m->defined_n) {
		const struct undo *u = &t->undo.v[--t->undo.n];

		map_set(&t->names, u->key, u->old);
	}
	while (t->warned.n > m->warned_n)
		map_set(&t->warned_names, t->warned.v[--t->warned.n], MAP_NONE);
}

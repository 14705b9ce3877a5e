/* See cmake_environment.h. */
#include "manifests/cmake/cmake_environment.h"

#include <stdlib.h>

struct entry {
	struct str name, value;
	bool is_set;
};
struct undo {
	uint32_t number;
	struct entry old;
	bool is_new; /* not known before: after undoing, the process is asked again */
};
struct environment {
	struct arena *a;
	struct recent_words *words;
	struct map names; /* index into entries */
	VEC(struct entry) entries;
	VEC(struct undo) undo;
	uint64_t changes_n;
};

struct environment *
environment_new(struct arena *a, struct recent_words *words)
{
	struct environment *e = NEW(a, struct environment);

	*e = (struct environment){
		.a = a, .words = words, .names = map_in(a), .changes_n = 1};
	return e;
}

struct str
environment_get(const struct environment *e, struct arena *scratch, struct str name)
{
	uint32_t i = map_get(&e->names, name);

	if (i == MAP_NONE)
		return str_of(getenv(str_z(scratch, name)));
	return e->entries.v[i].is_set ? e->entries.v[i].value : STR_NONE;
}

struct str
environment_set(struct environment *e, struct str name, struct str value)
{
	uint32_t i = map_get(&e->names, name);
	bool is_new = i == MAP_NONE;
	struct entry *now;

	if (is_new) {
		i = (uint32_t)e->entries.n;
		name = str_dup(e->a, name);
		map_set(&e->names, name, i);
		VEC_PUSH(e->a, &e->entries, (struct entry){.name = name});
	}
	e->changes_n++;
	now = &e->entries.v[i];
	VEC_PUSH(e->a, &e->undo, (struct undo){i, *now, is_new});
	now->is_set = value.p != NULL;
	now->value = value.p ? recent_words_keep(e->words, value) : value;
	return now->name;
}

size_t
environment_mark(const struct environment *e)
{
	return e->undo.n;
}

void
environment_rewind(struct environment *e, size_t mark)
{
	e->changes_n++;
	while (e->undo.n > mark) {
		const struct undo *u = &e->undo.v[--e->undo.n];
		struct entry *now = &e->entries.v[u->number];

		*now = u->old;
		if (u->is_new) {
			now->value = str_of(getenv(str_z(e->a, u->old.name)));
			now->is_set = now->value.p != NULL;
		}
	}
}

uint64_t
environment_changes_n(const struct environment *e)
{
	return e->changes_n;
}

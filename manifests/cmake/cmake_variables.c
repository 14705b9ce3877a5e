/* See cmake_variables.h. */
#include "manifests/cmake/cmake_variables.h"

#include <string.h>

#include "runner/model/source.h"

struct entry {
	struct str name, value; /* value.p NULL: unset */
	char *own; /* the buffer of value, where this epoch may overwrite it */
	size_t cap;
	uint32_t epoch; /* the epoch in which writes need no journal entry any more */
};
struct undo {
	uint32_t number, epoch;
	struct str value;
	char *own;
	size_t cap;
};
/* A write to the enclosing scope, made when this scope ends. */
struct raise {
	struct str name, value; /* value.p NULL: unset */
};
struct scope {
	struct scope *outer;
	size_t journal_n;
	uint32_t epoch;
	VEC(struct raise) raises;
};
struct variables {
	struct arena *a;
	struct recent_words *words;
	bool (*has_room)(void *context, size_t n);
	void *context;
	struct map names; /* index into entries */
	VEC(struct entry) entries;
	VEC(struct undo) journal;
	uint32_t epoch, newest_epoch;
	struct scope *scope; /* NULL: the outermost */
	struct scope *free; /* left scopes, by outer */
};

struct variables *
variables_new(struct arena *a, struct recent_words *words,
	bool (*has_room)(void *context, size_t n), void *context)
{
	struct variables *v = NEW(a, struct variables);

	INVARIANT(has_room);
	*v = (struct variables){.a = a,
		.words = words,
		.has_room = has_room,
		.context = context,
		.names = map_in(a),
		.epoch = 1,
		.newest_epoch = 1};
	return v;
}

/* ---- values ---------------------------------------------------------------------- */

struct str
variable_get(const struct variables *v, struct str name)
{
	uint32_t i = map_get(&v->names, name);

	return i == MAP_NONE ? STR_NONE : v->entries.v[i].value;
}

struct str
variable_or_empty(const struct variables *v, struct str name)
{
	struct str s = variable_get(v, name);

	return s.p ? s : STR("");
}

uint32_t
variable_number(struct variables *v, struct str name)
{
	uint32_t i = map_get(&v->names, name);

	if (i == MAP_NONE) {
		i = (uint32_t)v->entries.n;
		name = str_dup(v->a, name);
		map_set(&v->names, name, i);
		VEC_PUSH(v->a, &v->entries, (struct entry){.name = name});
	}
	return i;
}

struct str
variable_at(const struct variables *v, uint32_t number)
{
	INVARIANT(number < v->entries.n);
	return v->entries.v[number].value;
}

static struct entry *
entry_to_write(struct variables *v, struct str name)
{
	uint32_t i = variable_number(v, name);
	struct entry *e = &v->entries.v[i];

	if (e->epoch != v->epoch) {
		VEC_PUSH(v->a, &v->journal,
			(struct undo){i, e->epoch, e->value, e->own, e->cap});
		e->epoch = v->epoch;
		e->own = NULL;
		e->cap = 0;
	}
	return e;
}

/* Makes room for n bytes in the variable's own buffer; the bytes in it stay. */
static void
make_room(struct variables *v, struct entry *e, size_t n)
{
	size_t cap = n < 16 ? 16 : n;

	if (e->own && e->cap >= n)
		return;
	if (e->own && cap < SIZE_MAX / 4)
		cap *= 2;
	e->own = arena_alloc(v->a, cap);
	e->cap = cap;
}

void
variable_set(struct variables *v, struct str name, struct str value)
{
	struct entry *e = entry_to_write(v, name);

	if (value.n == 0) {
		e->value = STR("");
		return;
	}
	if (!v->has_room(v->context, value.n))
		return;
	make_room(v, e, value.n);
	memmove(e->own, value.p, value.n);
	e->value = str_cut(e->own, value.n);
}

void
variable_unset(struct variables *v, struct str name)
{
	if (variable_get(v, name).p)
		entry_to_write(v, name)->value = STR_NONE;
}

void
variable_append(
	struct variables *v, struct str name, struct str separator, struct str value)
{
	struct entry *e = entry_to_write(v, name);
	struct str old = e->value;
	size_t n = old.n + separator.n + value.n;

	if (!v->has_room(v->context, n))
		return;
	make_room(v, e, n ? n : 1);
	if (old.n && old.p != e->own)
		memmove(e->own, old.p, old.n);
	if (separator.n)
		memcpy(e->own + old.n, separator.p, separator.n);
	if (value.n)
		memmove(e->own + old.n + separator.n, value.p, value.n);
	e->value = str_cut(e->own, n);
}

struct variable *
variables_list(const struct variables *v, struct arena *a, size_t *n)
{
	struct variable *all = NEW_ARRAY(a, struct variable, v->entries.n);

	INVARIANT(n);
	*n = 0;
	for (size_t i = 0; i < v->entries.n; i++)
		if (v->entries.v[i].value.p)
			all[(*n)++] = (struct variable){
				v->entries.v[i].name, v->entries.v[i].value};
	return all;
}

static void
undo_writes(struct variables *v, size_t to)
{
	while (v->journal.n > to) {
		const struct undo *u = &v->journal.v[--v->journal.n];
		struct entry *e = &v->entries.v[u->number];

		e->epoch = u->epoch;
		e->value = u->value;
		e->own = u->own;
		e->cap = u->cap;
	}
}

/* ---- scopes ---------------------------------------------------------------------- */

void
variables_enter(struct variables *v)
{
	struct scope *s = v->free;

	if (s)
		v->free = s->outer;
	else
		s = NEW(v->a, struct scope);
	s->outer = v->scope;
	s->journal_n = v->journal.n;
	s->epoch = v->epoch;
	s->raises.n = 0;
	v->epoch = ++v->newest_epoch;
	v->scope = s;
}

void
variables_leave(struct variables *v)
{
	struct scope *s = v->scope;

	INVARIANT(s);
	undo_writes(v, s->journal_n);
	v->epoch = s->epoch;
	v->scope = s->outer;
	for (size_t i = 0; i < s->raises.n; i++)
		if (s->raises.v[i].value.p)
			variable_set(v, s->raises.v[i].name, s->raises.v[i].value);
		else
			variable_unset(v, s->raises.v[i].name);
	s->outer = v->free;
	v->free = s;
}

bool
variable_raise(struct variables *v, struct str name, struct str value)
{
	struct raise r = {.value = value};

	if (!v->scope)
		return false;
	r.name = recent_words_keep(v->words, name);
	if (value.p)
		r.value = recent_words_keep(v->words, value);
	VEC_PUSH(v->a, &v->scope->raises, r);
	return true;
}

/* ---- marks ----------------------------------------------------------------------- */

struct variables_mark
variables_mark(struct variables *v)
{
	struct variables_mark m = {.scope = v->scope,
		.journal_n = v->journal.n,
		.raises_n = v->scope ? v->scope->raises.n : 0};

	v->epoch = ++v->newest_epoch;
	return m;
}

void
variables_rewind(struct variables *v, const struct variables_mark *m)
{
	INVARIANT(v->scope == m->scope);
	undo_writes(v, m->journal_n);
	if (v->scope)
		v->scope->raises.n = m->raises_n;
	v->epoch = ++v->newest_epoch;
}

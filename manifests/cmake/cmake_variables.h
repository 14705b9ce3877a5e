/*
 * The variables that test files set, and scopes of them.
 *
 * There is one value per name. What can be undone (a function's scope, a mark) starts an
 * epoch; the first write to a name in an epoch puts the old value into a journal. Leaving
 * a scope and rewinding are the same: the journal is undone down to the entry where the
 * epoch began. So a lookup never walks a chain of scopes, and undoing costs only what
 * changed.
 */
#ifndef CCTR_MANIFESTS_CMAKE_CMAKE_VARIABLES_H
#define CCTR_MANIFESTS_CMAKE_CMAKE_VARIABLES_H

#include "manifests/cmake/recent_words.h"
#include "runner/base/base.h"

struct variable;
struct variables;
/* has_room: whether a value may have n bytes; if not, the variable does not change. */
struct variables *variables_new(struct arena *a, struct recent_words *words,
	bool (*has_room)(void *context, size_t n), void *context);
struct str variable_get(const struct variables *v, struct str name); /* p NULL: unset */
struct str variable_or_empty(const struct variables *v, struct str name);
void variable_set(struct variables *v, struct str name, struct str value);
void variable_unset(struct variables *v, struct str name);
/* Amortised cost: a loop that appends is linear. */
void variable_append(
	struct variables *v, struct str name, struct str separator, struct str value);
/* The number of a name, set or not, for variable_at, which is faster than a name. */
uint32_t variable_number(struct variables *v, struct str name);
struct str variable_at(const struct variables *v, uint32_t number);
/* All that are set. */
struct variable *variables_list(const struct variables *v, struct arena *a, size_t *n);

/* function() or block(): what is written until variables_leave is undone there. */
void variables_enter(struct variables *v);
void variables_leave(struct variables *v);
/* Sets the variable in the enclosing scope when this scope is left; false: there is none.
 * value.p NULL unsets. */
bool variable_raise(struct variables *v, struct str name, struct str value);

struct scope;
struct variables_mark {
	const struct scope *scope;
	size_t journal_n, raises_n;
};
struct variables_mark variables_mark(struct variables *v);
/* In the scope of the mark. */
void variables_rewind(struct variables *v, const struct variables_mark *m);

#endif

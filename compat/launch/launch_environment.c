/*
 * The environment of a test. See launch_environment.h.
 *
 * ctest applies three sets of changes, each sorted by name with each variable once: the
 * values of ENVIRONMENT, the results of ENVIRONMENT_MODIFICATION, and the variables of
 * the resource groups, group by group. A variable that existed keeps its place. Strings
 * of the base are shared; a test pays for an array of pointers and its changes.
 */
#include "compat/launch/launch_environment.h"

#include <string.h>

#include "compat/format/secrets.h"
#include "compat/launch/whole_nodes.h"
#include "runner/base/caller.h"
#include "runner/base/environment.h"
#include "runner/base/sort.h"

/* Shared by tests that change nothing; made when the first of them starts. */
struct usual {
	const char **with_pool, **without;
};
struct launch_environment {
	struct arena *arena;
	const struct pool *pool;
	struct resource_telling telling;
	bool unset_empties;
	struct map names; /* index into base */
	const char **base; /* NULL-ended */
	size_t base_n;
	struct usual *usual;
};

/* NULL while the pool is awaited, and in each attempt of the test that makes it. */
static const struct pool *
pool_for(const struct launch_environment *e, const struct test *t)
{
	const struct pool *p = e->pool;
	bool makes = p && p->is_made && t->properties->generated_resource_spec_file.n;

	return makes || (p && p->is_awaited) ? NULL : p;
}

/* ---- one environment being made -------------------------------------------------- */

enum change_kind { CHANGE_NONE, CHANGE_SET, CHANGE_UNSET };
struct change {
	enum change_kind kind;
	struct str name, value;
};
struct changes {
	struct arena *arena;
	VEC(struct change) list;
	struct map at; /* name -> index into list */
};

struct builder {
	const struct launch_environment *from;
	const struct pool *pool; /* of pool_for */
	struct arena *arena;
	const char **v; /* NULL where a base variable was removed */
	size_t n, cap;
	struct map added; /* names not in the base, or removed there: index into v */
	struct buf *changes; /* gets a line for every change; may be NULL */
};

static struct builder
builder_of(const struct launch_environment *e, const struct pool *pool, struct arena *a,
	size_t more)
{
	struct builder b = {.from = e, .pool = pool, .arena = a, .added = map_in(a)};

	b.n = e->base_n;
	b.cap = e->base_n + more;
	b.v = NEW_ARRAY(a, const char *, b.cap + 1);
	memcpy(b.v, e->base, e->base_n * sizeof *b.v);
	return b;
}

static uint32_t
place_of(const struct builder *b, struct str name)
{
	uint32_t at = map_get(&b->added, name);

	return at != MAP_NONE ? at : map_get(&b->from->names, name);
}

static struct str
value_of(const struct builder *b, struct str name)
{
	uint32_t at = place_of(b, name);

	if (at == MAP_NONE || !b->v[at])
		return STR("");
	return str_of(b->v[at] + name.n + 1);
}

/* A removed variable that is set again goes to the end, as with setenv. */
static void
builder_set(struct builder *b, struct str name, struct str value)
{
	uint32_t at = place_of(b, name);
	struct buf text = {.arena = b->arena};

	if (b->changes)
		buf_fmt(b->changes, "%s%.*s=%.*s", b->changes->n ? "\n" : "",
			STR_ARG(name),
			STR_ARG(secrets_masked_value(b->arena, name, value)));
	if (name.n == 0) /* there is no such variable */
		return;
	buf_reserve(&text, name.n + 1 + value.n);
	buf_str(&text, name);
	buf_char(&text, '=');
	buf_str(&text, value);
	if (at == MAP_NONE || !b->v[at]) {
		INVARIANT(b->n < b->cap);
		at = (uint32_t)b->n++;
		map_set(&b->added, name, at);
	}
	b->v[at] = text.p;
}

static void
builder_unset(struct builder *b, struct str name)
{
	uint32_t at = place_of(b, name);

	if (b->changes)
		buf_fmt(b->changes, "%s#%.*s=", b->changes->n ? "\n" : "", STR_ARG(name));
	if (at != MAP_NONE)
		b->v[at] = NULL;
}

static const char **
builder_end(struct builder *b)
{
	size_t n = 0;

	for (size_t i = 0; i < b->n; i++)
		if (b->v[i])
			b->v[n++] = b->v[i];
	b->v[n] = NULL;
	return b->v;
}

/* ---- sets of changes ------------------------------------------------------------- */

static struct changes
changes_in(struct arena *a)
{
	return (struct changes){.arena = a, .at = map_in(a)};
}

/* The change of the variable so far; initially CHANGE_NONE. */
static struct change *
change_of(struct changes *c, struct str name)
{
	uint32_t at = map_number(&c->at, name);

	if (at == c->list.n)
		VEC_PUSH(c->arena, &c->list, (struct change){.name = name});
	return &c->list.v[at];
}

SORT_BY(sort_changes, struct change, TEXTUAL(name))

static void
apply_operation(struct builder *b, struct changes *c)
{
	sort_changes(c->list.v, c->list.n);
	for (size_t i = 0; i < c->list.n; i++)
		if (c->list.v[i].kind == CHANGE_SET)
			builder_set(b, c->list.v[i].name, c->list.v[i].value);
		else if (c->list.v[i].kind == CHANGE_UNSET)
			builder_unset(b, c->list.v[i].name);
}

static void
apply_environment(struct builder *b, struct str_list environment)
{
	struct changes changes = changes_in(b->arena);

	for (size_t i = 0; i < environment.n; i++) {
		struct str s = environment.v[i];
		size_t n = str_find(s, '=');
		struct change *c = change_of(&changes, str_cut(s.p, n));

		c->kind = n < s.n ? CHANGE_SET : CHANGE_UNSET;
		c->value = n < s.n ? str_from(s, n + 1) : STR("");
	}
	apply_operation(b, &changes);
}

/* ---- ENVIRONMENT_MODIFICATION ---------------------------------------------------- */

enum operation {
	OP_RESET,
	OP_SET,
	OP_UNSET,
	OP_STRING_APPEND,
	OP_STRING_PREPEND,
	OP_PATH_LIST_APPEND,
	OP_PATH_LIST_PREPEND,
	OP_CMAKE_LIST_APPEND,
	OP_CMAKE_LIST_PREPEND,
	OPERATIONS
};

static const struct {
	const char *word;
	const char *separator; /* NULL: does not join values */
	bool is_front;
} operations[OPERATIONS] = {
	[OP_RESET] = {"reset", NULL, false},
	[OP_SET] = {"set", NULL, false},
	[OP_UNSET] = {"unset", NULL, false},
	[OP_STRING_APPEND] = {"string_append", "", false},
	[OP_STRING_PREPEND] = {"string_prepend", "", true},
	[OP_PATH_LIST_APPEND] = {"path_list_append", ":", false},
	[OP_PATH_LIST_PREPEND] = {"path_list_prepend", ":", true},
	[OP_CMAKE_LIST_APPEND] = {"cmake_list_append", ";", false},
	[OP_CMAKE_LIST_PREPEND] = {"cmake_list_prepend", ";", true},
};

struct modification {
	struct str name, word, value;
	enum operation operation; /* OPERATIONS: unknown */
	bool has_name, has_word;
};

static struct modification
read_modification(struct str s)
{
	struct modification m = {.operation = OPERATIONS};
	size_t n = str_find(s, '=');

	m.has_name = n < s.n;
	if (!m.has_name)
		return m;
	m.name = str_cut(s.p, n);
	s = str_from(s, n + 1);
	n = str_find(s, ':');
	m.has_word = n < s.n;
	if (!m.has_word)
		return m;
	m.word = str_cut(s.p, n);
	m.value = str_from(s, n + 1);
	for (int i = 0; i < OPERATIONS; i++)
		if (str_is(m.word, operations[i].word))
			m.operation = (enum operation)i;
	return m;
}

static struct str
join_values(struct arena *a, const struct modification *m, struct str now)
{
	const char *separator = now.n ? operations[m->operation].separator : "";

	if (operations[m->operation].is_front)
		return str_fmt(
			a, "%.*s%s%.*s", STR_ARG(m->value), separator, STR_ARG(now));
	return str_fmt(a, "%.*s%s%.*s", STR_ARG(now), separator, STR_ARG(m->value));
}

/* Until 4.4 an operation after "unset" still sees the value from before the test. */
static struct str
value_now(const struct builder *b, const struct change *c)
{
	if (c->kind == CHANGE_UNSET && b->from->unset_empties)
		return STR("");
	return c->kind == CHANGE_SET ? c->value : value_of(b, c->name);
}

static void
modify_variables(
	const struct builder *b, struct changes *changes, const struct modification *m)
{
	struct change *c = change_of(changes, m->name);

	INVARIANT(m->operation != OPERATIONS);
	if (operations[m->operation].separator)
		c->value = join_values(b->arena, m, value_now(b, c));
	else
		c->value = m->operation == OP_SET ? m->value : STR("");
	c->kind = m->operation == OP_RESET   ? CHANGE_NONE
		  : m->operation == OP_UNSET ? CHANGE_UNSET
					     : CHANGE_SET;
}

static void
apply_modifications(struct builder *b, struct str_list modifications)
{
	struct changes changes = changes_in(b->arena);

	for (size_t i = 0; i < modifications.n; i++) {
		struct modification m = read_modification(modifications.v[i]);

		modify_variables(b, &changes, &m);
	}
	apply_operation(b, &changes);
}

struct str
launch_environment_defects(struct arena *a, const struct test *t)
{
	struct str_list l = t->properties->environment_modification;
	struct buf b = {.arena = a};

	for (size_t i = 0; i < l.n; i++) {
		struct modification m = read_modification(l.v[i]);

		if (m.operation != OPERATIONS)
			continue;
		buf_z(&b, "CMake Error: Error: ");
		if (!m.has_name)
			buf_fmt(&b, "Missing `=` after the variable name in: %.*s",
				STR_ARG(l.v[i]));
		else if (!m.has_word)
			buf_fmt(&b, "Missing `:` after the operation in: %.*s",
				STR_ARG(l.v[i]));
		else
			buf_fmt(&b,
				"Unrecognized environment manipulation argument: %.*s",
				STR_ARG(m.word));
		buf_z(&b, "\n\n");
	}
	return buf_as_str(&b);
}

/* ---- resource groups ------------------------------------------------------------- */

#define PARTITION_NAME "CCTR_PARTITION"
#define COUNT_NAME RESOURCE_GROUP_VARIABLES "_COUNT"

SORT_BY(sort_types, uint32_t, ITSELF)

/* The types of a group, without duplicates; the pool sorts them by name. */
static size_t
types_of(struct arena *a, const struct grant_group *g, uint32_t **types)
{
	size_t n = 0;

	*types = NEW_ARRAY(a, uint32_t, g->n);
	for (size_t i = 0; i < g->n; i++)
		(*types)[i] = g->v[i].type;
	sort_types(*types, g->n);
	for (size_t i = 0; i < g->n; i++)
		if (n == 0 || (*types)[n - 1] != (*types)[i])
			(*types)[n++] = (*types)[i];
	return n;
}

static struct str
units_of(const struct builder *b, const struct grant_group *g, uint32_t type)
{
	const struct resource_type *t = &b->from->pool->types[type];
	struct buf text = {.arena = b->arena};

	for (size_t i = 0; i < g->n; i++)
		if (g->v[i].type == type) {
			buf_z(&text, text.n ? ";id:" : "id:");
			buf_str(&text, t->v[g->v[i].instance].id);
			buf_z(&text, ",slots:");
			buf_number(&text, g->v[i].slots, 0);
		}
	return buf_as_str(&text);
}

/* CTEST_RESOURCE_GROUP_number, followed by _TYPE if type is given. */
static struct str
group_name(struct arena *a, size_t number, struct str type)
{
	struct buf name = {.arena = a};

	buf_z(&name, RESOURCE_GROUP_VARIABLES "_");
	buf_number(&name, number, 0);
	if (type.n == 0)
		return buf_as_str(&name);
	buf_char(&name, '_');
	buf_str(&name, str_upper(a, type));
	return buf_as_str(&name);
}

static void
apply_group(struct builder *b, const struct grant_group *g, size_t number)
{
	struct arena *a = b->arena;
	struct buf names = {.arena = a};
	uint32_t *types;
	size_t n = types_of(a, g, &types);

	for (size_t i = 0; i < n; i++) {
		struct str type = b->from->pool->types[types[i]].name;

		builder_set(b, group_name(a, number, type), units_of(b, g, types[i]));
		buf_z(&names, i ? "," : "");
		buf_str(&names, type);
	}
	builder_set(b, group_name(a, number, STR_NONE), buf_as_str(&names));
}

/* groups: how many RESOURCE_GROUPS has; a group of the grant after these is the test's
 * processors, which ctest does not tell. */
static void
apply_grant(struct builder *b, const struct grant *g, size_t groups)
{
	size_t n = g ? groups : 0;

	if (!b->pool || (!groups && b->from->telling.is_implied)) {
		builder_unset(b, STR(COUNT_NAME));
		return;
	}
	builder_set(b, STR(COUNT_NAME), str_fmt(b->arena, "%zu", n));
	for (size_t i = 0; i < n; i++)
		apply_group(b, &g->v[i], i);
}

/* true: ENVIRONMENT or the like sets the variable. */
static bool
is_set_by_test(const struct builder *b, struct str name)
{
	uint32_t at = place_of(b, name);

	return at != MAP_NONE && (at >= b->from->base_n || b->v[at] != b->from->base[at]);
}

/* Adds cctr's variables beside ctest's, and replaces placeholders. */
static void
apply_telling(struct builder *b, const struct grant *g)
{
	const struct resource_teller t = {b->pool, g, b->from->telling};
	struct resource_variables found;

	if (!t.pool)
		return;
	found = resource_variables(b->arena, &t);
	for (size_t i = 0; i < found.n; i++)
		if (!found.v[i].yields || !is_set_by_test(b, found.v[i].name))
			builder_set(b, found.v[i].name, found.v[i].value);
	for (size_t i = 0; i < b->n && t.telling.style >= RESOURCE_STYLE_CCTR; i++)
		if (b->v[i])
			b->v[i] = resource_placeholders(b->arena, &t, b->v[i]);
}

struct str
launch_environment_unknown(
	const struct launch_environment *e, struct arena *a, const struct test *t)
{
	const struct resource_teller teller = {pool_for(e, t), NULL, e->telling};
	const struct str_list lists[] = {
		t->properties->environment, t->properties->environment_modification};
	struct str found = STR_NONE;

	for (size_t i = 0; teller.pool && i < sizeof lists / sizeof *lists; i++)
		for (size_t k = 0; k < lists[i].n && !found.n; k++)
			found = resource_unknown_placeholder(a, &teller, lists[i].v[k]);
	return found;
}

/* ---- processors and the temporary directory -------------------------------------- */

/* Libraries that otherwise start one thread for each processor. */
static const char *const threads_of[] = {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS",
	"MKL_NUM_THREADS", "BLIS_NUM_THREADS", "NUMEXPR_NUM_THREADS",
	"VECLIB_MAXIMUM_THREADS", "RAYON_NUM_THREADS", "JULIA_NUM_THREADS"};
/* By default MPI binds the ranks of every job to the same first processors. */
static const char *const binding_of[] = {
	"OMPI_MCA_hwloc_base_binding_policy", "PRTE_MCA_hwloc_default_binding_policy"};
enum {
	THREADS_OF = sizeof threads_of / sizeof *threads_of,
	BINDING_OF = sizeof binding_of / sizeof *binding_of,
	HOLDING_MOST = THREADS_OF + BINDING_OF + 3
};

/* Sets the variable unless the test or the user has set it. */
static void
offer_variable(struct builder *b, const char *name, struct str value)
{
	if (place_of(b, str_of(name)) == MAP_NONE)
		builder_set(b, str_of(name), value);
}

static void
set_variables(struct builder *b, struct str_list variables)
{
	for (size_t i = 0; i < variables.n; i++) {
		struct str value = variables.v[i], name = str_take(&value, '=');

		builder_set(b, name, value);
	}
}

static void
apply_holding(struct builder *b, const struct test_holding *h)
{
	for (int i = 0; h->threads && i < THREADS_OF; i++)
		offer_variable(b, threads_of[i], str_fmt(b->arena, "%zu", h->threads));
	for (int i = 0; h->threads && i < BINDING_OF; i++)
		offer_variable(b, binding_of[i], STR("none"));
	set_variables(b, h->of_nodes);
	set_variables(b, h->of_pmix);
	if (h->partition.p)
		builder_set(b, STR(PARTITION_NAME), h->partition);
	if (h->profile)
		builder_set(b, STR("LLVM_PROFILE_FILE"), str_of(h->profile));
	if (h->temporary && !is_set_by_test(b, STR("TMPDIR")))
		builder_set(b, STR("TMPDIR"), str_of(h->temporary));
}

/* The most variables: one per unit, one per group, the count, and cctr's own, also those
 * of properties. */
static size_t
most_variables(const struct pool *p, const struct grant *g)
{
	size_t n = 1;

	for (size_t i = 0; g && i < g->n; i++) {
		n += g->v[i].n * (1 + RESOURCE_VARIABLES_PER_TYPE) + 1;
		for (size_t k = 0; p && k < g->v[i].n; k++) {
			const struct grant_unit *u = &g->v[i].v[k];

			n += p->types[u->type].v[u->instance].properties_n;
		}
	}
	return n + RESOURCE_VARIABLES_ONCE;
}

/* ---- the environment ------------------------------------------------------------- */

static void
read_base(struct launch_environment *e, const char *socket, const char *token)
{
	const char *const *base = environment_without(
		e->arena, caller_environment(e->arena), "CCTR_SOCKET");
	size_t n;

	base = environment_without(e->arena, base, "CCTR_TOKEN");
	if (socket) {
		base = environment_with(e->arena, base, "CCTR_SOCKET", str_of(socket));
		base = environment_with(e->arena, base, "CCTR_TOKEN", str_of(token));
	}
	n = environment_count(base);
	e->base = NEW_ARRAY(e->arena, const char *, n + 1);
	e->names = map_in(e->arena);
	for (size_t i = 0; i < n; i++) {
		const char *equals = strchr(base[i], '=');
		struct str name;

		if (!equals)
			continue;
		name = str_cut(base[i], (size_t)(equals - base[i]));
		if (resource_is_own_variable(name) || whole_nodes_is_own_variable(name) ||
			str_is(name, PARTITION_NAME))
			continue;
		e->base[e->base_n] = str_z(e->arena, str_of(base[i]));
		name = str_cut(e->base[e->base_n], name.n);
		if (!map_has(&e->names, name))
			map_set(&e->names, name, (uint32_t)e->base_n);
		e->base_n++;
	}
}

struct launch_environment *
launch_environment_open(struct arena *a, const struct launch_environment_options *o)
{
	struct launch_environment *e = NEW(a, struct launch_environment);

	e->arena = a;
	e->pool = o->pool;
	e->telling = o->telling;
	e->unset_empties = o->unset_empties;
	e->usual = NEW(a, struct usual);
	read_base(e, o->socket, o->token);
	return e;
}

static const char *const *
usual_environment(const struct launch_environment *e, const struct pool *pool)
{
	const char ***v = pool ? &e->usual->with_pool : &e->usual->without;
	struct builder b;

	if (!*v) {
		b = builder_of(e, pool, e->arena, most_variables(NULL, NULL));
		apply_grant(&b, NULL, 0);
		apply_telling(&b, NULL);
		*v = builder_end(&b);
	}
	return *v;
}

const char *const *
launch_environment_of(const struct launch_environment *e, struct arena *attempt,
	const struct test *t, const struct test_holding *h, struct buf *changes)
{
	const struct properties *p = t->properties;
	const struct pool *pool = pool_for(e, t);
	const struct grant *grant = h->grant;
	bool has_additions = grant || h->threads || h->temporary || h->profile ||
			     h->of_nodes.n || h->of_pmix.n || h->partition.p;
	struct builder b;

	INVARIANT(attempt && t);
	if (p->environment.n == 0 && p->environment_modification.n == 0 &&
		!has_additions && !changes)
		return usual_environment(e, pool);
	b = builder_of(e, pool, attempt,
		p->environment.n + p->environment_modification.n +
			most_variables(pool, grant) + HOLDING_MOST + h->of_nodes.n +
			h->of_pmix.n);
	b.changes = changes;
	apply_environment(&b, p->environment);
	apply_modifications(&b, p->environment_modification);
	apply_grant(&b, pool ? grant : NULL, p->resource_groups.n);
	apply_telling(&b, grant);
	apply_holding(&b, h);
	return builder_end(&b);
}

/* See environment.h. */
#include "runner/base/environment.h"

#include <string.h>

extern char **environ; /* NULL where main has removed all */

const char *const *
environment_own(void)
{
	static const char *const none[] = {NULL};

	return environ ? (const char *const *)environ : none;
}

const char *const *
environment_copy(struct arena *a, const char *const *environment)
{
	size_t n = environment_count(environment);
	const char **v = NEW_ARRAY(a, const char *, n + 1);

	INVARIANT(environment);
	for (size_t i = 0; i < n; i++)
		v[i] = str_dup(a, str_of(environment[i])).p;
	return v;
}

size_t
environment_count(const char *const *environment)
{
	size_t n = 0;

	while (environment[n])
		n++;
	return n;
}

static bool
is_variable(const char *variable, struct str name)
{
	return strncmp(variable, name.p, name.n) == 0 && variable[name.n] == '=';
}

/* The index of the name, or n. */
static size_t
find_index(const char *const *v, size_t n, struct str name)
{
	size_t i = 0;

	while (i < n && !is_variable(v[i], name))
		i++;
	return i;
}

const char *
environment_find(const char *const *environment, const char *name)
{
	size_t n = environment_count(environment);
	size_t i = find_index(environment, n, str_of(name));

	INVARIANT(environment && *name);
	return i < n ? environment[i] + strlen(name) + 1 : NULL;
}

const char *const *
environment_with_all(
	struct arena *a, const char *const *environment, struct str_list variables)
{
	size_t n = environment_count(environment);
	const char **v = NEW_ARRAY(a, const char *, n + variables.n + 1);

	INVARIANT(environment);
	memcpy(v, environment, n * sizeof *v);
	for (size_t i = 0; i < variables.n; i++) {
		struct str variable = variables.v[i];
		size_t end = str_find(variable, '='), at;

		if (!end || end == variable.n)
			continue;
		at = find_index(v, n, str_cut(variable.p, end));
		v[at] = str_z(a, variable);
		n += at == n;
	}
	return v;
}

const char *const *
environment_with(struct arena *a, const char *const *environment, const char *name,
	struct str value)
{
	struct str variable = str_fmt(a, "%s=%.*s", name, STR_ARG(value));

	INVARIANT(*name);
	return environment_with_all(a, environment, (struct str_list){&variable, 1});
}

const char *const *
environment_without(struct arena *a, const char *const *environment, const char *name)
{
	size_t n = environment_count(environment), kept = 0;
	const char **v = NEW_ARRAY(a, const char *, n + 1);

	INVARIANT(environment && *name);
	for (size_t i = 0; i < n; i++)
		if (!is_variable(environment[i], str_of(name)))
			v[kept++] = environment[i];
	return v;
}

/* ---- changes --------------------------------------------------------------------- */

/* An environment by names, each with its last value. */
struct table {
	struct map names;
	environment_changes v;
};

static void
put_change(struct arena *a, struct table *t, struct environment_change change)
{
	uint32_t at = map_number(&t->names, change.name);

	if (at == t->v.n)
		VEC_PUSH(a, &t->v, change);
	t->v.v[at] = change;
}

static struct table
table_of(struct arena *a, const char *const *environment)
{
	struct table t = {.names = map_in(a)};

	for (; *environment; environment++) {
		struct str value = str_of(*environment), name = str_take(&value, '=');

		if (value.p > name.p + name.n)
			put_change(a, &t,
				(struct environment_change){
					.name = name, .value = value});
	}
	return t;
}

static bool
has_value(const struct table *t, const struct environment_change *c)
{
	uint32_t at = map_get(&t->names, c->name);

	return at != MAP_NONE && str_eq(t->v.v[at].value, c->value);
}

const char *const *
environment_changed(struct arena *a, const char *const *environment,
	const struct environment_change *changes, size_t n)
{
	struct table t = table_of(a, environment);
	VEC(const char *) v = {0};

	INVARIANT(changes || !n);
	for (size_t i = 0; i < n; i++)
		put_change(a, &t, changes[i]);
	for (size_t i = 0; i < t.v.n; i++) {
		const struct environment_change *c = &t.v.v[i];

		if (!c->unset)
			VEC_PUSH(a, &v,
				str_fmt(a, "%.*s=%.*s", STR_ARG(c->name),
					STR_ARG(c->value))
					.p);
	}
	VEC_PUSH(a, &v, NULL);
	return v.v;
}

environment_changes
environment_compare(struct arena *a, const char *const *before, const char *const *after)
{
	struct table old = table_of(a, before), new = table_of(a, after);
	environment_changes changes = {0};

	for (size_t i = 0; i < new.v.n; i++)
		if (!has_value(&old, &new.v.v[i]))
			VEC_PUSH(a, &changes, new.v.v[i]);
	for (size_t i = 0; i < old.v.n; i++)
		if (!map_has(&new.names, old.v.v[i].name))
			VEC_PUSH(a, &changes,
				(struct environment_change){.name = old.v.v[i].name,
					.value = STR(""),
					.unset = true});
	return changes;
}

const char *const *
environment_parse(struct arena *a, struct str text)
{
	VEC(const char *) entries = {0};

	while (text.n)
		VEC_PUSH(a, &entries, str_z(a, str_take(&text, '\0')));
	VEC_PUSH(a, &entries, NULL);
	return entries.v;
}

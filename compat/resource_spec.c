/*
 * The resource specification file to a pool. See resource_spec.h.
 *
 * As in ctest the last of several members with one name counts, and so does the last of
 * several instances with one id; members are looked at in the order of their names, so
 * that of several mistakes the same one is told. Types whose names no test can ask for
 * are skipped, whatever they hold.
 */
#include "compat/resource_spec.h"

#include <cjson/cJSON.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compat/json_relax.h"

static bool
refuse(struct str *why, const char *text)
{
	*why = str_of(text);
	return false;
}

/* ---- values ---------------------------------------------------------------------------
 */

/* The last member of the name. */
static const cJSON *
member(const cJSON *object, const char *name)
{
	const cJSON *found = NULL, *m;

	if (!cJSON_IsObject(object))
		return NULL;
	cJSON_ArrayForEach(m, object) if (strcmp(m->string, name) == 0) found = m;
	return found;
}

static bool
is_whole(const cJSON *v, double least, double most)
{
	return cJSON_IsNumber(v) && v->valuedouble >= least && v->valuedouble <= most &&
	       v->valuedouble == floor(v->valuedouble);
}

static bool
is_name(struct str s, bool digit_first)
{
	for (size_t i = 0; i < s.n; i++) {
		bool is_digit = s.p[i] >= '0' && s.p[i] <= '9';

		if (!(s.p[i] >= 'a' && s.p[i] <= 'z') && s.p[i] != '_' &&
			!(is_digit && (i > 0 || digit_first)))
			return false;
	}
	return s.n > 0;
}

/* ---- instances ------------------------------------------------------------------------
 */

static int
by_id(const void *a, const void *b)
{
	const struct resource_instance *x = a, *y = b;

	return str_order(x->id, y->id);
}

static bool
read_instance(struct arena *a, const cJSON *v, struct resource_instance *r)
{
	const cJSON *id = member(v, "id"), *slots = member(v, "slots");

	if (!cJSON_IsObject(v) || !cJSON_IsString(id) ||
		!is_name(str_of(id->valuestring), true) ||
		(slots && !is_whole(slots, 0, UINT_MAX)))
		return false;
	r->id = str_dup(a, str_of(id->valuestring));
	r->slots = slots ? (uint64_t)slots->valuedouble : 1;
	return true;
}

static bool
read_type(struct arena *a, const cJSON *v, struct resource_type *t, struct str *why)
{
	struct map ids = map_in(a);
	struct resource_instance r = {.held = 0};
	const cJSON *m;

	if (!cJSON_IsArray(v))
		return refuse(why, "Invalid resource type object");
	t->v = NEW_ARRAY(a, struct resource_instance, (size_t)cJSON_GetArraySize(v));
	cJSON_ArrayForEach(m, v)
	{
		uint32_t *at;

		if (!read_instance(a, m, &r))
			return refuse(why, "Invalid resource object");
		at = map_at(&ids, r.id);
		if (*at == MAP_NONE)
			*at = (uint32_t)t->n++;
		t->v[*at] = r;
	}
	qsort(t->v, t->n, sizeof *t->v, by_id);
	return true;
}

/* ---- types ----------------------------------------------------------------------------
 */

struct named {
	struct str name;
	const cJSON *value;
};

static int
by_name(const void *a, const void *b)
{
	const struct named *x = a, *y = b;

	return str_order(x->name, y->name);
}

/* The types of the machine that count, by name. */
static struct named *
types_of(struct arena *a, const cJSON *machine, size_t *n)
{
	struct named *v = NEW_ARRAY(a, struct named, (size_t)cJSON_GetArraySize(machine));
	struct map names = map_in(a);
	const cJSON *m;

	*n = 0;
	cJSON_ArrayForEach(m, machine)
	{
		struct str name = str_of(m->string);
		uint32_t *at;

		if (!is_name(name, false))
			continue;
		at = map_at(&names, name);
		if (*at == MAP_NONE)
			*at = (uint32_t)(*n)++;
		v[*at] = (struct named){name, m};
	}
	qsort(v, *n, sizeof *v, by_name);
	return v;
}

static bool
read_machine(struct arena *a, const cJSON *machine, struct pool *pool, struct str *why)
{
	struct named *types;

	types = types_of(a, machine, &pool->n);
	pool->types = NEW_ARRAY(a, struct resource_type, pool->n);
	for (size_t i = 0; i < pool->n; i++) {
		pool->types[i].name = str_dup(a, types[i].name);
		if (!read_type(a, types[i].value, &pool->types[i], why))
			return false;
	}
	return true;
}

/* ---- the file -------------------------------------------------------------------------
 */

static bool
check_version(const cJSON *root, struct str *why)
{
	const cJSON *version = member(root, "version"), *major, *minor;

	if (!version)
		return refuse(why, "No version specified");
	if (!cJSON_IsObject(version))
		return refuse(why, "Invalid version object");
	major = member(version, "major");
	minor = member(version, "minor");
	if (!is_whole(major, INT_MIN, INT_MAX) || !is_whole(minor, INT_MIN, INT_MAX))
		return refuse(why, "Invalid version object");
	return (major->valueint == 1 && minor->valueint == 0) ||
	       refuse(why, "Unsupported version");
}

static bool
read_root(struct arena *a, const cJSON *root, struct pool *pool, struct str *why)
{
	const cJSON *local;

	if (!cJSON_IsObject(root))
		return refuse(why, "Invalid root object");
	if (!check_version(root, why))
		return false;
	local = member(root, "local");
	if (!cJSON_IsArray(local) || cJSON_GetArraySize(local) > 1)
		return refuse(why, "Invalid socket object");
	if (!local->child)
		return true;
	if (!cJSON_IsObject(local->child))
		return refuse(why, "Invalid socket object");
	return read_machine(a, local->child, pool, why);
}

bool
resource_spec_parse(struct arena *a, struct str text, struct pool *pool, struct str *why)
{
	struct str strict;
	cJSON *root = NULL;
	bool is_read;

	*pool = (struct pool){0};
	if (json_relax(a, text, &strict))
		root = cJSON_ParseWithLength(strict.p, strict.n);
	if (!root)
		return refuse(why, "JSON parse error");
	is_read = read_root(a, root, pool, why);
	cJSON_Delete(root);
	if (!is_read)
		*pool = (struct pool){0};
	return is_read;
}

/* The reason in the words of the newer releases, where they are others. */
static struct str
newer_words(struct arena *a, struct str why, struct str path, struct str text)
{
	if (str_is(why, "File not found"))
		return str_fmt(a, "File not found: %.*s", STR_ARG(path));
	if (str_is(why, "JSON parse error") && str_trim(text).n == 0)
		return STR("A JSON document cannot be empty");
	if (str_is(why, "Invalid root object") || str_is(why, "Invalid version object"))
		return STR("Invalid Object");
	return why;
}

bool
resource_spec_load(struct arena *a, const struct dialect *dialect, struct str path,
	struct pool *pool, struct diag *d)
{
	struct str text = STR_NONE, why;
	bool details = dialect->has[DIALECT_SPEC_DETAILS];

	if (!file_read(a, str_z(a, path), &text) && !path_is_directory(str_z(a, path)))
		why = STR("File not found");
	else if (resource_spec_parse(a, text, pool, &why))
		return true;
	if (details)
		why = newer_words(a, why, path, text);
	return diag_error(d, NO_PLACE,
		"Could not read/parse resource spec file %.*s:%c%.*s", STR_ARG(path),
		details ? '\n' : ' ', STR_ARG(why));
}

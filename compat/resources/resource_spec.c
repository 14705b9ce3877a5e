/*
 * Reads the resource specification file into a pool. See resource_spec.h.
 *
 * As in ctest, the last of several members with the same name counts, and the last of
 * several instances with the same id. Members are read in the order of their names, so
 * that errors are reported in the same order. Types whose names no test can ask for are
 * skipped, whatever they contain. Older releases report only the first error, and accept
 * JSON that is not strict.
 */
#include "compat/resources/resource_spec.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compat/format/json_place.h"
#include "compat/format/json_relax.h"
#include "compat/format/json_strict.h"
#include "runner/base/files.h"
#include "runner/resources/pool_sources.h"

/* The most errors that are reported for one document. */
enum { FAULTS_MOST = 100 };
/* Why a file is refused, in the words of 3.25 and of later releases. at: the wrong value;
 * NULL: there is none. */
struct fault {
	struct str old_why, why;
	const cJSON *at;
};
struct reading {
	struct arena *a;
	VEC(struct fault) faults;
	str_vec remarks; /* about items that are accepted, as in ctest */
	struct str path;
	const struct dialect *dialect;
	bool has_places; /* messages include places */
};

static bool
refuse_as(struct reading *r, const cJSON *at, const char *old_why, const char *why)
{
	struct fault f = {str_of(old_why), str_of(why), at};

	if (r->faults.n < FAULTS_MOST)
		VEC_PUSH(r->a, &r->faults, f);
	return false;
}

static bool
refuse(struct reading *r, const cJSON *at, const char *why)
{
	return refuse_as(r, at, why, why);
}

/* ---- values ---------------------------------------------------------------------- */

/* The last member with the name. */
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

/* ---- instances ------------------------------------------------------------------- */

/* cctr's own member, which ctest ignores: only texts count. */
static void
read_properties(struct arena *a, const cJSON *v, struct resource_instance *r)
{
	struct resource_property *p;
	const cJSON *m;

	r->properties_n = 0;
	if (!cJSON_IsObject(v))
		return;
	p = NEW_ARRAY(a, struct resource_property, (size_t)cJSON_GetArraySize(v));
	cJSON_ArrayForEach(m, v) if (cJSON_IsString(m)) p[r->properties_n++] =
		(struct resource_property){str_dup(a, str_of(m->string)),
			str_dup(a, str_of(m->valuestring))};
	r->properties = p;
}

static bool
read_instance(struct reading *r, const cJSON *v, struct resource_instance *read)
{
	static const char wrong[] = "Invalid resource object";
	const cJSON *id = member(v, "id"), *slots = member(v, "slots");
	bool is_good = true;

	if (!cJSON_IsObject(v))
		return refuse_as(r, v, wrong, "Invalid Object");
	if (!id)
		is_good =
			refuse_as(r, v, wrong, "Missing required field \"id\" in Object");
	else if (!cJSON_IsString(id) || !pool_is_id(str_of(id->valuestring)))
		is_good = refuse(r, id, wrong);
	if (slots && !is_whole(slots, 0, UINT_MAX))
		is_good = refuse(r, slots, wrong);
	if (!is_good)
		return false;
	read->id = str_dup(r->a, str_of(id->valuestring));
	read->slots = slots ? (uint64_t)slots->valuedouble : 1;
	read_properties(r->a, member(v, "properties"), read);
	return true;
}

static bool
read_type(struct reading *r, const cJSON *v, struct resource_type *t)
{
	struct map ids = map_in(r->a);
	struct resource_instance one = {.held = 0};
	bool is_good = true;
	const cJSON *m;

	if (!cJSON_IsArray(v))
		return refuse(r, v, "Invalid resource type object");
	t->v = NEW_ARRAY(r->a, struct resource_instance, (size_t)cJSON_GetArraySize(v));
	cJSON_ArrayForEach(m, v)
	{
		uint32_t *at;

		is_good = read_instance(r, m, &one) && is_good;
		if (!is_good)
			continue;
		at = map_at(&ids, one.id);
		if (*at == MAP_NONE)
			*at = (uint32_t)t->n++;
		else
			VEC_PUSH(r->a, &r->remarks,
				str_fmt(r->a,
					"%.*s: id '%.*s' stands twice, the last one "
					"counts",
					STR_ARG(t->name), STR_ARG(one.id)));
		t->v[*at] = one;
	}
	pool_order_instances(t);
	return is_good;
}

/* ---- types ----------------------------------------------------------------------- */

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

/* The valid types of the machine, sorted by name. */
static struct named *
types_of(struct reading *r, const cJSON *machine, size_t *n)
{
	struct arena *a = r->a;
	struct named *v = NEW_ARRAY(a, struct named, (size_t)cJSON_GetArraySize(machine));
	struct map names = map_in(a);
	const cJSON *m;

	*n = 0;
	cJSON_ArrayForEach(m, machine)
	{
		struct str name = str_of(m->string);
		uint32_t *at;

		if (!pool_is_type_name(name)) {
			VEC_PUSH(a, &r->remarks,
				str_fmt(a,
					"type '%.*s' is passed over: no test can ask for "
					"it",
					STR_ARG(name)));
			continue;
		}
		at = map_at(&names, name);
		if (*at == MAP_NONE)
			*at = (uint32_t)(*n)++;
		v[*at] = (struct named){name, m};
	}
	qsort(v, *n, sizeof *v, by_name);
	return v;
}

static bool
read_machine(struct reading *r, const cJSON *machine, struct pool *pool)
{
	struct named *types = types_of(r, machine, &pool->n);
	bool is_good = true;

	pool->types = NEW_ARRAY(r->a, struct resource_type, pool->n);
	for (size_t i = 0; i < pool->n; i++) {
		pool->types[i].name = str_dup(r->a, types[i].name);
		is_good = read_type(r, types[i].value, &pool->types[i]) && is_good;
	}
	return is_good;
}

/* ---- the file -------------------------------------------------------------------- */

static bool
check_number(struct reading *r, const cJSON *version, const char *name)
{
	static const char wrong[] = "Invalid version object";
	const cJSON *v = member(version, name);

	if (!v)
		return refuse_as(r, version, wrong,
			str_fmt(r->a, "Missing required field \"%s\" in Object", name).p);
	return is_whole(v, INT_MIN, INT_MAX) || refuse(r, v, wrong);
}

static bool
check_version(struct reading *r, const cJSON *root)
{
	const cJSON *version = member(root, "version");
	bool is_good;

	if (!version)
		return refuse(r, NULL, "No version specified");
	if (!cJSON_IsObject(version))
		return refuse_as(r, version, "Invalid version object", "Invalid Object");
	is_good = check_number(r, version, "major");
	is_good = check_number(r, version, "minor") && is_good;
	if (!is_good)
		return false;
	return (member(version, "major")->valueint == 1 &&
		       member(version, "minor")->valueint == 0) ||
	       refuse(r, version, "Unsupported version");
}

/* One machine, or none. */
static bool
read_local(struct reading *r, const cJSON *local, struct pool *pool)
{
	static const char wrong[] = "Invalid socket object";
	bool is_good = true;
	const cJSON *m;

	if (!cJSON_IsArray(local))
		return refuse(r, local, wrong);
	cJSON_ArrayForEach(m, local)
	{
		*pool = (struct pool){0};
		if (!cJSON_IsObject(m))
			is_good = refuse(r, m, wrong);
		else
			is_good = read_machine(r, m, pool) && is_good;
	}
	return is_good && (cJSON_GetArraySize(local) <= 1 || refuse(r, local, wrong));
}

static bool
read_root(struct reading *r, const cJSON *root, struct pool *pool)
{
	*pool = (struct pool){0};
	if (!cJSON_IsObject(root))
		return refuse_as(r, root, "Invalid root object", "Invalid Object");
	return check_version(r, root) && read_local(r, member(root, "local"), pool);
}

/* ---- releases -------------------------------------------------------------------- */

static bool
parse_old(struct reading *r, struct str text, struct pool *pool)
{
	static const char wrong[] = "JSON parse error";
	struct str strict;
	cJSON *root = NULL;
	bool is_read;

	if (json_relax(r->a, text, r->dialect->has[DIALECT_JSON_INFINITY], &strict))
		root = cJSON_ParseWithLength(strict.p, strict.n);
	is_read = root ? read_root(r, root, pool) : refuse(r, NULL, wrong);
	cJSON_Delete(root);
	return is_read;
}

static bool
tell(struct reading *r, struct str why)
{
	struct fault f = {why, why, NULL};

	VEC_PUSH(r->a, &r->faults, f);
	return false;
}

/* why, preceded by the line of the place if there is one. */
static struct str
with_place(const struct reading *r, struct str text, size_t at, struct str why)
{
	return r->has_places && at <= text.n
		       ? json_place_text(r->a, path_name(r->path), text, at, why)
		       : why;
}

static bool
check_syntax(struct reading *r, struct str text, struct json_strict *s)
{
	if (json_strict_check(r->a, r->dialect, text, s))
		return true;
	if (!s->faults_n)
		return tell(r, STR("A JSON document cannot be empty"));
	if (!r->has_places)
		return tell(
			r, json_faults_text(r->a, r->path, text, s->faults, s->faults_n));
	for (size_t i = 0; i < s->faults_n; i++)
		tell(r, with_place(r, text, s->faults[i].at, s->faults[i].why));
	return false;
}

/* Adds places to the reasons that concern values. */
static void
tell_places(struct reading *r, struct str text, struct str strict, const cJSON *root)
{
	struct json_places places = {.n = 0};

	if (r->faults.n && root)
		places = json_places_of(r->a, strict, root);
	for (size_t i = 0; i < r->faults.n; i++) {
		struct fault *f = &r->faults.v[i];

		f->why = with_place(r, text, json_place(&places, f->at), f->why);
	}
}

/* Since 3.27 every error is reported, since 4.1 with its place. */
static bool
parse_new(struct reading *r, struct str text, struct pool *pool)
{
	struct json_strict s;
	cJSON *root;
	bool is_read;

	if (!check_syntax(r, text, &s))
		return false;
	root = cJSON_ParseWithLength(s.strict.p, s.strict.n);
	is_read = root ? read_root(r, root, pool)
		       : tell(r, STR("Syntax error: value, object or array expected."));
	tell_places(r, text, s.strict, root);
	cJSON_Delete(root);
	return is_read;
}

static bool
parse(struct reading *r, struct str text, struct pool *pool)
{
	return r->dialect->has[DIALECT_SPEC_DETAILS] ? parse_new(r, text, pool)
						     : parse_old(r, text, pool);
}

bool
resource_spec_parse(struct arena *a, const struct dialect *dialect, struct str text,
	struct pool *pool, struct str *why)
{
	struct reading r = {.a = a, .dialect = dialect};
	bool is_read = parse(&r, text, pool);

	if (!is_read) {
		*pool = (struct pool){0};
		*why = r.faults.v[0].old_why;
	}
	return is_read;
}

static bool
say_refusal(const struct reading *r, struct diag *d)
{
	struct buf details = {.arena = r->a};

	if (!r->dialect->has[DIALECT_SPEC_DETAILS])
		return diag_error(d, NO_PLACE,
			"Could not read/parse resource spec file %.*s: %.*s",
			STR_ARG(r->path), STR_ARG(r->faults.v[0].old_why));
	for (size_t i = 0; i < r->faults.n; i++)
		buf_fmt(&details, "\n%.*s", STR_ARG(r->faults.v[i].why));
	return diag_error(d, NO_PLACE,
		"Could not read/parse resource spec file %.*s:%.*s", STR_ARG(r->path),
		STR_ARG(buf_as_str(&details)));
}

bool
resource_spec_load(struct arena *a, const struct dialect *dialect, struct str path,
	struct pool *pool, struct diag *d)
{
	struct reading r = {.a = a,
		.path = path,
		.dialect = dialect,
		.has_places = dialect->has[DIALECT_SPEC_PLACES]};
	const char *z = str_z(a, path);
	struct str text = STR_NONE;
	int error = file_read(a, z, &text) || errno == EISDIR ? 0 : errno;

	if (error && error_is_absence(error))
		refuse_as(&r, NULL, "File not found",
			str_fmt(a, "File not found: %s", z).p);
	else if (error)
		refuse(&r, NULL, str_fmt(a, "cannot be read: %s", strerror(error)).p);
	if (error || !parse(&r, text, pool)) {
		*pool = (struct pool){0};
		return say_refusal(&r, d);
	}
	for (size_t i = 0; i < r.remarks.n; i++)
		diag_warning(
			d, (struct place){.file = path}, "%.*s", STR_ARG(r.remarks.v[i]));
	return true;
}

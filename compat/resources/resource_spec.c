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

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "compat/format/json_place.h"
#include "runner/base/files.h"
#include "runner/base/sort.h"
#include "runner/resources/pool_sources.h"

/* The most errors that are reported for one document. */
enum { FAULTS_MOST = 100 };
/* Why a file is refused, in the words of 3.25 and of later releases. at: the wrong value;
 * NULL: there is none. */
struct fault {
	struct str old_why, why;
	const struct json_value *at;
};
struct reading {
	struct arena *a;
	VEC(struct fault) faults;
	str_vec remarks; /* about items that are accepted, as in ctest */
	struct str path;
	const struct dialect *dialect;
};

static bool
refuse_as(struct reading *r, const struct json_value *at, const char *old_why,
	const char *why)
{
	struct fault f = {str_of(old_why), str_of(why), at};

	if (r->faults.n < FAULTS_MOST)
		VEC_PUSH(r->a, &r->faults, f);
	return false;
}

static bool
refuse_spec(struct reading *r, const struct json_value *at, const char *why)
{
	return refuse_as(r, at, why, why);
}

/* ---- instances ------------------------------------------------------------------- */

typedef VEC(struct resource_property) property_vec;

/* Keeps the members of an object that are texts or numbers. ctest ignores them. */
static void
add_members(struct arena *a, const struct json_value *object, property_vec *v)
{
	for (const struct json_value *m = object->first; m; m = m->next)
		if ((json_is(m, JSON_STRING) || json_is(m, JSON_NUMBER)) &&
			!str_is(m->name, "id") && !str_is(m->name, "slots"))
			VEC_PUSH(a, v,
				(struct resource_property){
					str_dup(a, m->name), str_dup(a, m->text)});
}

static void
read_properties(struct arena *a, const struct json_value *v, struct resource_instance *r)
{
	const struct json_value *inner = json_member(v, "properties");
	property_vec found = {0};

	if (json_is(inner, JSON_OBJECT))
		add_members(a, inner, &found);
	add_members(a, v, &found);
	r->properties = found.v;
	r->properties_n = found.n;
}

static bool
read_instance(
	struct reading *r, const struct json_value *v, struct resource_instance *read)
{
	static const char wrong[] = "Invalid resource object";
	const struct json_value *id = json_member(v, "id"),
				*slots = json_member(v, "slots");
	bool is_good = true;

	if (!json_is(v, JSON_OBJECT))
		return refuse_as(r, v, wrong, "Invalid Object");
	if (!id)
		is_good =
			refuse_as(r, v, wrong, "Missing required field \"id\" in Object");
	else if (!json_is(id, JSON_STRING) || !pool_is_id(id->text))
		is_good = refuse_spec(r, id, wrong);
	if (slots && !json_is_whole(slots, 0, UINT_MAX))
		is_good = refuse_spec(r, slots, wrong);
	if (!is_good)
		return false;
	read->id = str_dup(r->a, id->text);
	read->slots = slots ? (uint64_t)slots->number : 1;
	read_properties(r->a, v, read);
	return true;
}

static bool
read_type(struct reading *r, const struct json_value *v, struct resource_type *t)
{
	struct map ids = map_in(r->a);
	struct resource_instance one = {.held = 0};
	bool is_good = true;
	const struct json_value *m;

	if (!json_is(v, JSON_ARRAY))
		return refuse_spec(r, v, "Invalid resource type object");
	t->v = NEW_ARRAY(r->a, struct resource_instance, v->n);
	for (m = v->first; m; m = m->next) {
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
					"%.*s: id '%.*s' occurs twice, the last one "
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
	const struct json_value *value;
};

SORT_BY(sort_named, struct named, TEXTUAL(name))

/* The valid types of the machine, sorted by name. */
static struct named *
types_of(struct reading *r, const struct json_value *machine, size_t *n)
{
	struct arena *a = r->a;
	struct named *v = NEW_ARRAY(a, struct named, machine->n);
	struct map names = map_in(a);
	const struct json_value *m;

	*n = 0;
	for (m = machine->first; m; m = m->next) {
		struct str name = m->name;
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
	sort_named(v, *n);
	return v;
}

static bool
read_machine(struct reading *r, const struct json_value *machine, struct pool *pool)
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
check_number(struct reading *r, const struct json_value *version, const char *name)
{
	static const char wrong[] = "Invalid version object";
	const struct json_value *v = json_member(version, name);

	if (!v)
		return refuse_as(r, version, wrong,
			str_fmt_z(r->a, "Missing required field \"%s\" in Object", name));
	return json_is_whole(v, INT_MIN, INT_MAX) || refuse_spec(r, v, wrong);
}

static bool
check_version(struct reading *r, const struct json_value *root)
{
	const struct json_value *version = json_member(root, "version");
	bool is_good;

	if (!version)
		return refuse_spec(r, NULL, "No version specified");
	if (!json_is(version, JSON_OBJECT))
		return refuse_as(r, version, "Invalid version object", "Invalid Object");
	is_good = check_number(r, version, "major");
	is_good = check_number(r, version, "minor") && is_good;
	if (!is_good)
		return false;
	return (json_member(version, "major")->number == 1 &&
		       json_member(version, "minor")->number == 0) ||
	       refuse_spec(r, version, "Unsupported version");
}

/* One machine, or none. */
static bool
read_local(struct reading *r, const struct json_value *local, struct pool *pool)
{
	static const char wrong[] = "Invalid socket object";
	bool is_good = true;
	const struct json_value *m;

	if (!json_is(local, JSON_ARRAY))
		return refuse_spec(r, local, wrong);
	for (m = local->first; m; m = m->next) {
		*pool = (struct pool){0};
		if (!json_is(m, JSON_OBJECT))
			is_good = refuse_spec(r, m, wrong);
		else
			is_good = read_machine(r, m, pool) && is_good;
	}
	return is_good && (local->n <= 1 || refuse_spec(r, local, wrong));
}

static bool
read_root(struct reading *r, const struct json_value *root, struct pool *pool)
{
	*pool = (struct pool){0};
	if (!json_is(root, JSON_OBJECT))
		return refuse_as(r, root, "Invalid root object", "Invalid Object");
	return check_version(r, root) && read_local(r, json_member(root, "local"), pool);
}

/* ---- releases -------------------------------------------------------------------- */

static bool
parse_old(struct reading *r, struct str text, struct pool *pool)
{
	struct json_document d = json_read(r->a, r->dialect, JSON_LENIENT, text);

	return d.root ? read_root(r, d.root, pool)
		      : refuse_spec(r, NULL, "JSON parse error");
}

static bool
refuse_document(struct reading *r, const struct json_document *d)
{
	struct str_list whys = json_refusal(r->a, r->dialect, d);

	for (size_t i = 0; i < whys.n; i++)
		VEC_PUSH(r->a, &r->faults, (struct fault){whys.v[i], whys.v[i], NULL});
	return false;
}

/* Since 3.27 every error is reported, since 4.1 with its place. */
static bool
parse_new(struct reading *r, struct str text, struct pool *pool)
{
	struct json_document d = json_read(r->a, r->dialect, JSON_STRICT, text);
	bool is_read;

	d.path = r->path;
	if (!d.root)
		return refuse_document(r, &d);
	is_read = read_root(r, d.root, pool);
	for (size_t i = 0; i < r->faults.n; i++) {
		struct fault *f = &r->faults.v[i];

		f->why = json_place_text(r->a, r->dialect, &d, f->at, f->why);
	}
	return is_read;
}

static bool
parse_spec(struct reading *r, struct str text, struct pool *pool)
{
	return r->dialect->has[DIALECT_SPEC_ERROR_DETAILS] ? parse_new(r, text, pool)
							   : parse_old(r, text, pool);
}

static bool
say_refusal(const struct reading *r, struct diag *d)
{
	struct buf details = {.arena = r->a};

	if (!r->dialect->has[DIALECT_SPEC_ERROR_DETAILS])
		return diag_error(d, NO_PLACE,
			"Could not read/parse resource spec file %.*s: %.*s",
			STR_ARG(r->path), STR_ARG(r->faults.v[0].old_why));
	for (size_t i = 0; i < r->faults.n; i++)
		buf_fmt(&details, "\n%.*s", STR_ARG(r->faults.v[i].why));
	return diag_error(d, NO_PLACE,
		"Could not read/parse resource spec file %.*s:%s%.*s", STR_ARG(r->path),
		r->dialect->has[DIALECT_SPEC_ERROR_PLACES] ? "" : " ",
		STR_ARG(buf_as_str(&details)));
}

bool
resource_spec_load(struct arena *a, const struct dialect *dialect, struct str directory,
	struct str path, struct pool *pool, struct diag *d)
{
	struct reading r = {.a = a, .path = path, .dialect = dialect};
	const char *z = str_z(a, path);
	struct str text = STR_NONE;
	int error =
		file_read_named(a, path_in(a, directory, path), &text) || errno == EISDIR
			? 0
			: errno;

	INVARIANT(pool && d);
	if (error && error_is_absence(error))
		refuse_as(&r, NULL, "File not found",
			str_fmt_z(a, "File not found: %s", z));
	else if (error)
		refuse_spec(
			&r, NULL, str_fmt_z(a, "cannot be read: %s", strerror(error)));
	if (error || !parse_spec(&r, text, pool)) {
		*pool = (struct pool){0};
		return say_refusal(&r, d);
	}
	for (size_t i = 0; i < r.remarks.n; i++)
		diag_warning(
			d, (struct place){.file = path}, "%.*s", STR_ARG(r.remarks.v[i]));
	return true;
}

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
#include "runner/files.h"

#define BYTE_ORDER_MARK "\xef\xbb\xbf"

/* Why a file is refused; at is the value that is wrong, NULL when none is there. */
struct fault {
	struct str why;
	const cJSON *at;
	str_vec remarks; /* on what is let pass, as ctest does */
};

static bool
refuse(struct fault *f, const cJSON *at, const char *why)
{
	f->why = str_of(why);
	f->at = at;
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

/* cctr's own member, which ctest lets pass: texts only. */
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
read_instance(struct arena *a, const cJSON *v, struct resource_instance *r)
{
	const cJSON *id = member(v, "id"), *slots = member(v, "slots");

	if (!cJSON_IsObject(v) || !cJSON_IsString(id) ||
		!is_name(str_of(id->valuestring), true) ||
		(slots && !is_whole(slots, 0, UINT_MAX)))
		return false;
	r->id = str_dup(a, str_of(id->valuestring));
	r->slots = slots ? (uint64_t)slots->valuedouble : 1;
	read_properties(a, member(v, "properties"), r);
	return true;
}

static bool
read_type(struct arena *a, const cJSON *v, struct resource_type *t, struct fault *f)
{
	struct map ids = map_in(a);
	struct resource_instance r = {.held = 0};
	const cJSON *m;

	if (!cJSON_IsArray(v))
		return refuse(f, v, "Invalid resource type object");
	t->v = NEW_ARRAY(a, struct resource_instance, (size_t)cJSON_GetArraySize(v));
	cJSON_ArrayForEach(m, v)
	{
		uint32_t *at;

		if (!read_instance(a, m, &r))
			return refuse(f, m, "Invalid resource object");
		at = map_at(&ids, r.id);
		if (*at == MAP_NONE)
			*at = (uint32_t)t->n++;
		else
			VEC_PUSH(a, &f->remarks,
				str_fmt(a,
					"%.*s: id '%.*s' stands twice, the last one "
					"counts",
					STR_ARG(t->name), STR_ARG(r.id)));
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
types_of(struct arena *a, const cJSON *machine, size_t *n, struct fault *f)
{
	struct named *v = NEW_ARRAY(a, struct named, (size_t)cJSON_GetArraySize(machine));
	struct map names = map_in(a);
	const cJSON *m;

	*n = 0;
	cJSON_ArrayForEach(m, machine)
	{
		struct str name = str_of(m->string);
		uint32_t *at;

		if (!is_name(name, false)) {
			VEC_PUSH(a, &f->remarks,
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
read_machine(struct arena *a, const cJSON *machine, struct pool *pool, struct fault *f)
{
	struct named *types;

	types = types_of(a, machine, &pool->n, f);
	pool->types = NEW_ARRAY(a, struct resource_type, pool->n);
	for (size_t i = 0; i < pool->n; i++) {
		pool->types[i].name = str_dup(a, types[i].name);
		if (!read_type(a, types[i].value, &pool->types[i], f))
			return false;
	}
	return true;
}

/* ---- the file -------------------------------------------------------------------------
 */

static bool
check_version(const cJSON *root, struct fault *f)
{
	const cJSON *version = member(root, "version"), *major, *minor;

	if (!version)
		return refuse(f, NULL, "No version specified");
	if (!cJSON_IsObject(version))
		return refuse(f, version, "Invalid version object");
	major = member(version, "major");
	minor = member(version, "minor");
	if (!is_whole(major, INT_MIN, INT_MAX) || !is_whole(minor, INT_MIN, INT_MAX))
		return refuse(f, version, "Invalid version object");
	return (major->valueint == 1 && minor->valueint == 0) ||
	       refuse(f, version, "Unsupported version");
}

static bool
read_root(struct arena *a, const cJSON *root, struct pool *pool, struct fault *f)
{
	const cJSON *local;

	if (!cJSON_IsObject(root))
		return refuse(f, root, "Invalid root object");
	if (!check_version(root, f))
		return false;
	local = member(root, "local");
	if (!cJSON_IsArray(local) || cJSON_GetArraySize(local) > 1)
		return refuse(f, local, "Invalid socket object");
	if (!local->child)
		return true;
	if (!cJSON_IsObject(local->child))
		return refuse(f, local->child, "Invalid socket object");
	return read_machine(a, local->child, pool, f);
}

/* Counts the values in front of the one that is wanted, in the order of the text. As deep
 * as cJSON lets values nest. */
static bool
count_before(const cJSON *v, const cJSON *wanted, size_t *n)
{
	for (; v; v = v->next) {
		if (v == wanted)
			return true;
		++*n;
		if (count_before(v->child, wanted, n))
			return true;
	}
	return false;
}

/* What is refused, and the place in the text, its end for none; and what is not. */
struct refusal {
	struct str why;
	size_t at;
	str_vec remarks;
};

static bool
parse(struct arena *a, struct str text, struct pool *pool, struct refusal *r)
{
	struct str strict;
	cJSON *root = NULL;
	struct fault f = {.why = STR("JSON parse error")};
	size_t number = 0;
	bool is_read;

	*pool = (struct pool){0};
	if (json_relax(a, text, &strict))
		root = cJSON_ParseWithLength(strict.p, strict.n);
	is_read = root && read_root(a, root, pool, &f);
	*r = (struct refusal){f.why, text.n, f.remarks};
	if (!is_read) {
		*pool = (struct pool){0};
		if (f.at && !cJSON_IsNull(f.at) && count_before(root, f.at, &number))
			r->at = json_value_at(strict, number) +
				(str_begins(text, STR(BYTE_ORDER_MARK))
						? sizeof BYTE_ORDER_MARK - 1
						: 0);
	}
	cJSON_Delete(root);
	return is_read;
}

bool
resource_spec_parse(struct arena *a, struct str text, struct pool *pool, struct str *why)
{
	struct refusal r;
	bool is_read = parse(a, text, pool, &r);

	if (!is_read)
		*why = r.why;
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

/* "file.json:3: MESSAGE", that line, and a caret under the place. */
static struct str
with_place(
	struct arena *a, struct str message, struct str path, struct str text, size_t at)
{
	struct str head = str_cut(text.p, at), line;
	size_t last = str_rfind(head, '\n'), begin = last < head.n ? last + 1 : 0;
	unsigned number = 1;

	line = str_from(text, begin);
	line.n = str_find(line, '\n');
	for (size_t i = 0; i < at; i++)
		number += text.p[i] == '\n';
	return str_fmt(a, "%.*s:%u: %.*s\n%.*s\n%*s^", STR_ARG(path_name(path)), number,
		STR_ARG(message), STR_ARG(line), (int)(at - begin), "");
}

static struct str
details(struct arena *a, const struct dialect *dialect, struct str path, struct str text,
	const struct refusal *r)
{
	struct str message = newer_words(a, r->why, path, text);

	if (!dialect->has[DIALECT_SPEC_PLACES] || r->at == text.n)
		return message;
	return with_place(a, message, path, text, r->at);
}

bool
resource_spec_load(struct arena *a, const struct dialect *dialect, struct str path,
	struct pool *pool, struct diag *d)
{
	struct str text = STR_NONE;
	struct refusal r = {.why = STR("File not found")};

	if ((file_read(a, str_z(a, path), &text) || path_is_directory(str_z(a, path))) &&
		parse(a, text, pool, &r)) {
		for (size_t i = 0; i < r.remarks.n; i++)
			diag_warning(d, (struct place){.file = path}, "%.*s",
				STR_ARG(r.remarks.v[i]));
		return true;
	}
	if (dialect->has[DIALECT_SPEC_DETAILS])
		return diag_error(d, NO_PLACE,
			"Could not read/parse resource spec file %.*s:\n%.*s",
			STR_ARG(path), STR_ARG(details(a, dialect, path, text, &r)));
	return diag_error(d, NO_PLACE,
		"Could not read/parse resource spec file %.*s: %.*s", STR_ARG(path),
		STR_ARG(r.why));
}

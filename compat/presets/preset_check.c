/*
 * The one pass that checks a presets file against the tables of preset_schema.c. Later
 * steps interpret values of the right shape.
 *
 * Every error is reported, in ctest's order: member by member as in the table, then
 * unknown members by name. Until 3.26 ctest stops at the first error, and preset_wrong
 * keeps only that one.
 */
#include <cjson/cJSON.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compat/presets/preset_schema.h"

const cJSON *
preset_member(const cJSON *object, const char *name)
{
	return cJSON_IsObject(object) ? cJSON_GetObjectItemCaseSensitive(object, name)
				      : NULL;
}

struct walk {
	struct preset_set *s;
	const struct preset_file *file;
	const struct schema_object *in; /* the object whose members are checked */
	const cJSON *preset; /* the preset that is checked */
	const char *variable; /* the variable of cacheVariables that is checked */
	const cJSON *unreported; /* the first wrong value without a message, or NULL */
	int newest;
};

/* ---- shapes ---------------------------------------------------------------------- */

static bool
is_whole(const cJSON *v, double least, double most)
{
	return cJSON_IsNumber(v) && v->valuedouble >= least && v->valuedouble <= most &&
	       v->valuedouble == floor(v->valuedouble);
}

static bool
is_int(const cJSON *v)
{
	return is_whole(v, INT_MIN, INT_MAX);
}

static bool
is_unsigned(const cJSON *v)
{
	return is_whole(v, 0, UINT_MAX);
}

static bool
is_text(const cJSON *v)
{
	return cJSON_IsString(v);
}

static bool
is_flag(const cJSON *v)
{
	return cJSON_IsBool(v);
}

static bool
is_word(const cJSON *v, const char *const *words)
{
	if (!is_text(v))
		return false;
	while (*words && strcmp(*words, v->valuestring) != 0)
		words++;
	return *words;
}

static bool
has_comments(const struct walk *w)
{
	return w->newest >= 10 && w->file->version >= 10;
}

/* ---- messages -------------------------------------------------------------------- */

static struct str
preset_name(const struct walk *w)
{
	return preset_text(w->s, w->file, preset_member(w->preset, "name"));
}

static bool
bad_condition(struct walk *w, const cJSON *at)
{
	return preset_wrong(w->s, "Invalid preset condition", AT(w->file, at),
		"Invalid condition for preset \"%.*s\"", STR_ARG(preset_name(w)));
}

static bool
bad_variable_as(struct walk *w, const char *older, const char *name, const cJSON *at)
{
	return preset_wrong(w->s, older, AT(w->file, at),
		"Invalid CMake variable \"%s\" for preset \"%.*s\"", name,
		STR_ARG(preset_name(w)));
}

static bool
bad_variable(struct walk *w, const char *name, const cJSON *at)
{
	return bad_variable_as(w, "Invalid CMake variable definition", name, at);
}

static bool
refuse(struct walk *w, const struct schema_member *m, const cJSON *at)
{
	if (!m->refused && w->in->naming == NAMED_CONDITION)
		return bad_condition(w, at);
	return preset_wrong(w->s, m->refused ? m->refused : w->in->older, AT(w->file, at),
		"%s", m->refused ? m->refused : "Invalid preset");
}

/* The message for a wrong type. */
static bool
refuse_type(struct walk *w, const struct schema_member *m, const cJSON *at)
{
	if (!m->is_silent || !w->s->dialect->has[DIALECT_PRESET_DETAILS])
		return refuse(w, m, at);
	if (!w->unreported)
		w->unreported = at;
	return false;
}

static bool
expected(struct walk *w, const struct schema_member *m, const cJSON *at, const char *what)
{
	bool has_text = !cJSON_IsArray(at) && !cJSON_IsObject(at);
	struct str got = preset_text(w->s, w->file, at);

	if (m->refused)
		return refuse(w, m, at);
	return preset_wrong(w->s, w->in->older, AT(w->file, at),
		"\"%s\" expected %s%s%.*s", m->name, what, has_text ? ", got: " : "",
		STR_ARG(got));
}

static bool
bad_name(struct walk *w, const cJSON *at)
{
	struct str got = preset_text(w->s, w->file, at);

	return preset_wrong(w->s, w->in->older, AT(w->file, at),
		"Invalid Preset Name%s%.*s", got.n ? ": " : "", STR_ARG(got));
}

/* What the object that is the member's value is called. */
static struct str
called(const struct walk *w, const struct schema_member *m)
{
	struct arena *a = w->s->a;

	switch (m->object->naming) {
	case NAMED_OBJECT:
		return STR("Object");
	case NAMED_PRESET:
		return STR("Preset");
	case NAMED_KEY:
		return str_fmt(a, "\"%s\"", m->name);
	case NAMED_CONDITION: /* with two blanks, as in ctest */
		return str_fmt(
			a, " condition for preset \"%.*s\"", STR_ARG(preset_name(w)));
	case NAMED_VARIABLE:
		return str_fmt(a, "variable \"%s\" for preset \"%.*s\"", w->variable,
			STR_ARG(preset_name(w)));
	case NAMED_ROOT:
		return STR("root object");
	}
	BUG("an object without a name");
}

/* ---- members by name ------------------------------------------------------------- */

typedef VEC(const cJSON *) member_vec;

static int
by_name(const void *a, const void *b)
{
	const cJSON *const *x = a, *const *y = b;

	return strcmp((*x)->string, (*y)->string);
}

static void
sort_members(member_vec *members)
{
	if (members->n)
		qsort(members->v, members->n, sizeof *members->v, by_name);
}

/* Empty if `object` is not an object: elements of a list have no names. */
static member_vec
members_of(struct walk *w, const cJSON *object)
{
	member_vec members = {.n = 0};
	const cJSON *m;

	if (!cJSON_IsObject(object))
		return members;
	cJSON_ArrayForEach(m, object) VEC_PUSH(w->s->a, &members, m);
	sort_members(&members);
	return members;
}

/* ---- objects --------------------------------------------------------------------- */

static bool check_value(struct walk *w, const struct schema_member *m, const cJSON *v);

static bool
is_known(const struct walk *w, const struct schema_object *o, const char *name)
{
	for (size_t i = 0; i < o->n; i++)
		if (o->v[i].since <= w->newest && strcmp(o->v[i].name, name) == 0)
			return true;
	return has_comments(w) && strcmp(name, "$comment") == 0;
}

static bool
check_unknown(struct walk *w, const struct schema_member *m, const cJSON *v)
{
	const struct schema_object *o = m->object;
	member_vec unknown = {.n = 0};
	const cJSON *member;

	if (o->is_open)
		return true;
	cJSON_ArrayForEach(member, v) if (!is_known(w, o, member->string))
		VEC_PUSH(w->s->a, &unknown, member);
	sort_members(&unknown);
	for (size_t i = 0; i < unknown.n; i++)
		preset_wrong(w->s, o->older, AT(w->file, unknown.v[i]),
			"Invalid extra field \"%s\" in %.*s", unknown.v[i]->string,
			STR_ARG(called(w, m)));
	return unknown.n == 0;
}

static bool
check_known(struct walk *w, const struct schema_member *m, const cJSON *v)
{
	const struct schema_object *o = m->object;
	bool is_good = true;

	for (size_t i = 0; i < o->n; i++) {
		const struct schema_member *known = &o->v[i];
		const cJSON *found =
			known->since <= w->newest ? preset_member(v, known->name) : NULL;

		if (found)
			is_good &= check_value(w, known, found);
		else if (known->is_required)
			is_good = preset_wrong(w->s, o->older, AT(w->file, v),
				"Missing required field \"%s\" in %.*s", known->name,
				STR_ARG(called(w, m)));
	}
	return is_good;
}

static bool
check_object(struct walk *w, const struct schema_member *m, const cJSON *v)
{
	const struct schema_object *outer = w->in;
	bool is_good;

	if (!cJSON_IsObject(v))
		return preset_wrong(w->s, m->object->older, AT(w->file, v),
			"Invalid %.*s", STR_ARG(called(w, m)));
	w->in = m->object;
	is_good = check_known(w, m, v);
	is_good &= check_unknown(w, m, v);
	w->in = outer;
	return is_good;
}

/* ---- lists and maps -------------------------------------------------------------- */

/* An element is named by its index. */
static bool
check_list(
	struct walk *w, const struct schema_member *m, const cJSON *v, enum shape shape)
{
	struct schema_member element = *m;
	bool is_good = true, has_presets = m->object && m->object->naming == NAMED_PRESET;
	size_t i = 0;
	const cJSON *e;

	if (!cJSON_IsArray(v))
		return refuse(w, m, v);
	element.shape = shape;
	cJSON_ArrayForEach(e, v)
	{
		element.name = str_fmt(w->s->a, "$vector_item_%zu", i++).p;
		if (has_presets)
			w->preset = e;
		is_good &= check_value(w, &element, e);
	}
	return is_good;
}

static bool
check_environment(struct walk *w, const struct schema_member *m, const cJSON *v)
{
	member_vec members = members_of(w, v);
	bool is_good = true;

	if (!cJSON_IsObject(v))
		return refuse(w, m, v);
	for (size_t i = 0; i < members.n; i++)
		if (!cJSON_IsNull(members.v[i]) && !is_text(members.v[i]))
			is_good = refuse(w, m, members.v[i]);
	return is_good;
}

static bool
check_cache(struct walk *w, const struct schema_member *m, const cJSON *v)
{
	member_vec members = members_of(w, v);
	bool is_good = true;

	if (!cJSON_IsObject(v))
		return refuse(w, m, v);
	for (size_t i = 0; i < members.n; i++) {
		const cJSON *member = members.v[i];

		w->variable = member->string;
		if (cJSON_IsObject(member))
			is_good &= check_object(w, &preset_schema_variable, member);
		else if (!cJSON_IsNull(member) && !is_flag(member) && !is_text(member))
			is_good = bad_variable(w, member->string, member);
	}
	return is_good;
}

/* ctest looks for their names among the cache variables, and does not find them. */
static bool
check_variables(struct walk *w, const cJSON *v)
{
	member_vec members = members_of(w, v);
	bool is_good = true;

	if (!cJSON_IsObject(v))
		return bad_variable_as(w, w->in->older, "", v);
	for (size_t i = 0; i < members.n; i++)
		if (!is_text(members.v[i]))
			is_good = bad_variable(w, "", members.v[i]);
	return is_good;
}

/* ---- values ---------------------------------------------------------------------- */

/* Recursive, at most as deep as JSON nests. */
static bool
check_condition(struct walk *w, const cJSON *v)
{
	const cJSON *type = preset_member(v, "type");
	const struct schema_member *m =
		preset_schema_condition(is_text(type) ? type->valuestring : NULL);

	if (is_flag(v))
		return true;
	return m ? check_object(w, m, v) : bad_condition(w, v);
}

/* Since version 11 of the format "" means the default number. */
static bool
check_jobs(struct walk *w, const struct schema_member *m, const cJSON *v)
{
	if (w->newest < 11)
		return is_int(v) || expected(w, m, v, "an integer");
	if (m->shape == SHAPE_BUILD_JOBS)
		return is_unsigned(v) || expected(w, m, v, "an unsigned integer");
	return is_unsigned(v) || (is_text(v) && !*v->valuestring) || refuse(w, m, v);
}

static bool
check_value(struct walk *w, const struct schema_member *m, const cJSON *v)
{
	switch (m->shape) {
	case SHAPE_ANY:
		return true;
	case SHAPE_TEXT:
		return is_text(v) || expected(w, m, v, "a string");
	case SHAPE_NAME:
		return (is_text(v) && *v->valuestring) || bad_name(w, v);
	case SHAPE_WORD:
		return is_word(v, m->words) ||
		       (is_text(v) ? refuse(w, m, v) : refuse_type(w, m, v));
	case SHAPE_FLAG:
		return is_flag(v) || expected(w, m, v, "a bool");
	case SHAPE_TEXT_OR_FLAG:
		return is_text(v) || is_flag(v) || expected(w, m, v, "a string");
	case SHAPE_INT:
		return is_int(v) || expected(w, m, v, "an integer");
	case SHAPE_UNSIGNED:
		return is_unsigned(v) || expected(w, m, v, "an unsigned integer");
	case SHAPE_MAP:
		return cJSON_IsObject(v) || refuse(w, m, v);
	case SHAPE_OBJECT:
		return check_object(w, m, v);
	case SHAPE_OBJECTS:
		return check_list(w, m, v, SHAPE_OBJECT);
	case SHAPE_TEXTS:
		return check_list(w, m, v, SHAPE_TEXT);
	case SHAPE_TEXT_OR_TEXTS:
		return is_text(v) || check_list(w, m, v, SHAPE_TEXT);
	case SHAPE_TEXT_OR_OBJECT:
		if (cJSON_IsObject(v))
			return check_object(w, m, v);
		return is_text(v) || refuse_type(w, m, v);
	case SHAPE_INTS:
		return check_list(w, m, v, SHAPE_INT);
	case SHAPE_ENVIRONMENT:
		return check_environment(w, m, v);
	case SHAPE_CACHE:
		return check_cache(w, m, v);
	case SHAPE_VARIABLES:
		return check_variables(w, v);
	case SHAPE_CONDITION:
		return cJSON_IsNull(v) || check_condition(w, v);
	case SHAPE_PART:
		return check_condition(w, v);
	case SHAPE_PARTS:
		return check_list(w, m, v, SHAPE_PART);
	case SHAPE_BUILD_JOBS:
	case SHAPE_TEST_JOBS:
		return check_jobs(w, m, v);
	}
	BUG("a shape without a check");
}

/* ---- the file -------------------------------------------------------------------- */

/* Checks for what the version of the file does not have yet, in the order of the
 * messages. */
static bool
check_age(struct walk *w, const cJSON *root)
{
	static const struct {
		const char *member;
		int since;
		const char *what;
		bool has_stop; /* a full stop, until 3.26 */
	} ages[] = {
		{"buildPresets", 2, "build and test preset support", true},
		{"testPresets", 2, "build and test preset support", true},
		{"packagePresets", 6, "package preset support", false},
		{"workflowPresets", 6, "workflow preset support", false},
		{"include", 4, "include support", false},
		{"$schema", 8, "$schema support", false},
	};

	for (size_t i = 0; i < sizeof ages / sizeof *ages; i++)
		if (w->file->version < ages[i].since && ages[i].since <= w->newest &&
			preset_member(root, ages[i].member))
			return preset_needs_version(
				w->s, ages[i].since, ages[i].what, ages[i].has_stop);
	return true;
}

static bool
check_version(struct walk *w, struct preset_file *file)
{
	const cJSON *version = preset_member(file->root, "version");
	static const char unknown[] = "Unrecognized \"version\" field";

	if (!version)
		return preset_wrong(
			w->s, "No \"version\" field", NOWHERE, "No \"version\" field");
	if (!is_int(version))
		return preset_wrong(w->s, "Invalid \"version\" field", AT(file, version),
			"Invalid \"version\" field");
	file->version = version->valueint;
	if (file->version >= 1 && file->version <= w->newest)
		return true;
	if (!w->s->dialect->has[DIALECT_PRESET_VERSIONS])
		return preset_wrong(w->s, unknown, AT(file, version), unknown);
	return preset_wrong(w->s, unknown, AT(file, version),
		"Unrecognized \"version\" %.*s: must be >=1 and <=%d",
		STR_ARG(preset_text(w->s, file, version)), w->newest);
}

bool
preset_schema_check(struct preset_set *s, struct preset_file *file)
{
	struct walk w = {
		.s = s, .file = file, .newest = preset_newest_version(s->dialect)};

	if (!cJSON_IsObject(file->root))
		return preset_wrong(s, "Invalid root object", AT(file, file->root),
			"Invalid root object");
	if (!check_version(&w, file) || !check_age(&w, file->root))
		return false;
	if (check_object(&w, &preset_schema_root, file->root))
		return true;
	/* ctest aborts here, without a message. */
	return s->fault.n ? false
			  : preset_wrong(s, "Invalid preset", AT(file, w.unreported),
				    "Invalid preset");
}

/*
 * The one pass that checks a presets file against the tables of preset_schema.c. Later
 * steps interpret values of the right shape.
 *
 * Every error is reported, in ctest's order: member by member as in the table, then
 * unknown members by name. Until 3.26 ctest stops at the first error, and preset_wrong
 * keeps only that one.
 */
#include <limits.h>
#include <stdlib.h>

#include "compat/presets/preset_schema.h"

struct walk {
	struct preset_set *s;
	const struct preset_file *file;
	const struct schema_object *in; /* the object whose members are checked */
	const struct json_value *preset; /* the preset that is checked */
	struct str variable; /* the variable of cacheVariables that is checked */
	const struct json_value
		*unreported; /* the first wrong value without a message, or NULL */
	int newest;
};

/* ---- shapes ---------------------------------------------------------------------- */

static bool
is_int(const struct json_value *v)
{
	return json_is_whole(v, INT_MIN, INT_MAX);
}

static bool
is_unsigned(const struct json_value *v)
{
	return json_is_whole(v, 0, UINT_MAX);
}

static bool
is_text(const struct json_value *v)
{
	return json_is(v, JSON_STRING);
}

static bool
is_flag(const struct json_value *v)
{
	return json_is_bool(v);
}

static bool
is_word(const struct json_value *v, const char *const *words)
{
	if (!is_text(v))
		return false;
	while (*words && !str_is(v->text, *words))
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
	return preset_text(w->s, json_member(w->preset, "name"));
}

static bool
bad_condition(struct walk *w, const struct json_value *at)
{
	return preset_wrong(w->s, "Invalid preset condition", AT(w->file, at),
		"Invalid condition for preset \"%.*s\"", STR_ARG(preset_name(w)));
}

static bool
bad_variable_as(
	struct walk *w, const char *older, struct str name, const struct json_value *at)
{
	return preset_wrong(w->s, older, AT(w->file, at),
		"Invalid CMake variable \"%.*s\" for preset \"%.*s\"", STR_ARG(name),
		STR_ARG(preset_name(w)));
}

static bool
bad_variable(struct walk *w, struct str name, const struct json_value *at)
{
	return bad_variable_as(w, "Invalid CMake variable definition", name, at);
}

static bool
refuse(struct walk *w, const struct schema_member *m, const struct json_value *at)
{
	if (!m->refused && w->in->naming == NAMED_CONDITION)
		return bad_condition(w, at);
	return preset_wrong(w->s, m->refused ? m->refused : w->in->older, AT(w->file, at),
		"%s", m->refused ? m->refused : "Invalid preset");
}

/* The message for a wrong type. */
static bool
refuse_type(struct walk *w, const struct schema_member *m, const struct json_value *at)
{
	if (!m->is_silent || !w->s->dialect->has[DIALECT_PRESET_ERROR_DETAILS])
		return refuse(w, m, at);
	if (!w->unreported)
		w->unreported = at;
	return false;
}

static bool
expected(struct walk *w, const struct schema_member *m, const struct json_value *at,
	const char *what)
{
	bool has_text = !json_is(at, JSON_ARRAY) && !json_is(at, JSON_OBJECT);
	struct str got = preset_text(w->s, at);

	if (m->refused)
		return refuse(w, m, at);
	return preset_wrong(w->s, w->in->older, AT(w->file, at),
		"\"%s\" expected %s%s%.*s", m->name, what, has_text ? ", got: " : "",
		STR_ARG(got));
}

static bool
bad_name(struct walk *w, const struct json_value *at)
{
	struct str got = preset_text(w->s, at);

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
		return str_fmt(a, "variable \"%.*s\" for preset \"%.*s\"",
			STR_ARG(w->variable), STR_ARG(preset_name(w)));
	case NAMED_ROOT:
		return STR("root object");
	}
	BUG("an object without a name");
}

/* ---- members by name ------------------------------------------------------------- */

typedef VEC(const struct json_value *) member_vec;

static int
by_name(const void *a, const void *b)
{
	const struct json_value *const *x = a, *const *y = b;

	return str_order((*x)->name, (*y)->name);
}

static void
sort_members(member_vec *members)
{
	if (members->n)
		qsort(members->v, members->n, sizeof *members->v, by_name);
}

/* Empty if `object` is not an object: elements of a list have no names. */
static member_vec
members_of(struct walk *w, const struct json_value *object)
{
	member_vec members = {.n = 0};
	const struct json_value *m;

	if (!json_is(object, JSON_OBJECT))
		return members;
	for (m = json_first(object); m; m = m->next)
		VEC_PUSH(w->s->a, &members, m);
	sort_members(&members);
	return members;
}

/* ---- objects --------------------------------------------------------------------- */

static bool check_value(
	struct walk *w, const struct schema_member *m, const struct json_value *v);

static bool
is_known(const struct walk *w, const struct schema_object *o, struct str name)
{
	for (size_t i = 0; i < o->n; i++)
		if (o->v[i].since <= w->newest && str_is(name, o->v[i].name))
			return true;
	return has_comments(w) && str_is(name, "$comment");
}

static bool
check_unknown(struct walk *w, const struct schema_member *m, const struct json_value *v)
{
	const struct schema_object *o = m->object;
	member_vec unknown = {.n = 0};
	const struct json_value *member;

	if (o->is_open)
		return true;
	for (member = json_first(v); member; member = member->next)
		if (!is_known(w, o, member->name))
			VEC_PUSH(w->s->a, &unknown, member);
	sort_members(&unknown);
	for (size_t i = 0; i < unknown.n; i++)
		preset_wrong(w->s, o->older, AT(w->file, unknown.v[i]),
			"Invalid extra field \"%.*s\" in %.*s",
			STR_ARG(unknown.v[i]->name), STR_ARG(called(w, m)));
	return unknown.n == 0;
}

static bool
check_known(struct walk *w, const struct schema_member *m, const struct json_value *v)
{
	const struct schema_object *o = m->object;
	bool is_good = true;

	for (size_t i = 0; i < o->n; i++) {
		const struct schema_member *known = &o->v[i];
		const struct json_value *found =
			known->since <= w->newest ? json_member(v, known->name) : NULL;

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
check_object(struct walk *w, const struct schema_member *m, const struct json_value *v)
{
	const struct schema_object *outer = w->in;
	bool is_good;

	if (!json_is(v, JSON_OBJECT))
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
check_list(struct walk *w, const struct schema_member *m, const struct json_value *v,
	enum shape shape)
{
	struct schema_member element = *m;
	bool is_good = true, has_presets = m->object && m->object->naming == NAMED_PRESET;
	size_t i = 0;
	const struct json_value *e;

	if (!json_is(v, JSON_ARRAY))
		return refuse(w, m, v);
	element.shape = shape;
	for (e = json_first(v); e; e = e->next) {
		element.name = str_fmt(w->s->a, "$vector_item_%zu", i++).p;
		if (has_presets)
			w->preset = e;
		is_good &= check_value(w, &element, e);
	}
	return is_good;
}

static bool
check_environment(
	struct walk *w, const struct schema_member *m, const struct json_value *v)
{
	member_vec members = members_of(w, v);
	bool is_good = true;

	if (!json_is(v, JSON_OBJECT))
		return refuse(w, m, v);
	for (size_t i = 0; i < members.n; i++)
		if (!json_is(members.v[i], JSON_NULL) && !is_text(members.v[i]))
			is_good = refuse(w, m, members.v[i]);
	return is_good;
}

static bool
check_cache(struct walk *w, const struct schema_member *m, const struct json_value *v)
{
	member_vec members = members_of(w, v);
	bool is_good = true;

	if (!json_is(v, JSON_OBJECT))
		return refuse(w, m, v);
	for (size_t i = 0; i < members.n; i++) {
		const struct json_value *member = members.v[i];

		w->variable = member->name;
		if (json_is(member, JSON_OBJECT))
			is_good &= check_object(w, &preset_schema_variable, member);
		else if (!json_is(member, JSON_NULL) && !is_flag(member) &&
			 !is_text(member))
			is_good = bad_variable(w, member->name, member);
	}
	return is_good;
}

/* ctest looks for their names among the cache variables, and does not find them. */
static bool
check_variables(struct walk *w, const struct json_value *v)
{
	member_vec members = members_of(w, v);
	bool is_good = true;

	if (!json_is(v, JSON_OBJECT))
		return bad_variable_as(w, w->in->older, STR(""), v);
	for (size_t i = 0; i < members.n; i++)
		if (!is_text(members.v[i]))
			is_good = bad_variable(w, STR(""), members.v[i]);
	return is_good;
}

/* ---- values ---------------------------------------------------------------------- */

/* Recursive, at most as deep as JSON nests. */
static bool
check_condition(struct walk *w, const struct json_value *v)
{
	const struct json_value *type = json_member(v, "type");
	const struct schema_member *m =
		preset_schema_condition(is_text(type) ? type->text : STR_NONE);

	if (is_flag(v))
		return true;
	return m ? check_object(w, m, v) : bad_condition(w, v);
}

/* Since version 11 of the format "" means the default number. */
static bool
check_jobs(struct walk *w, const struct schema_member *m, const struct json_value *v)
{
	if (w->newest < 11)
		return is_int(v) || expected(w, m, v, "an integer");
	if (m->shape == SHAPE_BUILD_JOBS)
		return is_unsigned(v) || expected(w, m, v, "an unsigned integer");
	return is_unsigned(v) || (is_text(v) && !v->text.n) || refuse(w, m, v);
}

static bool
check_value(struct walk *w, const struct schema_member *m, const struct json_value *v)
{
	switch (m->shape) {
	case SHAPE_ANY:
		return true;
	case SHAPE_TEXT:
		return is_text(v) || expected(w, m, v, "a string");
	case SHAPE_NAME:
		return (is_text(v) && v->text.n) || bad_name(w, v);
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
		return json_is(v, JSON_OBJECT) || refuse(w, m, v);
	case SHAPE_OBJECT:
		return check_object(w, m, v);
	case SHAPE_OBJECTS:
		return check_list(w, m, v, SHAPE_OBJECT);
	case SHAPE_TEXTS:
		return check_list(w, m, v, SHAPE_TEXT);
	case SHAPE_TEXT_OR_TEXTS:
		return is_text(v) || check_list(w, m, v, SHAPE_TEXT);
	case SHAPE_TEXT_OR_OBJECT:
		if (json_is(v, JSON_OBJECT))
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
		return json_is(v, JSON_NULL) || check_condition(w, v);
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
check_age(struct walk *w, const struct json_value *root)
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
			json_member(root, ages[i].member))
			return preset_needs_version(
				w->s, ages[i].since, ages[i].what, ages[i].has_stop);
	return true;
}

static bool
check_version(struct walk *w, struct preset_file *file)
{
	const struct json_value *version = json_member(file->document.root, "version");
	static const char unknown[] = "Unrecognized \"version\" field";

	if (!version)
		return preset_wrong(
			w->s, "No \"version\" field", NOWHERE, "No \"version\" field");
	if (!is_int(version))
		return preset_wrong(w->s, "Invalid \"version\" field", AT(file, version),
			"Invalid \"version\" field");
	file->version = (int)version->number;
	if (file->version >= 1 && file->version <= w->newest)
		return true;
	if (!w->s->dialect->has[DIALECT_PRESET_ERROR_VERSIONS])
		return preset_wrong(w->s, unknown, AT(file, version), unknown);
	return preset_wrong(w->s, unknown, AT(file, version),
		"Unrecognized \"version\" %.*s: must be >=1 and <=%d",
		STR_ARG(preset_text(w->s, version)), w->newest);
}

bool
preset_schema_check(struct preset_set *s, struct preset_file *file)
{
	struct walk w = {
		.s = s, .file = file, .newest = preset_newest_version(s->dialect)};

	if (!json_is(file->document.root, JSON_OBJECT))
		return preset_wrong(s, "Invalid root object",
			AT(file, file->document.root), "Invalid root object");
	if (!check_version(&w, file) || !check_age(&w, file->document.root))
		return false;
	if (check_object(&w, &preset_schema_root, file->document.root))
		return true;
	/* ctest aborts here, without a message. */
	return s->fault.n ? false
			  : preset_wrong(s, "Invalid preset", AT(file, w.unreported),
				    "Invalid preset");
}

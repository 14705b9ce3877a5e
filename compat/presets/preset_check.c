/*
 * The one walk that checks a presets file with the tables of preset_schema.c. What a
 * value of the right shape means is for the later steps. The first mistake ends the walk.
 */
#include <cjson/cJSON.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "compat/presets/preset_schema.h"

const cJSON *
preset_member(const cJSON *object, const char *name)
{
	return cJSON_IsObject(object) ? cJSON_GetObjectItemCaseSensitive(object, name)
				      : NULL;
}

/* ---- values ---------------------------------------------------------------------------
 */

struct walk {
	struct preset_set *s;
	const struct preset_file *file;
	struct str preset; /* the name of the one that is looked at */
	enum preset_kind kind;
	int newest;
};

static bool
is_int(const cJSON *v)
{
	return cJSON_IsNumber(v) && v->valuedouble >= INT_MIN &&
	       v->valuedouble <= INT_MAX && v->valuedouble == floor(v->valuedouble);
}

static bool
is_array_of(const cJSON *v, bool (*is_element)(const cJSON *))
{
	const cJSON *m;

	if (!cJSON_IsArray(v))
		return false;
	cJSON_ArrayForEach(m, v) if (!is_element(m)) return false;
	return true;
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
	if (!cJSON_IsString(v))
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

static bool
invalid(struct walk *w, const cJSON *at)
{
	return preset_wrong(w->s, "Invalid preset", AT(w->file, at), "Invalid preset");
}

static bool
expected(struct walk *w, const struct schema_member *m, const cJSON *at, const char *what)
{
	return preset_wrong(w->s, "Invalid preset", AT(w->file, at), "\"%s\" expected %s",
		m->name, what);
}

static bool
check_environment(struct walk *w, const cJSON *v)
{
	const cJSON *m;

	if (!cJSON_IsObject(v))
		return invalid(w, v);
	cJSON_ArrayForEach(
		m, v) if (!cJSON_IsNull(m) && !cJSON_IsString(m)) return invalid(w, m);
	return true;
}

static bool
bad_variable(struct walk *w, const cJSON *v, const cJSON *at)
{
	return preset_wrong(w->s, "Invalid CMake variable definition", AT(w->file, at),
		"Invalid CMake variable \"%s\" for preset \"%.*s\"", v->string,
		STR_ARG(w->preset));
}

static bool
check_cache_object(struct walk *w, const cJSON *v)
{
	const cJSON *value = preset_member(v, "value"), *type = preset_member(v, "type");
	const cJSON *m;

	if (type && !is_text(type))
		return bad_variable(w, v, type);
	if (!value)
		return preset_wrong(w->s, "Invalid CMake variable definition",
			AT(w->file, v),
			"Missing required field \"value\" in variable \"%s\" for preset "
			"\"%.*s\"",
			v->string, STR_ARG(w->preset));
	if (!is_text(value) && !is_flag(value))
		return preset_wrong(w->s, "Invalid CMake variable definition",
			AT(w->file, value), "\"value\" expected a string");
	cJSON_ArrayForEach(m, v) if (m != value && m != type) return preset_wrong(w->s,
		"Invalid CMake variable definition", AT(w->file, m),
		"Invalid extra field \"%s\" in variable \"%s\" for preset \"%.*s\"",
		m->string, v->string, STR_ARG(w->preset));
	return true;
}

static bool
check_cache(struct walk *w, const cJSON *v)
{
	const cJSON *m;

	if (!cJSON_IsObject(v))
		return invalid(w, v);
	cJSON_ArrayForEach(m, v)
	{
		if (cJSON_IsNull(m) || is_flag(m) || is_text(m))
			continue;
		if (!cJSON_IsObject(m))
			return bad_variable(w, m, m);
		if (!check_cache_object(w, m))
			return false;
	}
	return true;
}

static bool
check_variables(struct walk *w, const cJSON *v)
{
	const cJSON *m;

	if (!cJSON_IsObject(v))
		return invalid(w, v);
	cJSON_ArrayForEach(m, v) if (!is_text(m)) return bad_variable(w, m, m);
	return true;
}

/* ---- conditions -----------------------------------------------------------------------
 */

enum condition_part { PART_NONE, PART_FLAG, PART_TEXT, PART_TEXTS, PART_ONE, PART_SOME };
static const struct condition_type {
	const char *name;
	const char *parts[2];
	enum condition_part kinds[2];
} condition_types[] = {
	{"const", {"value"}, {PART_FLAG}},
	{"equals", {"lhs", "rhs"}, {PART_TEXT, PART_TEXT}},
	{"notEquals", {"lhs", "rhs"}, {PART_TEXT, PART_TEXT}},
	{"inList", {"string", "list"}, {PART_TEXT, PART_TEXTS}},
	{"notInList", {"string", "list"}, {PART_TEXT, PART_TEXTS}},
	{"matches", {"string", "regex"}, {PART_TEXT, PART_TEXT}},
	{"notMatches", {"string", "regex"}, {PART_TEXT, PART_TEXT}},
	{"anyOf", {"conditions"}, {PART_SOME}},
	{"allOf", {"conditions"}, {PART_SOME}},
	{"not", {"condition"}, {PART_ONE}},
};

static const struct condition_type *
condition_type(const cJSON *v)
{
	const cJSON *type = preset_member(v, "type");

	for (size_t i = 0; i < sizeof condition_types / sizeof *condition_types; i++)
		if (is_text(type) &&
			strcmp(type->valuestring, condition_types[i].name) == 0)
			return &condition_types[i];
	return NULL;
}

static bool is_condition(const struct walk *w, const cJSON *v);

static bool
are_conditions(const struct walk *w, const cJSON *v)
{
	const cJSON *m;

	if (!cJSON_IsArray(v))
		return false;
	cJSON_ArrayForEach(m, v) if (!is_condition(w, m)) return false;
	return true;
}

static bool
is_part(const struct walk *w, const cJSON *v, enum condition_part kind)
{
	switch (kind) {
	case PART_FLAG:
		return is_flag(v);
	case PART_TEXT:
		return is_text(v);
	case PART_TEXTS:
		return is_array_of(v, is_text);
	case PART_ONE:
		return is_condition(w, v);
	case PART_SOME:
		return are_conditions(w, v);
	case PART_NONE:
		break;
	}
	return false;
}

/* As deep as JSON nests. */
static bool
is_condition(const struct walk *w, const cJSON *v)
{
	const struct condition_type *type = condition_type(v);
	int members = 1;

	if (is_flag(v))
		return true;
	for (size_t i = 0; type && i < 2 && type->parts[i]; i++, members++)
		if (!is_part(w, preset_member(v, type->parts[i]), type->kinds[i]))
			return false;
	if (has_comments(w) && preset_member(v, "$comment"))
		members++;
	return type && cJSON_GetArraySize(v) == members;
}

/* ---- objects --------------------------------------------------------------------------
 */

static bool check_object(struct walk *w, const struct schema_object *o, const cJSON *v);

static bool
check_steps(struct walk *w, const struct schema_member *m, const cJSON *v)
{
	const cJSON *e;

	if (!cJSON_IsArray(v))
		return invalid(w, v);
	cJSON_ArrayForEach(e, v) if (!check_object(w, m->object, e)) return false;
	return true;
}

/* "" means the default number since version 11 of the format. */
static bool
check_jobs(struct walk *w, const cJSON *v)
{
	if (w->newest < 11)
		return is_int(v) || invalid(w, v);
	if ((is_int(v) && v->valuedouble >= 0) || (is_text(v) && !*v->valuestring))
		return true;
	if (w->kind == PRESET_BUILD && is_int(v))
		return preset_wrong(w->s, "Invalid preset", AT(w->file, v),
			"\"jobs\" expected an unsigned integer, got: %d", v->valueint);
	return invalid(w, v);
}

static bool
check_value(struct walk *w, const struct schema_member *m, const cJSON *v)
{
	switch (m->shape) {
	case SHAPE_TEXT:
		return is_text(v) || expected(w, m, v, "a string");
	case SHAPE_NAME:
		return (is_text(v) && *v->valuestring) ||
		       preset_wrong(w->s, "Invalid preset", AT(w->file, v),
			       "Invalid Preset Name");
	case SHAPE_WORD:
		return is_word(v, m->words) || invalid(w, v);
	case SHAPE_FLAG:
		return is_flag(v) || expected(w, m, v, "a boolean");
	case SHAPE_INT:
		return is_int(v) || expected(w, m, v, "an integer");
	case SHAPE_MAP:
		return cJSON_IsObject(v) || invalid(w, v);
	case SHAPE_OBJECT:
		return check_object(w, m->object, v);
	case SHAPE_TEXTS:
		return is_array_of(v, is_text) || invalid(w, v);
	case SHAPE_TEXT_OR_TEXTS:
		return is_text(v) || is_array_of(v, is_text) || invalid(w, v);
	case SHAPE_TEXT_OR_OBJECT:
		return is_text(v) || check_object(w, m->object, v);
	case SHAPE_INTS:
		return is_array_of(v, is_int) || invalid(w, v);
	case SHAPE_ENVIRONMENT:
		return check_environment(w, v);
	case SHAPE_CACHE:
		return check_cache(w, v);
	case SHAPE_VARIABLES:
		return check_variables(w, v);
	case SHAPE_CONDITION:
		return cJSON_IsNull(v) || is_condition(w, v) ||
		       preset_wrong(w->s, "Invalid preset condition", NOWHERE,
			       "Invalid condition for preset \"%.*s\"",
			       STR_ARG(w->preset));
	case SHAPE_JOBS:
		return check_jobs(w, v);
	case SHAPE_STEPS:
		return check_steps(w, m, v);
	}
	BUG("a shape without a check");
}

static bool
is_known(const struct walk *w, const struct schema_object *o, const char *name)
{
	for (size_t i = 0; i < o->n; i++)
		if (o->v[i].since <= w->newest && strcmp(o->v[i].name, name) == 0)
			return true;
	return has_comments(w) && strcmp(name, "$comment") == 0;
}

static bool
check_members(struct walk *w, const struct schema_object *o, const cJSON *v)
{
	for (size_t i = 0; i < o->n; i++) {
		const struct schema_member *m = &o->v[i];
		const cJSON *found =
			m->since <= w->newest ? preset_member(v, m->name) : NULL;

		if (!found && m->is_required)
			return o->what ? preset_wrong(w->s, "Invalid preset",
						 AT(w->file, v),
						 "Missing required field \"%s\" in %s",
						 m->name, o->what)
				       : invalid(w, v);
		if (found && !check_value(w, m, found))
			return false;
	}
	return true;
}

static bool
check_object(struct walk *w, const struct schema_object *o, const cJSON *v)
{
	const cJSON *m;

	if (!cJSON_IsObject(v))
		return o->what ? preset_wrong(w->s, "Invalid preset", AT(w->file, v),
					 "Invalid %s", o->what)
			       : invalid(w, v);
	if (!check_members(w, o, v))
		return false;
	if (o->is_open)
		return true;
	cJSON_ArrayForEach(m, v) if (!is_known(w, o, m->string)) return o->what
		? preset_wrong(w->s, "Invalid preset", AT(w->file, m),
			  "Invalid extra field \"%s\" in %s", m->string, o->what)
		: invalid(w, m);
	return true;
}

/* ---- the file -------------------------------------------------------------------------
 */

static bool
check_presets(struct walk *w, const cJSON *array)
{
	const cJSON *v;
	const char *name = preset_kind_member(w->kind);

	if (!cJSON_IsArray(array))
		return preset_wrong(w->s, "Invalid \"configurePresets\" field",
			AT(w->file, array), "Invalid \"%s\" field", name);
	cJSON_ArrayForEach(v, array)
	{
		const cJSON *given = preset_member(v, "name");

		w->preset = is_text(given) ? str_of(given->valuestring) : STR("");
		if (!check_object(w, preset_schema(w->kind), v))
			return false;
	}
	return true;
}

static bool
check_minimum(struct walk *w, const cJSON *v)
{
	static const char *const names[] = {"major", "minor", "patch"};
	int known = 0;

	if (!cJSON_IsObject(v))
		return preset_wrong(w->s, "Invalid \"cmakeMinimumRequired\" field",
			AT(w->file, v), "Invalid \"cmakeMinimumRequired\"");
	for (size_t i = 0; i < 3; i++) {
		const cJSON *number = preset_member(v, names[i]);

		known += number != NULL;
		if (number && (!is_int(number) || number->valueint < 0))
			return preset_wrong(w->s, "Invalid \"version\" field",
				AT(w->file, number), "Invalid \"version\" field");
	}
	known += has_comments(w) && preset_member(v, "$comment");
	return cJSON_GetArraySize(v) == known ||
	       preset_wrong(w->s, "Invalid \"cmakeMinimumRequired\" field",
		       AT(w->file, v), "Invalid \"cmakeMinimumRequired\"");
}

static bool
check_root_member(struct walk *w, const cJSON *m)
{
	static const char *const names[] = {"version", "cmakeMinimumRequired", "include",
		"vendor", "configurePresets", "buildPresets", "testPresets",
		"packagePresets", "workflowPresets"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(m->string, names[i]) == 0)
			return true;
	if (strcmp(m->string, "$schema") == 0 && w->newest >= 8)
		return true;
	return (has_comments(w) && strcmp(m->string, "$comment") == 0) ||
	       preset_wrong(w->s, "Invalid root object", AT(w->file, m),
		       "Invalid extra field \"%s\" in root object", m->string);
}

static bool
check_root(struct walk *w, const cJSON *root)
{
	const cJSON *minimum = preset_member(root, "cmakeMinimumRequired");
	const cJSON *include = preset_member(root, "include");
	const cJSON *vendor = preset_member(root, "vendor"), *m;

	for (int kind = 0; kind < PRESET_KINDS; kind++) {
		const cJSON *array = preset_member(root, preset_kind_member(kind));

		w->kind = (enum preset_kind)kind;
		if (array && !check_presets(w, array))
			return false;
	}
	if (minimum && !check_minimum(w, minimum))
		return false;
	if (include && !is_array_of(include, is_text))
		return preset_wrong(w->s, "Invalid \"include\" field",
			AT(w->file, include), "Invalid \"include\" field");
	if (vendor && !cJSON_IsObject(vendor))
		return preset_wrong(w->s, "Invalid root object", AT(w->file, vendor),
			"Invalid root object");
	cJSON_ArrayForEach(m, root) if (!check_root_member(w, m)) return false;
	return true;
}

/* What the version of the file does not have yet, in the order in which it is told. */
static bool
check_age(struct walk *w, const cJSON *root)
{
	static const struct {
		const char *member;
		int since;
		const char *older, *newer;
	} ages[] = {
		{"buildPresets", 2, "build and test preset support.",
			"build and test preset support"},
		{"testPresets", 2, "build and test preset support.",
			"build and test preset support"},
		{"packagePresets", 6, "package preset support", "package preset support"},
		{"workflowPresets", 6, "workflow preset support",
			"workflow preset support"},
		{"include", 4, "include support", "include support"},
		{"$schema", 8, "$schema support", "$schema support"},
	};

	for (size_t i = 0; i < sizeof ages / sizeof *ages; i++) {
		bool is_old = w->file->version < ages[i].since;

		if (is_old && ages[i].since <= w->newest &&
			preset_member(root, ages[i].member))
			return preset_wrong(w->s,
				str_fmt(w->s->a,
					"File version must be %d or higher for %s",
					ages[i].since, ages[i].older)
					.p,
				NOWHERE, "File version must be %d or higher for %s",
				ages[i].since, ages[i].newer);
	}
	return true;
}

static bool
check_version(struct walk *w, struct preset_file *file)
{
	const cJSON *version = preset_member(file->root, "version");

	if (!version)
		return preset_wrong(
			w->s, "No \"version\" field", NOWHERE, "No \"version\" field");
	if (!is_int(version))
		return preset_wrong(w->s, "Invalid \"version\" field", AT(file, version),
			"Invalid \"version\" field");
	if (version->valueint < 1 || version->valueint > w->newest)
		return preset_wrong(w->s, "Unrecognized \"version\" field",
			AT(file, version),
			"Unrecognized \"version\" %d: must be >=1 and <=%d",
			version->valueint, w->newest);
	file->version = version->valueint;
	return true;
}

bool
preset_schema_check(struct preset_set *s, struct preset_file *file)
{
	struct walk w = {
		.s = s, .file = file, .newest = preset_newest_version(s->dialect)};

	if (!cJSON_IsObject(file->root))
		return preset_wrong(s, "Invalid root object", AT(file, file->root),
			"Invalid root object");
	return check_version(&w, file) && check_age(&w, file->root) &&
	       check_root(&w, file->root);
}

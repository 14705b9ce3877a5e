/*
 * The macros that ctest handles while it reads a preset, before anything is inherited: a
 * macro without an end is an error, and ${fileDir} of version 12 becomes the directory of
 * its own file, even if another file inherits it. A text in which another macro comes
 * first is not changed.
 *
 * The document itself is changed, since presets that inherit a field point into it.
 */
#include <cjson/cJSON.h>

#include "compat/presets/preset_set.h"

struct pre_expansion {
	struct preset_set *s;
	const struct preset_file *file;
};

static bool
expand_text(struct pre_expansion *e, cJSON *v)
{
	struct str text = str_of(cJSON_GetStringValue(v)), out;

	if (!cJSON_IsString(v))
		return true;
	if (!preset_pre_expand_text(e->s, e->file, text, &out))
		return false;
	if (!str_eq(text, out))
		cJSON_SetValuestring(v, str_z(e->s->a, out));
	return true;
}

static bool
expand_all(struct pre_expansion *e, cJSON *list)
{
	cJSON *v;

	cJSON_ArrayForEach(v, list) if (!expand_text(e, v)) return false;
	return true;
}

static bool
expand_members(struct pre_expansion *e, const cJSON *object)
{
	static const char *const names[] = {"any", "setup", "cleanup"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!expand_text(e, cJSON_GetObjectItemCaseSensitive(object, names[i])))
			return false;
	return true;
}

static cJSON *
find_member(cJSON *v, const char *const path[FIELD_PATH])
{
	for (size_t i = 0; v && i < FIELD_PATH && path[i]; i++)
		v = cJSON_GetObjectItemCaseSensitive(v, path[i]);
	return v;
}

static bool
expand_field(struct pre_expansion *e, cJSON *v)
{
	if (cJSON_IsArray(v))
		return expand_all(e, v);
	return cJSON_IsObject(v) ? expand_members(e, v) : expand_text(e, v);
}

/* Of cacheVariables or variables. */
static bool
expand_variables(struct pre_expansion *e, const cJSON *variables)
{
	cJSON *v;

	cJSON_ArrayForEach(v,
		variables) if (!expand_text(e, cJSON_IsObject(v)
						       ? cJSON_GetObjectItemCaseSensitive(
								 v, "value")
						       : v)) return false;
	return true;
}

static bool
expand_preset(struct pre_expansion *e, enum preset_kind kind, cJSON *preset)
{
	size_t n;
	const struct preset_field *fields = preset_fields(kind, &n);
	const char *variables = kind == PRESET_CONFIGURE ? "cacheVariables" : "variables";

	for (size_t i = 0; i < n; i++)
		if (fields[i].has_macros &&
			!expand_field(e, find_member(preset, fields[i].path)))
			return false;
	return expand_variables(e, cJSON_GetObjectItemCaseSensitive(preset, variables));
}

bool
preset_pre_expand(struct preset_set *s, const struct preset_file *file,
	enum preset_kind kind, cJSON *preset)
{
	struct pre_expansion e = {s, file};

	if (!s->dialect->has[DIALECT_PRESET_EARLY_MACROS] ||
		expand_preset(&e, kind, preset))
		return true;
	return preset_wrong(s, "", NOWHERE, "Invalid macro expansion in \"%s\"",
		preset_member(preset, "name")->valuestring);
}

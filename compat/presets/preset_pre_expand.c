/*
 * The macros that ctest handles while it reads a preset, before anything is inherited: a
 * macro without an end is an error, and ${fileDir} of version 12 becomes the directory of
 * its own file, even if another file inherits it. A text in which another macro comes
 * first is not changed.
 *
 * The document itself is changed, since presets that inherit a field point into it.
 */
#include "compat/presets/preset_set.h"

struct pre_expansion {
	struct preset_set *s;
	const struct preset_file *file;
};

static bool
expand_text(struct pre_expansion *e, struct json_value *v)
{
	return !json_is(v, JSON_STRING) ||
	       preset_pre_expand_text(e->s, e->file, v->text, &v->text);
}

static bool
expand_all(struct pre_expansion *e, struct json_value *list)
{
	struct json_value *v;

	for (v = json_first(list); v; v = v->next)
		if (!expand_text(e, v))
			return false;
	return true;
}

static bool
expand_members(struct pre_expansion *e, const struct json_value *object)
{
	static const char *const names[] = {"any", "setup", "cleanup"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!expand_text(e, json_member(object, names[i])))
			return false;
	return true;
}

static struct json_value *
find_member(struct json_value *v, const char *const path[FIELD_PATH])
{
	for (size_t i = 0; v && i < FIELD_PATH && path[i]; i++)
		v = json_member(v, path[i]);
	return v;
}

static bool
expand_field(struct pre_expansion *e, struct json_value *v)
{
	if (json_is(v, JSON_ARRAY))
		return expand_all(e, v);
	return json_is(v, JSON_OBJECT) ? expand_members(e, v) : expand_text(e, v);
}

/* Of cacheVariables or variables. */
static bool
expand_variables(struct pre_expansion *e, const struct json_value *variables)
{
	struct json_value *v;

	for (v = json_first(variables); v; v = v->next)
		if (!expand_text(
			    e, json_is(v, JSON_OBJECT) ? json_member(v, "value") : v))
			return false;
	return true;
}

static bool
expand_preset(struct pre_expansion *e, enum preset_kind kind, struct json_value *preset)
{
	size_t n;
	const struct preset_field *fields = preset_fields(kind, &n);
	const char *variables = kind == PRESET_CONFIGURE ? "cacheVariables" : "variables";

	for (size_t i = 0; i < n; i++)
		if (fields[i].has_macros &&
			!expand_field(e, find_member(preset, fields[i].path)))
			return false;
	return expand_variables(e, json_member(preset, variables));
}

bool
preset_pre_expand(struct preset_set *s, const struct preset_file *file,
	enum preset_kind kind, struct json_value *preset)
{
	struct pre_expansion e = {s, file};

	if (!s->dialect->has[DIALECT_PRESET_MACROS_WHEN_READ] ||
		expand_preset(&e, kind, preset))
		return true;
	return preset_wrong(s, "", NOWHERE, "Invalid macro expansion in \"%.*s\"",
		STR_ARG(json_member(preset, "name")->text));
}

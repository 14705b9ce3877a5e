/*
 * Every preset is evaluated when the files are read, used or not. A wrong macro anywhere
 * makes all presets invalid; a vendor macro only those that have it.
 *
 * The order is ctest's: environment, condition, fields. The fields are evaluated even if
 * the condition disables the preset.
 */
#include <cjson/cJSON.h>

#include "compat/presets/preset_set.h"

static enum macro_result
expand_list(
	struct preset_set *s, struct preset *p, const cJSON *array, struct str_list *out)
{
	const cJSON *m;

	out->v = NEW_ARRAY(s->a, struct str, (size_t)cJSON_GetArraySize(array));
	cJSON_ArrayForEach(m, array)
	{
		enum macro_result r =
			preset_expand(s, p, str_of(m->valuestring), &out->v[out->n++]);

		if (r != MACRO_OK)
			return r;
	}
	return MACRO_OK;
}

/* exclude.fixtures: a list of three, for any, setup, cleanup. */
static enum macro_result
expand_fixtures(
	struct preset_set *s, struct preset *p, const cJSON *object, struct str_list *out)
{
	static const char *const names[] = {"any", "setup", "cleanup"};

	*out = (struct str_list){NEW_ARRAY(s->a, struct str, 3), 3};
	for (size_t i = 0; i < 3; i++) {
		const cJSON *v = preset_member(object, names[i]);
		enum macro_result r;

		out->v[i] = STR("");
		if (!v)
			continue;
		r = preset_expand(s, p, str_of(v->valuestring), &out->v[i]);
		if (r != MACRO_OK)
			return r;
	}
	return MACRO_OK;
}

static enum macro_result
expand_field(struct preset_set *s, struct preset *p, size_t i)
{
	const cJSON *v = p->fields[i];

	if (cJSON_IsString(v))
		return preset_expand(s, p, str_of(v->valuestring), &p->texts[i]);
	if (cJSON_IsArray(v))
		return expand_list(s, p, v, &p->lists[i]);
	if (p->kind == PRESET_TEST && i == TEST_EXCLUDE_FIXTURES && v)
		return expand_fixtures(s, p, v, &p->lists[i]);
	return MACRO_OK;
}

/* Only to find errors: no test run uses these values. */
static enum macro_result
expand_variables(struct preset_set *s, struct preset *p)
{
	struct preset_pair *v = preset_pairs_sorted(s->a, &p->variables);

	for (size_t i = 0; i < p->variables.v.n; i++) {
		const cJSON *value = cJSON_IsObject(v[i].value)
					     ? preset_member(v[i].value, "value")
					     : v[i].value;
		struct str unused;
		enum macro_result r;

		if (!cJSON_IsString(value))
			continue;
		r = preset_expand(s, p, str_of(value->valuestring), &unused);
		if (r != MACRO_OK)
			return r;
	}
	return MACRO_OK;
}

static enum macro_result
expand_fields(struct preset_set *s, struct preset *p)
{
	size_t n;
	const struct preset_field *fields = preset_fields(p->kind, &n);

	for (size_t i = 0; i < n; i++) {
		enum macro_result r =
			fields[i].has_macros ? expand_field(s, p, i) : MACRO_OK;

		if (r != MACRO_OK)
			return r;
	}
	return expand_variables(s, p);
}

/* *newer: the line about the place that newer releases add. */
static enum macro_result
evaluate(struct preset_set *s, struct preset *p, const char **newer)
{
	enum macro_result r = preset_expand_environment(s, p);

	*newer = "Invalid macro expansion";
	if (r != MACRO_OK)
		return r;
	r = preset_condition(s, p, p->condition, &p->is_enabled);
	*newer = "Invalid condition";
	if (r != MACRO_OK)
		return r;
	*newer = NULL;
	return expand_fields(s, p);
}

static bool
wrong_macro(struct preset_set *s, const struct preset *p, const char *newer)
{
	bool has_why = s->dialect->has[DIALECT_PRESET_KINDS];

	if (!newer)
		return preset_wrong(s, "Invalid macro expansion", NOWHERE,
			"Invalid macro expansion in \"%.*s\"", STR_ARG(p->name));
	return preset_wrong(s, "Invalid macro expansion", NOWHERE,
		"Invalid %spreset: \"%.*s\"%s%s\nInvalid macro expansion in \"%.*s\"",
		preset_kind_text(s, p->kind), STR_ARG(p->name), has_why ? ": " : "",
		has_why ? newer : "", STR_ARG(p->name));
}

static bool
evaluate_one(struct preset_set *s, struct preset *p)
{
	const char *newer = NULL;
	enum macro_result r;

	if (!preset_use_configure(s, p))
		return false;
	r = evaluate(s, p, &newer);
	p->is_evaluated = r == MACRO_OK;
	return r != MACRO_WRONG || wrong_macro(s, p, newer);
}

bool
preset_evaluate_all(struct preset_set *s)
{
	for (int kind = PRESET_CONFIGURE; kind < PRESET_WORKFLOW; kind++)
		for (size_t i = 0; i < s->kinds[kind].v.n; i++)
			if (!evaluate_one(s, s->kinds[kind].by_name[i]))
				return false;
	return true;
}

/*
 * Every preset is evaluated when the files are read, used or not. A wrong macro anywhere
 * makes all presets invalid; a vendor macro only those that have it.
 *
 * The order is ctest's: environment, condition, fields. The fields are evaluated even if
 * the condition disables the preset.
 */

#include "compat/presets/preset_set.h"

static enum macro_result
expand_list(struct preset_set *s, struct preset *p, const struct json_value *array,
	struct str_list *out)
{
	const struct json_value *m;

	out->v = NEW_ARRAY(s->a, struct str, array->n);
	for (m = json_first(array); m; m = m->next) {
		enum macro_result r = preset_expand(s, p, m->text, &out->v[out->n++]);

		if (r != MACRO_OK)
			return r;
	}
	return MACRO_OK;
}

/* exclude.fixtures: a list of three, for any, setup, cleanup. */
static enum macro_result
expand_fixtures(struct preset_set *s, struct preset *p, const struct json_value *object,
	struct str_list *out)
{
	static const char *const names[] = {"any", "setup", "cleanup"};

	*out = (struct str_list){NEW_ARRAY(s->a, struct str, 3), 3};
	for (size_t i = 0; i < 3; i++) {
		const struct json_value *v = json_member(object, names[i]);
		enum macro_result r;

		out->v[i] = STR("");
		if (!v)
			continue;
		r = preset_expand(s, p, v->text, &out->v[i]);
		if (r != MACRO_OK)
			return r;
	}
	return MACRO_OK;
}

static enum macro_result
expand_field(struct preset_set *s, struct preset *p, size_t i)
{
	const struct json_value *v = p->fields[i];

	if (json_is(v, JSON_STRING))
		return preset_expand(s, p, v->text, &p->texts[i]);
	if (json_is(v, JSON_ARRAY))
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
		const struct json_value *value =
			json_is(v[i].value, JSON_OBJECT)
				? json_member(v[i].value, "value")
				: v[i].value;
		struct str unused;
		enum macro_result r;

		if (!json_is(value, JSON_STRING))
			continue;
		r = preset_expand(s, p, value->text, &unused);
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
	bool has_why = s->dialect->has[DIALECT_PRESET_ERROR_KINDS];

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

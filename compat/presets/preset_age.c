/*
 * Checks for what the version of a preset's file does not have yet, or no longer has.
 * Each check applies only in releases that know the version which added the item.
 */

#include "compat/presets/preset_set.h"

const struct json_value *
preset_down(const struct json_value *v, const char *const path[FIELD_PATH])
{
	for (size_t i = 0; v && i < FIELD_PATH && path[i]; i++)
		v = json_member(v, path[i]);
	return v;
}

bool
preset_is_nothing(const struct json_value *v)
{
	return !v || (json_is(v, JSON_STRING) && !v->text.n) ||
	       (json_is(v, JSON_ARRAY) && !v->n);
}

/* ---- diagnostics ----------------------------------------------------------------- */

static bool
needs(struct preset_set *s, const char *group, const char *name)
{
	return preset_needs_version(
		s, 12, str_fmt(s->a, "%s.%s support", group, name).p, false);
}

static bool
is_in(const struct json_value *group, const char *name)
{
	return json_member(group, name) != NULL;
}

static bool
check_group(struct preset_set *s, const struct json_value *group, const char *name)
{
	static const char *const added[] = {
		"author", "experimental", "installAbsoluteDestination", "policy"};

	for (size_t i = 0; i < sizeof added / sizeof *added; i++)
		if (is_in(group, added[i]))
			return needs(s, name, added[i]);
	return true;
}

static bool
refuse_dev(struct preset_set *s, const char *group)
{
	return preset_wrong(s, "", NOWHERE,
		"File version must be 11 or lower for %s.dev support", group);
}

static bool
check_diagnostics(struct preset_set *s, const struct preset *p)
{
	const struct json_value *warnings = json_member(p->json, "warnings");
	const struct json_value *errors = json_member(p->json, "errors");

	if (p->file->version >= 12) {
		if (is_in(warnings, "dev"))
			return refuse_dev(s, "warnings");
		return !is_in(errors, "dev") || refuse_dev(s, "errors");
	}
	if (!check_group(s, warnings, "warnings") || !check_group(s, errors, "errors"))
		return false;
	if (is_in(errors, "uninitialized"))
		return needs(s, "errors", "uninitialized");
	return !is_in(errors, "unusedCli") || needs(s, "errors", "unusedCli");
}

/* ---- all ------------------------------------------------------------------------- */

/* In the order of the messages. */
static const struct age {
	enum preset_kind kind; /* PRESET_KINDS: any */
	const char *path[FIELD_PATH];
	int since;
	const char *what;
	bool has_stop;
	bool is_text; /* may be an empty text; other types came earlier */
} ages[] = {
	{PRESET_CONFIGURE, {"installDir"}, 3, "installDir preset support", true, false},
	{PRESET_KINDS, {"condition"}, 3, "condition support", false, false},
	{PRESET_CONFIGURE, {"toolchainFile"}, 3, "toolchainFile preset support", true,
		false},
	{PRESET_CONFIGURE, {"trace", "mode"}, 7, "trace preset support", false, false},
	{PRESET_CONFIGURE, {"trace", "format"}, 7, "trace preset support", false, false},
	{PRESET_CONFIGURE, {"trace", "redirect"}, 7, "trace preset support", false,
		false},
	{PRESET_CONFIGURE, {"trace", "source"}, 7, "trace preset support", false, false},
	{PRESET_CONFIGURE, {"graphviz"}, 10, "graphviz preset support", false, false},
	{PRESET_TEST, {"output", "testOutputTruncation"}, 5,
		"testOutputTruncation preset support", true, false},
	{PRESET_TEST, {"output", "outputJUnitFile"}, 6, "CTest JUnit output support",
		false, false},
	{PRESET_TEST, {"execution", "jobs"}, 11,
		"processor-count-based jobs preset support", false, true},
	{PRESET_TEST, {"execution", "testPassthroughArguments"}, 12,
		"testPassthroughArguments preset support", false, false},
};

static bool
is_too_new(const struct preset *p, const struct age *age, int newest)
{
	const struct json_value *v = preset_down(p->json, age->path);

	if (age->kind != p->kind && age->kind != PRESET_KINDS)
		return false;
	if (p->file->version >= age->since || newest < age->since)
		return false;
	return age->is_text ? json_is(v, JSON_STRING) : !preset_is_nothing(v);
}

bool
preset_age_check(struct preset_set *s, const struct preset *p)
{
	int newest = preset_newest_version(s->dialect);

	for (size_t i = 0; i < sizeof ages / sizeof *ages; i++)
		if (is_too_new(p, &ages[i], newest))
			return preset_needs_version(
				s, ages[i].since, ages[i].what, ages[i].has_stop);
	return p->kind != PRESET_CONFIGURE || newest < 12 || check_diagnostics(s, p);
}

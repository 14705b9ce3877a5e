/*
 * What a preset inherits, and what it must have after that.
 *
 * A field is the preset's own or that of the first parent that has it. Objects such as
 * output are merged member by member, except those that are inherited as a whole. Maps
 * are merged by name. Presets are visited in the order of their names.
 *
 * "condition": null keeps a preset from inheriting a condition. ctest visits a preset
 * again for each preset that inherits it, and then the null is lost. So this code visits
 * a preset as often as a visit changes something, which is twice.
 */

#include "compat/presets/preset_set.h"

#define DIAGNOSTIC(group, name)                                                          \
	{                                                                                \
		{group, name}, false, false                                              \
	}
#define DIAGNOSTICS_OF(group)                                                            \
	DIAGNOSTIC(group, "dev"), DIAGNOSTIC(group, "deprecated"),                       \
		DIAGNOSTIC(group, "experimental"),                                       \
		DIAGNOSTIC(group, "installAbsoluteDestination"),                         \
		DIAGNOSTIC(group, "policy"), DIAGNOSTIC(group, "uninitialized"),         \
		DIAGNOSTIC(group, "unusedCli")
static const struct preset_field configure_fields[] = {
	[CONFIGURE_GENERATOR] = {{"generator"}, true, false},
	[CONFIGURE_BINARY_DIRECTORY] = {{"binaryDir"}, true, true},
	[CONFIGURE_WARNINGS] = DIAGNOSTICS_OF("warnings"),
	[CONFIGURE_ERRORS] = DIAGNOSTICS_OF("errors"),
	{{"installDir"}, true, true},
	{{"toolchainFile"}, true, true},
	{{"graphviz"}, true, true},
};
static const struct preset_field build_fields[] = {
	[TEST_CONFIGURE_PRESET] = {{"configurePreset"}, true, false},
	[TEST_INHERIT_ENVIRONMENT] = {{"inheritConfigureEnvironment"}, false, false},
	{{"targets"}, true, true},
	{{"nativeToolOptions"}, true, true},
};
static const struct preset_field test_fields[] = {
	[TEST_CONFIGURE_PRESET] = {{"configurePreset"}, true, false},
	[TEST_INHERIT_ENVIRONMENT] = {{"inheritConfigureEnvironment"}, false, false},
	[TEST_CONFIGURATION] = {{"configuration"}, true, false},
	[TEST_OVERWRITE] = {{"overwriteConfigurationFile"}, true, true},
	[TEST_SHORT_PROGRESS] = {{"output", "shortProgress"}, false, false},
	[TEST_VERBOSITY] = {{"output", "verbosity"}, false, false},
	[TEST_DEBUG] = {{"output", "debug"}, false, false},
	[TEST_OUTPUT_ON_FAILURE] = {{"output", "outputOnFailure"}, false, false},
	[TEST_QUIET] = {{"output", "quiet"}, false, false},
	[TEST_LOG_FILE] = {{"output", "outputLogFile"}, true, true},
	[TEST_JUNIT_FILE] = {{"output", "outputJUnitFile"}, true, true},
	[TEST_LABEL_SUMMARY] = {{"output", "labelSummary"}, false, false},
	[TEST_SUBPROJECT_SUMMARY] = {{"output", "subprojectSummary"}, false, false},
	[TEST_MAX_PASSED] = {{"output", "maxPassedTestOutputSize"}, false, false},
	[TEST_MAX_FAILED] = {{"output", "maxFailedTestOutputSize"}, false, false},
	[TEST_TRUNCATION] = {{"output", "testOutputTruncation"}, false, false},
	[TEST_MAX_WIDTH] = {{"output", "maxTestNameWidth"}, false, false},
	[TEST_INCLUDE] = {{"filter", "include"}, false, false},
	[TEST_INCLUDE_NAME] = {{"filter", "include", "name"}, true, true},
	[TEST_INCLUDE_LABEL] = {{"filter", "include", "label"}, true, true},
	[TEST_INDEX] = {{"filter", "include", "index"}, false, true},
	[TEST_EXCLUDE_NAME] = {{"filter", "exclude", "name"}, true, true},
	[TEST_EXCLUDE_LABEL] = {{"filter", "exclude", "label"}, true, true},
	[TEST_EXCLUDE_FIXTURES] = {{"filter", "exclude", "fixtures"}, false, true},
	[TEST_STOP_ON_FAILURE] = {{"execution", "stopOnFailure"}, false, false},
	[TEST_FAILOVER] = {{"execution", "enableFailover"}, false, false},
	[TEST_JOBS] = {{"execution", "jobs"}, false, false},
	[TEST_RESOURCE_SPEC] = {{"execution", "resourceSpecFile"}, true, true},
	[TEST_LOAD] = {{"execution", "testLoad"}, false, false},
	[TEST_SHOW_ONLY] = {{"execution", "showOnly"}, false, false},
	[TEST_REPEAT] = {{"execution", "repeat"}, false, false},
	[TEST_INTERACTIVE] = {{"execution", "interactiveDebugging"}, false, false},
	[TEST_SCHEDULE_RANDOM] = {{"execution", "scheduleRandom"}, false, false},
	[TEST_TIMEOUT] = {{"execution", "timeout"}, false, false},
	[TEST_NO_TESTS] = {{"execution", "noTestsAction"}, false, false},
	[TEST_PASS_THROUGH] = {{"execution", "testPassthroughArguments"}, true, false},
};
static const struct preset_field package_fields[] = {
	[TEST_CONFIGURE_PRESET] = {{"configurePreset"}, true, false},
	[TEST_INHERIT_ENVIRONMENT] = {{"inheritConfigureEnvironment"}, false, false},
	{{"configFile"}, true, true},
	{{"packageName"}, true, true},
	{{"packageVersion"}, true, true},
	{{"packageDirectory"}, true, true},
	{{"vendorName"}, true, true},
};

#define ROWS(table)                                                                      \
	{                                                                                \
		(table), sizeof(table) / sizeof *(table)                                 \
	}

const struct preset_field *
preset_fields(enum preset_kind kind, size_t *n)
{
	static const struct {
		const struct preset_field *v;
		size_t n;
	} tables[PRESET_KINDS] = {
		[PRESET_CONFIGURE] = ROWS(configure_fields),
		[PRESET_BUILD] = ROWS(build_fields),
		[PRESET_TEST] = ROWS(test_fields),
		[PRESET_PACKAGE] = ROWS(package_fields),
	};

	*n = tables[kind].n;
	return tables[kind].v;
}

/* ---- inheriting ------------------------------------------------------------------ */

static void
join_pairs(struct arena *a, struct preset_pairs *to, const struct preset_pairs *from)
{
	for (size_t i = 0; i < from->v.n; i++) {
		uint32_t *at = map_at(&to->names, from->v.v[i].name);

		if (*at != MAP_NONE)
			continue;
		*at = (uint32_t)to->v.n;
		VEC_PUSH(a, &to->v, from->v.v[i]);
	}
}

static void
inherit(struct arena *a, struct preset *child, const struct preset *parent)
{
	size_t n;

	preset_fields(child->kind, &n);
	for (size_t i = 0; i < n; i++)
		if (!child->fields[i])
			child->fields[i] = parent->fields[i];
	if (!child->condition)
		child->condition = parent->condition;
	join_pairs(a, &child->environment, &parent->environment);
	join_pairs(a, &child->variables, &parent->variables);
}

/* In newer releases the message has the kind and the reason. */
static bool
invalid(struct preset_set *s, const struct preset *p, const char *why)
{
	bool has_why = *why && s->dialect->has[DIALECT_PRESET_ERROR_KINDS];

	return preset_wrong(s, "Invalid preset", NOWHERE,
		"Invalid %spreset: \"%.*s\"%s%s", preset_kind_text(s, p->kind),
		STR_ARG(p->name), has_why ? ": " : "", has_why ? why : "");
}

static bool
missing(struct preset_set *s, const struct preset *p, const char *field)
{
	return preset_wrong(s, "Invalid preset", NOWHERE,
		"Preset \"%.*s\" missing field \"%s\"\nInvalid %spreset: \"%.*s\"",
		STR_ARG(p->name), field, preset_kind_text(s, p->kind), STR_ARG(p->name));
}

/* true: a diagnostic is off as a warning and on as an error. */
static bool
contradicts(const struct preset *p)
{
	for (int i = 0; i < DIAGNOSTICS; i++)
		if (json_is(p->fields[CONFIGURE_WARNINGS + i], JSON_FALSE) &&
			json_is(p->fields[CONFIGURE_ERRORS + i], JSON_TRUE))
			return true;
	return false;
}

static bool
check_configure(struct preset_set *s, const struct preset *p)
{
	if (p->is_hidden)
		return true;
	if (p->file->version < 3 && !p->fields[CONFIGURE_GENERATOR])
		return missing(s, p, "generator");
	if (p->file->version < 3 && !p->fields[CONFIGURE_BINARY_DIRECTORY])
		return missing(s, p, "binaryDir");
	if (contradicts(p))
		return invalid(s, p, "");
	return map_get(&p->variables.names, STR("")) == MAP_NONE ||
	       invalid(s, p, "Empty cache variable names are not allowed");
}

static bool
check_whole(struct preset_set *s, const struct preset *p)
{
	if (p->kind == PRESET_CONFIGURE)
		return check_configure(s, p);
	if (p->is_hidden || p->fields[TEST_CONFIGURE_PRESET])
		return true;
	return invalid(s, p,
		str_fmt(s->a,
			"%s presets must either be hidden or have an associated "
			"configure preset",
			preset_kind_title(p->kind))
			.p);
}

/* ---- the order of visits --------------------------------------------------------- */

struct visit {
	struct preset *preset;
	const struct json_value *next; /* name of the next parent */
	struct preset *parent; /* the parent that is being visited */
};
struct visits {
	struct preset_set *s;
	VEC(struct visit) open;
};

static const struct json_value *
first_parent(const struct preset *p)
{
	const struct json_value *inherits = json_member(p->json, "inherits");

	return json_is(inherits, JSON_ARRAY) ? inherits->first : inherits;
}

/* An element of an array has next siblings. "inherits" itself also has them, but they are
 * not parents. */
static const struct json_value *
next_parent(const struct preset *p, const struct json_value *name)
{
	return json_is(json_member(p->json, "inherits"), JSON_ARRAY) ? name->next : NULL;
}

static bool
begin(struct visits *v, struct preset *p)
{
	if (p->is_being_visited)
		return preset_wrong(v->s, "Cyclic preset inheritance", NOWHERE,
			"Cyclic preset inheritance for %spreset \"%.*s\"",
			preset_kind_text(v->s, p->kind), STR_ARG(p->name));
	if (p->visits >= 2)
		return true;
	p->visits++;
	p->is_being_visited = true;
	VEC_PUSH(v->s->a, &v->open, (struct visit){p, first_parent(p), NULL});
	return map_get(&p->environment.names, STR("")) == MAP_NONE ||
	       invalid(v->s, p, "Empty environment variable names are not allowed");
}

static bool
find_parent(struct visits *v, struct visit *at)
{
	struct preset_set *s = v->s;
	struct preset *child = at->preset, *parent;
	struct str name = at->next->text;

	at->next = next_parent(child, at->next);
	at->parent = parent = preset_find(s, child->kind, name);
	if (!parent)
		return invalid(s, child,
			str_fmt(s->a, "Could not find inherited preset \"%.*s\"",
				STR_ARG(name))
				.p);
	if (!preset_file_reaches(child->file, parent->file))
		return preset_wrong(s,
			"Inherited preset is unreachable from preset's file", NOWHERE,
			"Inherited %spreset \"%.*s\" is unreachable from preset's file",
			preset_kind_text(s, child->kind), STR_ARG(child->name));
	return begin(v, parent);
}

static bool
end(struct visits *v)
{
	struct preset *p = v->open.v[--v->open.n].preset;

	p->is_being_visited = false;
	if (json_is(p->condition, JSON_NULL))
		p->condition = NULL;
	return check_whole(v->s, p);
}

static bool
visit(struct visits *v, struct preset *p)
{
	if (!begin(v, p))
		return false;
	while (v->open.n) {
		struct visit *at = &v->open.v[v->open.n - 1];

		if (at->parent) {
			inherit(v->s->a, at->preset, at->parent);
			at->parent = NULL;
		} else if (!(at->next ? find_parent(v, at) : end(v))) {
			return false;
		}
	}
	return true;
}

static bool
inherit_kind(struct preset_set *s, enum preset_kind kind)
{
	struct visits v = {.s = s};

	for (size_t i = 0; i < s->kinds[kind].v.n; i++)
		if (!visit(&v, s->kinds[kind].by_name[i]))
			return false;
	return true;
}

/* ---- the configure preset -------------------------------------------------------- */

bool
preset_use_configure(struct preset_set *s, struct preset *p)
{
	const struct json_value *name = p->fields[TEST_CONFIGURE_PRESET];
	const struct preset *configure;

	if (p->is_hidden || p->kind == PRESET_CONFIGURE)
		return true;
	configure = preset_find(s, PRESET_CONFIGURE, name->text);
	if (!configure)
		return preset_wrong(s, "Invalid \"configurePreset\" field", NOWHERE,
			"Invalid \"configurePreset\": \"%.*s\"", STR_ARG(p->name));
	if (!preset_file_reaches(p->file, configure->file))
		return preset_wrong(s,
			"Configure preset is unreachable from preset's file", NOWHERE,
			"Configure preset \"%.*s\" is unreachable from preset's file",
			STR_ARG(p->name));
	if (!json_is(p->fields[TEST_INHERIT_ENVIRONMENT], JSON_FALSE))
		join_pairs(s->a, &p->environment, &configure->environment);
	return true;
}

bool
preset_inherit_all(struct preset_set *s)
{
	for (int kind = PRESET_CONFIGURE; kind < PRESET_WORKFLOW; kind++)
		if (!inherit_kind(s, (enum preset_kind)kind))
			return false;
	return true;
}

/* ---- workflows ------------------------------------------------------------------- */

static bool
wrong_step(struct preset_set *s, struct str step, const char *newer, const char *rest)
{
	return preset_wrong(s, "Invalid workflow steps", NOWHERE, "%s \"%.*s\"%s", newer,
		STR_ARG(step), rest);
}

static enum preset_kind
kind_of(const struct json_value *type)
{
	int kind = PRESET_CONFIGURE;

	while (kind < PRESET_KINDS &&
		!str_is(type->text, preset_kind_name((enum preset_kind)kind)))
		kind++;
	return (enum preset_kind)kind;
}

/* Every step uses the configure preset of the first. */
static bool
check_step(struct preset_set *s, const struct preset *w, const struct json_value *step,
	const struct preset **first)
{
	enum preset_kind kind = kind_of(json_member(step, "type"));
	struct str name = json_member(step, "name")->text;
	const struct preset *p = preset_find(s, kind, name);
	const struct json_value *uses;

	if (*first && kind == PRESET_CONFIGURE)
		return wrong_step(
			s, name, "Configure workflow step", " must be the first step");
	if (!*first && kind != PRESET_CONFIGURE)
		return wrong_step(
			s, name, "First workflow step", " must be a configure step");
	if (!p)
		return wrong_step(s, name, "Invalid workflow step", "");
	if (!preset_file_reaches(w->file, p->file))
		return preset_wrong(s, "Workflow step is unreachable from preset's file",
			NOWHERE,
			"Workflow step \"%.*s\" is unreachable from preset's file",
			STR_ARG(name));
	if (!*first) {
		*first = p;
		return true;
	}
	uses = p->fields[TEST_CONFIGURE_PRESET];
	return (uses && str_eq((*first)->name, uses->text)) ||
	       wrong_step(s, (*first)->name, "Invalid workflow step", "");
}

bool
preset_workflows_check(struct preset_set *s)
{
	for (size_t i = 0; i < s->kinds[PRESET_WORKFLOW].v.n; i++) {
		const struct preset *w = s->kinds[PRESET_WORKFLOW].by_name[i];
		const struct preset *first = NULL;
		const struct json_value *steps = json_member(w->json, "steps"), *step;

		for (step = json_first(steps); step; step = step->next)
			if (!check_step(s, w, step, &first))
				return false;
		if (!first)
			return preset_wrong(s, "Invalid workflow steps", NOWHERE,
				"No workflow steps specified for \"%.*s\"",
				STR_ARG(w->name));
	}
	return true;
}

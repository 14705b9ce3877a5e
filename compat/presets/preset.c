/*
 * Every preset is evaluated when the files are read, used or not. A wrong macro anywhere
 * makes all presets invalid; a vendor macro only those that have it. See preset.h.
 *
 * The order is ctest's: environment, condition, fields. The fields are evaluated even if
 * the condition disables the preset.
 */
#include "compat/presets/preset.h"

/* ---- fields ---------------------------------------------------------------------- */

enum { FIELD_PATH = 4 };
struct preset_field {
	const char *path[FIELD_PATH]; /* ends with NULL */
	bool is_text; /* "" and [] count as not set */
	bool has_macros;
};

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
	[TEST_OUTPUT] = {{"output"}, false, false},
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

/* The inheritable fields of a kind, in the order in which macros are expanded. */
static const struct preset_field *
fields_of(enum preset_kind kind, size_t *n)
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

/* Until version 11 of the format the name is "dev", from then on "author". */
static const struct json_value *
own_field(const struct json_value *v, const struct preset_field *field)
{
	const char *author[] = {field->path[0], "author", NULL};
	const struct json_value *found = json_find(v, field->path);

	if (!found && field->path[1] && strcmp(field->path[1], "dev") == 0)
		found = json_find(v, author);
	return field->is_text && json_is_empty(found) ? NULL : found;
}

struct preset *
preset_new(struct arena *a, enum preset_kind kind, const struct preset_file *file,
	const struct json_value *json)
{
	const char *variables = kind == PRESET_CONFIGURE ? "cacheVariables" : "variables";
	struct preset *p = NEW(a, struct preset);
	size_t n;
	const struct preset_field *fields = fields_of(kind, &n);

	*p = (struct preset){.kind = kind,
		.file = file,
		.json = json,
		.name = json_member(json, "name")->text,
		.is_hidden = json_is(json_member(json, "hidden"), JSON_TRUE),
		.condition = json_member(json, "condition"),
		.environment = preset_pairs_of(a, json_member(json, "environment")),
		.variables = preset_pairs_of(a, json_member(json, variables)),
		.fields = NEW_ARRAY(a, const struct json_value *, n),
		.texts = NEW_ARRAY(a, struct str, n),
		.lists = NEW_ARRAY(a, struct str_list, n)};
	for (size_t i = 0; i < n; i++)
		p->fields[i] = own_field(json, &fields[i]);
	return p;
}

void
preset_inherit(struct arena *a, struct preset *child, const struct preset *parent)
{
	size_t n;

	INVARIANT(child != parent);
	fields_of(child->kind, &n);
	for (size_t i = 0; i < n; i++)
		if (!child->fields[i])
			child->fields[i] = parent->fields[i];
	if (!child->condition)
		child->condition = parent->condition;
	preset_pairs_join(a, &child->environment, &parent->environment);
	preset_pairs_join(a, &child->variables, &parent->variables);
}

/* ---- macros that are expanded before anything is inherited ----------------------- */

/* A macro without an end is an error, and ${fileDir} of version 12 becomes the directory
 * of its own file, even if another file inherits it. A text in which another macro comes
 * first is not changed. The document itself is changed, since presets that inherit a
 * field point into it. */
static bool
pre_expand_text(const struct preset_macros *m, struct json_value *v)
{
	return !json_is(v, JSON_STRING) || preset_pre_expand_text(m, v->text, &v->text);
}

static bool
pre_expand_all(const struct preset_macros *m, const struct json_value *list)
{
	struct json_value *v;

	for (v = json_first(list); v; v = v->next)
		if (!pre_expand_text(m, v))
			return false;
	return true;
}

static bool
pre_expand_members(const struct preset_macros *m, const struct json_value *object)
{
	static const char *const names[] = {"any", "setup", "cleanup"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!pre_expand_text(m, json_member(object, names[i])))
			return false;
	return true;
}

static bool
pre_expand_field(const struct preset_macros *m, struct json_value *v)
{
	if (json_is(v, JSON_ARRAY))
		return pre_expand_all(m, v);
	return json_is(v, JSON_OBJECT) ? pre_expand_members(m, v) : pre_expand_text(m, v);
}

/* Of cacheVariables or variables. */
static bool
pre_expand_variables(const struct preset_macros *m, const struct json_value *variables)
{
	struct json_value *v;

	for (v = json_first(variables); v; v = v->next)
		if (!pre_expand_text(
			    m, json_is(v, JSON_OBJECT) ? json_member(v, "value") : v))
			return false;
	return true;
}

static bool
pre_expand_preset(const struct preset_macros *m, enum preset_kind kind,
	const struct json_value *preset)
{
	size_t n;
	const struct preset_field *fields = fields_of(kind, &n);
	const char *variables = kind == PRESET_CONFIGURE ? "cacheVariables" : "variables";

	for (size_t i = 0; i < n; i++)
		if (fields[i].has_macros &&
			!pre_expand_field(m, json_find(preset, fields[i].path)))
			return false;
	return pre_expand_variables(m, json_member(preset, variables));
}

bool
preset_pre_expand(struct preset_faults *f, const struct preset_file *file,
	enum preset_kind kind, const struct json_value *json)
{
	struct preset_macros m = {
		.a = f->a, .file_directory = file->directory, .version = file->version};

	if (!f->dialect->has[DIALECT_PRESET_MACROS_WHEN_READ] ||
		pre_expand_preset(&m, kind, json))
		return true;
	return preset_wrong(f, "", NOWHERE, "Invalid macro expansion in \"%.*s\"",
		STR_ARG(json_member(json, "name")->text));
}

/* ---- conditions ------------------------------------------------------------------ */

struct evaluation {
	const struct preset_surroundings *around;
	struct preset *p;
	struct preset_macros macros;
};

struct question {
	const struct evaluation *e;
	enum macro_result result;
};

static bool
ask_text(struct question *q, const struct json_value *v, struct str *text)
{
	q->result = preset_expand(&q->e->macros, v->text, text);
	return q->result == MACRO_OK;
}

static bool
ask_two(struct question *q, const struct json_value *c, const char *const names[2],
	struct str v[2])
{
	return ask_text(q, json_member(c, names[0]), &v[0]) &&
	       ask_text(q, json_member(c, names[1]), &v[1]);
}

static bool
is_equal(struct question *q, const struct json_value *c)
{
	struct str v[2] = {STR(""), STR("")};

	return ask_two(q, c, (const char *const[]){"lhs", "rhs"}, v) &&
	       str_eq(v[0], v[1]);
}

static bool
is_in_list(struct question *q, const struct json_value *c)
{
	struct str wanted, element;
	const struct json_value *list = json_member(c, "list"), *m;

	if (!ask_text(q, json_member(c, "string"), &wanted))
		return false;
	for (m = json_first(list); m; m = m->next) {
		if (!ask_text(q, m, &element))
			return false;
		if (str_eq(wanted, element))
			return true;
	}
	return false;
}

/* A pattern that does not compile is an error like a wrong macro. */
static bool
is_match(struct question *q, const struct json_value *c)
{
	struct str v[2] = {STR(""), STR("")}, why = STR_NONE;
	const struct pattern *p;

	if (!ask_two(q, c, (const char *const[]){"string", "regex"}, v))
		return false;
	p = match_set_get(q->e->around->patterns, v[1], &why);
	if (!p->matcher) {
		buf_str(q->e->around->noise, why);
		q->result = MACRO_WRONG;
	}
	return match_has(p->matcher, v[0]);
}

static bool is_true(struct question *q, const struct json_value *c);

/* Evaluates the conditions until one has the wanted result. */
static bool
is_any(struct question *q, const struct json_value *c, bool wanted)
{
	const struct json_value *conditions = json_member(c, "conditions"), *m;

	for (m = json_first(conditions); m; m = m->next) {
		if (is_true(q, m) == wanted && q->result == MACRO_OK)
			return true;
		if (q->result != MACRO_OK)
			return false;
	}
	return false;
}

/* Recursive, at most as deep as JSON nests. */
static bool
is_true(struct question *q, const struct json_value *c)
{
	const struct json_value *t = json_member(c, "type");
	struct str type = t ? t->text : STR("");

	if (json_is_bool(c))
		return json_is(c, JSON_TRUE);
	if (str_is(type, "const"))
		return json_is(json_member(c, "value"), JSON_TRUE);
	if (str_is(type, "equals") || str_is(type, "notEquals"))
		return is_equal(q, c) == str_is(type, "equals");
	if (str_is(type, "inList") || str_is(type, "notInList"))
		return is_in_list(q, c) == str_is(type, "inList");
	if (str_is(type, "matches") || str_is(type, "notMatches"))
		return is_match(q, c) == str_is(type, "matches");
	if (str_is(type, "anyOf"))
		return is_any(q, c, true);
	if (str_is(type, "allOf"))
		return !is_any(q, c, false);
	return !is_true(q, json_member(c, "condition"));
}

static enum macro_result
evaluate_condition(struct evaluation *e)
{
	struct question q = {e, MACRO_OK};

	e->p->is_enabled = !e->p->condition || is_true(&q, e->p->condition);
	return q.result;
}

/* ---- evaluation ------------------------------------------------------------------ */

static enum macro_result
expand_list(
	const struct evaluation *e, const struct json_value *array, struct str_list *out)
{
	const struct json_value *m;

	out->v = NEW_ARRAY(e->macros.a, struct str, array->n);
	for (m = json_first(array); m; m = m->next) {
		enum macro_result r =
			preset_expand(&e->macros, m->text, &out->v[out->n++]);

		if (r != MACRO_OK)
			return r;
	}
	return MACRO_OK;
}

/* exclude.fixtures: a list of three, for any, setup, cleanup. */
static enum macro_result
expand_fixtures(
	const struct evaluation *e, const struct json_value *object, struct str_list *out)
{
	static const char *const names[] = {"any", "setup", "cleanup"};

	*out = (struct str_list){NEW_ARRAY(e->macros.a, struct str, 3), 3};
	for (size_t i = 0; i < 3; i++) {
		const struct json_value *v = json_member(object, names[i]);
		enum macro_result r;

		out->v[i] = STR("");
		if (!v)
			continue;
		r = preset_expand(&e->macros, v->text, &out->v[i]);
		if (r != MACRO_OK)
			return r;
	}
	return MACRO_OK;
}

static enum macro_result
expand_field(const struct evaluation *e, size_t i)
{
	const struct json_value *v = e->p->fields[i];

	if (json_is(v, JSON_STRING))
		return preset_expand(&e->macros, v->text, &e->p->texts[i]);
	if (json_is(v, JSON_ARRAY))
		return expand_list(e, v, &e->p->lists[i]);
	if (e->p->kind == PRESET_TEST && i == TEST_EXCLUDE_FIXTURES && v)
		return expand_fixtures(e, v, &e->p->lists[i]);
	return MACRO_OK;
}

/* Only to find errors: no test run uses these values. */
static enum macro_result
expand_variables(const struct evaluation *e)
{
	struct preset_pair *v = preset_pairs_sorted(e->macros.a, &e->p->variables);

	for (size_t i = 0; i < e->p->variables.v.n; i++) {
		const struct json_value *value =
			json_is(v[i].value, JSON_OBJECT)
				? json_member(v[i].value, "value")
				: v[i].value;
		struct str unused;
		enum macro_result r;

		if (!json_is(value, JSON_STRING))
			continue;
		r = preset_expand(&e->macros, value->text, &unused);
		if (r != MACRO_OK)
			return r;
	}
	return MACRO_OK;
}

static enum macro_result
expand_fields(const struct evaluation *e)
{
	size_t n;
	const struct preset_field *fields = fields_of(e->p->kind, &n);

	for (size_t i = 0; i < n; i++) {
		enum macro_result r =
			fields[i].has_macros ? expand_field(e, i) : MACRO_OK;

		if (r != MACRO_OK)
			return r;
	}
	return expand_variables(e);
}

/* *newer: the line about the place that newer releases add. */
static enum macro_result
evaluate_all(struct evaluation *e, const char **newer)
{
	enum macro_result r = preset_expand_environment(&e->macros);

	*newer = "Invalid macro expansion";
	if (r != MACRO_OK)
		return r;
	e->p->values = e->macros.values;
	r = evaluate_condition(e);
	*newer = "Invalid condition";
	if (r != MACRO_OK)
		return r;
	*newer = NULL;
	return expand_fields(e);
}

static bool
refuse_macro(struct preset_faults *f, const struct preset *p, const char *newer)
{
	bool has_why = f->dialect->has[DIALECT_PRESET_ERROR_KINDS];

	if (!newer)
		return preset_wrong(f, "Invalid macro expansion", NOWHERE,
			"Invalid macro expansion in \"%.*s\"", STR_ARG(p->name));
	return preset_wrong(f, "Invalid macro expansion", NOWHERE,
		"Invalid %spreset: \"%.*s\"%s%s\nInvalid macro expansion in \"%.*s\"",
		preset_kind_text(f->dialect, p->kind), STR_ARG(p->name),
		has_why ? ": " : "", has_why ? newer : "", STR_ARG(p->name));
}

bool
preset_evaluate(const struct preset_surroundings *around, struct preset *p)
{
	struct evaluation e = {.around = around,
		.p = p,
		.macros = {.a = around->faults->a,
			.source_directory = around->directory,
			.file_directory = p->file->directory,
			.version = p->file->version,
			.preset_name = p->name,
			.generator = around->generator,
			.environment = &p->environment}};
	const char *newer = NULL;
	enum macro_result r = evaluate_all(&e, &newer);

	p->is_evaluated = r == MACRO_OK;
	return r != MACRO_WRONG || refuse_macro(around->faults, p, newer);
}

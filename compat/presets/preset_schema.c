/*
 * The shape of presets files as tables, and the one pass that checks a file against them.
 * Later steps interpret values of the right shape.
 *
 * Every error is reported, in ctest's order: member by member as in the table, then
 * unknown members by name. Until 3.26 ctest stops at the first error, and preset_wrong
 * keeps only that one. Objects in which ctest allows unknown members are open.
 */
#include <limits.h>

#include "compat/presets/preset_schema.h"
#include "runner/base/sort.h"

/* ---- kinds of presets ------------------------------------------------------------ */

const struct preset_words preset_words[PRESET_KINDS] = {
	[PRESET_CONFIGURE] = {"configure", "Configure", "configure ", "configurePresets"},
	[PRESET_BUILD] = {"build", "Build", "build ", "buildPresets"},
	[PRESET_TEST] = {"test", "Test", "test ", "testPresets"},
	[PRESET_PACKAGE] = {"package", "Package", "package ", "packagePresets"},
	[PRESET_WORKFLOW] = {"workflow", "Workflow", "workflow ", "workflowPresets"},
};

const char *
preset_kind_text(const struct dialect *dialect, enum preset_kind kind)
{
	return dialect->has[DIALECT_PRESET_ERROR_KINDS] ? preset_words[kind].prefix : "";
}

/* The newest version of the format that the dialect knows. */
static int
newest_version(const struct dialect *dialect)
{
	static const struct {
		enum dialect_feature feature;
		int version;
	} versions[] = {
		{DIALECT_PRESETS_12, 12},
		{DIALECT_PRESETS_11, 11},
		{DIALECT_PRESETS_10, 10},
		{DIALECT_PRESETS_9, 9},
		{DIALECT_PRESETS_8, 8},
		{DIALECT_PRESETS_7, 7},
	};

	for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
		if (dialect->has[versions[i].feature])
			return versions[i].version;
	return 6;
}

/* ---- what the tables say --------------------------------------------------------- */

enum shape {
	SHAPE_ANY,
	SHAPE_TEXT,
	SHAPE_NAME, /* a text that is not empty */
	SHAPE_WORD, /* one of words */
	SHAPE_FLAG,
	SHAPE_TEXT_OR_FLAG,
	SHAPE_INT,
	SHAPE_UNSIGNED,
	SHAPE_MAP, /* any object */
	SHAPE_OBJECT, /* an object as described by object */
	SHAPE_OBJECTS,
	SHAPE_TEXTS,
	SHAPE_TEXT_OR_TEXTS,
	SHAPE_TEXT_OR_OBJECT,
	SHAPE_INTS,
	SHAPE_ENVIRONMENT, /* texts or null */
	SHAPE_CACHE,
	SHAPE_VARIABLES,
	SHAPE_CONDITION, /* or null */
	SHAPE_PART, /* a condition inside another */
	SHAPE_PARTS,
	SHAPE_BUILD_JOBS,
	SHAPE_TEST_JOBS
};

/* What an object is called in a message about an error in it. */
enum schema_naming {
	NAMED_OBJECT,
	NAMED_PRESET,
	NAMED_KEY, /* by the name of its member */
	NAMED_CONDITION,
	NAMED_VARIABLE,
	NAMED_ROOT
};

struct schema_object;
struct schema_member {
	const char *name;
	enum shape shape;
	const char *const *words;
	const struct schema_object *object;
	const char *refused; /* the message for any other shape; NULL: it depends */
	bool is_required;
	bool is_silent; /* ctest does not report a wrong type here */
	int since; /* the newest version of the format must be at least this; 0: any */
};
struct schema_object {
	enum schema_naming naming;
	bool is_open; /* unknown members are allowed */
	const char *older; /* the only message until 3.26, for any error in it */
	const struct schema_member *v;
	size_t n;
};

/* ---- tables ---------------------------------------------------------------------- */

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})
#define WORD(key, ...)                                                                   \
	{                                                                                \
		.name = key, .shape = SHAPE_WORD, .words = WORDS(__VA_ARGS__)            \
	}
#define SCHEMA(name, naming, open, older)                                                \
	static const struct schema_object name##_object = {naming, open, older,          \
		name##_members, sizeof name##_members / sizeof *name##_members}
#define OBJECT(name, naming, open) SCHEMA(name, naming, open, "Invalid preset")

static const struct schema_member platform_members[] = {
	{.name = "value", .shape = SHAPE_TEXT},
	WORD("strategy", "set", "external"),
};
OBJECT(platform, NAMED_OBJECT, false);

/* since: for the members that existed before version 12 */
#define DIAGNOSTICS(uses)                                                                \
	{.name = "dev", .shape = SHAPE_FLAG},                                            \
		{.name = "author", .shape = SHAPE_FLAG, .since = 12},                    \
		{.name = "deprecated", .shape = SHAPE_FLAG},                             \
		{.name = "experimental", .shape = SHAPE_FLAG, .since = 12},              \
		{.name = "installAbsoluteDestination",                                   \
			.shape = SHAPE_FLAG,                                             \
			.since = 12},                                                    \
		{.name = "policy", .shape = SHAPE_FLAG, .since = 12},                    \
		{.name = "uninitialized", .shape = SHAPE_FLAG, .since = uses},           \
	{                                                                                \
		.name = "unusedCli", .shape = SHAPE_FLAG, .since = uses                  \
	}
static const struct schema_member warnings_members[] = {
	DIAGNOSTICS(0),
	{.name = "systemVars", .shape = SHAPE_FLAG},
};
OBJECT(warnings, NAMED_KEY, false);

static const struct schema_member errors_members[] = {DIAGNOSTICS(12)};
OBJECT(errors, NAMED_KEY, false);

static const struct schema_member debug_members[] = {
	{.name = "output", .shape = SHAPE_FLAG},
	{.name = "tryCompile", .shape = SHAPE_FLAG},
	{.name = "find", .shape = SHAPE_FLAG},
};
OBJECT(debug, NAMED_KEY, false);

static const struct schema_member trace_members[] = {
	WORD("mode", "on", "off", "expand"),
	WORD("format", "human", "json-v1"),
	{.name = "source", .shape = SHAPE_TEXT_OR_TEXTS},
	{.name = "redirect", .shape = SHAPE_TEXT},
};
OBJECT(trace, NAMED_PRESET, false);

#define COMMON                                                                           \
	{.name = "name", .shape = SHAPE_NAME, .is_required = true},                      \
		{.name = "inherits", .shape = SHAPE_TEXT_OR_TEXTS},                      \
		{.name = "hidden", .shape = SHAPE_FLAG},                                 \
		{.name = "vendor", .shape = SHAPE_MAP},                                  \
		{.name = "displayName", .shape = SHAPE_TEXT},                            \
	{                                                                                \
		.name = "description", .shape = SHAPE_TEXT                               \
	}
#define USES_CONFIGURE                                                                   \
	{.name = "environment", .shape = SHAPE_ENVIRONMENT},                             \
		{.name = "configurePreset", .shape = SHAPE_TEXT},                        \
	{                                                                                \
		.name = "inheritConfigureEnvironment", .shape = SHAPE_FLAG               \
	}

static const struct schema_member configure_members[] = {
	COMMON,
	{.name = "generator", .shape = SHAPE_TEXT},
	{.name = "architecture",
		.shape = SHAPE_TEXT_OR_OBJECT,
		.object = &platform_object},
	{.name = "toolset", .shape = SHAPE_TEXT_OR_OBJECT, .object = &platform_object},
	{.name = "toolchainFile", .shape = SHAPE_TEXT},
	{.name = "graphviz", .shape = SHAPE_TEXT, .since = 10},
	{.name = "binaryDir", .shape = SHAPE_TEXT},
	{.name = "installDir", .shape = SHAPE_TEXT},
	{.name = "cmakeExecutable", .shape = SHAPE_TEXT},
	{.name = "cacheVariables", .shape = SHAPE_CACHE},
	{.name = "environment", .shape = SHAPE_ENVIRONMENT},
	{.name = "warnings", .shape = SHAPE_OBJECT, .object = &warnings_object},
	{.name = "errors", .shape = SHAPE_OBJECT, .object = &errors_object},
	{.name = "debug", .shape = SHAPE_OBJECT, .object = &debug_object},
	{.name = "trace", .shape = SHAPE_OBJECT, .object = &trace_object, .since = 7},
	{.name = "condition", .shape = SHAPE_CONDITION},
};
OBJECT(configure, NAMED_PRESET, false);

static const struct schema_member build_members[] = {
	COMMON,
	USES_CONFIGURE,
	{.name = "jobs", .shape = SHAPE_BUILD_JOBS},
	{.name = "targets", .shape = SHAPE_TEXT_OR_TEXTS},
	{.name = "configuration", .shape = SHAPE_TEXT},
	{.name = "cleanFirst", .shape = SHAPE_FLAG},
	{.name = "verbose", .shape = SHAPE_FLAG},
	{.name = "nativeToolOptions", .shape = SHAPE_TEXTS},
	{.name = "condition", .shape = SHAPE_CONDITION},
	WORD("resolvePackageReferences", "on", "off", "only"),
};
OBJECT(build, NAMED_PRESET, false);

static const struct schema_member output_members[] = {
	{.name = "shortProgress", .shape = SHAPE_FLAG},
	WORD("verbosity", "default", "verbose", "extra"),
	{.name = "debug", .shape = SHAPE_FLAG},
	{.name = "outputOnFailure", .shape = SHAPE_FLAG},
	{.name = "quiet", .shape = SHAPE_FLAG},
	{.name = "outputLogFile", .shape = SHAPE_TEXT},
	{.name = "outputJUnitFile", .shape = SHAPE_TEXT},
	{.name = "labelSummary", .shape = SHAPE_FLAG},
	{.name = "subprojectSummary", .shape = SHAPE_FLAG},
	{.name = "maxPassedTestOutputSize", .shape = SHAPE_INT},
	{.name = "maxFailedTestOutputSize", .shape = SHAPE_INT},
	WORD("testOutputTruncation", "tail", "middle", "head"),
	{.name = "maxTestNameWidth", .shape = SHAPE_INT},
};
OBJECT(output, NAMED_OBJECT, false);

static const struct schema_member range_members[] = {
	{.name = "start", .shape = SHAPE_INT},
	{.name = "end", .shape = SHAPE_INT},
	{.name = "stride", .shape = SHAPE_INT},
	{.name = "specificTests", .shape = SHAPE_INTS},
};
OBJECT(range, NAMED_OBJECT, true);

static const struct schema_member include_members[] = {
	{.name = "name", .shape = SHAPE_TEXT},
	{.name = "label", .shape = SHAPE_TEXT},
	{.name = "index",
		.shape = SHAPE_TEXT_OR_OBJECT,
		.object = &range_object,
		.is_silent = true},
	{.name = "useUnion", .shape = SHAPE_FLAG},
};
OBJECT(include, NAMED_OBJECT, true);

static const struct schema_member fixtures_members[] = {
	{.name = "any", .shape = SHAPE_TEXT},
	{.name = "setup", .shape = SHAPE_TEXT},
	{.name = "cleanup", .shape = SHAPE_TEXT},
};
OBJECT(fixtures, NAMED_OBJECT, true);

static const struct schema_member exclude_members[] = {
	{.name = "name", .shape = SHAPE_TEXT},
	{.name = "label", .shape = SHAPE_TEXT},
	{.name = "fixtures", .shape = SHAPE_OBJECT, .object = &fixtures_object},
};
OBJECT(exclude, NAMED_OBJECT, true);

static const struct schema_member filter_members[] = {
	{.name = "include", .shape = SHAPE_OBJECT, .object = &include_object},
	{.name = "exclude", .shape = SHAPE_OBJECT, .object = &exclude_object},
};
OBJECT(filter, NAMED_OBJECT, true);

static const struct schema_member repeat_members[] = {
	{.name = "mode",
		.shape = SHAPE_WORD,
		.words = WORDS("until-fail", "until-pass", "after-timeout"),
		.is_required = true},
	{.name = "count", .shape = SHAPE_INT, .is_required = true},
};
OBJECT(repeat, NAMED_OBJECT, true);

static const struct schema_member execution_members[] = {
	{.name = "stopOnFailure", .shape = SHAPE_FLAG},
	{.name = "enableFailover", .shape = SHAPE_FLAG},
	{.name = "jobs", .shape = SHAPE_TEST_JOBS},
	{.name = "resourceSpecFile", .shape = SHAPE_TEXT},
	{.name = "testLoad", .shape = SHAPE_INT},
	WORD("showOnly", "human", "json-v1"),
	{.name = "repeat", .shape = SHAPE_OBJECT, .object = &repeat_object},
	{.name = "interactiveDebugging", .shape = SHAPE_FLAG},
	{.name = "scheduleRandom", .shape = SHAPE_FLAG},
	{.name = "timeout", .shape = SHAPE_INT},
	WORD("noTestsAction", "default", "error", "ignore"),
	{.name = "testPassthroughArguments", .shape = SHAPE_TEXTS, .since = 12},
};
OBJECT(execution, NAMED_OBJECT, true);

static const struct schema_member test_members[] = {
	COMMON,
	USES_CONFIGURE,
	{.name = "configuration", .shape = SHAPE_TEXT},
	{.name = "overwriteConfigurationFile", .shape = SHAPE_TEXTS},
	{.name = "output", .shape = SHAPE_OBJECT, .object = &output_object},
	{.name = "filter", .shape = SHAPE_OBJECT, .object = &filter_object},
	{.name = "execution", .shape = SHAPE_OBJECT, .object = &execution_object},
	{.name = "condition", .shape = SHAPE_CONDITION},
};
OBJECT(test, NAMED_PRESET, false);

static const struct schema_member pack_output_members[] = {
	{.name = "debug", .shape = SHAPE_FLAG},
	{.name = "verbose", .shape = SHAPE_FLAG},
};
OBJECT(pack_output, NAMED_KEY, false);

static const struct schema_member package_members[] = {
	COMMON,
	USES_CONFIGURE,
	{.name = "generators", .shape = SHAPE_TEXTS},
	{.name = "configurations", .shape = SHAPE_TEXTS},
	{.name = "variables", .shape = SHAPE_VARIABLES},
	{.name = "configFile", .shape = SHAPE_TEXT},
	{.name = "output", .shape = SHAPE_OBJECT, .object = &pack_output_object},
	{.name = "packageName", .shape = SHAPE_TEXT},
	{.name = "packageVersion", .shape = SHAPE_TEXT},
	{.name = "packageDirectory", .shape = SHAPE_TEXT},
	{.name = "vendorName", .shape = SHAPE_TEXT},
	{.name = "condition", .shape = SHAPE_CONDITION},
};
OBJECT(package, NAMED_PRESET, false);

static const struct schema_member step_members[] = {
	{.name = "type",
		.shape = SHAPE_WORD,
		.words = WORDS("configure", "build", "test", "package"),
		.is_required = true,
		.is_silent = true},
	{.name = "name", .shape = SHAPE_TEXT, .is_required = true},
};
OBJECT(step, NAMED_OBJECT, false);

static const struct schema_member workflow_members[] = {
	{.name = "name", .shape = SHAPE_NAME, .is_required = true},
	{.name = "vendor", .shape = SHAPE_MAP},
	{.name = "displayName", .shape = SHAPE_TEXT},
	{.name = "description", .shape = SHAPE_TEXT},
	{.name = "steps",
		.shape = SHAPE_OBJECTS,
		.object = &step_object,
		.is_required = true},
};
OBJECT(workflow, NAMED_PRESET, false);

/* ---- conditions ------------------------------------------------------------------ */

#define TYPE                                                                             \
	{                                                                                \
		.name = "type", .shape = SHAPE_TEXT, .is_required = true                 \
	}
#define NEEDS(key, what)                                                                 \
	{                                                                                \
		.name = key, .shape = what, .is_required = true                          \
	}
#define CONDITION(name) SCHEMA(name, NAMED_CONDITION, false, "Invalid preset condition")

static const struct schema_member constant_members[] = {TYPE, NEEDS("value", SHAPE_FLAG)};
CONDITION(constant);

static const struct schema_member equals_members[] = {
	TYPE, NEEDS("lhs", SHAPE_TEXT), NEEDS("rhs", SHAPE_TEXT)};
CONDITION(equals);

static const struct schema_member in_list_members[] = {
	TYPE, NEEDS("string", SHAPE_TEXT), NEEDS("list", SHAPE_TEXTS)};
CONDITION(in_list);

static const struct schema_member matches_members[] = {
	TYPE, NEEDS("string", SHAPE_TEXT), NEEDS("regex", SHAPE_TEXT)};
CONDITION(matches);

static const struct schema_member some_members[] = {
	TYPE, NEEDS("conditions", SHAPE_PARTS)};
CONDITION(some);

static const struct schema_member negation_members[] = {
	TYPE, NEEDS("condition", SHAPE_PART)};
CONDITION(negation);

/* By type. */
static const struct schema_member conditions[] = {
	{.name = "const", .object = &constant_object},
	{.name = "equals", .object = &equals_object},
	{.name = "notEquals", .object = &equals_object},
	{.name = "inList", .object = &in_list_object},
	{.name = "notInList", .object = &in_list_object},
	{.name = "matches", .object = &matches_object},
	{.name = "notMatches", .object = &matches_object},
	{.name = "anyOf", .object = &some_object},
	{.name = "allOf", .object = &some_object},
	{.name = "not", .object = &negation_object},
};

/* The condition with this type. NULL: there is none. */
static const struct schema_member *
find_condition(struct str type)
{
	for (size_t i = 0; i < sizeof conditions / sizeof *conditions; i++)
		if (str_is(type, conditions[i].name))
			return &conditions[i];
	return NULL;
}

/* ---- cache variables ------------------------------------------------------------- */

static const struct schema_member variable_members[] = {
	{.name = "type", .shape = SHAPE_TEXT},
	NEEDS("value", SHAPE_TEXT_OR_FLAG),
};
SCHEMA(variable, NAMED_VARIABLE, false, "Invalid CMake variable definition");

static const struct schema_member variable_schema = {.object = &variable_object};

/* ---- the file -------------------------------------------------------------------- */

static const char bad_number[] = "Invalid \"version\" field";
static const struct schema_member minimum_members[] = {
	{.name = "major", .shape = SHAPE_UNSIGNED, .refused = bad_number},
	{.name = "minor", .shape = SHAPE_UNSIGNED, .refused = bad_number},
	{.name = "patch", .shape = SHAPE_UNSIGNED, .refused = bad_number},
};
SCHEMA(minimum, NAMED_KEY, false, "Invalid \"cmakeMinimumRequired\" field");

#define PRESETS(key, what)                                                               \
	{                                                                                \
		.name = key, .shape = SHAPE_OBJECTS, .object = &what##_object,           \
		.refused = "Invalid \"configurePresets\" field"                          \
	}
static const struct schema_member root_members[] = {
	{.name = "version", .shape = SHAPE_ANY},
	PRESETS("configurePresets", configure),
	PRESETS("buildPresets", build),
	PRESETS("testPresets", test),
	PRESETS("packagePresets", package),
	PRESETS("workflowPresets", workflow),
	{.name = "cmakeMinimumRequired",
		.shape = SHAPE_OBJECT,
		.object = &minimum_object},
	{.name = "include", .shape = SHAPE_TEXTS, .refused = "Invalid \"include\" field"},
	{.name = "vendor", .shape = SHAPE_MAP, .refused = "Invalid root object"},
	{.name = "$schema", .shape = SHAPE_ANY, .since = 8},
};
SCHEMA(root, NAMED_ROOT, false, "Invalid root object");

static const struct schema_member root_schema = {.object = &root_object};

/* ---- the walk -------------------------------------------------------------------- */

struct walk {
	struct preset_faults *f;
	const struct json_document *document;
	int version; /* of the file */
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
is_word(const struct json_value *v, const char *const *words)
{
	if (!json_is(v, JSON_STRING))
		return false;
	while (*words && !str_is(v->text, *words))
		words++;
	return *words;
}

static bool
has_comments(const struct walk *w)
{
	return w->newest >= 10 && w->version >= 10;
}

/* ---- messages -------------------------------------------------------------------- */

static struct str
preset_name(const struct walk *w)
{
	return preset_text(w->f, json_member(w->preset, "name"));
}

static bool
bad_condition(struct walk *w, const struct json_value *at)
{
	return preset_wrong(w->f, "Invalid preset condition", AT(w->document, at),
		"Invalid condition for preset \"%.*s\"", STR_ARG(preset_name(w)));
}

static bool
bad_variable_as(
	struct walk *w, const char *older, struct str name, const struct json_value *at)
{
	return preset_wrong(w->f, older, AT(w->document, at),
		"Invalid CMake variable \"%.*s\" for preset \"%.*s\"", STR_ARG(name),
		STR_ARG(preset_name(w)));
}

static bool
bad_variable(struct walk *w, struct str name, const struct json_value *at)
{
	return bad_variable_as(w, "Invalid CMake variable definition", name, at);
}

static bool
refuse_value(struct walk *w, const struct schema_member *m, const struct json_value *at)
{
	if (!m->refused && w->in->naming == NAMED_CONDITION)
		return bad_condition(w, at);
	return preset_wrong(w->f, m->refused ? m->refused : w->in->older,
		AT(w->document, at), "%s", m->refused ? m->refused : "Invalid preset");
}

/* The message for a wrong type. */
static bool
refuse_type(struct walk *w, const struct schema_member *m, const struct json_value *at)
{
	if (!m->is_silent || !w->f->dialect->has[DIALECT_PRESET_ERROR_DETAILS])
		return refuse_value(w, m, at);
	if (!w->unreported)
		w->unreported = at;
	return false;
}

static bool
refuse_unexpected(struct walk *w, const struct schema_member *m,
	const struct json_value *at, const char *what)
{
	bool has_text = !json_is(at, JSON_ARRAY) && !json_is(at, JSON_OBJECT);
	struct str got = preset_text(w->f, at);

	if (m->refused)
		return refuse_value(w, m, at);
	return preset_wrong(w->f, w->in->older, AT(w->document, at),
		"\"%s\" expected %s%s%.*s", m->name, what, has_text ? ", got: " : "",
		STR_ARG(got));
}

static bool
bad_name(struct walk *w, const struct json_value *at)
{
	struct str got = preset_text(w->f, at);

	return preset_wrong(w->f, w->in->older, AT(w->document, at),
		"Invalid Preset Name%s%.*s", got.n ? ": " : "", STR_ARG(got));
}

/* What the object that is the member's value is called. */
static struct str
object_title(const struct walk *w, const struct schema_member *m)
{
	struct arena *a = w->f->a;

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

SORT_POINTERS_BY(sort_members, const struct json_value, TEXTUAL(name))

/* Empty if `object` is not an object: elements of a list have no names. */
static member_vec
members_of(struct walk *w, const struct json_value *object)
{
	member_vec members = {.n = 0};
	const struct json_value *m;

	if (!json_is(object, JSON_OBJECT))
		return members;
	for (m = json_first(object); m; m = m->next)
		VEC_PUSH(w->f->a, &members, m);
	sort_members(members.v, members.n);
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
			VEC_PUSH(w->f->a, &unknown, member);
	sort_members(unknown.v, unknown.n);
	for (size_t i = 0; i < unknown.n; i++)
		preset_wrong(w->f, o->older, AT(w->document, unknown.v[i]),
			"Invalid extra field \"%.*s\" in %.*s",
			STR_ARG(unknown.v[i]->name), STR_ARG(object_title(w, m)));
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
			is_good = preset_wrong(w->f, o->older, AT(w->document, v),
				"Missing required field \"%s\" in %.*s", known->name,
				STR_ARG(object_title(w, m)));
	}
	return is_good;
}

static bool
check_object(struct walk *w, const struct schema_member *m, const struct json_value *v)
{
	const struct schema_object *outer = w->in;
	bool is_good;

	if (!json_is(v, JSON_OBJECT))
		return preset_wrong(w->f, m->object->older, AT(w->document, v),
			"Invalid %.*s", STR_ARG(object_title(w, m)));
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
		return refuse_value(w, m, v);
	element.shape = shape;
	for (e = json_first(v); e; e = e->next) {
		element.name = str_fmt_z(w->f->a, "$vector_item_%zu", i++);
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
		return refuse_value(w, m, v);
	for (size_t i = 0; i < members.n; i++)
		if (!json_is(members.v[i], JSON_NULL) &&
			!json_is(members.v[i], JSON_STRING))
			is_good = refuse_value(w, m, members.v[i]);
	return is_good;
}

static bool
check_cache(struct walk *w, const struct schema_member *m, const struct json_value *v)
{
	member_vec members = members_of(w, v);
	bool is_good = true;

	if (!json_is(v, JSON_OBJECT))
		return refuse_value(w, m, v);
	for (size_t i = 0; i < members.n; i++) {
		const struct json_value *member = members.v[i];

		w->variable = member->name;
		if (json_is(member, JSON_OBJECT))
			is_good &= check_object(w, &variable_schema, member);
		else if (!json_is(member, JSON_NULL) && !json_is_bool(member) &&
			 !json_is(member, JSON_STRING))
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
		if (!json_is(members.v[i], JSON_STRING))
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
		find_condition(json_is(type, JSON_STRING) ? type->text : STR_NONE);

	if (json_is_bool(v))
		return true;
	return m ? check_object(w, m, v) : bad_condition(w, v);
}

/* Since version 11 of the format "" means the default number. */
static bool
check_jobs(struct walk *w, const struct schema_member *m, const struct json_value *v)
{
	if (w->newest < 11)
		return is_int(v) || refuse_unexpected(w, m, v, "an integer");
	if (m->shape == SHAPE_BUILD_JOBS)
		return is_unsigned(v) ||
		       refuse_unexpected(w, m, v, "an unsigned integer");
	return is_unsigned(v) || (json_is(v, JSON_STRING) && !v->text.n) ||
	       refuse_value(w, m, v);
}

static bool
check_value(struct walk *w, const struct schema_member *m, const struct json_value *v)
{
	switch (m->shape) {
	case SHAPE_ANY:
		return true;
	case SHAPE_TEXT:
		return json_is(v, JSON_STRING) || refuse_unexpected(w, m, v, "a string");
	case SHAPE_NAME:
		return (json_is(v, JSON_STRING) && v->text.n) || bad_name(w, v);
	case SHAPE_WORD:
		return is_word(v, m->words) ||
		       (json_is(v, JSON_STRING) ? refuse_value(w, m, v)
						: refuse_type(w, m, v));
	case SHAPE_FLAG:
		return json_is_bool(v) || refuse_unexpected(w, m, v, "a bool");
	case SHAPE_TEXT_OR_FLAG:
		return json_is(v, JSON_STRING) || json_is_bool(v) ||
		       refuse_unexpected(w, m, v, "a string");
	case SHAPE_INT:
		return is_int(v) || refuse_unexpected(w, m, v, "an integer");
	case SHAPE_UNSIGNED:
		return is_unsigned(v) ||
		       refuse_unexpected(w, m, v, "an unsigned integer");
	case SHAPE_MAP:
		return json_is(v, JSON_OBJECT) || refuse_value(w, m, v);
	case SHAPE_OBJECT:
		return check_object(w, m, v);
	case SHAPE_OBJECTS:
		return check_list(w, m, v, SHAPE_OBJECT);
	case SHAPE_TEXTS:
		return check_list(w, m, v, SHAPE_TEXT);
	case SHAPE_TEXT_OR_TEXTS:
		return json_is(v, JSON_STRING) || check_list(w, m, v, SHAPE_TEXT);
	case SHAPE_TEXT_OR_OBJECT:
		if (json_is(v, JSON_OBJECT))
			return check_object(w, m, v);
		return json_is(v, JSON_STRING) || refuse_type(w, m, v);
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
		if (w->version < ages[i].since && ages[i].since <= w->newest &&
			json_member(root, ages[i].member))
			return preset_needs_version(
				w->f, ages[i].since, ages[i].what, ages[i].has_stop);
	return true;
}

static bool
check_version(struct walk *w)
{
	const struct json_value *version = json_member(w->document->root, "version");
	static const char unknown[] = "Unrecognized \"version\" field";

	if (!version)
		return preset_wrong(
			w->f, "No \"version\" field", NOWHERE, "No \"version\" field");
	if (!is_int(version))
		return preset_wrong(w->f, "Invalid \"version\" field",
			AT(w->document, version), "Invalid \"version\" field");
	w->version = (int)version->number;
	if (w->version >= 1 && w->version <= w->newest)
		return true;
	if (!w->f->dialect->has[DIALECT_PRESET_ERROR_VERSIONS])
		return preset_wrong(w->f, unknown, AT(w->document, version), unknown);
	return preset_wrong(w->f, unknown, AT(w->document, version),
		"Unrecognized \"version\" %.*s: must be >=1 and <=%d",
		STR_ARG(preset_text(w->f, version)), w->newest);
}

bool
preset_schema_check(
	struct preset_faults *f, const struct json_document *document, int *version)
{
	struct walk w = {
		.f = f, .document = document, .newest = newest_version(f->dialect)};
	const struct json_value *root = document->root;

	if (!json_is(root, JSON_OBJECT))
		return preset_wrong(f, "Invalid root object", AT(document, root),
			"Invalid root object");
	if (!check_version(&w) || !check_age(&w, root))
		return false;
	*version = w.version;
	if (check_object(&w, &root_schema, root))
		return true;
	/* ctest aborts here, without a message. */
	return f->n ? false
		    : preset_wrong(f, "Invalid preset", AT(document, w.unreported),
			      "Invalid preset");
}

/* ---- the age of a preset --------------------------------------------------------- */

static bool
refuse_early(struct preset_faults *f, const char *group, const char *name)
{
	return preset_needs_version(
		f, 12, str_fmt_z(f->a, "%s.%s support", group, name), false);
}

static bool
is_in(const struct json_value *group, const char *name)
{
	return json_member(group, name) != NULL;
}

static bool
check_group(struct preset_faults *f, const struct json_value *group, const char *name)
{
	static const char *const added[] = {
		"author", "experimental", "installAbsoluteDestination", "policy"};

	for (size_t i = 0; i < sizeof added / sizeof *added; i++)
		if (is_in(group, added[i]))
			return refuse_early(f, name, added[i]);
	return true;
}

static bool
refuse_dev(struct preset_faults *f, const char *group)
{
	return preset_wrong(f, "", NOWHERE,
		"File version must be 11 or lower for %s.dev support", group);
}

static bool
check_diagnostics(struct preset_faults *f, const struct json_value *preset, int version)
{
	const struct json_value *warnings = json_member(preset, "warnings");
	const struct json_value *errors = json_member(preset, "errors");

	if (version >= 12) {
		if (is_in(warnings, "dev"))
			return refuse_dev(f, "warnings");
		return !is_in(errors, "dev") || refuse_dev(f, "errors");
	}
	if (!check_group(f, warnings, "warnings") || !check_group(f, errors, "errors"))
		return false;
	if (is_in(errors, "uninitialized"))
		return refuse_early(f, "errors", "uninitialized");
	return !is_in(errors, "unusedCli") || refuse_early(f, "errors", "unusedCli");
}

/* In the order of the messages. */
static const struct age {
	enum preset_kind kind; /* PRESET_KINDS: any */
	const char *path[4];
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
is_too_new(const struct age *age, const struct json_value *preset, int version)
{
	const struct json_value *v = json_find(preset, age->path);

	if (version >= age->since)
		return false;
	return age->is_text ? json_is(v, JSON_STRING) : !json_is_empty(v);
}

bool
preset_age_check(struct preset_faults *f, enum preset_kind kind,
	const struct json_value *preset, int version)
{
	int newest = newest_version(f->dialect);

	for (size_t i = 0; i < sizeof ages / sizeof *ages; i++) {
		const struct age *age = &ages[i];

		if ((age->kind == kind || age->kind == PRESET_KINDS) &&
			newest >= age->since && is_too_new(age, preset, version))
			return preset_needs_version(
				f, age->since, age->what, age->has_stop);
	}
	return kind != PRESET_CONFIGURE || newest < 12 ||
	       check_diagnostics(f, preset, version);
}

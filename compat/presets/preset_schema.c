/*
 * The shape of presets files as tables. Members are checked in table order, which is
 * ctest's, so that errors are reported in the same order. Objects in which ctest allows
 * unknown members are open.
 */
#include "compat/presets/preset_schema.h"

/* ---- tables ---------------------------------------------------------------------- */

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})
#define SCHEMA(name, naming, open, older)                                                \
	static const struct schema_object name = {naming, open, older, name##_members,   \
		sizeof name##_members / sizeof *name##_members}
#define OBJECT(name, naming, open) SCHEMA(name, naming, open, "Invalid preset")

static const struct schema_member platform_members[] = {
	{.name = "value", .shape = SHAPE_TEXT},
	{.name = "strategy", .shape = SHAPE_WORD, .words = WORDS("set", "external")},
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
	{.name = "mode", .shape = SHAPE_WORD, .words = WORDS("on", "off", "expand")},
	{.name = "format", .shape = SHAPE_WORD, .words = WORDS("human", "json-v1")},
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
	{.name = "architecture", .shape = SHAPE_TEXT_OR_OBJECT, .object = &platform},
	{.name = "toolset", .shape = SHAPE_TEXT_OR_OBJECT, .object = &platform},
	{.name = "toolchainFile", .shape = SHAPE_TEXT},
	{.name = "graphviz", .shape = SHAPE_TEXT, .since = 10},
	{.name = "binaryDir", .shape = SHAPE_TEXT},
	{.name = "installDir", .shape = SHAPE_TEXT},
	{.name = "cmakeExecutable", .shape = SHAPE_TEXT},
	{.name = "cacheVariables", .shape = SHAPE_CACHE},
	{.name = "environment", .shape = SHAPE_ENVIRONMENT},
	{.name = "warnings", .shape = SHAPE_OBJECT, .object = &warnings},
	{.name = "errors", .shape = SHAPE_OBJECT, .object = &errors},
	{.name = "debug", .shape = SHAPE_OBJECT, .object = &debug},
	{.name = "trace", .shape = SHAPE_OBJECT, .object = &trace, .since = 7},
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
	{.name = "resolvePackageReferences",
		.shape = SHAPE_WORD,
		.words = WORDS("on", "off", "only")},
};
OBJECT(build, NAMED_PRESET, false);

static const struct schema_member output_members[] = {
	{.name = "shortProgress", .shape = SHAPE_FLAG},
	{.name = "verbosity",
		.shape = SHAPE_WORD,
		.words = WORDS("default", "verbose", "extra")},
	{.name = "debug", .shape = SHAPE_FLAG},
	{.name = "outputOnFailure", .shape = SHAPE_FLAG},
	{.name = "quiet", .shape = SHAPE_FLAG},
	{.name = "outputLogFile", .shape = SHAPE_TEXT},
	{.name = "outputJUnitFile", .shape = SHAPE_TEXT},
	{.name = "labelSummary", .shape = SHAPE_FLAG},
	{.name = "subprojectSummary", .shape = SHAPE_FLAG},
	{.name = "maxPassedTestOutputSize", .shape = SHAPE_INT},
	{.name = "maxFailedTestOutputSize", .shape = SHAPE_INT},
	{.name = "testOutputTruncation",
		.shape = SHAPE_WORD,
		.words = WORDS("tail", "middle", "head")},
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
		.object = &range,
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
	{.name = "fixtures", .shape = SHAPE_OBJECT, .object = &fixtures},
};
OBJECT(exclude, NAMED_OBJECT, true);

static const struct schema_member filter_members[] = {
	{.name = "include", .shape = SHAPE_OBJECT, .object = &include},
	{.name = "exclude", .shape = SHAPE_OBJECT, .object = &exclude},
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
	{.name = "showOnly", .shape = SHAPE_WORD, .words = WORDS("human", "json-v1")},
	{.name = "repeat", .shape = SHAPE_OBJECT, .object = &repeat},
	{.name = "interactiveDebugging", .shape = SHAPE_FLAG},
	{.name = "scheduleRandom", .shape = SHAPE_FLAG},
	{.name = "timeout", .shape = SHAPE_INT},
	{.name = "noTestsAction",
		.shape = SHAPE_WORD,
		.words = WORDS("default", "error", "ignore")},
	{.name = "testPassthroughArguments", .shape = SHAPE_TEXTS, .since = 12},
};
OBJECT(execution, NAMED_OBJECT, true);

static const struct schema_member test_members[] = {
	COMMON,
	USES_CONFIGURE,
	{.name = "configuration", .shape = SHAPE_TEXT},
	{.name = "overwriteConfigurationFile", .shape = SHAPE_TEXTS},
	{.name = "output", .shape = SHAPE_OBJECT, .object = &output},
	{.name = "filter", .shape = SHAPE_OBJECT, .object = &filter},
	{.name = "execution", .shape = SHAPE_OBJECT, .object = &execution},
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
	{.name = "output", .shape = SHAPE_OBJECT, .object = &pack_output},
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
	{.name = "steps", .shape = SHAPE_OBJECTS, .object = &step, .is_required = true},
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
	{.name = "const", .object = &constant},
	{.name = "equals", .object = &equals},
	{.name = "notEquals", .object = &equals},
	{.name = "inList", .object = &in_list},
	{.name = "notInList", .object = &in_list},
	{.name = "matches", .object = &matches},
	{.name = "notMatches", .object = &matches},
	{.name = "anyOf", .object = &some},
	{.name = "allOf", .object = &some},
	{.name = "not", .object = &negation},
};

const struct schema_member *
preset_schema_condition(struct str type)
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

const struct schema_member preset_schema_variable = {.object = &variable};

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
		.name = key, .shape = SHAPE_OBJECTS, .object = &what,                    \
		.refused = "Invalid \"configurePresets\" field"                          \
	}
static const struct schema_member root_members[] = {
	{.name = "version", .shape = SHAPE_ANY},
	PRESETS("configurePresets", configure),
	PRESETS("buildPresets", build),
	PRESETS("testPresets", test),
	PRESETS("packagePresets", package),
	PRESETS("workflowPresets", workflow),
	{.name = "cmakeMinimumRequired", .shape = SHAPE_OBJECT, .object = &minimum},
	{.name = "include", .shape = SHAPE_TEXTS, .refused = "Invalid \"include\" field"},
	{.name = "vendor", .shape = SHAPE_MAP, .refused = "Invalid root object"},
	{.name = "$schema", .shape = SHAPE_ANY, .since = 8},
};
SCHEMA(root, NAMED_ROOT, false, "Invalid root object");

const struct schema_member preset_schema_root = {.object = &root};

/* ---- kinds of presets ------------------------------------------------------------ */

static const char *const kind_names[PRESET_KINDS] = {
	[PRESET_CONFIGURE] = "configure",
	[PRESET_BUILD] = "build",
	[PRESET_TEST] = "test",
	[PRESET_PACKAGE] = "package",
	[PRESET_WORKFLOW] = "workflow",
};
static const char *const kind_titles[PRESET_KINDS] = {
	[PRESET_CONFIGURE] = "Configure",
	[PRESET_BUILD] = "Build",
	[PRESET_TEST] = "Test",
	[PRESET_PACKAGE] = "Package",
	[PRESET_WORKFLOW] = "Workflow",
};
static const char *const kind_members[PRESET_KINDS] = {
	[PRESET_CONFIGURE] = "configurePresets",
	[PRESET_BUILD] = "buildPresets",
	[PRESET_TEST] = "testPresets",
	[PRESET_PACKAGE] = "packagePresets",
	[PRESET_WORKFLOW] = "workflowPresets",
};

const char *
preset_kind_name(enum preset_kind kind)
{
	return kind_names[kind];
}

const char *
preset_kind_title(enum preset_kind kind)
{
	return kind_titles[kind];
}

const char *
preset_kind_text(const struct preset_set *s, enum preset_kind kind)
{
	return s->dialect->has[DIALECT_PRESET_ERROR_KINDS]
		       ? str_fmt(s->a, "%s ", kind_names[kind]).p
		       : "";
}

const char *
preset_kind_member(enum preset_kind kind)
{
	return kind_members[kind];
}

int
preset_newest_version(const struct dialect *dialect)
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

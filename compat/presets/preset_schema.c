/*
 * The shape of presets files as tables. Members are looked at in their order, which is
 * ctest's, so that of several mistakes the same one is told. Objects of which ctest lets
 * unknown members pass are open.
 */
#include "compat/presets/preset_schema.h"

/* ---- tables ---------------------------------------------------------------------------
 */

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})
#define OBJECT(name, what, open)                                                         \
	static const struct schema_object name = {what, open, name##_members,            \
		sizeof name##_members / sizeof *name##_members}

static const struct schema_member platform_members[] = {
	{.name = "value", .shape = SHAPE_TEXT},
	{.name = "strategy", .shape = SHAPE_WORD, .words = WORDS("set", "external")},
};
OBJECT(platform, NULL, false);

static const struct schema_member warnings_members[] = {
	{.name = "author", .shape = SHAPE_FLAG, .since = 12},
	{.name = "dev", .shape = SHAPE_FLAG},
	{.name = "deprecated", .shape = SHAPE_FLAG},
	{.name = "uninitialized", .shape = SHAPE_FLAG},
	{.name = "unusedCli", .shape = SHAPE_FLAG},
	{.name = "systemVars", .shape = SHAPE_FLAG},
	{.name = "installAbsoluteDestination", .shape = SHAPE_FLAG, .since = 12},
};
OBJECT(warnings, NULL, false);

static const struct schema_member errors_members[] = {
	{.name = "author", .shape = SHAPE_FLAG, .since = 12},
	{.name = "dev", .shape = SHAPE_FLAG},
	{.name = "deprecated", .shape = SHAPE_FLAG},
	{.name = "uninitialized", .shape = SHAPE_FLAG, .since = 12},
	{.name = "unusedCli", .shape = SHAPE_FLAG, .since = 12},
	{.name = "installAbsoluteDestination", .shape = SHAPE_FLAG, .since = 12},
};
OBJECT(errors, NULL, false);

static const struct schema_member debug_members[] = {
	{.name = "output", .shape = SHAPE_FLAG},
	{.name = "tryCompile", .shape = SHAPE_FLAG},
	{.name = "find", .shape = SHAPE_FLAG},
};
OBJECT(debug, NULL, false);

static const struct schema_member trace_members[] = {
	{.name = "mode", .shape = SHAPE_WORD, .words = WORDS("on", "off", "expand")},
	{.name = "format", .shape = SHAPE_WORD, .words = WORDS("human", "json-v1")},
	{.name = "source", .shape = SHAPE_TEXT_OR_TEXTS},
	{.name = "redirect", .shape = SHAPE_TEXT},
};
OBJECT(trace, NULL, false);

#define COMMON                                                                           \
	{.name = "name", .shape = SHAPE_NAME, .is_required = true},                      \
		{.name = "hidden", .shape = SHAPE_FLAG},                                 \
		{.name = "inherits", .shape = SHAPE_TEXT_OR_TEXTS},                      \
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
OBJECT(configure, "Preset", false);

static const struct schema_member build_members[] = {
	COMMON,
	USES_CONFIGURE,
	{.name = "jobs", .shape = SHAPE_JOBS},
	{.name = "targets", .shape = SHAPE_TEXT_OR_TEXTS},
	{.name = "configuration", .shape = SHAPE_TEXT},
	{.name = "cleanFirst", .shape = SHAPE_FLAG},
	{.name = "verbose", .shape = SHAPE_FLAG},
	{.name = "nativeToolOptions", .shape = SHAPE_TEXTS},
	{.name = "resolvePackageReferences",
		.shape = SHAPE_WORD,
		.words = WORDS("on", "off", "only")},
	{.name = "condition", .shape = SHAPE_CONDITION},
};
OBJECT(build, "Preset", false);

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
OBJECT(output, NULL, false);

static const struct schema_member range_members[] = {
	{.name = "start", .shape = SHAPE_INT},
	{.name = "end", .shape = SHAPE_INT},
	{.name = "stride", .shape = SHAPE_INT},
	{.name = "specificTests", .shape = SHAPE_INTS},
};
OBJECT(range, NULL, true);

static const struct schema_member include_members[] = {
	{.name = "name", .shape = SHAPE_TEXT},
	{.name = "label", .shape = SHAPE_TEXT},
	{.name = "index", .shape = SHAPE_TEXT_OR_OBJECT, .object = &range},
	{.name = "useUnion", .shape = SHAPE_FLAG},
};
OBJECT(include, NULL, true);

static const struct schema_member fixtures_members[] = {
	{.name = "any", .shape = SHAPE_TEXT},
	{.name = "setup", .shape = SHAPE_TEXT},
	{.name = "cleanup", .shape = SHAPE_TEXT},
};
OBJECT(fixtures, NULL, true);

static const struct schema_member exclude_members[] = {
	{.name = "name", .shape = SHAPE_TEXT},
	{.name = "label", .shape = SHAPE_TEXT},
	{.name = "fixtures", .shape = SHAPE_OBJECT, .object = &fixtures},
};
OBJECT(exclude, NULL, true);

static const struct schema_member filter_members[] = {
	{.name = "include", .shape = SHAPE_OBJECT, .object = &include},
	{.name = "exclude", .shape = SHAPE_OBJECT, .object = &exclude},
};
OBJECT(filter, NULL, true);

static const struct schema_member repeat_members[] = {
	{.name = "mode",
		.shape = SHAPE_WORD,
		.words = WORDS("until-fail", "until-pass", "after-timeout"),
		.is_required = true},
	{.name = "count", .shape = SHAPE_INT, .is_required = true},
};
OBJECT(repeat, NULL, true);

static const struct schema_member execution_members[] = {
	{.name = "stopOnFailure", .shape = SHAPE_FLAG},
	{.name = "enableFailover", .shape = SHAPE_FLAG},
	{.name = "jobs", .shape = SHAPE_JOBS},
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
OBJECT(execution, NULL, true);

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
OBJECT(test, "Preset", false);

static const struct schema_member pack_output_members[] = {
	{.name = "debug", .shape = SHAPE_FLAG},
	{.name = "verbose", .shape = SHAPE_FLAG},
};
OBJECT(pack_output, NULL, false);

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
OBJECT(package, "Preset", false);

static const struct schema_member step_members[] = {
	{.name = "type",
		.shape = SHAPE_WORD,
		.words = WORDS("configure", "build", "test", "package"),
		.is_required = true},
	{.name = "name", .shape = SHAPE_TEXT, .is_required = true},
};
OBJECT(step, NULL, false);

static const struct schema_member workflow_members[] = {
	{.name = "name", .shape = SHAPE_NAME, .is_required = true},
	{.name = "vendor", .shape = SHAPE_MAP},
	{.name = "displayName", .shape = SHAPE_TEXT},
	{.name = "description", .shape = SHAPE_TEXT},
	{.name = "steps", .shape = SHAPE_STEPS, .object = &step, .is_required = true},
};
OBJECT(workflow, "Preset", false);

static const struct schema_object *const presets[PRESET_KINDS] = {
	[PRESET_CONFIGURE] = &configure,
	[PRESET_BUILD] = &build,
	[PRESET_TEST] = &test,
	[PRESET_PACKAGE] = &package,
	[PRESET_WORKFLOW] = &workflow,
};
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
preset_kind_told(const struct preset_set *s, enum preset_kind kind)
{
	return s->dialect->has[DIALECT_PRESET_KINDS]
		       ? str_fmt(s->a, "%s ", kind_names[kind]).p
		       : "";
}

const char *
preset_kind_member(enum preset_kind kind)
{
	return kind_members[kind];
}

const struct schema_object *
preset_schema(enum preset_kind kind)
{
	return presets[kind];
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

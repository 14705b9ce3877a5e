/* See script_keys.h. */
#include "compat/dashboard/script/script_keys.h"

#include <string.h>

#include "compat/format/secrets.h"

const struct script_key script_keys[] = {
	{"Site", "CTEST_SITE", PARTS, false},
	{"BuildName", "CTEST_BUILD_NAME", PARTS, false},
	{"NightlyStartTime", "CTEST_NIGHTLY_START_TIME", PARTS, false},
	{"SourceDirectory", "CTEST_SOURCE_DIRECTORY", PARTS, false},
	{"BuildDirectory", "CTEST_BINARY_DIRECTORY", PARTS, false},
	{"CheckoutCommand", "CTEST_CHECKOUT_COMMAND", PARTS, true},
	{"UpdateCommand", "CTEST_UPDATE_COMMAND", PART_UPDATE, false},
	{"UpdateOptions", "CTEST_UPDATE_OPTIONS", PART_UPDATE, false},
	{"UpdateType", "CTEST_UPDATE_TYPE", PART_UPDATE, false},
	{"CVSCommand", "CTEST_CVS_COMMAND", PART_UPDATE, false},
	{"CVSUpdateOptions", "CTEST_CVS_UPDATE_OPTIONS", PART_UPDATE, false},
	{"SVNCommand", "CTEST_SVN_COMMAND", PART_UPDATE, false},
	{"SVNUpdateOptions", "CTEST_SVN_UPDATE_OPTIONS", PART_UPDATE, false},
	{"SVNOptions", "CTEST_SVN_OPTIONS", PART_UPDATE, false},
	{"BZRCommand", "CTEST_BZR_COMMAND", PART_UPDATE, false},
	{"BZRUpdateOptions", "CTEST_BZR_UPDATE_OPTIONS", PART_UPDATE, false},
	{"GITCommand", "CTEST_GIT_COMMAND", PART_UPDATE, false},
	{"GITUpdateOptions", "CTEST_GIT_UPDATE_OPTIONS", PART_UPDATE, false},
	{"GITInitSubmodules", "CTEST_GIT_INIT_SUBMODULES", PART_UPDATE, false},
	{"GITUpdateCustom", "CTEST_GIT_UPDATE_CUSTOM", PART_UPDATE, false},
	{"UpdateVersionOnly", "CTEST_UPDATE_VERSION_ONLY", PART_UPDATE, false},
	{"UpdateVersionOverride", "CTEST_UPDATE_VERSION_OVERRIDE", PART_UPDATE, false},
	{"HGCommand", "CTEST_HG_COMMAND", PART_UPDATE, false},
	{"HGUpdateOptions", "CTEST_HG_UPDATE_OPTIONS", PART_UPDATE, false},
	{"P4Command", "CTEST_P4_COMMAND", PART_UPDATE, false},
	{"P4UpdateCustom", "CTEST_P4_UPDATE_CUSTOM", PART_UPDATE, false},
	{"P4UpdateOptions", "CTEST_P4_UPDATE_OPTIONS", PART_UPDATE, false},
	{"P4Client", "CTEST_P4_CLIENT", PART_UPDATE, false},
	{"P4Options", "CTEST_P4_OPTIONS", PART_UPDATE, false},
	{"ConfigureCommand", "CTEST_CONFIGURE_COMMAND", PARTS, false},
	{"LabelsForSubprojects", "CTEST_LABELS_FOR_SUBPROJECTS", PARTS, false},
	{"CMakeGenerator", "CTEST_CMAKE_GENERATOR", PARTS, true},
	{"CMakeGeneratorPlatform", "CTEST_CMAKE_GENERATOR_PLATFORM", PARTS, true},
	{"CMakeGeneratorToolset", "CTEST_CMAKE_GENERATOR_TOOLSET", PARTS, true},
	{"MakeCommand", "CTEST_BUILD_COMMAND", PARTS, false},
	{"UseLaunchers", "CTEST_USE_LAUNCHERS", PARTS, false},
	{"BuildFlags", "CTEST_BUILD_FLAGS", PARTS, true},
	{"BuildTarget", "CTEST_BUILD_TARGET", PARTS, true},
	{"TimeOut", "CTEST_TEST_TIMEOUT", PARTS, false},
	{"CTestTestCoverageTool", "CTEST_TEST_COVERAGE_TOOL", PARTS, true},
	{"ResourceSpecFile", "CTEST_RESOURCE_SPEC_FILE", PARTS, true},
	{"TestLoad", "CTEST_TEST_LOAD", PARTS, true},
	{"CoverageCommand", "CTEST_COVERAGE_COMMAND", PART_COVERAGE, false},
	{"CoverageExtraFlags", "CTEST_COVERAGE_EXTRA_FLAGS", PART_COVERAGE, false},
	{"ExtraCoverageGlob", "CTEST_EXTRA_COVERAGE_GLOB", PARTS, true},
	{"MemoryCheckType", "CTEST_MEMORYCHECK_TYPE", PART_MEMCHECK, false},
	{"MemoryCheckSanitizerOptions", "CTEST_MEMORYCHECK_SANITIZER_OPTIONS",
		PART_MEMCHECK, false},
	{"MemoryCheckCommand", "CTEST_MEMORYCHECK_COMMAND", PART_MEMCHECK, false},
	{"MemoryCheckCommandOptions", "CTEST_MEMORYCHECK_COMMAND_OPTIONS", PART_MEMCHECK,
		false},
	{"MemoryCheckSuppressionFile", "CTEST_MEMORYCHECK_SUPPRESSIONS_FILE",
		PART_MEMCHECK, false},
	{"NotesFiles", "CTEST_NOTES_FILES", PARTS, true},
	{"ExtraSubmitFiles", "CTEST_EXTRA_SUBMIT_FILES", PARTS, true},
	{"SubmitParts", "CTEST_SUBMIT_PARTS", PARTS, true},
	{"SubmitURL", "CTEST_SUBMIT_URL", PARTS, false},
	{"DropMethod", "CTEST_DROP_METHOD", PART_SUBMIT, false},
	{"DropSiteUser", "CTEST_DROP_SITE_USER", PART_SUBMIT, false},
	{"DropSitePassword", "CTEST_DROP_SITE_PASSWORD", PART_SUBMIT, false},
	{"DropSite", "CTEST_DROP_SITE", PART_SUBMIT, false},
	{"DropLocation", "CTEST_DROP_LOCATION", PART_SUBMIT, false},
	{"TLSVerify", "CTEST_TLS_VERIFY", PARTS, false},
	{"TLSVersion", "CTEST_TLS_VERSION", PARTS, false},
	{"CurlOptions", "CTEST_CURL_OPTIONS", PARTS, false},
	{"SubmitInactivityTimeout", "CTEST_SUBMIT_INACTIVITY_TIMEOUT", PARTS, false},
	{"TimeLimit", "CTEST_TIME_LIMIT", PARTS, true},
	{NULL, NULL, PARTS, false},
};

const char *
script_key_variable(const char *key)
{
	const struct script_key *k = script_keys;

	while (strcmp(k->key, key) != 0)
		k++;
	return k->variable;
}

void
script_set_key(struct dashboard *d, const struct step_input *in, const char *key,
	struct str value)
{
	struct str text;

	INVARIANT(*key);
	for (size_t i = 0; i < d->defined.n; i++)
		if (str_is(d->defined.v[i].name, key))
			value = d->defined.v[i].value;
	text = str_fmt(d->arena, "%s=%.*s", key, STR_ARG(value));
	step_fmt(in, CHANNEL_VERBOSE, "SetCTestConfiguration:%s:%.*s\n", key,
		STR_ARG(secrets_masked_value(d->arena, str_of(key), value)));
	configuration_set(&d->configuration, text);
}

void
script_take_key(struct dashboard *d, const struct step_input *in,
	const struct script_call *call, const char *key, const char *variable)
{
	struct str value = script_variable(call, variable);

	INVARIANT(*key && *variable);
	if (!value.p)
		return;
	step_fmt(in, CHANNEL_VERBOSE, "SetCTestConfigurationFromCMakeVariable:%s:%s\n",
		key, variable);
	script_set_key(d, in, key, value);
}

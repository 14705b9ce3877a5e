/* See script_keys.h. */
#include "compat/dashboard/script/script_keys.h"

#include <string.h>

#include "compat/format/secrets.h"

const struct script_key script_keys[] = {
	{"Site", "CTEST_SITE", PARTS},
	{"BuildName", "CTEST_BUILD_NAME", PARTS},
	{"NightlyStartTime", "CTEST_NIGHTLY_START_TIME", PARTS},
	{"SourceDirectory", "CTEST_SOURCE_DIRECTORY", PARTS},
	{"BuildDirectory", "CTEST_BINARY_DIRECTORY", PARTS},
	{"CheckoutCommand", "CTEST_CHECKOUT_COMMAND", PARTS},
	{"UpdateCommand", "CTEST_UPDATE_COMMAND", PART_UPDATE},
	{"UpdateOptions", "CTEST_UPDATE_OPTIONS", PART_UPDATE},
	{"UpdateType", "CTEST_UPDATE_TYPE", PART_UPDATE},
	{"CVSCommand", "CTEST_CVS_COMMAND", PART_UPDATE},
	{"CVSUpdateOptions", "CTEST_CVS_UPDATE_OPTIONS", PART_UPDATE},
	{"SVNCommand", "CTEST_SVN_COMMAND", PART_UPDATE},
	{"SVNUpdateOptions", "CTEST_SVN_UPDATE_OPTIONS", PART_UPDATE},
	{"SVNOptions", "CTEST_SVN_OPTIONS", PART_UPDATE},
	{"BZRCommand", "CTEST_BZR_COMMAND", PART_UPDATE},
	{"BZRUpdateOptions", "CTEST_BZR_UPDATE_OPTIONS", PART_UPDATE},
	{"GITCommand", "CTEST_GIT_COMMAND", PART_UPDATE},
	{"GITUpdateOptions", "CTEST_GIT_UPDATE_OPTIONS", PART_UPDATE},
	{"GITInitSubmodules", "CTEST_GIT_INIT_SUBMODULES", PART_UPDATE},
	{"GITUpdateCustom", "CTEST_GIT_UPDATE_CUSTOM", PART_UPDATE},
	{"UpdateVersionOnly", "CTEST_UPDATE_VERSION_ONLY", PART_UPDATE},
	{"UpdateVersionOverride", "CTEST_UPDATE_VERSION_OVERRIDE", PART_UPDATE},
	{"HGCommand", "CTEST_HG_COMMAND", PART_UPDATE},
	{"HGUpdateOptions", "CTEST_HG_UPDATE_OPTIONS", PART_UPDATE},
	{"P4Command", "CTEST_P4_COMMAND", PART_UPDATE},
	{"P4UpdateCustom", "CTEST_P4_UPDATE_CUSTOM", PART_UPDATE},
	{"P4UpdateOptions", "CTEST_P4_UPDATE_OPTIONS", PART_UPDATE},
	{"P4Client", "CTEST_P4_CLIENT", PART_UPDATE},
	{"P4Options", "CTEST_P4_OPTIONS", PART_UPDATE},
	{"ConfigureCommand", "CTEST_CONFIGURE_COMMAND", PARTS},
	{"LabelsForSubprojects", "CTEST_LABELS_FOR_SUBPROJECTS", PARTS},
	{"CMakeGenerator", "CTEST_CMAKE_GENERATOR", PARTS},
	{"CMakeGeneratorPlatform", "CTEST_CMAKE_GENERATOR_PLATFORM", PARTS},
	{"CMakeGeneratorToolset", "CTEST_CMAKE_GENERATOR_TOOLSET", PARTS},
	{"MakeCommand", "CTEST_BUILD_COMMAND", PARTS},
	{"UseLaunchers", "CTEST_USE_LAUNCHERS", PARTS},
	{"BuildFlags", "CTEST_BUILD_FLAGS", PARTS},
	{"BuildTarget", "CTEST_BUILD_TARGET", PARTS},
	{"TimeOut", "CTEST_TEST_TIMEOUT", PARTS},
	{"CTestTestCoverageTool", "CTEST_TEST_COVERAGE_TOOL", PARTS},
	{"ResourceSpecFile", "CTEST_RESOURCE_SPEC_FILE", PARTS},
	{"TestLoad", "CTEST_TEST_LOAD", PARTS},
	{"CoverageCommand", "CTEST_COVERAGE_COMMAND", PART_COVERAGE},
	{"CoverageExtraFlags", "CTEST_COVERAGE_EXTRA_FLAGS", PART_COVERAGE},
	{"ExtraCoverageGlob", "CTEST_EXTRA_COVERAGE_GLOB", PARTS},
	{"MemoryCheckType", "CTEST_MEMORYCHECK_TYPE", PART_MEMCHECK},
	{"MemoryCheckSanitizerOptions", "CTEST_MEMORYCHECK_SANITIZER_OPTIONS",
		PART_MEMCHECK},
	{"MemoryCheckCommand", "CTEST_MEMORYCHECK_COMMAND", PART_MEMCHECK},
	{"MemoryCheckCommandOptions", "CTEST_MEMORYCHECK_COMMAND_OPTIONS", PART_MEMCHECK},
	{"MemoryCheckSuppressionFile", "CTEST_MEMORYCHECK_SUPPRESSIONS_FILE",
		PART_MEMCHECK},
	{"NotesFiles", "CTEST_NOTES_FILES", PARTS},
	{"ExtraSubmitFiles", "CTEST_EXTRA_SUBMIT_FILES", PARTS},
	{"SubmitParts", "CTEST_SUBMIT_PARTS", PARTS},
	{"SubmitURL", "CTEST_SUBMIT_URL", PARTS},
	{"DropMethod", "CTEST_DROP_METHOD", PART_SUBMIT},
	{"DropSiteUser", "CTEST_DROP_SITE_USER", PART_SUBMIT},
	{"DropSitePassword", "CTEST_DROP_SITE_PASSWORD", PART_SUBMIT},
	{"DropSite", "CTEST_DROP_SITE", PART_SUBMIT},
	{"DropLocation", "CTEST_DROP_LOCATION", PART_SUBMIT},
	{"TLSVerify", "CTEST_TLS_VERIFY", PARTS},
	{"TLSVersion", "CTEST_TLS_VERSION", PARTS},
	{"CurlOptions", "CTEST_CURL_OPTIONS", PARTS},
	{"SubmitInactivityTimeout", "CTEST_SUBMIT_INACTIVITY_TIMEOUT", PARTS},
	{"TimeLimit", "CTEST_TIME_LIMIT", PARTS},
	{NULL, NULL, PARTS},
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

	if (!value.p)
		return;
	step_fmt(in, CHANNEL_VERBOSE, "SetCTestConfigurationFromCMakeVariable:%s:%s\n",
		key, variable);
	script_set_key(d, in, key, value);
}

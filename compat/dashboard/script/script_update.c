/*
 * ctest_update: the version control system, and how it is called. See script_steps.h.
 *
 * Before 4.0 ctest does not read UpdateType and P4UpdateCustom from variables.
 */
#include <string.h>

#include "compat/dashboard/script/script_steps.h"

const struct script_key script_update_keys[] = {
	{"UpdateCommand", "CTEST_UPDATE_COMMAND"},
	{"UpdateOptions", "CTEST_UPDATE_OPTIONS"},
	{"UpdateType", "CTEST_UPDATE_TYPE"},
	{"CVSCommand", "CTEST_CVS_COMMAND"},
	{"CVSUpdateOptions", "CTEST_CVS_UPDATE_OPTIONS"},
	{"SVNCommand", "CTEST_SVN_COMMAND"},
	{"SVNUpdateOptions", "CTEST_SVN_UPDATE_OPTIONS"},
	{"SVNOptions", "CTEST_SVN_OPTIONS"},
	{"BZRCommand", "CTEST_BZR_COMMAND"},
	{"BZRUpdateOptions", "CTEST_BZR_UPDATE_OPTIONS"},
	{"GITCommand", "CTEST_GIT_COMMAND"},
	{"GITUpdateOptions", "CTEST_GIT_UPDATE_OPTIONS"},
	{"GITInitSubmodules", "CTEST_GIT_INIT_SUBMODULES"},
	{"GITUpdateCustom", "CTEST_GIT_UPDATE_CUSTOM"},
	{"UpdateVersionOnly", "CTEST_UPDATE_VERSION_ONLY"},
	{"UpdateVersionOverride", "CTEST_UPDATE_VERSION_OVERRIDE"},
	{"HGCommand", "CTEST_HG_COMMAND"},
	{"HGUpdateOptions", "CTEST_HG_UPDATE_OPTIONS"},
	{"P4Command", "CTEST_P4_COMMAND"},
	{"P4UpdateCustom", "CTEST_P4_UPDATE_CUSTOM"},
	{"P4UpdateOptions", "CTEST_P4_UPDATE_OPTIONS"},
	{"P4Client", "CTEST_P4_CLIENT"},
	{"P4Options", "CTEST_P4_OPTIONS"},
	{NULL, NULL},
};

static const struct keyword keywords[] = {
	{"VERSION_ONLY", TAKES_NONE, SINCE(DIALECT_UPDATE_VERSION_ONLY)},
	{"VERSION_OVERRIDE", TAKES_VALUE, SINCE(DIALECT_UPDATE_VERSION_ONLY)},
	{NULL, TAKES_NONE, 0},
};

static void
take_all(struct step_request *r)
{
	for (const struct script_key *k = script_update_keys; k->key; k++)
		request_key_silently(r, k->key, request_variable(r, k->variable));
	if (request_has(r, "VERSION_ONLY"))
		request_key_silently(r, "UpdateVersionOnly", STR("ON"));
	if (request_has(r, "VERSION_OVERRIDE"))
		request_key_silently(
			r, "UpdateVersionOverride", request_value(r, "VERSION_OVERRIDE"));
	r->in.source = request_value_or(r, "SOURCE", "CTEST_SOURCE_DIRECTORY");
}

static void
take_old(struct step_request *r)
{
	static const char *const new_keys[] = {"UpdateType", "P4UpdateCustom"};

	for (const struct script_key *k = script_update_keys; k->key; k++)
		if (strcmp(k->key, new_keys[0]) != 0 && strcmp(k->key, new_keys[1]) != 0)
			request_key_of(r, k->key, k->variable);
}

static bool
before(struct step_request *r)
{
	struct str what;

	if (r->scripts->dialect->has[DIALECT_UPDATE_NAMES_REPOSITORY]) {
		take_all(r);
		what = step_update_missing(&r->in);
		return !what.n || request_refuse(r, what);
	}
	request_key(r, "SourceDirectory", r->in.source);
	take_old(r);
	return true;
}

const struct script_step script_step_update = {
	.command = "ctest_update",
	.part = PART_UPDATE,
	.keywords = keywords,
	.is_alone_now = true,
	.is_anew = true,
	.before = before,
};

/*
 * ctest_update: which version control, and how it is called. See script_steps.h.
 *
 * What it does not take from variables is on purpose, since ctest does not: UpdateType
 * and P4UpdateCustom.
 */
#include "compat/script_steps.h"

static const struct script_key keys[] = {
	{"UpdateCommand", "CTEST_UPDATE_COMMAND"},
	{"UpdateOptions", "CTEST_UPDATE_OPTIONS"},
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
	{"P4UpdateOptions", "CTEST_P4_UPDATE_OPTIONS"},
	{"P4Client", "CTEST_P4_CLIENT"},
	{"P4Options", "CTEST_P4_OPTIONS"},
};

static bool
before(struct step_request *r)
{
	request_key(r, "SourceDirectory", r->d->source);
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		request_key_of(r, keys[i].key, keys[i].variable);
	return true;
}

const struct script_step script_step_update = {
	.command = "ctest_update",
	.part = PART_UPDATE,
	.is_alone_now = true,
	.before = before,
};

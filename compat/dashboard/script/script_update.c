/*
 * ctest_update: the version control system, and how it is called. See script_steps.h.
 *
 * Before 4.0 ctest does not read UpdateType and P4UpdateCustom from variables.
 */
#include <string.h>

#include "compat/dashboard/script/script_steps.h"

static const struct keyword keywords[] = {
	{"VERSION_ONLY", TAKES_NONE, SINCE(DIALECT_UPDATE_VERSION_ONLY)},
	{"VERSION_OVERRIDE", TAKES_VALUE, SINCE(DIALECT_UPDATE_VERSION_ONLY)},
	{NULL, TAKES_NONE, 0},
};

static void
take_all(struct step_request *r)
{
	for (const struct script_key *k = script_keys; k->key; k++)
		if (k->part == PART_UPDATE)
			request_key_silently(r, k->key, request_variable(r, k->variable));
	if (request_has(r, "VERSION_ONLY"))
		request_key_silently(r, "UpdateVersionOnly", STR("ON"));
	if (request_has(r, "VERSION_OVERRIDE"))
		request_key_silently(
			r, "UpdateVersionOverride", request_value(r, "VERSION_OVERRIDE"));
	request_take_names(r);
	request_set_source(r, request_value_or(r, "SOURCE", "CTEST_SOURCE_DIRECTORY"));
}

static void
take_old(struct step_request *r)
{
	for (const struct script_key *k = script_keys; k->key; k++)
		if (k->part == PART_UPDATE && strcmp(k->key, "UpdateType") != 0 &&
			strcmp(k->key, "P4UpdateCustom") != 0)
			request_key_of(r, k->key);
}

static bool
prepare_step(struct step_request *r)
{
	struct str what;

	if (request_input(r)->dialect->has[DIALECT_UPDATE_NAMES_REPOSITORY]) {
		take_all(r);
		what = step_update_missing(request_input(r));
		return !what.n || request_refuse(r, what);
	}
	request_key(r, "SourceDirectory", request_input(r)->source);
	take_old(r);
	return true;
}

const struct script_step script_step_update = {
	.command = "ctest_update",
	.part = PART_UPDATE,
	.keywords = keywords,
	.is_alone_now = true,
	.is_new_implementation = true,
	.before = prepare_step,
};

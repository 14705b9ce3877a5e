/*
 * Presets of CMakePresets.json and CMakeUserPresets.json: cctr-presets(7).
 */
#ifndef CCTR_COMPAT_PRESETS_PRESETS_H
#define CCTR_COMPAT_PRESETS_PRESETS_H

#include "compat/options/option_parse.h"

/* What the command line asks of presets. */
struct preset_request {
	struct str name; /* --preset */
	struct str file; /* --presets-file, or "" */
	bool has_name, has_file, is_list; /* --list-presets */
};
struct preset_request preset_request_of(
	const struct dialect *dialect, int argc, char *const *argv);

/* Does what the command line asks of presets, if anything. As presets_apply. */
bool presets_obey(struct option_parse *p, int argc, char *const *argv);

/* Sets options as the chosen preset says, and the environment of this process. false
 * after saying what is wrong; with a list it is printed and help is HELP_PRESETS. */
bool presets_apply(struct option_parse *p, const struct preset_request *request);
/* The build tree of the chosen preset; "" when there is none, or anything is wrong. */
struct str presets_build_directory(struct arena *a, const struct dialect *dialect,
	const struct preset_request *request);

#endif

/*
 * Presets of CMakePresets.json and CMakeUserPresets.json: cctr-presets(7).
 */
#ifndef CCTR_COMPAT_PRESETS_PRESETS_H
#define CCTR_COMPAT_PRESETS_PRESETS_H

#include "compat/options/option_parse.h"

/* The preset options of the command line. */
struct preset_request {
	struct str name; /* --preset */
	struct str file; /* --presets-file, or "" */
	bool has_name, has_file, is_list; /* --list-presets */
};
struct preset_request preset_request_of(
	const struct dialect *dialect, int argc, char *const *argv);

/* Does what the preset options of the command line ask. Returns the same as
 * presets_apply. */
bool presets_obey(struct option_parse *p, int argc, char *const *argv);

/* Sets options and the environment of this process as the chosen preset says. false after
 * a message. A list is printed, and help is then HELP_PRESETS. */
bool presets_apply(struct option_parse *p, const struct preset_request *request);
/* The build tree of the chosen preset; "": there is none, or there is an error. */
struct str presets_build_directory(struct arena *a, const struct dialect *dialect,
	const struct preset_request *request);

#endif

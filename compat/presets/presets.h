/*
 * Presets of CMakePresets.json and CMakeUserPresets.json: cctr-presets(7).
 */
#ifndef CCTR_COMPAT_PRESETS_PRESETS_H
#define CCTR_COMPAT_PRESETS_PRESETS_H

#include "compat/options/option_parse.h"

/* ---- of a command line ----------------------------------------------------------- */

/* The presets that a command line asks for, as one release of ctest reads them. */
struct presets;
/* NULL: it asks for none. earlier: what was read for another release, so that no file is
 * read twice; or NULL. */
const struct presets *presets_read(struct arena *a, const struct dialect *dialect,
	int argc, char *const *argv, const struct presets *earlier);
/* The build tree of the chosen preset; "": there is none, or there is an error. */
struct str presets_build_directory(struct arena *a, const struct presets *p);
/* Sets options, the environment among them, as the chosen preset says. false after a
 * message. A list is printed, and help is then HELP_PRESETS. presets may be NULL. */
bool presets_apply(struct option_parse *p, const struct presets *presets);

/* ---- of the commands of scripts: PRESET and PRESETS_FILE ------------------------- */

enum preset_step { PRESET_STEP_CONFIGURE, PRESET_STEP_BUILD, PRESET_STEP_TEST };

struct preset_wish {
	struct str name;
	struct str file; /* absolute; "": the files of the source directory */
	struct str source; /* as spelled; "": the working directory */
	bool may_lack; /* an unusable preset counts as if none were named */
};
struct preset_found {
	bool is_there; /* it exists and can be used */
	struct str wrong; /* in ctest's words, or "" */
	/* Only for a configure preset. */
	struct str build; /* its build directory, or "" */
	bool has_generator;
};
/* Sets in o, which may be NULL, what a test preset says about which tests run, and
 * how. */
struct preset_found preset_for_step(struct arena *a, const struct dialect *dialect,
	enum preset_step step, const struct preset_wish *wish, struct options *o);

#endif

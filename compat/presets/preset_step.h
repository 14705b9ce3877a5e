/*
 * Presets that the commands of scripts name: PRESET and PRESETS_FILE. cctr-presets(7).
 */
#ifndef CCTR_COMPAT_PRESETS_PRESET_STEP_H
#define CCTR_COMPAT_PRESETS_PRESET_STEP_H

#include "compat/options/options.h"

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

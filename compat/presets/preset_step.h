/*
 * Presets that the commands of scripts name: PRESET and PRESETS_FILE. cctr-presets(7).
 */
#ifndef CCTR_COMPAT_PRESETS_PRESET_STEP_H
#define CCTR_COMPAT_PRESETS_PRESET_STEP_H

#include "compat/options/options.h"

enum preset_step { PRESET_STEP_CONFIGURE, PRESET_STEP_BUILD, PRESET_STEP_TEST };

struct preset_wish {
	struct str name;
	struct str file; /* absolute; "": those of the source directory */
	struct str source; /* as it is spelled; "": the working directory */
	bool may_lack; /* one of the name that is of no use is as if none were named */
};
struct preset_found {
	bool is_there; /* and can be used */
	struct str wrong; /* in ctest's words, or "" */
	/* Of a configure preset. */
	struct str build; /* its build directory, or "" */
	bool has_generator;
};
/* o, which may be NULL, gets what a test preset says of which tests run, and how. */
struct preset_found preset_for_step(struct arena *a, const struct dialect *dialect,
	enum preset_step step, const struct preset_wish *wish, struct options *o);

#endif

/* Turns a test preset into options. */
#ifndef CCTR_COMPAT_PRESETS_PRESET_OPTIONS_H
#define CCTR_COMPAT_PRESETS_PRESET_OPTIONS_H

#include "compat/options/option_parse.h"
#include "compat/presets/preset.h"

/* build: the build directory of the configure preset, or "". */
void preset_set_options(
	struct option_parse *p, const struct preset *test, struct str build);
/* For a step of a dashboard, which uses only some fields: filters, results, and how tests
 * run except for time limits. */
void preset_set_step_options(struct option_parse *p, const struct preset *test);

#endif

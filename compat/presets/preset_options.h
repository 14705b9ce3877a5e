/* From a test preset to options. */
#ifndef CCTR_COMPAT_PRESETS_PRESET_OPTIONS_H
#define CCTR_COMPAT_PRESETS_PRESET_OPTIONS_H

#include "compat/options/option_parse.h"
#include "compat/presets/preset_set.h"

/* build: of the configure preset, or "". */
void preset_set_options(
	struct option_parse *p, const struct preset *test, struct str build);
/* What of it a step of a dashboard obeys: filters, results, and how tests run but for
 * their time. */
void preset_set_step_options(struct option_parse *p, const struct preset *test);

#endif

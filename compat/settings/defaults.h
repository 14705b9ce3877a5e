/* Defaults of cctr's own options: the text of a cctr.yaml or cctr.json. What is unknown
 * in it is an error. */
#ifndef CCTR_COMPAT_SETTINGS_DEFAULTS_H
#define CCTR_COMPAT_SETTINGS_DEFAULTS_H

#include "compat/options/engine_options.h"
#include "runner/base/diag.h"

/* file: for messages. false after diag_error, for each mistake. */
bool defaults_parse(struct arena *a, struct str text, struct str file,
	struct engine_options *engine, struct diag *d);

#endif

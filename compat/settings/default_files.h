/* Where defaults of cctr's own options are: cctr.yaml or cctr.json, in the build tree or
 * beside it, and in the user's folder. */
#ifndef CCTR_COMPAT_SETTINGS_DEFAULT_FILES_H
#define CCTR_COMPAT_SETTINGS_DEFAULT_FILES_H

#include "compat/options/engine_options.h"
#include "runner/base/diag.h"

/* Reads the files of a build tree and of the user; the former win. false after
 * diag_error. */
bool defaults_read(
	struct arena *a, struct str tree, struct engine_options *engine, struct diag *d);

#endif

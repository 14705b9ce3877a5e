/* Where defaults of cctr's own options are: cctr.yaml or cctr.json, in the build tree or
 * beside it, and in the user's folder. */
#ifndef CCTR_COMPAT_SETTINGS_DEFAULT_FILES_H
#define CCTR_COMPAT_SETTINGS_DEFAULT_FILES_H

#include "compat/options/engine_options.h"
#include "runner/base/diag.h"
#include "runner/base/tree.h"

enum { DEFAULT_FILES_MOST = 3 };
struct default_file {
	struct str path;
	const struct tree *root; /* NULL: it says nothing */
	bool is_users; /* else it is in the build tree, or beside it */
};
struct default_files {
	struct default_file v[DEFAULT_FILES_MOST]; /* the strongest first */
	size_t n;
};

/* Finds, reads and checks the files of a build tree and of the user. options: the keys
 * that are known beside those of the engine. false after diag_error. */
bool default_files_load(struct arena *a, struct str tree, struct str_list options,
	struct default_files *files, struct diag *d);
/* What these files say of the engine: first what the profile says, if its name is not "".
 * The files of the build tree win over the user's. false after diag_error. */
bool defaults_read(struct arena *a, struct str tree, struct str profile,
	struct str_list options, struct engine_options *engine, struct diag *d);

#endif

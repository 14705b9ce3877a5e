/* Defaults of cctr's own options: the text of a cctr.yaml or cctr.json. What is unknown
 * in it is an error. */
#ifndef CCTR_COMPAT_SETTINGS_DEFAULTS_H
#define CCTR_COMPAT_SETTINGS_DEFAULTS_H

#include "compat/options/engine_options.h"
#include "runner/base/diag.h"
#include "runner/base/tree.h"

/* The document of a file. *root is NULL if it says nothing. file, here and below: for
 * messages. false after diag_error, for each mistake. */
bool defaults_document(struct arena *a, struct str text, struct str file,
	const struct tree **root, struct diag *d);
/* What a document, or one of its profiles, says of the engine. options: the other keys
 * that are known; who reads them checks their values. */
bool defaults_section(struct arena *a, const struct tree *section, struct str file,
	struct str_list options, struct engine_options *engine, struct diag *d);
/* All of it: what is outside of profiles, and every profile. */
bool defaults_check(struct arena *a, const struct tree *root, struct str file,
	struct str_list options, struct diag *d);
/* The profile of that name; NULL: the document has none. root may be NULL. */
const struct tree *defaults_profile(const struct tree *root, struct str name);
/* Adds the names of the document's profiles. root may be NULL. */
void defaults_add_profiles(struct arena *a, const struct tree *root, str_vec *names);
/* Whether defaults_section reads the key. */
bool defaults_is_engine_key(struct str key);

#endif

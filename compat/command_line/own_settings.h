/* Options of cctr's own as the command line, the environment and cctr.yaml set them. */
#ifndef CCTR_COMPAT_COMMAND_LINE_OWN_SETTINGS_H
#define CCTR_COMPAT_COMMAND_LINE_OWN_SETTINGS_H

#include "compat/options/option_parse.h"
#include "compat/settings/default_files.h"

/* Keys of cctr.yaml: the options of cctr's own that are not for one call alone. */
struct str_list own_setting_keys(struct arena *a);
/* Sets what a parsed command line leaves unsaid, from the environment and from the files
 * of the build tree that it names and of the user. Fills profile, own_keys, own_settings
 * and own_files. false after a message, with o->has_wrong_defaults set. */
bool own_settings_read(struct arena *a, const struct dialect *dialect,
	bool is_called_ctest, struct options *o, options_messages *messages);
/* The same with these files. */
bool own_settings_take(struct option_parse *p, const struct default_files *files,
	bool is_called_ctest, struct diag *d);
/* What "cctr config" prints. */
struct str own_settings_text(struct arena *a, const struct options *o);

#endif

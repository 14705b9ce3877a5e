/* The configuration of cctr's own options: where it is read, and what "cctr config"
 * prints. */
#ifndef CCTR_COMPAT_COMMAND_LINE_CONFIG_H
#define CCTR_COMPAT_COMMAND_LINE_CONFIG_H

#include "compat/options/option_parse.h"

/* Sets what a parsed command line leaves unsaid, from the environment and from the files
 * of the build tree that it names and of the user. Fills profile, own_keys, own_settings
 * and own_files. false after a message, with o->has_wrong_defaults set. */
bool config_read(struct arena *a, const struct dialect *dialect, bool is_called_ctest,
	struct options *o, options_messages *messages);
/* What "cctr config" prints. */
struct str config_text(struct arena *a, const struct options *o);

#endif
